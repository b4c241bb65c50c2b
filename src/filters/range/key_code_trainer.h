// SPDX-License-Identifier: Apache-2.0
// filters/range/key_code_trainer.h -- makes the tables of a code from a sample
// of the keys that it shall spread evenly.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "filters/range/key_code.h"
#include "tamis/slice.h"

namespace tamis {

// A kind of context, how many slots it has, and how exact the code is.
struct CodeShape {
  RangeContext context = RangeContext::kPosition;
  unsigned slot_bits = 1;
  unsigned stop_bits = 0;
};

// A key without the prefix, and how many of its bytes are needed to tell it
// from its neighbours, and to find its place between them.  Only these count:
// what follows would spend the memory of tables on nothing.
struct SampledKey {
  Slice key;
  std::size_t needed;
  std::size_t telling;  // of these, those that tell it from its neighbours
};

struct KeySample {
  std::span<const SampledKey> keys;
  Slice prefix;      // of all keys; at most 65535 bytes
  double scale = 1;  // keys of the filter for each one of the sample
};

// Returns a code that KeyCode::Parse() reads.  A context has a table if that
// saves more bits than it takes; elsewhere all bytes are equally likely.
std::string TrainKeyCode(const CodeShape& shape, const KeySample& sample);

}  // namespace tamis
