// SPDX-License-Identifier: Apache-2.0
#include "store/settings_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/crc32c.h"
#include "base/no_throw.h"
#include "formats/tamis/block_filter.h"
#include "store/file_names.h"
#include "table/table_range_filter.h"
#include "tamis/filter.h"
#include "tamis/store_stats.h"

namespace tamis {
namespace {

constexpr std::string_view kName = "TAMIS";
constexpr std::string_view kDamagedName = "TAMIS.damaged";
constexpr std::string_view kMark = "tamis settings ";
constexpr std::string_view kFirstLine = "tamis settings 1\n";
constexpr std::string_view kChecksum = "crc32c";

constexpr std::string_view kBlockBytes = "block_bytes";
constexpr std::string_view kRestartInterval = "restart_interval";
constexpr std::string_view kTableBytes = "table_bytes";

constexpr std::array kCompressions = {
    std::pair{Compression::kNone, std::string_view("none")},
    std::pair{Compression::kSnappy, std::string_view("snappy")},
    std::pair{Compression::kZstd, std::string_view("zstd")},
};

std::string ChecksumLine(Slice before) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", Crc32c(before));
  std::string line;
  AppendNamedLine(&line, kChecksum, digits.data());
  return line;
}

template <typename Number>
std::optional<Number> NumberIn(const std::vector<NamedLine>& lines,
                               std::string_view name, Number least,
                               int base = 10) {
  const std::string* const value = FindLine(lines, name);
  if (value == nullptr) return std::nullopt;
  Number number = 0;
  const auto [end, error] = std::from_chars(
      value->data(), value->data() + value->size(), number, base);
  if (error != std::errc() || end != value->data() + value->size() ||
      number < least) {
    return std::nullopt;
  }
  return number;
}

// Returns the spec that TextOfFilter() wrote; nothing: it is none.
std::optional<std::string> FilterOfText(const std::string& text) {
  if (text == kNoFilter) return std::string();
  const auto policy = MakePolicy(text);
  ThrowIfOutOfMemory(policy.status());
  return policy.ok() ? std::optional(text) : std::nullopt;
}

std::string TextOfFilter(const std::string& filter) {
  return filter.empty() ? std::string(kNoFilter) : filter;
}

std::optional<std::string> FilterIn(const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kFilterSetting);
  return value != nullptr ? FilterOfText(*value) : std::nullopt;
}

// A list of specs, which have no spaces, with a space between them.
std::optional<std::vector<std::string>> FiltersIn(
    const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kFilterPerLevelSetting);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> filters;
  for (std::size_t from = 0; from < value->size();) {
    const std::size_t to = std::min(value->find(' ', from), value->size());
    std::optional<std::string> filter =
        FilterOfText(value->substr(from, to - from));
    if (!filter || filters.size() == kStoreLevels) return std::nullopt;
    filters.push_back(*std::move(filter));
    from = to + 1;
  }
  return filters;
}

// Returns the name that NameAsFilter() wrote, which may be truncated.
std::optional<std::string> PolicyNameIn(const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kFilterSetting);
  if (value == nullptr || !value->starts_with('(')) return std::nullopt;
  return value->substr(1, value->size() - (value->ends_with(')') ? 2 : 1));
}

// An extractor is written as its text, or as its name in parentheses if it is a
// program's own.
std::optional<std::string> PrefixExtractorIn(
    const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kPrefixExtractorSetting);
  if (value == nullptr) return std::nullopt;
  const auto made = MakePrefixExtractor(*value);
  ThrowIfOutOfMemory(made.status());
  return made.ok() ? std::optional(*value) : std::nullopt;
}
std::optional<std::string> CustomPrefixExtractorIn(
    const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kPrefixExtractorSetting);
  if (value == nullptr || !value->starts_with('(') || !value->ends_with(')')) {
    return std::nullopt;
  }
  return value->substr(1, value->size() - 2);
}

std::optional<Compression> CompressionIn(const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kCompressionSetting);
  if (value == nullptr) return std::nullopt;
  for (const auto& [compression, name] : kCompressions) {
    if (*value == name) return compression;
  }
  return std::nullopt;
}

