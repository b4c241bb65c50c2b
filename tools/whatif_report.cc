// SPDX-License-Identifier: Apache-2.0
#include "whatif_report.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "text.h"

namespace tamis::tools {
namespace {

std::string ReadsCell(double reads, bool counts_reads) {
  return counts_reads ? fmt::format("{:.3g}", reads) : "-";
}

bool CountsReads(const WhatIfReport& report, std::string_view engine) {
  return std::any_of(report.groups.begin(), report.groups.end(),
                     [&](const SstableGroup& group) {
                       return group.engine == engine && group.counts_reads;
                     });
}

// "0.1 %", "12 bits per key", "1.00 MiB".
std::string SettingText(const WhatIfQuestion& question) {
  if (question.rate.has_value()) return Percent(*question.rate);
  if (question.bits_per_key.has_value()) {
    return fmt::format("{:g} bits per key", *question.bits_per_key);
  }
  return HumanBytes(question.memory.value_or(0));
}

std::string KeysCell(const WhatIfReport& report, const SstableGroup& group) {
  double keys = 0;
  bool are_stored = true;
  for (const std::size_t member : group.members) {
    const SstableInfo& info = report.scan.sstables[member];
    keys += KeysForFilter(info);
    are_stored = are_stored && info.filter.keys_are_stored;
  }
  if (keys == 0) return "-";
  return (are_stored ? "" : "~") +
         Grouped(static_cast<std::uint64_t>(std::min(keys + 0.5, 9e18)));
}

// One row per group, and a pair of columns per kind.
std::string GroupsText(const WhatIfReport& report, const EngineAnswer& one) {
  std::vector<std::string> heading = {"level or table", "tables", "keys", "now",
                                      "needless reads"};
  for (const WhatIfPlan& plan : one.answer.plans) {
    if (!plan.why_not.empty()) continue;
    heading.push_back(std::string(plan.kind.name));
    heading.emplace_back("needless reads");
  }
  Table table(heading);
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const SstableGroup& group = report.groups[i];
    if (group.engine != one.engine) continue;
    std::vector<std::string> cells = {
        Printable(group.name), Grouped(group.members.size()),
        KeysCell(report, group), Grouped(one.answer.now[i].bytes),
        ReadsCell(one.answer.now[i].needless_reads, group.counts_reads)};
    for (const WhatIfPlan& plan : one.answer.plans) {
      if (!plan.why_not.empty()) continue;
      cells.push_back(Grouped(plan.groups[i].bytes));
      cells.push_back(
          ReadsCell(plan.groups[i].needless_reads, group.counts_reads));
    }
    table.AddRow(std::move(cells));
  }
  const bool counts = CountsReads(report, one.engine);
  std::vector<std::string> total = {
      "all", "", "", Grouped(one.answer.now_total.bytes),
      ReadsCell(one.answer.now_total.needless_reads, counts)};
  for (const WhatIfPlan& plan : one.answer.plans) {
    if (!plan.why_not.empty()) continue;
    total.push_back(Grouped(plan.total.bytes));
    total.push_back(ReadsCell(plan.total.needless_reads, counts));
  }
  table.AddRow(std::move(total));
  return table.ToString();
}

// One row per size, of all groups together.
std::string SweepText(const WhatIfReport& report, std::string_view engine) {
  const bool counts = CountsReads(report, engine);
  std::optional<Table> table;
  for (const EngineAnswer& one : report.answers) {
    if (one.engine != engine) continue;
    if (!table.has_value()) {
      std::vector<std::string> heading = {"rate"};
      for (const WhatIfPlan& plan : one.answer.plans) {
        heading.push_back(std::string(plan.kind.name));
        heading.emplace_back("needless reads");
      }
      table.emplace(heading);
      table->AddRow({"now", Grouped(one.answer.now_total.bytes),
                     ReadsCell(one.answer.now_total.needless_reads, counts)});
    }
    std::vector<std::string> cells = {SettingText(one.question)};
    for (const WhatIfPlan& plan : one.answer.plans) {
      const bool is_there = plan.why_not.empty();
      cells.push_back(is_there ? Grouped(plan.total.bytes) : "-");
      cells.push_back(is_there ? ReadsCell(plan.total.needless_reads, counts)
                               : "-");
    }
    table->AddRow(std::move(cells));
  }
  return table.has_value() ? table->ToString() : "";
}

std::string ChangeText(std::uint64_t now, std::uint64_t then) {
  if (now == 0) return "";
  const double change =
      100 * (static_cast<double>(then) / static_cast<double>(now) - 1);
  return fmt::format(" ({:+.0f} %)", change);
}

std::string Sentence(const EngineAnswer& one, const WhatIfPlan& plan,
                     bool counts) {
  const FilterCost& now = one.answer.now_total;
  std::string text = fmt::format(
      "{} {} {}: {} instead of {}{}", plan.kind.name,
      one.question.rate.has_value() ? "at" : "with", SettingText(one.question),
      HumanBytes(plan.total.bytes), HumanBytes(now.bytes),
      ChangeText(now.bytes, plan.total.bytes));
  if (counts) {
    text += fmt::format(
        "; a lookup of a missing key reads {:.3g} tables needlessly instead "
        "of {:.3g}",
        plan.total.needless_reads, now.needless_reads);
  }
  if (plan.equal.has_value()) {
    text += fmt::format("; with equal bits for every key, {:.3g}",
                        plan.equal->needless_reads);
    if (plan.total.needless_reads > 0) {
      text += fmt::format(" ({:.1f} x as many)", plan.equal->needless_reads /
                                                     plan.total.needless_reads);
    }
  }
  return text + "\n";
}

std::string UnmeasuredText(const WhatIfReport& report,
                           const EngineAnswer& one) {
  if (one.answer.unmeasured.empty()) return "";
  std::string text;
  bool may_count = false;
  for (const UnmeasuredSstable& table : one.answer.unmeasured) {
    const SstableInfo& info = report.scan.sstables[table.number];
    text += fmt::format("{}: unmeasured, and counted as it is, because {}\n",
                        Printable(info.path), table.why);
    may_count = may_count || info.verdict != FilterVerdict::kUnreadable;
  }
  if (may_count) text += "--count reads the data of such tables\n";
  return text;
}

// Which kinds are for another program than the engine itself.
std::string ReaderText(const EngineAnswer& one) {
  if (one.engine != "leveldb") return "";
  std::string kinds;
  for (const WhatIfPlan& plan : one.answer.plans) {
    if (plan.kind.reader != "Tamis") continue;
    kinds += (kinds.empty() ? "" : " and ") + std::string(plan.kind.name);
  }
  return kinds.empty()
             ? ""
             : kinds + " filters are for a Tamis store; LevelDB ignores them\n";
}

bool IsFirst(const WhatIfReport& report, const EngineAnswer& one) {
  return std::find_if(report.answers.begin(), report.answers.end(),
                      [&](const EngineAnswer& other) {
                        return other.engine == one.engine;
                      })
             ->question.rate == one.question.rate;
}

Json QuestionJson(const WhatIfQuestion& question) {
  Json object = Json::Object();
  if (question.rate.has_value()) object["rate"] = *question.rate;
  if (question.bits_per_key.has_value()) {
    object["bits_per_key"] = *question.bits_per_key;
  }
  if (question.memory.has_value()) object["memory"] = *question.memory;
  if (question.only.has_value()) {
    object["only"] = NameOfVerdict(*question.only);
  }
  return object;
}

Json LineOf(std::string_view type, const EngineAnswer& one,
            const WhatIfPlan& plan) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = type;
  object["engine"] = one.engine;
  object["kind"] = plan.kind.name;
  object["setting"] = QuestionJson(one.question);
  return object;
}

