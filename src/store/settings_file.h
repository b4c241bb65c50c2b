// SPDX-License-Identifier: Apache-2.0
// store/settings_file.h -- TAMIS: what a store remembers of its settings.
// The format is in docs/formats/store.md.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/named_lines.h"
#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/store_settings.h"

namespace tamis {

std::string SettingsFileName(const std::string& dir);
// Where a file that was damaged is kept.
std::string DamagedSettingsFileName(const std::string& dir);
// True for both, without the directory.
bool IsSettingsFileName(std::string_view name) noexcept;

// More than any version is going to say.
inline constexpr std::uint64_t kMaxSettingsBytes = 16384;

// The lines of the file but for its first and its last, whether this version
// knows them or not.  Corruption: damaged.  NotSupported: it does not begin as
// these files do, or is of another version; it is not ours to change.
Result<std::vector<NamedLine>> ParseSettings(Slice file);
std::string SettingsToText(const std::vector<NamedLine>& lines);

// What of the lines this version knows.
StoreSettings SettingsOf(const std::vector<NamedLine>& lines);
// The lines then say so; what is not given stays as it is.
void SetSettings(const StoreSettings& settings, std::vector<NamedLine>* lines);

// As ParseSettings(), and NotFound: there is none.
Result<std::vector<NamedLine>> ReadSettingsFile(Env& env,
                                                const std::string& dir);
// Whatever happens meanwhile, there is the old file or the new one; after it,
// the new one is durable.
Status WriteSettingsFile(Env& env, const std::string& dir,
                         const std::vector<NamedLine>& lines);

// What keeps settings from being used, one sentence each; none: nothing does,
// or there are none.
std::vector<std::string> ProblemsOfSettings(Env& env, const std::string& dir);

// As they are written in settings and in properties of tables.
std::string_view NameOf(Compression compression) noexcept;
std::string SeedToText(std::uint64_t seed);  // always of the same length
// Of a policy that is no text: its name in parentheses.
std::string NameAsFilter(std::string_view policy_name);
inline constexpr std::string_view kNoFilter = "none";
inline constexpr std::string_view kFilterSetting = "filter";
inline constexpr std::string_view kFilterSeedSetting = "filter_seed";
inline constexpr std::string_view kLevelDbBitsSetting = "leveldb_filter_bits";
inline constexpr std::string_view kCompressionSetting = "compression";
inline constexpr std::string_view kZstdLevelSetting = "zstd_level";

}  // namespace tamis
