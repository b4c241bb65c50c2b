// SPDX-License-Identifier: Apache-2.0
#include "report_data.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "sstable_text.h"
#include "tamis/sstable_whatif.h"
#include "version.h"
#include "what_if_tables.h"

namespace tamis::tools {
namespace {

// What is not known is left out.
Json FileJson(const SstableInfo& info) {
  const SstableFilterInfo& filter = info.filter;
  Json row;
  row["file"] = FileNameOf(info.path);
  row["directory"] = DirectoryOf(info.path);
  row["group"] = info.group;
  row["engine"] = info.engine;
  row["version"] = info.version;
  row["bytes"] = info.bytes;
  if (info.entries > 0) row["entries"] = info.entries;
  row["kind"] = KindText(filter);
  if (filter.probes > 0) row["probes"] = filter.probes;
  if (filter.bits > 0) row["bits"] = filter.bits;
  if (filter.keys > 0) {
    row["keys"] = filter.keys;
    row["bits_per_key"] = static_cast<double>(filter.bits) / filter.keys;
    if (!filter.keys_are_stored) row["keys_are_estimated"] = true;
  }
  const std::optional<double> fill = FillOfBits(filter);
  if (fill.has_value()) row["fill"] = *fill;
  if (!filter.kind.empty()) row["rate"] = filter.rate;
  if (filter.target_rate.has_value()) row["target"] = *filter.target_rate;
  row["filter_bytes"] = filter.bytes;
  row["verdict"] = NameOfVerdict(info.verdict);
  row["wasted"] = info.wasted_bytes;
  if (!info.remarks.empty()) row["remarks"] = info.remarks;
  return row;
}

// "level 3" of "users level 3": the scope names the column family.
std::string NameOfLevel(const SstableGroup& group) {
  const std::size_t level = group.name.rfind("level ");
  if (group.engine == "cassandra" || level == std::string::npos) {
    return group.name;
  }
  return group.name.substr(level);
}

Json LevelJson(std::span<const SstableInfo> sstables,
               const SstableGroup& group) {
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::uint64_t filter_bytes = 0;
  double needless_reads = 0;
  Json files = Json::Array();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const SstableInfo& info = sstables[group.members[i]];
    keys +=
        static_cast<std::uint64_t>(std::clamp(KeysForFilter(info), 0.0, 9e18));
    bytes += info.bytes;
    filter_bytes += info.filter.bytes;
    needless_reads += group.weights[i] * NeedlessReadsOf(info);
    files.Add(group.members[i]);
  }
  Json level;
  level["name"] = NameOfLevel(group);
  level["files"] = std::move(files);
  level["keys"] = keys;
  level["bytes"] = bytes;
  level["filter_bytes"] = filter_bytes;
  if (group.counts_reads) level["needless_reads"] = needless_reads;
  return level;
}

// Groups that one lookup goes through.
using Scope = std::vector<const SstableGroup*>;

std::vector<Scope> ScopesOf(const std::vector<SstableGroup>& groups) {
  std::vector<Scope> scopes;
  for (const SstableGroup& group : groups) {
    const auto same =
        std::find_if(scopes.begin(), scopes.end(), [&](const Scope& scope) {
          return scope.front()->scope == group.scope &&
                 scope.front()->directory == group.directory &&
                 scope.front()->engine == group.engine;
        });
    (same == scopes.end() ? scopes.emplace_back() : *same).push_back(&group);
  }
  return scopes;
}

Result<Json> ScopeJson(std::span<const SstableInfo> sstables,
                       const Scope& scope, unsigned threads) {
  std::vector<SstableInfo> members;
  std::optional<double> needless_reads;
  Json json;
  json["name"] = scope.front()->scope;
  for (const SstableGroup* group : scope) {
    json["levels"].Add(LevelJson(sstables, *group));
    for (std::size_t i = 0; i < group->members.size(); ++i) {
      const SstableInfo& info = sstables[group->members[i]];
      members.push_back(info);
      if (!group->counts_reads) continue;
      needless_reads = needless_reads.value_or(0) +
                       group->weights[i] * NeedlessReadsOf(info);
    }
  }
  if (needless_reads.has_value()) json["needless_reads"] = *needless_reads;
  Result<Json> tables = WhatIfTables(members, threads);
  if (tables.ok()) {
    json["what_if"] = *std::move(tables);
  } else if (tables.status().code() == StatusCode::kResourceExhausted) {
    return tables.status();
  } else {
    json["why_no_what_if"] = tables.status().message();
  }
  return json;
}

}  // namespace

Result<Json> ReportData(const ScanReport& report, const ReportHead& head,
                        unsigned threads) {
  Json data;
  data["schema_version"] = kSchemaVersion;
  data["tool"] = fmt::format("tamis {}", kVersion);
  data["made"] = head.made;
  data["paths"] = head.paths;
  data["sentences"] = Sentences(report);
  data["problems"] = report.problems;
  data["files"] = Json::Array();
  for (const SstableInfo& info : report.sstables) {
    data["files"].Add(FileJson(info));
  }
  data["scopes"] = Json::Array();
  const std::vector<SstableGroup> groups = GroupSstables(report.sstables);
  for (const Scope& scope : ScopesOf(groups)) {
    Result<Json> json = ScopeJson(report.sstables, scope, threads);
    if (!json.ok()) return json.status();
    data["scopes"].Add(*std::move(json));
  }
  return data;
}

}  // namespace tamis::tools