void AddCosts(const FilterCost& now, const FilterCost& then, bool counts,
              Json* object) {
  (*object)["now_bytes"] = now.bytes;
  (*object)["bytes"] = then.bytes;
  if (!counts) return;
  (*object)["now_needless_reads"] = now.needless_reads;
  (*object)["needless_reads"] = then.needless_reads;
}

std::string PlanJson(const WhatIfReport& report, const EngineAnswer& one,
                     const WhatIfPlan& plan) {
  Json total = LineOf("whatif", one, plan);
  total["policy"] = plan.kind.policy;
  total["reader"] = plan.kind.reader;
  if (!plan.why_not.empty()) {
    total["why_not"] = plan.why_not;
    return total.Text() + "\n";
  }
  AddCosts(one.answer.now_total, plan.total, CountsReads(report, one.engine),
           &total);
  if (plan.equal.has_value()) {
    total["equal_bytes"] = plan.equal->bytes;
    total["equal_needless_reads"] = plan.equal->needless_reads;
  }
  std::string out = total.Text() + "\n";
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const SstableGroup& group = report.groups[i];
    if (group.engine != one.engine) continue;
    Json line = LineOf("whatif_group", one, plan);
    line["directory"] = group.directory;
    line["group"] = group.name;
    AddCosts(one.answer.now[i], plan.groups[i], group.counts_reads, &line);
    out += line.Text() + "\n";
  }
  for (std::size_t i = 0; i < plan.filters.size(); ++i) {
    const WhatIfFilter& filter = plan.filters[i];
    if (!filter.is_new) continue;
    Json line = LineOf("whatif_sstable", one, plan);
    line["file"] = report.scan.sstables[i].path;
    line["spec"] = filter.spec;
    line["bytes"] = filter.bytes;
    line["expected_rate"] = filter.rate;
    out += line.Text() + "\n";
  }
  return out;
}

}  // namespace

