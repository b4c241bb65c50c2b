// SPDX-License-Identifier: Apache-2.0
// tamis db stats: summarises a store.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absent_keys.h"
#include "db_commands.h"
#include "json.h"
#include "lookup_boxes.h"
#include "pair_text.h"
#include "tamis/env.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct FileCount {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;

  void Add(std::uint64_t file_bytes) {
    ++files;
    bytes += file_bytes;
  }
  std::string ToString() const {
    return fmt::format("{} {}, {}", Grouped(files),
                       Plural(files, "file", "files"), HumanBytes(bytes));
  }
};

struct OnDisk {
  FileCount logs;
  FileCount all;
};

// The name of a store's log: digits and ".log".
bool IsLog(std::string_view name) {
  constexpr std::string_view kSuffix = ".log";
  if (!name.ends_with(kSuffix)) return false;
  name.remove_suffix(kSuffix.size());
  return !name.empty() &&
         name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Files may appear and disappear meanwhile: those that cannot be read do not
// count.
OnDisk LookAt(const std::string& dir) {
  OnDisk on_disk;
  Env& env = DefaultEnv();
  auto names = env.List(dir);
  if (!names.ok()) return on_disk;
  for (const std::string& name : *names) {
    auto bytes = env.FileSize(dir + "/" + name);
    if (!bytes.ok()) continue;
    on_disk.all.Add(*bytes);
    if (IsLog(name)) on_disk.logs.Add(*bytes);
  }
  return on_disk;
}

// The tables of one level, or of all.
struct LevelTables {
  bool keys_are_known = true;
  std::uint64_t keys = 0;
  std::uint64_t filtered = 0;
  double rates = 0;  // of those, added up
  std::set<std::string> filters;
  std::set<std::string> codecs;
  std::optional<std::string> first;
  std::optional<std::string> last;

  void Add(const StoreTable& table) {
    keys_are_known &= table.keys.has_value();
    keys += table.keys.value_or(0);
    filters.insert(table.filter.empty() ? "none" : table.filter);
    codecs.insert(table.compression.empty() ? "unknown" : table.compression);
    if (!table.filter.empty()) {
      ++filtered;
      rates += table.filter_rate;
    }
    if (!first || table.smallest < *first) first = table.smallest;
    if (!last || table.largest > *last) last = table.largest;
  }
};

std::string Listed(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

std::string BitsPerKey(const LevelStats& level) {
  if (level.filter_keys == 0) return "-";
  return fmt::format("{:.1f}", 8 * static_cast<double>(level.filter_bytes) /
                                   static_cast<double>(level.filter_keys));
}

void AddLevel(const std::string& name, const LevelStats& level,
              const LevelTables& tables, bool is_sampled, Table* table) {
  constexpr std::size_t kRangeColumns = 40;
  std::string rate = "-";
  if (tables.filtered > 0) {
    rate = Percent(tables.rates / static_cast<double>(tables.filtered));
  }
  std::vector<std::string> cells = {
      name,
      Grouped(level.tables),
      HumanBytes(level.bytes),
      tables.keys_are_known ? Grouped(tables.keys) : "unknown",
      Grouped(level.filters_loaded),
      HumanBytes(level.filter_bytes),
      BitsPerKey(level),
      Listed(tables.filters),
      rate};
  if (is_sampled) cells.push_back(ObservedRate(level.filters));
  cells.push_back(Listed(tables.codecs));
  cells.push_back(tables.first
                      ? ShortRange(Escaped(*tables.first),
                                   Escaped(*tables.last), kRangeColumns)
                      : "-");
  table->AddRow(std::move(cells));
}

std::string_view NameOf(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kSnappy:
      return "snappy";
    case Compression::kZstd:
      break;
  }
  return "zstd";
}

// A setting by its name in docs/formats/store.md.
struct Setting {
  std::string_view name;
  Json value;
  std::string text;
};

// Returns the remembered settings, without the seed, which is a secret.
std::vector<Setting> SettingsOf(const StoreSettings& settings) {
  std::vector<Setting> list;
  const auto add_text = [&list](std::string_view name, std::string text) {
    list.push_back({name, Json(text), text});
  };
  const auto add_number = [&list](std::string_view name, const auto& number) {
    if (!number.has_value()) return;
    list.push_back({name, Json(*number), std::to_string(*number)});
  };
  if (settings.filter.has_value()) {
    add_text("filter", settings.filter->empty() ? "none" : *settings.filter);
  }
  if (settings.filter_policy.has_value()) {
    add_text("filter_policy", *settings.filter_policy);
  }
  if (settings.filter_per_level.has_value()) {
    std::string filters;
    for (const std::string& filter : *settings.filter_per_level) {
      filters += filters.empty() ? "" : " ";
      filters += filter.empty() ? "none" : filter;
    }
    add_text("filter_per_level", filters);
  }
  add_number("filter_memory_bytes", settings.filter_memory_bytes);
  add_number("filter_parts_above", settings.filter_parts_above);
  add_number("leveldb_filter_bits", settings.leveldb_filter_bits);
  add_number("block_filter_bits", settings.block_filter_bits);
  add_number("range_filter_bits", settings.range_filter_bits);
  if (settings.prefix_extractor.has_value()) {
    add_text("prefix_extractor", *settings.prefix_extractor);
  }
  if (settings.custom_prefix_extractor.has_value()) {
    add_text("custom_prefix_extractor", *settings.custom_prefix_extractor);
  }
  if (settings.compression.has_value()) {
    add_text("compression", std::string(NameOf(*settings.compression)));
  }
  add_number("zstd_level", settings.zstd_level);
  add_number("block_bytes", settings.block_bytes);
  add_number("restart_interval", settings.restart_interval);
  add_number("table_bytes", settings.table_bytes);
  if (!settings.not_understood.empty()) {
    const Json lines(settings.not_understood);
    list.push_back({"not_understood", lines, lines.Text()});
  }
  return list;
}

Json ToJson(const StoreTable& table) {
  Json object;
  object["level"] = table.level;
  object["file_number"] = table.file_number;
  object["bytes"] = table.bytes;
  SetBytes(&object, "smallest", table.smallest, false);
  SetBytes(&object, "largest", table.largest, false);
  if (table.keys) object["keys"] = *table.keys;
  object["filter"] = table.filter.empty() ? "none" : table.filter;
  if (!table.filter.empty()) {
    object["filter_rate"] = table.filter_rate;
    object["filter_bytes"] = table.filter_bytes;
  }
  if (!table.prefix_extractor.empty()) {
    object["prefix_extractor"] = table.prefix_extractor;
  }
  if (!table.compression.empty()) object["compression"] = table.compression;
  if (!table.problem.empty()) object["problem"] = table.problem;
  return object;
}

// Returns the library's object, with the tables and settings added.
std::string ToJson(const StoreStats& stats,
                   const std::vector<StoreTable>& tables,
                   const Result<StoreSettings>& remembered) {
  std::string text = stats.ToJson();
  text.pop_back();  // the closing brace
  Json list = Json::Array();
  for (const StoreTable& table : tables) list.Add(ToJson(table));
  text += ",\"tables\":" + list.Text();
  Json object = Json::Object();
  for (Setting& setting :
       SettingsOf(remembered.ok() ? *remembered : StoreSettings())) {
    object[setting.name] = std::move(setting.value);
  }
  text += ",\"remembered\":" + object.Text();
  if (!remembered.ok() && remembered.status().code() != StatusCode::kNotFound) {
    text +=
        ",\"remembered_error\":" + Json(remembered.status().message()).Text();
  }
  return text + "}";
}

std::string ToText(const Result<StoreSettings>& settings) {
  if (settings.status().code() == StatusCode::kNotFound) return "nothing";
  if (!settings.ok()) {
    return fmt::format("nothing, for {}",
                       Printable(settings.status().message()));
  }
  std::string text;
  for (const Setting& setting : SettingsOf(*settings)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", setting.name,
                        Printable(setting.text));
  }
  return text.empty() ? "nothing" : text;
}

