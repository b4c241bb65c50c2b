// tamis db stats: what a store holds.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
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

// A setting by its name in docs/formats/store.md.
struct Setting {
  std::string_view name;
  Json value;
  std::string text;
};

// What the store remembers; not its seed, which is nobody's business.
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
  add_number("leveldb_filter_bits", settings.leveldb_filter_bits);
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

// The object that the library makes, with what the store remembers in it.
std::string ToJson(const StoreStats& stats,
                   const Result<StoreSettings>& remembered) {
  std::string text = stats.ToJson();
  text.pop_back();  // the brace that ends it
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
    console.out->Write(ToJson(stats, ReadStoreSettings(args.dir)) + "\n");
  } else if (args.prometheus) {
    console.out->Write(stats.ToPrometheus());
  } else {
    console.out->Write(ToText(stats, LookAt(args.dir)) + "remembers: " +
                       ToText(ReadStoreSettings(args.dir)) + "\n");
  }
  return Finish(console, "db stats", kExitOk);
}

}  // namespace tamis::tools
