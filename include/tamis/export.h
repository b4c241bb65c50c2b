// SPDX-License-Identifier: Apache-2.0
// tamis/export.h -- what every public header begins with: the language it
// needs, and the mark of what the shared library shows to the world.
// Everything without the mark stays inside.

#pragma once

#if !defined(__cplusplus) || __cplusplus <= 201703L
#error "Tamis needs C++20: compile with -std=c++20 or later"
#endif

// Marks a function or class of the public interface.
#define TAMIS_EXPORT __attribute__((visibility("default")))
