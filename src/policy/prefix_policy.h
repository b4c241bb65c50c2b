// SPDX-License-Identifier: Apache-2.0
// policy/prefix_policy.h -- "prefix:delimiter=:,count=2,bloom:10": the text of
// a policy whose filters have prefixes of keys, too.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tamis/filter.h"
#include "tamis/result.h"

namespace tamis {

// The two parts of such a text; views of it.
struct PrefixText {
  std::string_view extractor;
  std::string_view keys;  // of the policy for keys
};

// Nothing: the text is that of another policy.
std::optional<PrefixText> SplitPrefixText(std::string_view text) noexcept;
std::string JoinPrefixText(std::string_view extractor, std::string_view keys);

// Adds prefixes to what a policy makes.  InvalidArgument: as NewPrefixPolicy(),
// or the extractor is not understood.
Result<std::unique_ptr<const FilterPolicy>> AddPrefixes(
    std::string_view extractor, std::unique_ptr<const FilterPolicy> keys);

}  // namespace tamis
