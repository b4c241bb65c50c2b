// SPDX-License-Identifier: Apache-2.0
// tamis/prefix.h -- the prefixes of keys that filters know beside the whole
// keys, so that a scan of the keys with one prefix is ruled out like a lookup.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/export.h"
#include "tamis/result.h"
#include "tamis/slice.h"

namespace tamis {

// Says which leading part of a key is its prefix.  Its name is stored with the
// filters that have its prefixes, and they are asked for prefixes only by an
// extractor of that name.  Must be safe to share among threads.
//
// What every extractor must obey, or scans miss keys: if p is the prefix of a
// key, then p is the prefix of p, and of every key that starts with p.
class TAMIS_EXPORT PrefixExtractor {
 public:
  virtual ~PrefixExtractor() = default;

  // Changes when the prefixes do.
  virtual std::string_view name() const noexcept = 0;

  // Returns how many bytes of the key are its prefix.  Nothing, 0, or more than
  // it has: the key has no prefix.  If it throws, the filter that is being
  // built gets no prefixes.
  virtual std::optional<std::size_t> PrefixLength(Slice key) const = 0;
};

// Makes one from its text; its name is the text in its shortest form.
//   "fixed=8"              the first 8 bytes
//   "delimiter=:,count=2"  up to the second ':', and that included
//   "delimiter=0x1f"       up to the first byte 31
// A key that is too short, or has too few delimiters, has no prefix.  The names
// that RocksDB stores in its tables, "rocksdb.FixedPrefix.8" and
// "rocksdb.CappedPrefix.8", mean "fixed=8".
// InvalidArgument: the message says which part was not understood.
TAMIS_EXPORT Result<std::shared_ptr<const PrefixExtractor>> MakePrefixExtractor(
    std::string_view text);

// Makes one of a function, as PrefixExtractor::PrefixLength().
// InvalidArgument: the name is not 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-',
// or it is one that MakePrefixExtractor() understands.
TAMIS_EXPORT Result<std::shared_ptr<const PrefixExtractor>> NewPrefixExtractor(
    std::string name,
    std::function<std::optional<std::size_t>(Slice key)> prefix_length);

}  // namespace tamis
