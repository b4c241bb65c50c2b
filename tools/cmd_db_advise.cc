// SPDX-License-Identifier: Apache-2.0
// tamis db advise: what the filters of a store cost and save, and would with
// other amounts of memory.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "db_commands.h"
#include "json.h"
#include "numbers.h"
#include "tamis/filter_budget.h"
#include "tamis/store_stats.h"
#include "tamis/store_tables.h"
#include "text.h"

namespace tamis::tools {
namespace {

// A sorted run: a table of level 0, or another level.
struct Run {
  std::string name;
  std::uint64_t keys = 0;
  std::uint64_t tables = 0;
  std::uint64_t filtered = 0;      // tables that have a filter
  std::uint64_t filter_bytes = 0;  // of those
  double needless = 0;             // the chance that a lookup reads it in vain

  void Add(const StoreTable& table) {
    keys += table.estimated_keys;
    ++tables;
    filter_bytes += table.filter_bytes;
    if (!table.filter.empty()) ++filtered;
    // Until it is divided by the keys.
    needless += static_cast<double>(table.estimated_keys) *
                (table.filter.empty() ? 1.0 : table.filter_rate);
  }
  void Finish() {
    needless = keys > 0 ? needless / static_cast<double>(keys) : 0;
  }
};

std::vector<Run> RunsOf(const std::vector<StoreTable>& tables) {
  std::vector<Run> runs;
  int level = -1;
  for (const StoreTable& table : tables) {
    if (table.level == 0) {
      runs.push_back({.name = fmt::format("0, table {}", table.file_number)});
    } else if (table.level != level) {
      runs.push_back({.name = std::to_string(table.level)});
    }
    level = table.level;
    runs.back().Add(table);
  }
  for (Run& run : runs) run.Finish();
  return runs;
}

// The store as it is.
struct Tree {
  std::vector<Run> runs;
  std::uint64_t keys = 0;
  std::uint64_t filter_bytes = 0;
  double needless = 0;

