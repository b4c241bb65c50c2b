// SPDX-License-Identifier: Apache-2.0
// GroupSstables(): which sstables a lookup of a missing key comes to.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tamis/sstable_whatif.h"

namespace tamis {
namespace {

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// A table of Cassandra, or the levels of a column family of a directory.
std::string ScopeOf(const SstableGroup& group) {
  if (group.engine == "cassandra") return group.name;
  const std::size_t level = group.name.rfind("level ");
  std::string scope = group.directory;
  if (level != std::string::npos && level > 0) {
    scope += " (" + group.name.substr(0, level - 1) + ")";
  }
  return scope;
}

// By keys or, if some table of the level does not tell them, by bytes.
void WeighBySize(std::span<const SstableInfo> sstables, SstableGroup* group) {
  const bool by_keys = std::all_of(
      group->members.begin(), group->members.end(),
      [&](std::size_t member) { return sstables[member].entries > 0; });
  double all = 0;
  for (const std::size_t member : group->members) {
    const SstableInfo& info = sstables[member];
    group->weights.push_back(
        static_cast<double>(by_keys ? info.entries : info.bytes));
    all += group->weights.back();
  }
  if (all == 0) return;
  for (double& weight : group->weights) weight /= all;
}

void Weigh(std::span<const SstableInfo> sstables, SstableGroup* group) {
  const SstableInfo& first = sstables[group->members.front()];
  group->counts_reads = first.level >= 0 || first.engine == "cassandra";
  if (first.level > 0) {
    WeighBySize(sstables, group);
  } else {
    group->weights.assign(group->members.size(), group->counts_reads ? 1 : 0);
  }
}

}  // namespace

std::vector<SstableGroup> GroupSstables(std::span<const SstableInfo> sstables) {
  std::vector<SstableGroup> groups;
  // By directory, name and engine.
  using Place = std::tuple<std::string, std::string, std::string_view>;
  std::map<Place, std::size_t> numbers;
  for (std::size_t i = 0; i < sstables.size(); ++i) {
    std::string directory = DirectoryOf(sstables[i].path);
    const auto [place, is_new] = numbers.try_emplace(
        Place(directory, sstables[i].group, sstables[i].engine), groups.size());
    if (is_new) {
      SstableGroup& group = groups.emplace_back();
      group.directory = std::move(directory);
      group.name = sstables[i].group;
      group.engine = sstables[i].engine;
      group.scope = ScopeOf(group);
    }
    groups[place->second].members.push_back(i);
  }
  for (SstableGroup& group : groups) Weigh(sstables, &group);
  return groups;
}

double NeedlessReadsOf(const SstableInfo& sstable) noexcept {
  return sstable.filter.kind.empty() ? 1 : sstable.filter.rate;
}

}  // namespace tamis
