// SPDX-License-Identifier: Apache-2.0
#include "sstable/level_listing.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sstable/manifest.h"
#include "table/internal_key.h"
#include "tamis/env.h"

namespace tamis {
namespace {

// Returns the number in the name of a table, or nothing.
std::optional<std::uint64_t> NumberIn(std::string_view name) noexcept {
  if (!name.ends_with(".ldb") && !name.ends_with(".sst")) return std::nullopt;
  name.remove_suffix(4);
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (name.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string GroupOf(const LevelManifest& manifest, const ManifestTable& table) {
  std::string group = "level " + std::to_string(table.level);
  if (manifest.families.empty()) return group;
  const auto name = manifest.families.find(table.family);
  // The default family is not named where there is no other.
  return (name == manifest.families.end() ? "default" : name->second) + " " +
         group;
}

void Place(const LevelManifest& manifest, std::uint64_t number,
           FoundSstable* found) {
  const auto table = manifest.tables.find(number);
  if (table == manifest.tables.end()) {
    found->group = "not in the manifest";
    return;
  }
  found->level = table->second.level;
  found->group = GroupOf(manifest, table->second);
  found->recorded_bytes = table->second.bytes;
  found->newest_sequence = table->second.largest_sequence;
  const Slice smallest = table->second.smallest;
  const Slice largest = table->second.largest;
  found->has_range =
      smallest.size() >= kTrailerBytes && largest.size() >= kTrailerBytes;
  if (found->has_range) {
    found->smallest = std::string(UserKeyOf(smallest));
    found->largest = std::string(UserKeyOf(largest));
  }
  if (table->second.family == 0) found->comparator = manifest.comparator;
}

// Reports tables that the manifest names and that are not there.
void ReportMissing(const DirectoryFiles& files, const LevelManifest& manifest,
                   SstableListing* listing) {
  std::set<std::uint64_t> present;
  for (const std::string& name : files.names) {
    if (const auto number = NumberIn(name)) present.insert(*number);
  }
  for (const auto& [number, table] : manifest.tables) {
    if (present.contains(number)) continue;
    listing->problems.push_back(
        files.path + ": table " + std::to_string(number) + " of " +
        GroupOf(manifest, table) +
        (table.path_id != 0
             ? " is elsewhere (db_paths " + std::to_string(table.path_id) +
                   "): scan that directory, too"
             : " is in the manifest, and not in the directory"));
  }
}

}  // namespace

bool IsLevelTableName(std::string_view name) noexcept {
  return name.ends_with(".ldb") || name.ends_with(".sst");
}

void ListLevels(const DirectoryFiles& files, std::string_view engine,
                bool (*recognises)(std::string_view, Slice),
                SstableListing* listing) {
  std::vector<std::pair<std::string, std::uint64_t>> tables;
  for (const std::string& name : files.names) {
    if (!IsLevelTableName(name)) continue;
    const Result<std::string> tail = ReadTail(*files.env, files.PathOf(name));
    if (!tail.ok() || !recognises(name, *tail)) continue;
    const auto number = NumberIn(name);
    tables.emplace_back(name, number.value_or(UINT64_MAX));
  }
  if (tables.empty()) return;
  const Result<LevelManifest> manifest =
      ReadLevelManifest(files.path, *files.env);
  if (manifest.ok()) {
    if (!manifest->damage.empty()) {
      listing->problems.push_back(manifest->damage + "; levels may be wrong");
    }
    ReportMissing(files, *manifest, listing);
  } else if (files.Has("CURRENT")) {
    listing->problems.push_back(manifest.status().message() +
                                "; the levels are not known");
  }
  for (const auto& [name, number] : tables) {
    FoundSstable found{.path = files.PathOf(name), .engine = engine};
    found.group = "no manifest";
    const auto size = files.env->FileSize(found.path);
    if (size.ok()) found.bytes = *size;
    if (manifest.ok()) Place(*manifest, number, &found);
    listing->sstables.push_back(std::move(found));
  }
}

}  // namespace tamis
