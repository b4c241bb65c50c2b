// SPDX-License-Identifier: Apache-2.0
// sstable_report.h -- what `tamis scan` says about sstables, gathered first.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json.h"
#include "tamis/sstable.h"

namespace tamis::tools {

// The version of the lines that --json prints; a member that changes its
// meaning changes it.
inline constexpr int kSchemaVersion = 1;

// The sstables of one level of a directory, or of one table.
struct GroupTotal {
  std::string directory;
  std::string group;
  std::string scope;  // as SstableGroup::scope
  std::string_view engine;
  std::uint64_t sstables = 0;
  std::uint64_t keys = 0;  // as far as they are known
  std::uint64_t filter_bytes = 0;
  std::uint64_t wasted_bytes = 0;
  // Expected number of sstables that a lookup of a missing key reads.
  double needless_reads = 0;
  bool counts_reads = false;  // false: that is not known
};

struct ScanReport {
  std::vector<SstableInfo> sstables;
  std::vector<GroupTotal> groups;  // in the order of the sstables
  std::vector<std::string> problems;
};

// Lists what is under the paths.  Problems are added to *report; the status is
// that of the first path that cannot be read at all.
Status FindAll(const std::vector<std::string>& paths,
               std::vector<FoundSstable>* found, ScanReport* report);

// Reads metadata and filters on so many threads.
Status ScanAll(const std::vector<FoundSstable>& found, unsigned threads,
               ScanReport* report);

// Needs report->sstables.
void AddTotals(ScanReport* report);

// "a lookup of a missing key reads 0.31 tables needlessly", ...
std::vector<std::string> Sentences(const ScanReport& report);

// The last part of the path, and what comes before it.
std::string FileNameOf(const std::string& path);
std::string DirectoryOf(const std::string& path);

Json ToJson(const SstableInfo& info);
Json ToJson(const GroupTotal& total);
// A line about a member of ScanReport::problems.
Json ProblemJson(const std::string& problem);

// Exit codes of scan and verify besides those of console.h.
inline constexpr int kExitUnreadable = 3;

// 0, 1 or kExitUnreadable.
int ExitCodeOf(const ScanReport& report);

// A line of --csv, with cells quoted as RFC 4180 does it.
std::string CsvLine(const std::vector<std::string>& cells);

// As many as the machine has, or the number of --threads.
Result<unsigned> ParseThreads(const std::string& text);

}  // namespace tamis::tools
