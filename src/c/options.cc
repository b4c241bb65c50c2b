// SPDX-License-Identifier: Apache-2.0
#include "c/options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <new>

#include "c/calls.h"

namespace tamis {
namespace {

// Reads the whole text as a number.
template <typename Number>
bool ReadNumber(std::string_view text, Number* value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

template <typename Enum, std::size_t kNames>
bool ReadName(
    std::string_view text,
    const std::array<std::pair<std::string_view, Enum>, kNames>& names,
    Enum* value) {
  for (const auto& [name, named] : names) {
    if (name != text) continue;
    *value = named;
    return true;
  }
  return false;
}

// A shorter way to write a row of the table below.
template <auto kMember>
constexpr NamedSetting<StoreOptions> Row(std::string_view name) {
  return SettingOf<StoreOptions, kMember>(name);
}

using O = StoreOptions;

constexpr NamedSetting<StoreOptions> kStoreSettings[] = {
    Row<&O::create_if_missing>("create_if_missing"),
    Row<&O::error_if_exists>("error_if_exists"),
    Row<&O::read_only>("read_only"),
    Row<&O::skip_damaged_log_records>("skip_damaged_log_records"),
    Row<&O::guard_mappings>("guard_mappings"),
    Row<&O::max_block_bytes>("max_block_bytes"),
    Row<&O::max_block_growth>("max_block_growth"),
    Row<&O::filter>("filter"),
    Row<&O::filter_per_level>("filter_per_level"),
    Row<&O::filter_memory_bytes>("filter_memory_bytes"),
    Row<&O::expect_hits>("expect_hits"),
    Row<&O::filter_parts_above>("filter_parts_above"),
    Row<&O::filter_seed>("filter_seed"),
    Row<&O::leveldb_filter_bits>("leveldb_filter_bits"),
    Row<&O::filter_files>("filter_files"),
    Row<&O::block_filter_bits>("block_filter_bits"),
    Row<&O::range_filter_bits>("range_filter_bits"),
    Row<&O::prefix_extractor>("prefix_extractor"),
    Row<&O::filter_use>("filter_use"),
    Row<&O::remember_settings>("remember_settings"),
    Row<&O::write_buffer_bytes>("write_buffer_bytes"),
    Row<&O::table_bytes>("table_bytes"),
    Row<&O::block_bytes>("block_bytes"),
    Row<&O::restart_interval>("restart_interval"),
    Row<&O::compression>("compression"),
    Row<&O::zstd_level>("zstd_level"),
    Row<&O::block_cache_bytes>("block_cache_bytes"),
    Row<&O::map_tables>("map_tables"),
    Row<&O::filter_loading>("filter_loading"),
    Row<&O::compaction_threads>("compaction_threads"),
    Row<&O::background_niceness>("background_niceness"),
    Row<&O::automatic_compaction>("automatic_compaction"),
    Row<&O::level0_compact_at>("level0_compact_at"),
    Row<&O::level0_slow_at>("level0_slow_at"),
    Row<&O::level0_stop_at>("level0_stop_at"),
    Row<&O::level0_route_at>("level0_route_at"),
    Row<&O::level1_bytes>("level1_bytes"),
    Row<&O::level_growth>("level_growth"),
};

}  // namespace

bool ReadSignedSetting(std::string_view text, std::int64_t* value) {
  return ReadNumber(text, value);
}

bool ReadUnsignedSetting(std::string_view text, std::uint64_t* value) {
  return ReadNumber(text, value);
}

bool ReadSetting(std::string_view text, double* value) {
  return ReadNumber(text, value) && std::isfinite(*value);
}

bool ReadSetting(std::string_view text, bool* value) {
  static constexpr std::array<std::pair<std::string_view, bool>, 2> kNames = {
      {{"true", true}, {"false", false}}};
  return ReadName(text, kNames, value);
}

bool ReadSetting(std::string_view text, std::string* value) {
  value->assign(text);
  return true;
}

bool ReadSetting(std::string_view text, std::vector<std::string>* value) {
  value->clear();
  while (true) {
    const std::size_t end = text.find(';');
    value->emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool ReadSetting(std::string_view text, Compression* value) {
  static constexpr std::array<std::pair<std::string_view, Compression>, 3>
      kNames = {{{"none", Compression::kNone},
                 {"snappy", Compression::kSnappy},
                 {"zstd", Compression::kZstd}}};
  return ReadName(text, kNames, value);
}

bool ReadSetting(std::string_view text, FilterUse* value) {
  static constexpr std::array<std::pair<std::string_view, FilterUse>, 3>
      kNames = {{{"on", FilterUse::kOn},
                 {"off", FilterUse::kOff},
                 {"always-maybe", FilterUse::kAlwaysMaybe}}};
  return ReadName(text, kNames, value);
}

bool ReadSetting(std::string_view text, FilterLoading* value) {
  static constexpr std::array<std::pair<std::string_view, FilterLoading>, 3>
      kNames = {{{"when-first-asked", FilterLoading::kWhenFirstAsked},
                 {"at-opening", FilterLoading::kAtOpening},
                 {"in-background", FilterLoading::kInBackground}}};
  return ReadName(text, kNames, value);
}

bool ReadSetting(std::string_view text, FilterSeed* value) {
  static constexpr std::array<std::pair<std::string_view, FilterSeed>, 2>
      kNames = {{{"random-per-store", FilterSeed::kRandomPerStore},
                 {"fixed", FilterSeed::kFixed}}};
  return ReadName(text, kNames, value);
}

bool ReadSetting(std::string_view text, RepeatedKeys* value) {
  static constexpr std::array<std::pair<std::string_view, RepeatedKeys>, 3>
      kNames = {{{"as-format", RepeatedKeys::kAsFormat},
                 {"once", RepeatedKeys::kOnce},
                 {"neighbours", RepeatedKeys::kNeighbours}}};
  return ReadName(text, kNames, value);
}

Status UnknownSetting(std::string_view name, const std::string& known) {
  return Status::InvalidArgument("unknown option '" + std::string(name) +
                                 "'; there are: " + known);
}

Status BadSetting(std::string_view name, std::string_view text) {
  return Status::InvalidArgument("option '" + std::string(name) +
                                 "': cannot use '" + std::string(text) +
                                 "'; tamis/c.h says what the option takes");
}

std::span<const NamedSetting<StoreOptions>> StoreSettingNames() noexcept {
  return kStoreSettings;
}

}  // namespace tamis

extern "C" {

tamis_options* tamis_options_create() {
  return new (std::nothrow) tamis_options;
}

void tamis_options_destroy(tamis_options* options) { delete options; }

int tamis_options_set(tamis_options* options, const char* name,
                      const char* value, size_t value_length, char** message) {
  return tamis::Call(message, [&] {
    options->values[name] = std::string(tamis::SliceOf(value, value_length));
    return tamis::Status::Ok();
  });
}

}  // extern "C"
