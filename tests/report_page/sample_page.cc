// SPDX-License-Identifier: Apache-2.0
// sample_page FILE [TABLES] -- writes the page of `tamis report` about so many
// made-up tables (default 2,000): seven levels, every verdict, and names and
// remarks that try to be markup, script or data.  The test in a browser opens
// it.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "report_data.h"
#include "report_page.h"
#include "sstable_report.h"
#include "sstable_text.h"

namespace tamis::tools {
namespace {

// What would run, end an element, or be filled in, if it were not escaped.
const char* const kHostile[] = {
    "<script>window.broken=1;\"<\\script>.sst",
    "<!--<script>.sst",
    "<img src=x onerror=window.broken=1>.sst",
    "@TAMIS_TEXT@.sst",
    "\"+window.broken+\"'`${window.broken=1}.sst",
    "\xe2\x80\xaegnp.tss",  // turns the direction of the text
    "\xff\xfe not UTF-8 \x1b[31m.sst",
    "<b>bold.sst",
    "&lt;escaped&gt;.sst",
};

// The same with what no name of a file has.
const char* const kHostileText =
    "</title></pre></noscript></script><script>window.broken=1</script><b>bold";

SstableInfo TableOf(std::size_t number, int level) {
  SstableInfo info;
  info.path = fmt::format("db/{:06}.sst", number);
  info.engine = "rocksdb";
  info.version = "5";
  info.level = level;
  info.group = fmt::format("level {}", level);
  info.entries = 40'000 + number * 7919 % 60'000;
  info.bytes = info.entries * 112;
  info.verdict = FilterVerdict::kOk;
  SstableFilterInfo& filter = info.filter;
  filter.kind = "bloom";
  filter.parts = 1;
  filter.keys = static_cast<double>(info.entries);
  filter.keys_are_stored = true;
  const std::uint64_t bits_per_key = 8 + number % 5;
  filter.bits = info.entries * bits_per_key;
  filter.bytes = filter.bits / 8;
  filter.set_bits = filter.bits / 100 * (44 + number * 31 % 9);
  filter.probes = 6;
  filter.rate = 0.03 / static_cast<double>(1 + number % 7);
  return info;
}

// One in thirty has something, each verdict in turn.
void Spoil(std::size_t number, SstableInfo* info) {
  if (number % 30 != 17) return;
  info->verdict = static_cast<FilterVerdict>(1 + number / 30 % 7);
  info->remarks = {kHostileText};
  SstableFilterInfo& filter = info->filter;
  filter.name = kHostileText;
  switch (info->verdict) {
    case FilterVerdict::kSaturated:
      filter.set_bits = filter.bits / 100 * 91;
      filter.rate = 0.4;
      break;
    case FilterVerdict::kOversized:
      filter.set_bits = filter.bits / 100 * 12;
      filter.rate = 1e-5;
      info->wasted_bytes = filter.bytes / 2;
      break;
    case FilterVerdict::kMissing:
      filter = {};
      break;
    case FilterVerdict::kDamaged:
    case FilterVerdict::kNotUsed:
      filter.rate = 1;
      filter.set_bits = 0;
      info->wasted_bytes = filter.bytes;
      break;
    default:
      break;
  }
}

ScanReport MadeUpReport(std::size_t tables) {
  constexpr int kLevels = 7;
  ScanReport report;
  std::size_t number = 0;
  std::size_t of_level = 4;
  for (int level = 0; level < kLevels; ++level) {
    const bool is_last = level + 1 == kLevels;
    for (std::size_t i = 0; number < tables && (is_last || i < of_level); ++i) {
      report.sstables.push_back(TableOf(number, level));
      Spoil(number, &report.sstables.back());
      ++number;
    }
    of_level = of_level * 5 / 2;
  }
  std::size_t at = 0;
  for (const char* const name : kHostile) {
    if (at < report.sstables.size()) {
      report.sstables[at].path = std::string("db/") + name;
    }
    at += 3;
  }
  report.problems = {kHostileText};
  AddTotals(&report);
  return report;
}

int Write(const std::string& file, std::size_t tables) {
  const ScanReport report = MadeUpReport(tables);
  Result<Json> data =
      ReportData(report, {.paths = {"db", kHostileText}, .made = "never"},
                 std::thread::hardware_concurrency());
  if (!data.ok()) return 1;
  std::ofstream out(file, std::ios::binary);
  out << FillPage(ReportTemplate(), {.title = "Made up </title><script>",
                                     .text = ScanText(report),
                                     .data = *std::move(data)});
  return out.flush() ? 0 : 1;
}

}  // namespace
}  // namespace tamis::tools

int main(int argc, char** argv) {
  constexpr std::size_t kTables = 2000;
  if (argc < 2) return 2;
  return tamis::tools::Write(
      argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : kTables);
}
