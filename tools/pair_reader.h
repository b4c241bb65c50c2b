// SPDX-License-Identifier: Apache-2.0
// pair_reader.h -- reads keys with their values from a stream of bytes.

#pragma once

#include <cstdint>
#include <memory>

#include "key_reader.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis::tools {

struct Pair {
  Slice key;
  Slice value;
};

class PairReader {
 public:
  virtual ~PairReader() = default;

  // False: there is no more.  The slices last until the next call.
  // InvalidArgument: the next item is not a pair, or larger than a store
  // accepts; the message names the source and the place.
  virtual Result<bool> Next(Pair* pair) = 0;

  virtual std::uint64_t bytes_read() const = 0;
};

// One pair per line: the key, a tab, the value, both as AppendEscaped() writes
// them, or with `hex` as hexadecimal digits.  Everything after the first tab is
// the value.  A line may be as long as the longest pair that a store accepts.
// `source` must outlive the reader.
std::unique_ptr<PairReader> NewLinePairReader(ByteSource* source, bool hex);

// One JSON object per line, as SetBytes() makes them: "key" or "key_hex", and
// "value" or "value_hex".  "found": true, which `db get --json` adds, may be
// there, too; no member may be repeated.  A line may be as long as the longest
// pair that a store accepts.  `source` must outlive the reader.
std::unique_ptr<PairReader> NewJsonPairReader(ByteSource* source);

// The lengths of key and value, 32 bits each, little-endian; the key; the
// value; and so on.  `source` must outlive the reader.
std::unique_ptr<PairReader> NewBinaryPairReader(ByteSource* source);

}  // namespace tamis::tools