void Set(std::string_view name, std::string value,
         std::vector<NamedLine>* lines) {
  for (NamedLine& line : *lines) {
    if (line.name != name) continue;
    line.value = std::move(value);
    return;
  }
  lines->push_back({std::string(name), std::move(value)});
}

void SetFilters(const std::vector<std::string>& filters,
                std::vector<NamedLine>* lines) {
  if (filters.empty()) return RemoveSetting(kFilterPerLevelSetting, lines);
  std::string text;
  for (const std::string& filter : filters) {
    text += (text.empty() ? "" : " ") + TextOfFilter(filter);
  }
  Set(kFilterPerLevelSetting, std::move(text), lines);
}

template <typename Number>
void SetNumber(std::string_view name, const std::optional<Number>& value,
               std::vector<NamedLine>* lines) {
  if (value) Set(name, std::to_string(*value), lines);
}

template <typename T>
void Apply(const std::optional<T>& from, T* to) {
  if (from) *to = *from;
}

}  // namespace

void StoreSettings::ApplyTo(StoreOptions* options) const {
  Apply(filter, &options->filter);
  Apply(filter_per_level, &options->filter_per_level);
  if (filter_memory_bytes) options->filter_memory_bytes = filter_memory_bytes;
  Apply(filter_parts_above, &options->filter_parts_above);
  Apply(leveldb_filter_bits, &options->leveldb_filter_bits);
  Apply(block_filter_bits, &options->block_filter_bits);
  Apply(range_filter_bits, &options->range_filter_bits);
  Apply(prefix_extractor, &options->prefix_extractor);
  Apply(compression, &options->compression);
  Apply(zstd_level, &options->zstd_level);
  Apply(block_bytes, &options->block_bytes);
  Apply(restart_interval, &options->restart_interval);
  Apply(table_bytes, &options->table_bytes);
}

Result<StoreSettings> ReadStoreSettings(const std::string& dir, Env* env) {
  return NoThrow([&]() -> Result<StoreSettings> {
    Result<std::vector<NamedLine>> lines =
        ReadSettingsFile(env != nullptr ? *env : DefaultEnv(), dir);
    if (!lines.ok()) return lines.status();
    return SettingsOf(*lines);
  });
}

std::string SettingsFileName(const std::string& dir) {
  return (dir + "/").append(kName);
}
std::string DamagedSettingsFileName(const std::string& dir) {
  return (dir + "/").append(kDamagedName);
}
bool IsSettingsFileName(std::string_view name) noexcept {
  return name == kName || name == kDamagedName;
}

std::string_view NameOf(Compression compression) noexcept {
  for (const auto& [known, name] : kCompressions) {
    if (known == compression) return name;
  }
  return "unknown";
}

std::string NameAsFilter(std::string_view policy_name) {
  return FitForALine("(" + std::string(policy_name) + ")");
}

std::string SeedToText(std::uint64_t seed) {
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i > 0; --i, seed >>= 4) {
    digits[i - 1] = "0123456789abcdef"[seed & 15];
  }
  return digits;
}

Result<std::vector<NamedLine>> ParseSettings(Slice file) {
  if (!file.starts_with(kMark)) {
    return Status::NotSupported("not a file of settings");
  }
  // Checks the checksum first: a damaged number is not another version.
  const std::size_t last =
      file.size() < 2 ? Slice::npos : file.rfind('\n', file.size() - 2);
  if (last == Slice::npos ||
      file.substr(last + 1) != ChecksumLine(file.substr(0, last + 1))) {
    return Status::Corruption("its checksum does not match");
  }
  if (!file.starts_with(kFirstLine)) {
    return Status::NotSupported("settings of another version");
  }
  file = file.substr(0, last + 1);
  file.remove_prefix(kFirstLine.size());
  std::optional<std::vector<NamedLine>> lines = ParseNamedLines(file);
  if (!lines || FindLine(*lines, kChecksum) != nullptr) {
    return Status::Corruption("a line is not a setting");
  }
  return *std::move(lines);
}

