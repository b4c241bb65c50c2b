// SPDX-License-Identifier: Apache-2.0
#include "store/wanted_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "policy/table_policy.h"
#include "store/prefix_option.h"
#include "store/settings_file.h"
#include "table/compression.h"
#include "table/table_meta.h"
#include "tamis/policy_settings.h"

namespace tamis {
namespace {

// Filters are the same if their specs mean the same.
bool IsSameValue(const NamedLine& wanted, const std::string& has) {
  return wanted.value == has ||
         (wanted.name == kFilterSetting &&
          CanonicalText(wanted.value) == CanonicalText(has));
}

// Of the same kind, and with nearly the same bits per key.
bool IsNearSize(const std::string& wanted, const std::string& has) {
  constexpr double kNear = 1.5;  // bits per key
  if (wanted == has) return true;
  const Result<PolicySettings> one = ParsePolicy(wanted);
  const Result<PolicySettings> other = ParsePolicy(has);
  return one.ok() && other.ok() && one->name == other->name &&
         one->bits_per_key && other->bits_per_key &&
         std::abs(*one->bits_per_key - *other->bits_per_key) <= kNear;
}

}  // namespace

WantedShape WantedShape::Of(const StoreOptions& options, const Filter& filter,
                            bool filters_fit, std::uint64_t seed) {
  WantedShape wanted;
  wanted.filter_ = filter.policy;
  std::string text(kNoFilter);
  if (options.filter_policy != nullptr && filter.policy != nullptr) {
    // A custom policy has no spec, and is represented by its name.
    text = NameAsFilter(filter.policy->name());
  } else if (filter.policy != nullptr) {
    text = filter.text;
    if (text.find("seed=") == std::string::npos) wanted.seed_ = seed;
  }
  const unsigned bits = filters_fit ? options.leveldb_filter_bits : 0;
  wanted.wants_leveldb_filter_ = bits != 0;
  if (CanCompress(options.compression)) {
    wanted.compression_ = options.compression;
  }
  std::string& lines = wanted.properties_;
  AppendNamedLine(&lines, kFilterSetting, text);
  if (wanted.seed_) {
    AppendNamedLine(&lines, kFilterSeedSetting, SeedToText(*wanted.seed_));
  }
  AppendNamedLine(&lines, kLevelDbBitsSetting, std::to_string(bits));
  // Without one there is no line, as in tables of older versions.
  wanted.wants_block_filter_ = filters_fit && options.block_filter_bits != 0;
  if (wanted.wants_block_filter_) {
    AppendNamedLine(&lines, kBlockFilterBitsSetting,
                    std::to_string(options.block_filter_bits));
  }
  const bool is_bytewise = options.comparator == &BytewiseComparator();
  wanted.wants_range_filter_ = is_bytewise && options.range_filter_bits != 0;
  if (wanted.wants_range_filter_) {
    AppendNamedLine(&lines, kRangeFilterBitsSetting,
                    std::to_string(options.range_filter_bits));
  }
  if (filter.policy != nullptr) wanted.prefixes_ = PrefixesNameOf(options);
  AppendNamedLine(&lines, kCompressionSetting, NameOf(wanted.compression_));
  if (wanted.compression_ == Compression::kZstd) {
    AppendNamedLine(&lines, kZstdLevelSetting,
                    std::to_string(options.zstd_level));
  }
  return wanted;
}

bool WantedShape::IsOf(const TableTraits& table) const {
  if (table.has_damaged_filter) return false;
  return table.properties.empty() ? LooksTheSame(table)
                                  : HasSameProperties(table);
}

bool WantedShape::HasSameProperties(const TableTraits& table) const {
  const std::optional<std::vector<NamedLine>> wanted =
      ParseNamedLines(properties_);
  if (!wanted) return false;
  const bool all_same =
      std::all_of(wanted->begin(), wanted->end(), [&](const NamedLine& line) {
        const std::string* const has = FindLine(table.properties, line.name);
        if (has == nullptr) return false;
        return accepts_near_sizes_ && line.name == kFilterSetting
                   ? IsNearSize(line.value, *has)
                   : IsSameValue(line, *has);
      });
  if (!all_same) return false;
  const auto has_unwanted = [&](bool wants, std::string_view setting) {
    return !wants && FindLine(table.properties, setting) != nullptr;
  };
  if (has_unwanted(wants_block_filter_, kBlockFilterBitsSetting) ||
      has_unwanted(wants_range_filter_, kRangeFilterBitsSetting)) {
    return false;
  }
  if (!HasSamePrefixes(table)) return false;
  // A filter that the properties name may be damaged.
  const auto lacks = [&](bool wants, bool has, std::string_view excuse) {
    return wants && !has && FindLine(table.properties, excuse) == nullptr;
  };
  return !lacks(filter_ != nullptr, table.has_whole_filter,
                kFilterNotBuiltProperty) &&
         !lacks(wants_leveldb_filter_, table.has_leveldb_filter,
                kLevelDbFilterNotBuiltProperty) &&
         !lacks(wants_block_filter_, table.has_block_filter,
                kBlockFilterNotBuiltProperty) &&
         !lacks(wants_range_filter_, table.has_range_filter,
                kRangeFilterNotBuiltProperty);
}

// The table itself adds the line, if its filter has them.
bool WantedShape::HasSamePrefixes(const TableTraits& table) const {
  const std::string* const has = FindLine(table.properties, kPrefixesProperty);
  if (has != nullptr) return *has == prefixes_;
  // What could not be built would not be now.
  return prefixes_.empty() ||
         FindLine(table.properties, kPrefixesNotBuiltProperty) != nullptr ||
         FindLine(table.properties, kFilterNotBuiltProperty) != nullptr;
}

// Judges a table without properties by its blocks; if in doubt, it differs.
bool WantedShape::LooksTheSame(const TableTraits& table) const {
  if (table.has_leveldb_filter != wants_leveldb_filter_ ||
      table.has_whole_filter != (filter_ != nullptr) ||
      table.has_block_filter != wants_block_filter_ ||
      table.has_range_filter != wants_range_filter_ || !prefixes_.empty()) {
    return false;
  }
  if (filter_ != nullptr && !(table.filter && HasSameFilter(*table.filter))) {
    return false;
  }
  // Only blocks that would not shrink are stored uncompressed.
  for (std::size_t codec = 0; codec < table.codecs.size(); ++codec) {
    const bool is_wanted = codec == static_cast<std::size_t>(compression_);
    if (is_wanted && !table.codecs[codec]) return false;
    if (!is_wanted && codec != 0 && table.codecs[codec]) return false;
  }
  return true;
}

bool WantedShape::HasSameFilter(const FilterInfo& info) const {
  // Only with the number of its keys can its size be judged.
  if (!info.always_maybe.empty() || !info.keys || !seed_) return false;
  if (info.seed && *info.seed != *seed_) return false;
  // A filter of the target policy over as many keys.
  const Estimate estimate = filter_->Predict(*info.keys);
  return estimate.bits == info.bits && estimate.probes == info.probes &&
         KindOf(*filter_) == info.kind;
}

}  // namespace tamis