  explicit Tree(const std::vector<StoreTable>& tables) : runs(RunsOf(tables)) {
    for (const Run& run : runs) {
      keys += run.keys;
      filter_bytes += run.filter_bytes;
      needless += run.needless;
    }
  }
  double BitsPerKey(std::uint64_t bytes) const {
    return keys > 0 ? 8 * static_cast<double>(bytes) / static_cast<double>(keys)
                    : 0;
  }
  std::vector<FilterRun> FilterRuns(const std::string& kind) const {
    std::vector<FilterRun> list;
    for (const Run& run : runs)
      list.push_back({.keys = run.keys, .kind = kind});
    return list;
  }
};

// The same memory in three ways.
struct Budget {
  std::uint64_t bytes = 0;
  FilterDivision equal;   // Bloom filters, the same bits for all
  FilterDivision bloom;   // divided
  FilterDivision ribbon;  // divided, and more compact filters
};

Result<Budget> BudgetOf(const Tree& tree, std::uint64_t bytes) {
  const std::vector<FilterRun> bloom = tree.FilterRuns("bloom");
  auto equal = DivideFilterMemoryEqually(bloom, bytes);
  if (!equal.ok()) return equal.status();
  auto divided = DivideFilterMemory(bloom, bytes);
  if (!divided.ok()) return divided.status();
  auto ribbon = DivideFilterMemory(tree.FilterRuns("ribbon"), bytes);
  if (!ribbon.ok()) return ribbon.status();
  return Budget{bytes, *std::move(equal), *std::move(divided),
                *std::move(ribbon)};
}

// Returns amounts around the present one, or around 10 bits per key if the
// filters have less than one; and the one that was asked for.
std::vector<std::uint64_t> AmountsFor(const Tree& tree,
                                      std::optional<std::uint64_t> asked) {
  constexpr double kMinBits = 1;
  constexpr double kUsualBytes = 10.0 / 8;
  constexpr std::array kParts = {0.25, 0.5, 0.75, 1.0, 1.5, 2.0};
  double now = static_cast<double>(tree.filter_bytes);
  if (tree.BitsPerKey(tree.filter_bytes) < kMinBits) {
    now = kUsualBytes * static_cast<double>(tree.keys);
  }
  std::vector<std::uint64_t> amounts;
  for (const double part : kParts) {
    amounts.push_back(static_cast<std::uint64_t>(part * now));
  }
  if (asked) amounts.push_back(*asked);
  std::sort(amounts.begin(), amounts.end());
  amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
  return amounts;
}

std::string Reads(double needless) {
  if (needless == 0) return "0";
  // Three digits that count.
  const double digits = 2 - std::floor(std::log10(needless));
  return fmt::format("{:.{}f}", needless,
                     static_cast<int>(std::clamp(digits, 0.0, 9.0)));
}

std::string Times(double before, double after) {
  if (after <= 0) return "-";
  return fmt::format("{:.1f} x", before / after);
}

std::string Bits(double bits) { return fmt::format("{:.1f}", bits); }

std::string ShareText(const FilterShare& share) {
  if (share.spec.empty()) return "none";
  return fmt::format("{}, {}", share.spec, Percent(share.rate));
}

std::string RunsText(const Tree& tree, const Budget& chosen) {
  Table table({"level", "keys", "filters", "bits per key", "read in vain",
               "divided", "divided, ribbon"});
  for (std::size_t i = 0; i < tree.runs.size(); ++i) {
    const Run& run = tree.runs[i];
    table.AddRow(
        {run.name, Grouped(run.keys),
         run.filtered == run.tables
             ? HumanBytes(run.filter_bytes)
             : fmt::format("{} of {} {}", Grouped(run.filtered),
                           Grouped(run.tables),
                           Plural(run.tables, "table", "tables")),
         Bits(run.keys > 0 ? 8 * static_cast<double>(run.filter_bytes) /
                                 static_cast<double>(run.keys)
                           : 0),
         Percent(run.needless), ShareText(chosen.bloom.shares[i]),
         ShareText(chosen.ribbon.shares[i])});
  }
  return table.ToString();
}

// A bar for needless reads: one more sign for each factor of two, from one in
// 65,536 lookups on.
std::string Bar(double needless) {
  constexpr double kLeast = 1.0 / 65536;
  const double doublings = std::log2(std::max(needless, kLeast) / kLeast);
  return std::string(static_cast<std::size_t>(std::lround(doublings)) + 1, '#');
}

std::string BudgetsText(const Tree& tree, const std::vector<Budget>& budgets) {
  Table table({"memory", "bits per key", "equal bits", "divided", "gain",
               "divided, ribbon", "gain", "equal (.) and divided (#)"});
  for (const Budget& budget : budgets) {
    const double equal = budget.equal.needless_reads;
    std::string bar = Bar(budget.bloom.needless_reads);
    const std::size_t longest = Bar(equal).size();
    if (longest > bar.size()) bar.append(longest - bar.size(), '.');
    constexpr std::size_t kColumns = 24;
    if (bar.size() < kColumns) bar.append(kColumns - bar.size(), ' ');
    table.AddRow({HumanBytes(budget.bytes), Bits(tree.BitsPerKey(budget.bytes)),
                  Reads(equal), Reads(budget.bloom.needless_reads),
                  Times(equal, budget.bloom.needless_reads),
                  Reads(budget.ribbon.needless_reads),
                  Times(equal, budget.ribbon.needless_reads), bar});
  }
  return table.ToString();
}

std::string ToText(const Tree& tree, const std::vector<Budget>& budgets,
                   const Budget& chosen) {
  std::string text = fmt::format(
      "A lookup of a missing key asks {} sorted {}, and reads {} of them in "
      "vain.\nFilters take {}, {} bits per key.\n\n",
      Grouped(tree.runs.size()), Plural(tree.runs.size(), "run", "runs"),
      Reads(tree.needless), HumanBytes(tree.filter_bytes),
      Bits(tree.BitsPerKey(tree.filter_bytes)));
  text += fmt::format("As it is, and with {} divided:\n\n",
                      HumanBytes(chosen.bytes));
  text += RunsText(tree, chosen);
  text += "\nRuns read in vain per lookup of a missing key:\n\n";
  text += BudgetsText(tree, budgets);
  return text;
}

Json ToJson(const FilterDivision& division, const Tree& tree) {
  Json object;
  object["needless_reads"] = division.needless_reads;
  object["bytes"] = division.bytes;
  Json list = Json::Array();
  for (std::size_t i = 0; i < division.shares.size(); ++i) {
    const FilterShare& share = division.shares[i];
    Json item;
    item["run"] = tree.runs[i].name;
    item["policy"] = share.spec.empty() ? "none" : share.spec;
    item["bits_per_key"] = share.bits_per_key;
    item["rate"] = share.rate;
    item["bytes"] = share.bytes;
    list.Add(std::move(item));
  }
  object["runs"] = std::move(list);
  return object;
}

Json ToJson(const Tree& tree, const std::vector<Budget>& budgets) {
  Json object;
  object["keys"] = tree.keys;
  object["filter_bytes"] = tree.filter_bytes;
  object["needless_reads"] = tree.needless;
  Json runs = Json::Array();
  for (const Run& run : tree.runs) {
    Json item;
    item["run"] = run.name;
    item["keys"] = run.keys;
    item["tables"] = run.tables;
    item["tables_with_filter"] = run.filtered;
    item["filter_bytes"] = run.filter_bytes;
    item["needless_reads"] = run.needless;
    runs.Add(std::move(item));
  }
  object["runs"] = std::move(runs);
  Json list = Json::Array();
  for (const Budget& budget : budgets) {
    Json item;
    item["memory"] = budget.bytes;
    item["equal_bits"] = ToJson(budget.equal, tree);
    item["divided"] = ToJson(budget.bloom, tree);
    item["divided_ribbon"] = ToJson(budget.ribbon, tree);
    list.Add(std::move(item));
  }
  object["budgets"] = std::move(list);
  return object;
}

// A line for each table whose filter, or which itself, cannot be read.
std::string ProblemsOf(const std::vector<StoreTable>& tables) {
  std::string text;
  for (const StoreTable& table : tables) {
    if (table.problem.empty()) continue;
    text += fmt::format("{}Of table {} this cannot be used: {}\n",
                        text.empty() ? "\n" : "", table.file_number,
                        Printable(table.problem));
  }
  return text;
}

Result<std::string> Advise(const DbAdviseArgs& args) {
  std::optional<std::uint64_t> asked;
  if (!args.memory.empty()) {
    auto bytes = ParseCount(args.memory);
    if (!bytes.ok()) {
      return bytes.status().WithMessage("--memory: " +
                                        bytes.status().message());
    }
    asked = *bytes;
  }
  const auto tables = ListStoreTables(args.dir);
  if (!tables.ok()) {
    // Opening says best what is wrong with a directory.
    const auto store = OpenToRead(args.dir);
    return store.ok() ? InDbWords(tables.status()) : store.status();
  }
  const Tree tree(*tables);
  std::vector<Budget> budgets;
  for (const std::uint64_t bytes : AmountsFor(tree, asked)) {
    auto budget = BudgetOf(tree, bytes);
    if (!budget.ok()) return budget.status();
    budgets.push_back(*std::move(budget));
  }
  if (args.json) return ToJson(tree, budgets).Text() + "\n";
  if (tree.runs.empty()) {
    return std::string("The store has no tables, so there are no filters.\n");
  }
  auto chosen = BudgetOf(tree, asked.value_or(tree.filter_bytes));
  if (!chosen.ok()) return chosen.status();
  return ToText(tree, budgets, *chosen) + ProblemsOf(*tables);
}

}  // namespace

int RunDbAdvise(const DbAdviseArgs& args, const Console& console) {
  const auto text = Advise(args);
  if (!text.ok()) return Fail(console, "db advise", text.status().message());
  console.out->Write(*text);
  return Finish(console, "db advise", kExitOk);
}

}  // namespace tamis::tools