std::string SettingsToText(const std::vector<NamedLine>& lines) {
  std::string text(kFirstLine);
  for (const NamedLine& line : lines) {
    AppendNamedLine(&text, line.name, line.value);
  }
  return text + ChecksumLine(text);
}

StoreSettings SettingsOf(const std::vector<NamedLine>& lines) {
  StoreSettings settings;
  settings.filter = FilterIn(lines);
  settings.filter_policy = PolicyNameIn(lines);
  settings.filter_per_level = FiltersIn(lines);
  settings.filter_memory_bytes =
      NumberIn<std::uint64_t>(lines, kFilterMemorySetting, 0);
  settings.filter_parts_above =
      NumberIn<std::uint64_t>(lines, kFilterPartsSetting, 0);
  settings.leveldb_filter_bits =
      NumberIn<unsigned>(lines, kLevelDbBitsSetting, 0);
  settings.block_filter_bits =
      NumberIn<unsigned>(lines, kBlockFilterBitsSetting, 0);
  if (settings.block_filter_bits > kMaxBlockFilterBits) {
    settings.block_filter_bits.reset();
  }
  settings.range_filter_bits =
      NumberIn<unsigned>(lines, kRangeFilterBitsSetting, 0);
  if (!IsRangeFilterBits(settings.range_filter_bits.value_or(0))) {
    settings.range_filter_bits.reset();
  }
  settings.prefix_extractor = PrefixExtractorIn(lines);
  settings.custom_prefix_extractor = CustomPrefixExtractorIn(lines);
  settings.compression = CompressionIn(lines);
  settings.zstd_level =
      NumberIn<int>(lines, kZstdLevelSetting, std::numeric_limits<int>::min());
  settings.block_bytes = NumberIn<std::size_t>(lines, kBlockBytes, 1);
  settings.restart_interval = NumberIn<unsigned>(lines, kRestartInterval, 1);
  settings.table_bytes = NumberIn<std::uint64_t>(lines, kTableBytes, 1);
  settings.filter_seed =
      NumberIn<std::uint64_t>(lines, kFilterSeedSetting, 0, 16);
  const auto expect = [&](std::string_view name, bool is_understood) {
    const std::string* const value = FindLine(lines, name);
    if (value == nullptr || is_understood) return;
    settings.not_understood.push_back(std::string(name) + " = " + *value);
  };
  expect(kFilterSetting, settings.filter || settings.filter_policy);
  expect(kFilterPerLevelSetting, settings.filter_per_level.has_value());
  expect(kFilterMemorySetting, settings.filter_memory_bytes.has_value());
  expect(kFilterPartsSetting, settings.filter_parts_above.has_value());
  expect(kLevelDbBitsSetting, settings.leveldb_filter_bits.has_value());
  expect(kBlockFilterBitsSetting, settings.block_filter_bits.has_value());
  expect(kRangeFilterBitsSetting, settings.range_filter_bits.has_value());
  expect(kPrefixExtractorSetting,
         settings.prefix_extractor || settings.custom_prefix_extractor);
  expect(kCompressionSetting, settings.compression.has_value());
  expect(kZstdLevelSetting, settings.zstd_level.has_value());
  expect(kBlockBytes, settings.block_bytes.has_value());
  expect(kRestartInterval, settings.restart_interval.has_value());
  expect(kTableBytes, settings.table_bytes.has_value());
  expect(kFilterSeedSetting, settings.filter_seed.has_value());
  return settings;
}

