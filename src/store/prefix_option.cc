// SPDX-License-Identifier: Apache-2.0
#include "store/prefix_option.h"

#include <optional>

namespace tamis {
namespace {

// A class of the program's own may have any name.
Status CheckName(const PrefixExtractor& extractor) {
  return NewPrefixExtractor(
             std::string(extractor.name()),
             [](Slice /*key*/) { return std::optional<std::size_t>(); })
      .status();
}

}  // namespace

Result<std::shared_ptr<const PrefixExtractor>> PrefixExtractorOf(
    const StoreOptions& options, const KeyOrder& order) {
  const auto& custom = options.custom_prefix_extractor;
  if (custom == nullptr && options.prefix_extractor.empty()) return custom;
  if (custom != nullptr && !options.prefix_extractor.empty()) {
    return Status::InvalidArgument(
        "prefix_extractor and custom_prefix_extractor exclude each other; set "
        "one of them");
  }
  if (!order.is_bytewise()) {
    return Status::InvalidArgument(
        "a prefix extractor needs keys that are ordered by their bytes; leave "
        "it out with this comparator");
  }
  if (custom == nullptr) return MakePrefixExtractor(options.prefix_extractor);
  if (Status fine = CheckName(*custom); !fine.ok()) return fine;
  return custom;
}

std::string PrefixesNameOf(const StoreOptions& options) {
  return options.custom_prefix_extractor != nullptr
             ? std::string(options.custom_prefix_extractor->name())
             : options.prefix_extractor;
}

}  // namespace tamis
