// SPDX-License-Identifier: Apache-2.0
// store/settings_file.h -- TAMIS: the settings that a store remembers.
// The format is in docs/formats/store.md.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_lines.h"
#include "store/asked_counts.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/store_settings.h"

namespace tamis {

std::string SettingsFileName(const std::string& dir);
// Where a damaged file is kept.
std::string DamagedSettingsFileName(const std::string& dir);
// Returns true for both names, without the directory.
bool IsSettingsFileName(std::string_view name) noexcept;

// More than any version will write.
inline constexpr std::uint64_t kMaxSettingsBytes = 16384;

// Returns the lines of the file without its first and its last, known to this
// version or not.  Corruption: damaged.  NotSupported: it does not start like
// such a file, or is of another version; it must not be changed.
Result<std::vector<NamedLine>> ParseSettings(Slice file);
std::string SettingsToText(const std::vector<NamedLine>& lines);

// Returns the settings that this version knows.
StoreSettings SettingsOf(const std::vector<NamedLine>& lines);
// Updates the lines; members without a value stay unchanged.
void SetSettings(const StoreSettings& settings, std::vector<NamedLine>* lines);
// From now on there is no such setting.
void RemoveSetting(std::string_view name, std::vector<NamedLine>* lines);

// Returns how often lookups asked each level, over all openings with a limit of
// the memory for filters.  Nothing: there are no counts that can be read.
std::optional<AskedCounts> AskedIn(const std::vector<NamedLine>& lines);
void SetAsked(const AskedCounts& asked, std::vector<NamedLine>* lines);

// As ParseSettings().  NotFound: there is no such file.
Result<std::vector<NamedLine>> ReadSettingsFile(Env& env,
                                                const std::string& dir);
// Replaces the file atomically and durably.
Status WriteSettingsFile(Env& env, const std::string& dir,
                         const std::vector<NamedLine>& lines);

// Returns what keeps settings from being used, one sentence each.
std::vector<std::string> ProblemsOfSettings(Env& env, const std::string& dir);

// As written in settings and in properties of tables.
std::string_view NameOf(Compression compression) noexcept;
std::string SeedToText(std::uint64_t seed);  // always of the same length
// For a policy without a spec: its name in parentheses.
std::string NameAsFilter(std::string_view policy_name);
inline constexpr std::string_view kNoFilter = "none";
inline constexpr std::string_view kFilterSetting = "filter";
inline constexpr std::string_view kFilterPerLevelSetting = "filter_per_level";
inline constexpr std::string_view kFilterMemorySetting = "filter_memory_bytes";
inline constexpr std::string_view kFilterPartsSetting = "filter_parts_above";
inline constexpr std::string_view kAskedSetting = "asked";
inline constexpr std::string_view kFilterSeedSetting = "filter_seed";
inline constexpr std::string_view kLevelDbBitsSetting = "leveldb_filter_bits";
inline constexpr std::string_view kBlockFilterBitsSetting = "block_filter_bits";
inline constexpr std::string_view kRangeFilterBitsSetting = "range_filter_bits";
inline constexpr std::string_view kPrefixExtractorSetting = "prefix_extractor";
inline constexpr std::string_view kCompressionSetting = "compression";
inline constexpr std::string_view kZstdLevelSetting = "zstd_level";

}  // namespace tamis
