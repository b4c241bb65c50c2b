// SPDX-License-Identifier: Apache-2.0
#include "sstable_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "base/worker_threads.h"
#include "numbers.h"
#include "tamis/sstable_whatif.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::uint64_t Rounded(double number) {
  return static_cast<std::uint64_t>(std::clamp(std::round(number), 0.0, 9e18));
}

GroupTotal TotalOf(const SstableGroup& group,
                   const std::vector<SstableInfo>& sstables) {
  GroupTotal total;
  total.directory = group.directory;
  total.group = group.name;
  total.scope = group.scope;
  total.engine = group.engine;
  total.sstables = group.members.size();
  total.counts_reads = group.counts_reads;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const SstableInfo& info = sstables[group.members[i]];
    total.keys += info.entries > 0 ? info.entries : Rounded(info.filter.keys);
    total.filter_bytes += info.filter.bytes;
    total.wasted_bytes += info.wasted_bytes;
    total.needless_reads += group.weights[i] * NeedlessReadsOf(info);
  }
  return total;
}

void AddReadSentences(const ScanReport& report,
                      std::vector<std::string>* sentences) {
  std::vector<std::pair<std::string, double>> scopes;
  for (const GroupTotal& total : report.groups) {
    if (!total.counts_reads) continue;
    const std::string& scope = total.scope;
    const auto found =
        std::find_if(scopes.begin(), scopes.end(),
                     [&](const auto& row) { return row.first == scope; });
    if (found == scopes.end()) {
      scopes.emplace_back(scope, total.needless_reads);
    } else {
      found->second += total.needless_reads;
    }
  }
  for (const auto& [scope, reads] : scopes) {
    sentences->push_back(fmt::format(
        "{}a lookup of a missing key reads {} needlessly",
        scopes.size() > 1 ? Printable(scope) + ": " : "",
        fmt::format("{:.3g} {}", reads, reads == 1 ? "table" : "tables")));
  }
}

void AddMemorySentence(const ScanReport& report,
                       std::vector<std::string>* sentences) {
  std::uint64_t all = 0;
  const GroupTotal* largest = nullptr;
  for (const GroupTotal& total : report.groups) {
    all += total.filter_bytes;
    if (largest == nullptr || total.filter_bytes > largest->filter_bytes) {
      largest = &total;
    }
  }
  if (all == 0) return;
  std::string text = "filters take " + HumanBytes(all);
  if (report.groups.size() > 1) {
    text += fmt::format(
        "; {:.0f} % of that is {} {}",
        100.0 * static_cast<double>(largest->filter_bytes) /
            static_cast<double>(all),
        largest->counts_reads && largest->engine != "cassandra" ? "on" : "of",
        Printable(largest->group));
  }
  sentences->push_back(text);
}

void AddVerdictSentences(const ScanReport& report,
                         std::vector<std::string>* sentences) {
  std::map<FilterVerdict, std::uint64_t> counts;
  std::uint64_t wasted = 0;
  for (const SstableInfo& info : report.sstables) {
    ++counts[info.verdict];
    wasted += info.wasted_bytes;
  }
  const auto add = [&](FilterVerdict verdict, std::string_view one,
                       std::string_view many) {
    const std::uint64_t count = counts[verdict];
    if (count == 0) return;
    sentences->push_back(Grouped(count) + " " +
                         std::string(Plural(count, one, many)));
  };
  add(FilterVerdict::kMissing, "table has no filter", "tables have no filter");
  add(FilterVerdict::kSaturated, "filter is saturated",
      "filters are saturated");
  add(FilterVerdict::kDamaged, "filter is damaged", "filters are damaged");
  add(FilterVerdict::kLegacyHash, "filter is of a legacy kind",
      "filters are of a legacy kind");
  add(FilterVerdict::kNotUsed, "filter is not used", "filters are not used");
  add(FilterVerdict::kOversized, "filter is oversized",
      "filters are oversized");
  add(FilterVerdict::kUnreadable, "table cannot be read",
      "tables cannot be read");
  if (wasted > 0) sentences->push_back(HumanBytes(wasted) + " is wasted");
}

double FillOf(const SstableFilterInfo& filter) {
  return filter.bits > 0 ? static_cast<double>(filter.set_bits) /
                               static_cast<double>(filter.bits)
                         : 0;
}

