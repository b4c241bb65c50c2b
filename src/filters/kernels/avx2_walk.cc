// SPDX-License-Identifier: Apache-2.0
// Elimination for the AVX2 kernel set.  It uses no vectors: with BMI's
// instructions for rotating, shifting and counting zeros it needs a third fewer
// instructions.  It repeats Step(), Walk() and WalkTogether() of
// filters/ribbon/elimination.h, which must not be included here; see
// filters/kernels/avx2.cc.

#include "filters/kernels/avx2_windows.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace tamis {
namespace {

bool StepOne(WalkingKey<std::uint64_t>* key, std::size_t values) noexcept {
  const std::uint64_t sum = key->coefficients ^ *key->row;
  const std::uint64_t turned = sum >> 1 | sum << 63;
  if (static_cast<std::int64_t>(turned) <= 0) return false;
  key->value ^= key->row[values];
  const std::uint64_t zeros = _tzcnt_u64(turned);
  key->coefficients = turned >> zeros;
  key->row += zeros + 1;
  return true;
}

bool WalkOne(WalkingKey<std::uint64_t>* key, std::size_t values) noexcept {
  if (StepOne(key, values)) return true;
  if (key->self == key->queue || *key->row != 0) return false;
  *key->row = key->coefficients;
  key->row[values] = key->value;
  key->self->owned = key->row;
  const QueuedKey<std::uint64_t>* const next = --key->self;
  key->coefficients = next->coefficients;
  key->value = next->value;
  key->row = next->row;
  return true;
}

}  // namespace

namespace avx2 {

std::size_t Walk(WalkingKey<std::uint64_t>* keys, std::size_t values) noexcept {
  WalkingKey<std::uint64_t> a = keys[0];
  WalkingKey<std::uint64_t> b = keys[1];
  WalkingKey<std::uint64_t> c = keys[2];
  WalkingKey<std::uint64_t> d = keys[3];
  std::size_t stopped = 0;
  while (true) {
    stopped = 0;
    if (!WalkOne(&a, values)) break;
    stopped = 1;
    if (!WalkOne(&b, values)) break;
    stopped = 2;
    if (!WalkOne(&c, values)) break;
    stopped = 3;
    if (!WalkOne(&d, values)) break;
  }
  keys[0] = a;
  keys[1] = b;
  keys[2] = c;
  keys[3] = d;
  return stopped;
}

}  // namespace avx2
}  // namespace tamis

#endif