// The second layer; "" if there is none.
std::string BlockFiltersText(const LevelStats& all,
                             const FilterCounts& answers) {
  if (all.block_filters_loaded == 0) return "";
  std::string text = fmt::format(
      "\nfilters of blocks: in {} {}, {}", Grouped(all.block_filters_loaded),
      Plural(all.block_filters_loaded, "table", "tables"),
      HumanBytes(all.block_filter_bytes));
  if (answers.probes > 0) {
    text += fmt::format(
        "; queried {} {}, {} ruled out", Grouped(answers.probes),
        Plural(answers.probes, "time", "times"), Grouped(answers.absent));
  }
  return text + "\n";
}

// "" if there are none.
std::string RangeFiltersText(const StoreStats& stats) {
  std::uint64_t tables = 0;
  std::uint64_t bytes = 0;
  for (const LevelStats& level : stats.levels) {
    tables += level.range_filters_loaded;
    bytes += level.range_filter_bytes;
  }
  if (tables == 0) return "";
  return fmt::format("\nrange filters: in {} {}, {}\n", Grouped(tables),
                     Plural(tables, "table", "tables"), HumanBytes(bytes));
}

// How many tables have which prefixes in their filters; "" if none has.
std::string PrefixesText(const std::vector<StoreTable>& tables) {
  std::map<std::string, std::uint64_t> counts;
  for (const StoreTable& table : tables) {
    if (!table.prefix_extractor.empty()) ++counts[table.prefix_extractor];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text +=
        fmt::format("\nprefixes in filters: {}, of {} {}\n", Printable(name),
                    Grouped(count), Plural(count, "table", "tables"));
  }
  return text;
}