Json FilterJson(const SstableInfo& info) {
  const SstableFilterInfo& filter = info.filter;
  Json object;
  object["kind"] = filter.kind;
  object["name"] = filter.name;
  object["parts"] = filter.parts;
  object["partitioned"] = filter.is_partitioned;
  object["bytes"] = filter.bytes;
  object["probes"] = filter.probes;
  object["bits"] = filter.bits;
  object["set_bits"] = filter.set_bits;
  object["keys"] = filter.keys;
  object["keys_are_estimated"] = !filter.keys_are_stored;
  if (filter.keys > 0) {
    object["bits_per_key"] = static_cast<double>(filter.bits) / filter.keys;
  }
  object["fill"] = FillOf(filter);
  object["expected_rate"] = filter.rate;
  if (filter.target_rate.has_value()) {
    object["target_rate"] = *filter.target_rate;
  }
  object["whole_keys"] = filter.has_whole_keys;
  if (!filter.prefix_extractor.empty()) {
    object["prefix_extractor"] = filter.prefix_extractor;
  }
  return object;
}

}  // namespace

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Status FindAll(const std::vector<std::string>& paths,
               std::vector<FoundSstable>* found, ScanReport* report) {
  for (const std::string& path : paths) {
    Result<SstableListing> listing = FindSstables(path);
    if (!listing.ok()) return listing.status();
    std::move(listing->sstables.begin(), listing->sstables.end(),
              std::back_inserter(*found));
    std::move(listing->problems.begin(), listing->problems.end(),
              std::back_inserter(report->problems));
  }
  return Status::Ok();
}

Status ScanAll(const std::vector<FoundSstable>& found, unsigned threads,
               ScanReport* report) {
  report->sstables.resize(found.size());
  return RunTasks(threads, found.size(), [&](std::size_t i, unsigned) {
    const auto sstable = OpenSstable(found[i]);
    if (sstable.ok()) report->sstables[i] = (*sstable)->info();
    return sstable.status();
  });
}

void AddTotals(ScanReport* report) {
  for (const SstableGroup& group : GroupSstables(report->sstables)) {
    report->groups.push_back(TotalOf(group, report->sstables));
  }
}

std::vector<std::string> Sentences(const ScanReport& report) {
  std::vector<std::string> sentences;
  AddReadSentences(report, &sentences);
  AddMemorySentence(report, &sentences);
  AddVerdictSentences(report, &sentences);
  return sentences;
}

Json ToJson(const SstableInfo& info) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "sstable";
  object["file"] = info.path;
  object["engine"] = info.engine;
  object["format_version"] = info.version;
  object["group"] = info.group;
  if (info.level >= 0) object["level"] = info.level;
  object["bytes"] = info.bytes;
  if (info.entries > 0) object["entries"] = info.entries;
  if (!info.compression.empty()) object["compression"] = info.compression;
  if (!info.comparator.empty()) object["comparator"] = info.comparator;
  if (!info.filter.kind.empty()) object["filter"] = FilterJson(info);
  object["verdict"] = NameOfVerdict(info.verdict);
  object["wasted_bytes"] = info.wasted_bytes;
  if (!info.remarks.empty()) object["remarks"] = info.remarks;
  return object;
}

Json ToJson(const GroupTotal& total) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "group";
  object["directory"] = total.directory;
  object["group"] = total.group;
  object["engine"] = total.engine;
  object["sstables"] = total.sstables;
  object["keys"] = total.keys;
  object["filter_bytes"] = total.filter_bytes;
  object["wasted_bytes"] = total.wasted_bytes;
  if (total.counts_reads) object["needless_reads"] = total.needless_reads;
  return object;
}

int ExitCodeOf(const ScanReport& report) {
  int code = 0;
  for (const SstableInfo& info : report.sstables) {
    if (info.verdict == FilterVerdict::kUnreadable) return kExitUnreadable;
    if (info.verdict != FilterVerdict::kOk) code = 1;
  }
  return report.problems.empty() ? code : kExitUnreadable;
}

Json ProblemJson(const std::string& problem) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "problem";
  object["problem"] = problem;
  return object;
}

std::string CsvLine(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty() || &cell != &cells.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

Result<unsigned> ParseThreads(const std::string& text) {
  constexpr std::uint64_t kMaxThreads = 256;
  if (text.empty()) return std::max(1u, std::thread::hardware_concurrency());
  const Result<std::uint64_t> number = ParseCount(text);
  if (!number.ok() || *number == 0 || *number > kMaxThreads) {
    return Status::InvalidArgument("--threads: it must be 1 to 256");
  }
  return static_cast<unsigned>(*number);
}

}  // namespace tamis::tools
