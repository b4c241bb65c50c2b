// SPDX-License-Identifier: Apache-2.0
// Shows what filters do: one store, a hundred overlapping tables, and keys that
// are not there -- without filters, with LevelDB's, with ours; then the same
// after compaction.

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lookups.h"
#include "tamis/store.h"

namespace {

using demo::Cost;

constexpr unsigned kTables = 100;

struct Setting {
  std::string_view name;
  std::string dir;
  tamis::FilterUse use;
};

struct Row {
  std::string name;
  Cost missing;
  Cost present;
};

struct Arguments {
  std::uint64_t keys = 3'000'000;
  double seconds = 1.2;  // per measurement
  std::string dir;
};

tamis::StoreOptions Options(const std::string& filter) {
  tamis::StoreOptions options;
  options.create_if_missing = true;
  options.automatic_compaction = false;  // so that the tables stay as they are
  options.compression = tamis::Compression::kNone;
  options.write_buffer_bytes = std::size_t{64} << 20;
  options.filter = filter;
  return options;
}

// A bar of eighths of a character.
std::string Bar(double share, unsigned width) {
  const auto eighths =
      static_cast<unsigned>(std::max(1.0, std::round(share * width * 8)));
  std::string bar;
  for (unsigned i = 0; i < eighths / 8; ++i) bar += "█";
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  return bar + kParts[eighths % 8];
}

void PrintRows(const std::vector<Row>& rows) {
  fmt::print(
      "                        │ a missing key              │ a present key\n");
  fmt::print(
      "                        │  tables   blocks      time │  tables   blocks "
      "     time\n");
  fmt::print(
      "  "
      "──────────────────────┼────────────────────────────┼────────────────────"
      "────────\n");
  for (const Row& row : rows) {
    fmt::print(
        "  {:<21} │ {:7.2f}  {:7.2f} {:7.2f}µs │ {:7.2f}  {:7.2f} {:7.2f}µs\n",
        row.name, row.missing.tables_read, row.missing.blocks_read,
        row.missing.microseconds, row.present.tables_read,
        row.present.blocks_read, row.present.microseconds);
  }
  fmt::print("\n  time for a missing key\n");
  double most = 0;
  for (const Row& row : rows) most = std::max(most, row.missing.microseconds);
  for (const Row& row : rows) {
    fmt::print("  {:<21} {} {:.2f} µs\n", row.name,
               Bar(row.missing.microseconds / most, 44),
               row.missing.microseconds);
  }
  fmt::print("\n");
}

tamis::Result<std::vector<Row>> MeasureAll(const std::vector<Setting>& settings,
                                           const Arguments& arguments) {
  std::vector<Row> rows;
  for (const Setting& setting : settings) {
    tamis::StoreOptions options;
    options.read_only = true;
    options.filter_use = setting.use;
    auto store = tamis::Store::Open(setting.dir, options);
    if (!store.ok()) return store.status();
    Row row;
    row.name = setting.name;
    row.missing =
        demo::Measure(**store, arguments.keys, false, arguments.seconds);
    row.present =
        demo::Measure(**store, arguments.keys, true, arguments.seconds);
    if (row.missing.wrong + row.present.wrong > 0) {
      return tamis::Status::Corruption("wrong answers; please report this");
    }
    rows.push_back(row);
  }
  return rows;
}

tamis::Status Compact(const std::string& dir, const std::string& filter) {
  auto store = tamis::Store::Open(dir, Options(filter));
  if (!store.ok()) return store.status();
  return store->Compact();
}

tamis::Status Run(const Arguments& arguments) {
  const std::string with_leveldb = arguments.dir + "/leveldb-filters";
  const std::string with_tamis = arguments.dir + "/tamis-filters";
  fmt::print(
      "Loading {} keys twice, each time as {} tables that all span the "
      "whole range ...\n",
      arguments.keys, kTables);
  std::fflush(stdout);
  for (const auto& [dir, filter] :
       {std::pair{with_leveldb, std::string()}, {with_tamis, "bloom:10"}}) {
    tamis::Status loaded =
        demo::Load(dir, Options(filter), arguments.keys, kTables);
    if (!loaded.ok()) return loaded;
  }
  const std::vector<Setting> settings = {
      {"without filters", with_tamis, tamis::FilterUse::kOff},
      {"LevelDB's filters", with_leveldb, tamis::FilterUse::kOn},
      {"Tamis's filters", with_tamis, tamis::FilterUse::kOn},
  };
  fmt::print(
      "\nA lookup must ask every table that spans the key, newest "
      "first: {} of them.\n\n",
      kTables);
  auto rows = MeasureAll(settings, arguments);
  if (!rows.ok()) return rows.status();
  PrintRows(*rows);
  fmt::print(
      "LevelDB's filter is asked after a search in the table's index; "
      "ours before anything\nelse, with the key hashed once and the "
      "lines of all tables fetched together.\n\n"
      "Compacting both: the tables are merged, and none overlaps "
      "another any more ...\n\n");
  std::fflush(stdout);
  for (const auto& [dir, filter] :
       {std::pair{with_leveldb, std::string()}, {with_tamis, "bloom:10"}}) {
    tamis::Status compacted = Compact(dir, filter);
    if (!compacted.ok()) return compacted;
  }
  rows = MeasureAll(settings, arguments);
  if (!rows.ok()) return rows.status();
  PrintRows(*rows);
  return tamis::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--keys" && i + 1 < argc) {
      arguments.keys = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--seconds" && i + 1 < argc) {
      arguments.seconds = std::strtod(argv[++i], nullptr);
    } else if (argument == "--dir" && i + 1 < argc) {
      arguments.dir = argv[++i];
    } else {
      fmt::print(stderr,
                 "demo [--keys N] [--seconds S] [--dir DIR]\n"
                 "  --keys N     how many keys (default 3000000)\n"
                 "  --seconds S  for each measurement (default 1.2)\n"
                 "  --dir DIR    keep the two stores there (default: a "
                 "temporary directory)\n");
      return 2;
    }
  }
  const bool keep = !arguments.dir.empty();
  if (!keep) {
    std::string name =
        (std::filesystem::temp_directory_path() / "tamis-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      fmt::print(stderr, "demo: cannot make a temporary directory\n");
      return 1;
    }
    arguments.dir = name;
  }
  if (arguments.keys < kTables) arguments.keys = kTables;
  const tamis::Status status = Run(arguments);
  std::error_code ignored;
  if (!keep) std::filesystem::remove_all(arguments.dir, ignored);
  if (status.ok()) return 0;
  fmt::print(stderr, "demo: {}\n", status.ToString());
  return 1;
}
