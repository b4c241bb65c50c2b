// SPDX-License-Identifier: Apache-2.0
// tamis probe: which sstables are read for a key, why, and what is there.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "db_store.h"
#include "json.h"
#include "pair_text.h"
#include "sstable_report.h"
#include "sstable_text.h"
#include "tamis/sstable_probe.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct Probe {
  std::string key;
  SstableProbe found;
};

std::string KeyTitle(const std::string& key, bool hex) {
  return hex ? "0x" + ToHex(key) : Escaped(key);
}

std::string RemarkOf(const ProbeStep& step) {
  if (!step.problem.empty()) return "cannot be read";
  if (step.is_hidden())
    return "HIDDEN: the filter rules out a key that is there";
  if (step.is_after_end) return "a newer one has the key";
  if (!step.is_needless()) return "";
  return step.answer == FilterAnswer::kMaybe ? "false positive"
                                             : "read needlessly";
}

std::string ProbeConclusion(const Probe& probe) {
  std::uint64_t read = 0;
  std::uint64_t needless = 0;
  for (const ProbeStep& step : probe.found.steps) {
    if (step.is_read()) ++read;
    if (step.is_needless()) ++needless;
  }
  std::string text =
      fmt::format("{} {} read, {} of them needlessly", Grouped(read),
                  Plural(read, "table", "tables"), Grouped(needless));
  if (probe.found.out_of_range > 0) {
    text += fmt::format("; {} more {} no such key in {} range",
                        Grouped(probe.found.out_of_range),
                        Plural(probe.found.out_of_range, "has", "have"),
                        Plural(probe.found.out_of_range, "its", "their"));
  }
  if (probe.found.not_in_manifest > 0) {
    text += fmt::format("; {} {} not in the manifest",
                        Grouped(probe.found.not_in_manifest),
                        Plural(probe.found.not_in_manifest, "is", "are"));
  }
  return text + "\n";
}

std::string ProbeText(const Probe& probe, bool hex,
                      std::optional<FilterVerdict> only) {
  std::string out = KeyTitle(probe.key, hex) + ":\n";
  std::string problems;
  Table table({"file", "level or table", "filter", "read", "there", "remark"});
  bool any = false;
  for (const ProbeStep& step : probe.found.steps) {
    if (!IsShown(step.info, only)) continue;
    any = true;
    table.AddRow(
        {Printable(step.info.path), Printable(step.info.group),
         std::string(NameOfAnswer(step.answer)), step.is_read() ? "yes" : "no",
         step.problem.empty() ? std::string(NameOfStored(step.entry.kind))
                              : "-",
         RemarkOf(step)});
    if (!step.problem.empty()) problems += Printable(step.problem) + "\n";
  }
  if (any) out += table.ToString() + problems;
  return out + ProbeConclusion(probe);
}

Json StepLine(const Probe& probe, const ProbeStep& step) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "probe";
  object["key_hex"] = ToHex(probe.key);
  object["file"] = step.info.path;
  object["engine"] = step.info.engine;
  object["group"] = step.info.group;
  if (step.info.level >= 0) object["level"] = step.info.level;
  object["verdict"] = NameOfVerdict(step.info.verdict);
  object["filter"] = NameOfAnswer(step.answer);
  object["read"] = step.is_read();
  if (step.problem.empty()) {
    object["there"] = NameOfStored(step.entry.kind);
    if (step.has_key()) object["offset"] = step.entry.offset;
    object["false_positive"] =
        step.is_needless() && step.answer == FilterAnswer::kMaybe;
    object["hidden"] = step.is_hidden();
  } else {
    object["problem"] = step.problem;
  }
  return object;
}

std::string ProbeJson(const Probe& probe, std::optional<FilterVerdict> only) {
  std::string out;
  std::uint64_t read = 0;
  for (const ProbeStep& step : probe.found.steps) {
    if (step.is_read()) ++read;
    if (IsShown(step.info, only)) out += StepLine(probe, step).Text() + "\n";
  }
  Json key;
  key["schema_version"] = kSchemaVersion;
  key["type"] = "key";
  key["key_hex"] = ToHex(probe.key);
  key["sstables_read"] = read;
  key["out_of_range"] = probe.found.out_of_range;
  key["not_in_manifest"] = probe.found.not_in_manifest;
  return out + key.Text() + "\n";
}

std::string ProbeCsv(const Probe& probe, std::optional<FilterVerdict> only) {
  std::string out;
  for (const ProbeStep& step : probe.found.steps) {
    if (!IsShown(step.info, only)) continue;
    out += CsvLine(
        {ToHex(probe.key), step.info.path, std::string(step.info.engine),
         step.info.group, std::string(NameOfVerdict(step.info.verdict)),
         std::string(NameOfAnswer(step.answer)), step.is_read() ? "yes" : "no",
         step.problem.empty() ? std::string(NameOfStored(step.entry.kind)) : "",
         step.problem.empty() ? RemarkOf(step) : step.problem});
  }
  return out;
}

int CodeAfter(const Probe& probe, int code) {
  for (const ProbeStep& step : probe.found.steps) {
    if (step.is_hidden()) return kExitNegative;
    if (!step.problem.empty() && code == kExitOk) code = kExitUnreadable;
  }
  return code;
}

}  // namespace

int RunProbe(const ProbeArgs& args, const Console& console) {
  std::vector<std::string> keys;
  for (const std::string& text : args.keys) {
    auto key = ArgumentBytes("KEY", text, args.hex);
    if (!key.ok()) return Fail(console, "probe", key.status().message());
    keys.push_back(*std::move(key));
  }
  std::optional<FilterVerdict> only;
  if (!args.only.empty()) only = VerdictNamed(args.only);
  ScanReport report;
  std::vector<FoundSstable> found;
  const Status status = FindAll({args.path}, &found, &report);
  if (!status.ok()) {
    Fail(console, "probe", status.message());
    return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                         : kExitUnreadable;
  }
  SortForLookups(&found);
  int code = report.problems.empty() ? kExitOk : kExitUnreadable;
  bool is_hidden = false;
  if (args.csv) {
    console.out->Write(
        "key_hex,file,engine,group,verdict,filter,read,there,remark\n");
  }
  for (const std::string& key : keys) {
    auto probed = ProbeSstables(found, key);
    if (!probed.ok()) {
      Fail(console, "probe", probed.status().message());
      return kExitUnreadable;
    }
    const Probe probe = {.key = key, .found = *std::move(probed)};
    if (!args.json && !args.csv && &key != &keys.front()) {
      console.out->Write('\n');
    }
    console.out->Write(args.json  ? ProbeJson(probe, only)
                       : args.csv ? ProbeCsv(probe, only)
                                  : ProbeText(probe, args.hex, only));
    code = CodeAfter(probe, code);
    is_hidden = is_hidden || code == kExitNegative;
  }
  console.out->Flush();
  for (const std::string& problem : report.problems) {
    Warn(console, "probe", problem);
  }
  return Finish(console, "probe", is_hidden ? kExitNegative : code);
}

}  // namespace tamis::tools
