// SPDX-License-Identifier: Apache-2.0
// tamis/export.h -- included by every public header: checks the language
// version, and defines the macro that exports a symbol from the shared library.
// All other symbols are hidden.

#pragma once

#if !defined(__cplusplus) || __cplusplus <= 201703L
#error "Tamis needs C++20: compile with -std=c++20 or later"
#endif

// Marks a function or class of the public interface.
#define TAMIS_EXPORT __attribute__((visibility("default")))
