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
#include "tamis/result.h"
#include "tamis/store_options.h"

namespace tamis {

struct ScanBounds {
  // User keys, the first one included, the other not; nothing: unbounded.
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  KeySpan span;  // the same, as internal keys

  // Copies the bounds of the options; null: there are none.  InvalidArgument: a
  // prefix has no meaning in that order.
  static Result<std::unique_ptr<const ScanBounds>> Of(
      const ReadOptions& options, const KeyOrder& order);

  // False only if the table has no key within the bounds.
  bool Span(const TableFile& file, const KeyOrder& order) const noexcept;
};

}  // namespace tamis