std::string ToText(const WhatIfReport& report) {
  if (report.answers.empty()) return "no sstables\n";
  std::string out;
  for (const EngineAnswer& one : report.answers) {
    if (report.is_sweep) {
      if (!IsFirst(report, one)) continue;
      out += SweepText(report, one.engine);
    } else {
      out += GroupsText(report, one) + "\n";
      for (const WhatIfPlan& plan : one.answer.plans) {
        out += plan.why_not.empty()
                   ? Sentence(one, plan, CountsReads(report, one.engine))
                   : fmt::format("{}: no such filters: {}\n", plan.kind.name,
                                 plan.why_not);
      }
    }
    out += ReaderText(one) + UnmeasuredText(report, one);
  }
  return out;
}

std::string ToJsonLines(const WhatIfReport& report) {
  std::string out;
  for (const EngineAnswer& one : report.answers) {
    for (const WhatIfPlan& plan : one.answer.plans) {
      out += PlanJson(report, one, plan);
    }
    if (!IsFirst(report, one)) continue;
    for (const UnmeasuredSstable& table : one.answer.unmeasured) {
      Json line;
      line["schema_version"] = kSchemaVersion;
      line["type"] = "unmeasured";
      line["file"] = report.scan.sstables[table.number].path;
      line["why"] = table.why;
      out += line.Text() + "\n";
    }
  }
  for (const std::string& problem : report.scan.problems) {
    out += ProblemJson(problem).Text() + "\n";
  }
  return out;
}

std::string ToCsv(const WhatIfReport& report) {
  std::string out =
      "file,engine,group,kind,setting,now_bytes,now_rate,spec,bytes,rate\n";
  for (const EngineAnswer& one : report.answers) {
    for (const WhatIfPlan& plan : one.answer.plans) {
      for (std::size_t i = 0; i < plan.filters.size(); ++i) {
        const SstableInfo& info = report.scan.sstables[i];
        if (info.engine != one.engine) continue;
        const WhatIfFilter& filter = plan.filters[i];
        out += CsvLine({info.path, std::string(info.engine), info.group,
                        std::string(plan.kind.name), SettingText(one.question),
                        std::to_string(info.filter.bytes),
                        fmt::format("{:.6g}", NeedlessReadsOf(info)),
                        filter.spec, std::to_string(filter.bytes),
                        fmt::format("{:.6g}", filter.rate)});
      }
    }
  }
  return out;
}

}  // namespace tamis::tools
