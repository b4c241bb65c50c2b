// SPDX-License-Identifier: Apache-2.0
// pair_reader.h -- keys with their values out of a stream of bytes.

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
  // InvalidArgument: what comes next is no pair, or larger than a store takes;
  // the message names the source and where.
  virtual Result<bool> Next(Pair* pair) = 0;

  virtual std::uint64_t bytes_read() const = 0;
};

// One pair per line: the key, a tab, the value, both as AppendEscaped() writes
// them, or with `hex` as hexadecimal digits.  Everything behind the first tab
// is the value.  A line may be as long as any pair that a store takes makes it.
// `source` must outlive the reader.
std::unique_ptr<PairReader> NewLinePairReader(ByteSource* source, bool hex);

// One JSON object per line, as SetBytes() makes them: "key" or "key_hex", and
// "value" or "value_hex".  "found": true, which `db get --json` adds, may stand
// beside them; no member may come twice.  A line may be as long as any pair
// that a store takes makes it.  `source` must outlive the reader.
std::unique_ptr<PairReader> NewJsonPairReader(ByteSource* source);

// The lengths of key and value, 32 bits each, little-endian; the key; the
// value; and so on.  `source` must outlive the reader.
std::unique_ptr<PairReader> NewBinaryPairReader(ByteSource* source);

}  // namespace tamis::tools
