// SPDX-License-Identifier: Apache-2.0
// store/scan_bounds.h -- the bounds of an iterator: which keys it returns, and
// which tables it reads for them.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "store/table_file.h"
#include "table/internal_key.h"
#include "table/table_reader.h"
#include "tamis/prefix.h"
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

// The bounds that options name, as views of them: user keys, the first one
// included, the other not; nothing: unbounded.
class ScanLimits {
 public:
  ScanLimits() = default;
  ScanLimits(const ScanLimits&) = delete;
  ScanLimits& operator=(const ScanLimits&) = delete;

  // InvalidArgument: a prefix has no meaning in that order.
  // REQUIRES: called once; what the options name outlives this
  Status Set(const ReadOptions& options, const KeyOrder& order);

  const std::optional<Slice>& lower() const noexcept { return lower_; }
  const std::optional<Slice>& upper() const noexcept { return upper_; }
  bool any() const noexcept { return lower_ || upper_; }

  // False only if the table has no key within them.
  bool Span(const TableFile& file, const KeyOrder& order) const noexcept;

  // Returns the prefix that every key within them has; nothing if they may have
  // several, or none.  `extractor` may be null.
  // REQUIRES: bytewise order, if it is not
  std::optional<Slice> PrefixBy(const PrefixExtractor* extractor) const;

 private:
  std::optional<Slice> lower_;
  std::optional<Slice> upper_;
  std::optional<std::string> end_of_prefix_;  // upper_ may be a view of it
};

struct ScanBounds {
  // Copies of the limits.
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  KeySpan span;  // the same, as internal keys

  // Null: there are none.
  static std::unique_ptr<const ScanBounds> Of(const ScanLimits& limits);
};

}  // namespace tamis
