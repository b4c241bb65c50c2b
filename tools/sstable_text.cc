// SPDX-License-Identifier: Apache-2.0
#include "sstable_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tamis/formats.h"
#include "text.h"

namespace tamis::tools {
namespace {

std::string OrDash(bool is_known, std::string text) {
  return is_known ? std::move(text) : "-";
}

std::string FillText(const SstableFilterInfo& filter) {
  const std::optional<double> fill = FillOfBits(filter);
  return OrDash(fill.has_value(), Percent(fill.value_or(0)));
}

std::vector<std::string> CellsOf(const SstableInfo& info) {
  const SstableFilterInfo& filter = info.filter;
  const bool has_filter = !filter.kind.empty();
  const bool has_keys = filter.keys > 0;
  return {
      Printable(FileNameOf(info.path)),
      Printable(info.group),
      KindText(filter),
      OrDash(filter.probes > 0, std::to_string(filter.probes)),
      OrDash(filter.bits > 0, Grouped(filter.bits)),
      OrDash(has_keys, (filter.keys_are_stored ? "" : "~") +
                           Grouped(static_cast<std::uint64_t>(
                               std::min(filter.keys + 0.5, 9e18)))),
      OrDash(has_keys, fmt::format("{:.2f}", static_cast<double>(filter.bits) /
                                                 filter.keys)),
      FillText(filter),
      OrDash(has_filter, Percent(filter.rate)),
      OrDash(filter.target_rate.has_value(),
             Percent(filter.target_rate.value_or(0))),
      Grouped(filter.bytes),
      std::string(NameOfVerdict(info.verdict)),
      OrDash(info.wasted_bytes > 0, Grouped(info.wasted_bytes)),
  };
}

std::string ReadsText(const GroupTotal& total) {
  return OrDash(total.counts_reads,
                fmt::format("{:.3g}", total.needless_reads));
}

std::string TotalsText(const ScanReport& report) {
  const bool many_directories = std::any_of(
      report.groups.begin(), report.groups.end(), [&](const auto& total) {
        return total.directory != report.groups.front().directory;
      });
  Table table(
      {"total", "tables", "keys", "filter bytes", "wasted", "needless reads"});
  for (const GroupTotal& total : report.groups) {
    table.AddRow(
        {Printable(many_directories ? total.directory + ": " + total.group
                                    : total.group),
         Grouped(total.sstables), Grouped(total.keys),
         Grouped(total.filter_bytes), Grouped(total.wasted_bytes),
         ReadsText(total)});
  }
  return table.ToString();
}

// The sstables of one directory under its name.
std::string FilesText(const ScanReport& report,
                      std::optional<FilterVerdict> only) {
  std::string out;
  std::string remarks;
  std::string directory;
  std::optional<Table> table;
  const auto finish = [&] {
    if (table.has_value()) out += table->ToString() + remarks + "\n";
    table.reset();
    remarks.clear();
  };
  for (const SstableInfo& info : report.sstables) {
    if (!IsShown(info, only)) continue;
    if (!table.has_value() || DirectoryOf(info.path) != directory) {
      finish();
      directory = DirectoryOf(info.path);
      out += Printable(directory) + ":\n";
      table.emplace(std::vector<std::string>{
          "file", "level or table", "kind", "k", "bits", "keys", "per key",
          "fill", "rate", "target", "bytes", "verdict", "wasted"});
    }
    table->AddRow(CellsOf(info));
    for (const std::string& remark : info.remarks) {
      remarks += Printable(FileNameOf(info.path) + ": " + remark) + "\n";
    }
  }
  finish();
  return out;
}

}  // namespace

std::string KindText(const SstableFilterInfo& filter) {
  if (filter.kind.empty()) return "none";
  std::string text = filter.kind;
  if (filter.is_partitioned) text += ", partitioned";
  if (!filter.has_whole_keys) {
    text += ", prefixes";
  } else if (!filter.prefix_extractor.empty()) {
    text += ", and prefixes";
  }
  return text;
}

std::optional<double> FillOfBits(const SstableFilterInfo& filter) {
  const KindEntry* const kind = FindKind(filter.kind);
  const bool has_fill =
      filter.bits > 0 && filter.set_bits > 0 &&
      (kind == nullptr || kind->storage == KindStorage::kBits);
  if (!has_fill) return std::nullopt;
  return static_cast<double>(filter.set_bits) /
         static_cast<double>(filter.bits);
}

bool IsShown(const SstableInfo& info, std::optional<FilterVerdict> only) {
  return !only.has_value() || info.verdict == *only;
}

std::string ScanText(const ScanReport& report,
                     std::optional<FilterVerdict> only) {
  std::string out = FilesText(report, only);
  if (report.sstables.empty()) {
    out += "no sstables\n";
  } else {
    out += TotalsText(report) + "\n";
  }
  for (const std::string& sentence : Sentences(report)) out += sentence + "\n";
  return out;
}

}  // namespace tamis::tools