void SetSettings(const StoreSettings& settings, std::vector<NamedLine>* lines) {
  if (settings.filter) {
    Set(kFilterSetting, TextOfFilter(*settings.filter), lines);
  }
  if (settings.filter_per_level) SetFilters(*settings.filter_per_level, lines);
  if (settings.filter_policy) {
    Set(kFilterSetting, NameAsFilter(*settings.filter_policy), lines);
  }
  SetNumber(kFilterMemorySetting, settings.filter_memory_bytes, lines);
  SetNumber(kFilterPartsSetting, settings.filter_parts_above, lines);
  SetNumber(kLevelDbBitsSetting, settings.leveldb_filter_bits, lines);
  SetNumber(kBlockFilterBitsSetting, settings.block_filter_bits, lines);
  SetNumber(kRangeFilterBitsSetting, settings.range_filter_bits, lines);
  if (settings.prefix_extractor) {
    Set(kPrefixExtractorSetting, *settings.prefix_extractor, lines);
  } else if (settings.custom_prefix_extractor) {
    Set(kPrefixExtractorSetting, "(" + *settings.custom_prefix_extractor + ")",
        lines);
  }
  if (settings.compression) {
    Set(kCompressionSetting, std::string(NameOf(*settings.compression)), lines);
  }
  SetNumber(kZstdLevelSetting, settings.zstd_level, lines);
  SetNumber(kBlockBytes, settings.block_bytes, lines);
  SetNumber(kRestartInterval, settings.restart_interval, lines);
  SetNumber(kTableBytes, settings.table_bytes, lines);
  if (settings.filter_seed) {
    Set(kFilterSeedSetting, SeedToText(*settings.filter_seed), lines);
  }
}

void RemoveSetting(std::string_view name, std::vector<NamedLine>* lines) {
  std::erase_if(*lines,
                [&](const NamedLine& line) { return line.name == name; });
}

// Numbers with a space between them: the lookups, then two for each level.
std::optional<AskedCounts> AskedIn(const std::vector<NamedLine>& lines) {
  const std::string* const value = FindLine(lines, kAskedSetting);
  if (value == nullptr) return std::nullopt;
  std::array<std::uint64_t, 1 + 2 * kStoreLevels> numbers{};
  const char* at = value->data();
  const char* const end = at + value->size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ' ')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    if (error != std::errc()) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  AskedCounts asked;
  asked.lookups = numbers[0];
  for (std::size_t i = 0; i < asked.levels.size(); ++i) {
    asked.levels[i] = {numbers[1 + 2 * i], numbers[2 + 2 * i]};
  }
  return asked;
}

void SetAsked(const AskedCounts& asked, std::vector<NamedLine>* lines) {
  std::string text = std::to_string(asked.lookups);
  for (const LevelAsked& level : asked.levels) {
    text += " " + std::to_string(level.in_vain);
    text += " " + std::to_string(level.held);
  }
  Set(kAskedSetting, std::move(text), lines);
}

Result<std::vector<NamedLine>> ReadSettingsFile(Env& env,
                                                const std::string& dir) {
  const std::string path = SettingsFileName(dir);
  Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  if (file->size() > kMaxSettingsBytes) {
    return Status::NotSupported(path + ": too long for a file of settings");
  }
  std::string scratch;
  const Result<Slice> bytes =
      file->Read(0, static_cast<std::size_t>(file->size()), &scratch);
  if (!bytes.ok()) return bytes.status();
  Result<std::vector<NamedLine>> lines = ParseSettings(*bytes);
  if (lines.ok()) return lines;
  return lines.status().WithMessage(path + ": " + lines.status().message());
}

std::vector<std::string> ProblemsOfSettings(Env& env, const std::string& dir) {
  const Result<std::vector<NamedLine>> lines = ReadSettingsFile(env, dir);
  if (lines.status().code() == StatusCode::kNotFound) return {};
  if (!lines.ok()) {
    return {lines.status().message() +
            "; what the store remembers of its settings is not used"};
  }
  std::vector<std::string> problems;
  for (const std::string& line : SettingsOf(*lines).not_understood) {
    problems.push_back(SettingsFileName(dir) + ": \"" + line +
                       "\" is not understood, and not used");
  }
  return problems;
}

Status WriteSettingsFile(Env& env, const std::string& dir,
                         const std::vector<NamedLine>& lines) {
  // No manifest has the number 0, so it cannot clash with the temporary file of
  // CURRENT.
  return ReplaceFile(env, dir, 0, SettingsFileName(dir), SettingsToText(lines));
}

}  // namespace tamis
