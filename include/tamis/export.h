// tamis/export.h -- marks what the shared library shows to the world.
// Everything without the mark stays inside.

#pragma once

#define TAMIS_EXPORT __attribute__((visibility("default")))
