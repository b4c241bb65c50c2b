// tamis db stats: what a store holds.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "db_commands.h"
#include "json_text.h"
#include "tamis/env.h"
#include "tamis/store_settings.h"
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

// Files may come and go while we look: what cannot be asked does not count.
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

void AddLevel(const std::string& name, const LevelStats& level, Table* table) {
  table->AddRow({name, Grouped(level.tables), HumanBytes(level.bytes),
                 Grouped(level.filters_loaded),
                 HumanBytes(level.filter_bytes)});
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

// What the store remembers, by the names of docs/formats/store.md; not its
// seed, which is nobody's business.
nlohmann::ordered_json ToJson(const StoreSettings& settings) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto add = [&](const char* name, const auto& value) {
    if (value.has_value()) object[name] = *value;
  };
  if (settings.filter.has_value()) {
    object["filter"] = settings.filter->empty() ? "none" : *settings.filter;
  }
  add("filter_policy", settings.filter_policy);
  add("leveldb_filter_bits", settings.leveldb_filter_bits);
  if (settings.compression.has_value()) {
    object["compression"] = NameOf(*settings.compression);
  }
  add("zstd_level", settings.zstd_level);
  add("block_bytes", settings.block_bytes);
  add("restart_interval", settings.restart_interval);
  add("table_bytes", settings.table_bytes);
  if (!settings.not_understood.empty()) {
    object["not_understood"] = settings.not_understood;
  }
  return object;
}

std::string ToText(const Result<StoreSettings>& settings) {
  if (settings.status().code() == StatusCode::kNotFound) return "nothing";
  if (!settings.ok()) {
    return fmt::format("nothing, for {}",
                       Printable(settings.status().message()));
  }
  const nlohmann::ordered_json object = ToJson(*settings);
  std::string text;
  for (const auto& [name, value] : object.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        Printable(value.is_string() ? value.get<std::string>()
                                                    : JsonText(value)));
  }
  return text.empty() ? "nothing" : text;
}

std::string ToText(const StoreStats& stats, const OnDisk& on_disk) {
  Table table({"level", "tables", "size", "filters", "size of filters"});
  LevelStats all;
  for (std::size_t i = 0; i < stats.levels.size(); ++i) {
    const LevelStats& level = stats.levels[i];
    if (level.tables == 0) continue;
    AddLevel(std::to_string(i), level, &table);
    all.tables += level.tables;
    all.bytes += level.bytes;
    all.filters_loaded += level.filters_loaded;
    all.filter_bytes += level.filter_bytes;
  }
  AddLevel("all", all, &table);
  std::string text = table.ToString();
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
  auto store = OpenToRead(args.dir, FilterLoading::kAtOpening);
  if (!store.ok()) return Fail(console, "db stats", store.status().message());
  const StoreStats stats = (*store)->Stats();
  if (args.json) {
    auto object = nlohmann::ordered_json::parse(stats.ToJson());
    const auto remembered = ReadStoreSettings(args.dir);
    object["remembered"] =
        ToJson(remembered.ok() ? *remembered : StoreSettings());
    if (!remembered.ok() &&
        remembered.status().code() != StatusCode::kNotFound) {
      object["remembered_error"] = remembered.status().message();
    }
    console.out->Write(JsonText(object) + "\n");
  } else if (args.prometheus) {
    console.out->Write(stats.ToPrometheus());
  } else {
    console.out->Write(ToText(stats, LookAt(args.dir)) + "remembers: " +
                       ToText(ReadStoreSettings(args.dir)) + "\n");
  }
  return Finish(console, "db stats", kExitOk);
}

void AddDbStats(CLI::App* db, const Console& console, int* exit_code) {
  auto args = std::make_shared<DbStatsArgs>();
  CLI::App* command =
      db->add_subcommand("stats", "Tables, filters and files of a store");
  AddDirectory(command, &args->dir);
  auto* json = command->add_flag("--json", args->json, "Print a JSON object");
  command
      ->add_flag("--prometheus", args->prometheus,
                 "Print the text format of Prometheus")
      ->excludes(json);
  command->footer(
      "What counts lookups and writes counts those of one opening: here it\n"
      "is zero.  A program that has the store open gets the same texts from\n"
      "the library.\n\n"
      "Example:\n  tamis db stats fruit.db");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunDbStats(*args, console); });
}

}  // namespace tamis::tools