std::string ToText(const StoreStats& stats,
                   const std::vector<StoreTable>& tables, const OnDisk& on_disk,
                   bool is_sampled) {
  std::vector<std::string> heading = {
      "level",           "tables",       "size", "keys", "filters",
      "size of filters", "bits per key", "kind", "rate"};
  if (is_sampled) heading.emplace_back("observed");
  heading.emplace_back("compression");
  heading.emplace_back("range");
  Table table(std::move(heading));
  std::array<LevelTables, kStoreLevels> by_level;
  LevelTables all_tables;
  for (const StoreTable& one : tables) {
    by_level[static_cast<std::size_t>(one.level)].Add(one);
    all_tables.Add(one);
  }
  LevelStats all;
  for (std::size_t i = 0; i < stats.levels.size(); ++i) {
    const LevelStats& level = stats.levels[i];
    if (level.tables == 0) continue;
    AddLevel(std::to_string(i), level, by_level[i], is_sampled, &table);
    all.tables += level.tables;
    all.bytes += level.bytes;
    all.filters_loaded += level.filters_loaded;
    all.filter_bytes += level.filter_bytes;
    all.filter_keys += level.filter_keys;
    all.block_filters_loaded += level.block_filters_loaded;
    all.block_filter_bytes += level.block_filter_bytes;
  }
  all.filters = stats.filters();
  AddLevel("all", all, all_tables, is_sampled, &table);
  std::string text = table.ToString();
  text += BlockFiltersText(all, stats.block_filters());
  text += RangeFiltersText(stats);
  text += PrefixesText(tables);
  text += fmt::format("\nlogs:      {}\n", on_disk.logs.ToString());
  text += fmt::format("all files: {}\n", on_disk.all.ToString());
  if (stats.damaged_filters > 0) {
    text +=
        fmt::format("{} {} damaged, and read as if there were none: {}\n",
                    Grouped(stats.damaged_filters),
                    Plural(stats.damaged_filters, "filter is", "filters are"),
                    Printable(stats.last_filter_damage));
  }
  return text;
}

}  // namespace

int RunDbStats(const DbStatsArgs& args, const Console& console) {
  const auto sample = ParseSample(args.sample);
  if (!sample.ok()) return Fail(console, "db stats", sample.status().message());
  auto store = OpenToRead(args.dir, FilterLoading::kAtOpening);
  if (!store.ok()) return Fail(console, "db stats", store.status().message());
  const auto tables = ListStoreTables(args.dir);
  if (!tables.ok()) {
    return Fail(console, "db stats", InDbWords(tables.status()).message());
  }
  if (Status asked = AskAbsentKeys(**store, *tables, *sample); !asked.ok()) {
    return Fail(console, "db stats", InDbWords(asked).message());
  }
  const StoreStats stats = store->Stats();
  if (args.json) {
    console.out->Write(ToJson(stats, *tables, ReadStoreSettings(args.dir)) +
                       "\n");
  } else if (args.prometheus) {
    console.out->Write(stats.ToPrometheus());
  } else {
    console.out->Write(ToText(stats, *tables, LookAt(args.dir), *sample > 0) +
                       "remembers: " + ToText(ReadStoreSettings(args.dir)) +
                       "\n");
  }
  return Finish(console, "db stats", kExitOk);
}

}  // namespace tamis::tools
