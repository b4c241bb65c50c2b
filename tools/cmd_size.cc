// SPDX-License-Identifier: Apache-2.0
// tamis size: predicts what a filter would cost.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "json.h"
#include "numbers.h"
#include "size_advice.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct Row {
  std::string format;
  std::string kind;  // of the tamis format; empty for all others
  Status status;     // why this format cannot do what was requested
  Estimate estimate;
  double bits_per_key = 0;
  // With twice the planned keys; nothing for a kind that takes no more than
  // planned.
  std::optional<double> rate_at_double;
};

// Returns the kind at the start of a policy, as in "ribbon:8"; null: there is
// none.  Of kinds whose name implies their size, the first represents all:
// "fuse".
const KindEntry* KindOf(std::string_view policy) {
  const std::string_view name = policy.substr(0, policy.find(':'));
  const auto all = KnownKinds();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const KindEntry& entry) {
        return entry.name == name ||
               (entry.usual_bits == 0 && entry.name.starts_with(name));
      });
  return name.empty() || found == all.end() ? nullptr : &*found;
}

// Returns whether a filter of this kind can take more keys than planned.
bool TakesMore(const std::string& format, const std::string& kind) {
  const KindEntry* entry = KindOf(kind.empty() ? format : kind);
  const bool takes_more = entry == nullptr ||
                          entry->storage == KindStorage::kBits ||
                          entry->storage == KindStorage::kCounters;
  return !format.starts_with("rocksdb-ribbon") && takes_more;
}

// The policy of a row, and its estimate for the keys.
struct Sized {
  std::unique_ptr<const FilterPolicy> policy;
  Estimate estimate;
};

Result<Sized> SizeBy(const PolicySettings& settings, std::uint64_t keys) {
  auto policy = MakePolicy(settings);
  if (!policy.ok()) return policy.status();
  Sized sized;
  sized.policy = *std::move(policy);
  sized.estimate = sized.policy->Predict(keys);
  Status possible = sized.estimate.status;
  if (!possible.ok()) return possible;
  return sized;
}

Result<Sized> SizeBy(const FilterArgs& filter, const std::string& format,
                     std::uint64_t keys) {
  auto settings = SettingsFrom(filter, format);
  if (!settings.ok()) return settings.status();
  return SizeBy(*settings, keys);
}

// Returns the largest filter of that kind that fits into so many bytes.
Result<Sized> SizeWithin(std::uint64_t memory, const FilterArgs& filter,
                         const std::string& format, std::uint64_t keys) {
  Result<Sized> best = Status::InvalidArgument(
      fmt::format("no filter of this kind with so many keys has {} or fewer",
                  SizeText(memory)));
  // The name of such a kind implies its size.
  const KindEntry* kind = FindKind(filter.kind);
  if (kind != nullptr && kind->usual_bits == 0) {
    auto only = SizeBy(filter, format, keys);
    if (!only.ok() || only->estimate.bytes <= memory) return only;
    return Status::InvalidArgument(fmt::format("has {}, whatever is given",
                                               SizeText(only->estimate.bytes)));
  }
  auto settings = SettingsFrom(filter, format);
  if (!settings.ok()) return best;
  // RocksDB's ribbon counts the bits of a Bloom filter of the same rate, so
  // twice as many may be too few.  From there the search goes down to a size
  // that fits; then, between that and the step before, to the largest that
  // does.  Sizes that a kind does not have do not fit.
  constexpr double kStep = 0.98;
  constexpr int kHalvings = 20;
  double bits = std::min(
      10000.0, 17.0 * static_cast<double>(memory) / static_cast<double>(keys));
  const auto fits = [&](double bits_per_key) {
    settings->bits_per_key = bits_per_key;
    auto sized = SizeBy(*settings, keys);
    if (!sized.ok() || sized->estimate.bytes > memory) return false;
    best = std::move(sized);
    return true;
  };
  while (bits > 0.5 && !fits(bits)) bits *= kStep;
  if (!best.ok()) return best;
  double too_many = bits / kStep;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (bits + too_many) / 2;
    (fits(middle) ? bits : too_many) = middle;
  }
  return best;
}

// What all rows have in common.
struct Plan {
  std::uint64_t keys = 0;
  std::optional<std::uint64_t> memory;
  FilterArgs filter;
};

Row MakeRow(const Plan& plan, const std::string& format,
            const std::string& kind) {
  Row row;
  row.format = format;
  row.kind = kind;
  FilterArgs filter = plan.filter;
  // In a table of all formats a sizing rule applies to the one that has it, and
  // sizes apply to kinds that have a choice.
  if (filter.format.empty() && format != "cassandra") filter.sizing.clear();
  const KindEntry* entry = FindKind(kind);
  if (filter.kind.empty() && entry != nullptr && entry->usual_bits == 0) {
    filter.fpr.clear();
    filter.bits_per_key.clear();
  }
  filter.kind = kind;
  auto sized = plan.memory ? SizeWithin(*plan.memory, filter, format, plan.keys)
                           : SizeBy(filter, format, plan.keys);
  row.status = sized.status();
  if (!sized.ok()) return row;
  row.estimate = sized->estimate;
  row.bits_per_key =
      static_cast<double>(row.estimate.bits) / static_cast<double>(plan.keys);
  // 2^63 keys and more have no double; they saturate any filter.
  const std::uint64_t twice =
      plan.keys > UINT64_MAX / 2 ? UINT64_MAX : plan.keys * 2;
  if (TakesMore(format, kind)) {
    row.rate_at_double = sized->policy->RateAt(plan.keys, twice);
  }
  return row;
}

std::vector<Row> MakeRows(const Plan& plan) {
  const FilterArgs& filter = plan.filter;
  if (!filter.policy.empty()) return {MakeRow(plan, filter.policy, "")};
  // Only the tamis format has kinds.
  if (!filter.format.empty() || !filter.kind.empty()) {
    return {MakeRow(plan, filter.format.empty() ? "tamis" : filter.format,
                    filter.kind)};
  }
  std::vector<Row> rows;
  for (const FormatEntry& entry : KnownFormats()) {
    const std::string name(entry.name);
    rows.push_back(MakeRow(plan, name, ""));
    if (name != "tamis") continue;
    for (const KindEntry& other : KnownKinds().subspan(1)) {
      rows.push_back(MakeRow(plan, name, std::string(other.name)));
    }
  }
  return rows;
}

std::string NameIn(const Row& row) {
  return row.kind.empty() ? row.format : row.format + " " + row.kind;
}

// Returns the reason without the name, which is at the start of the row.
std::string ReasonIn(const Row& row) {
  const std::string& message = row.status.message();
  for (const std::string& word :
       {row.format.substr(0, row.format.find(':')), row.kind}) {
    const std::string name = word + ": ";
    if (message.starts_with(name)) return message.substr(name.size());
  }
  return message;
}

std::string ToTable(const std::vector<Row>& rows) {
  Table table({"format", "size", "bytes", "bits/key", "k", "rate",
               "rate at twice the keys"});
  for (const Row& row : rows) {
    if (!row.status.ok()) {
      table.AddRow({NameIn(row), ReasonIn(row)});
      continue;
    }
    table.AddRow({NameIn(row), HumanBytes(row.estimate.bytes),
                  Grouped(row.estimate.bytes),
                  fmt::format("{:.2f}", row.bits_per_key),
                  std::to_string(row.estimate.probes),
                  Percent(row.estimate.false_positive_rate),
                  row.rate_at_double ? Percent(*row.rate_at_double) : "-"});
  }
  return table.ToString();
}

Json ToJson(const std::vector<Row>& rows, std::uint64_t keys) {
  Json list = Json::Array();
  for (const Row& row : rows) {
    Json object;
    object["format"] = row.format;
    if (!row.kind.empty()) object["kind"] = row.kind;
    object["keys"] = keys;
    if (!row.status.ok()) {
      object["error"] = ReasonIn(row);
    } else {
      object["bytes"] = row.estimate.bytes;
      object["bits"] = row.estimate.bits;
      object["bits_per_key"] = row.bits_per_key;
      object["probes"] = row.estimate.probes;
      object["false_positive_rate"] = row.estimate.false_positive_rate;
      if (row.rate_at_double) {
        object["false_positive_rate_at_twice_the_keys"] = *row.rate_at_double;
      }
    }
    list.Add(std::move(object));
  }
  return list;
}

// Returns the rate for the advice: the given one, or that of the default kind
// at the given size, with many keys.
double RateOf(const SizeArgs& args) {
  constexpr std::uint64_t kMany = 1'000'000;
  auto rate = ParseRate(args.filter.fpr);
  if (rate.ok()) return *rate;
  FilterArgs filter = args.filter;
  filter.sizing.clear();
  auto settings = SettingsFrom(filter);
  auto policy = settings.ok() ? MakePolicy(*settings) : MakePolicy("tamis");
  return policy.ok() ? policy->Predict(kMany).false_positive_rate : 1;
}

struct Said {
  std::string text;
  Json json;
};

// Adds the advice to a table of all formats.
Status Advise(const SizeArgs& args, std::uint64_t keys, Said* said) {
  auto need = NeedFrom(args, keys, RateOf(args));
  if (!need.ok()) return need.status();
  auto advice = AdviseFilter(*need);
  if (advice.ok()) {
    said->text += "\n" + AdviceText(*advice);
    said->json["advice"] = AdviceJson(*need, *advice);
    return Status::Ok();
  }
  // The rows give the reason; but if advice was requested, it is an error.
  return AsksForAdvice(args) ? advice.status() : Status::Ok();
}

Result<std::uint64_t> CountFrom(std::string_view option,
                                const std::string& text) {
  auto number = ParseCount(text);
  if (number.ok() && *number > 0) return number;
  return Status::InvalidArgument(
      number.ok() ? fmt::format("{} must be at least 1", option)
                  : fmt::format("{}: {}", option, number.status().message()));
}

Result<Plan> PlanFrom(const SizeArgs& args) {
  Plan plan;
  auto keys = CountFrom("--keys", args.keys);
  if (!keys.ok()) return keys.status();
  plan.keys = *keys;
  if (!args.memory.empty()) {
    auto memory = CountFrom("--memory", args.memory);
    if (!memory.ok()) return memory.status();
    plan.memory = *memory;
  }
  auto filter = Sorted(args.filter);
  if (!filter.ok()) return filter.status();
  if (plan.memory && !filter->policy.empty()) {
    return Status::InvalidArgument(fmt::format(
        "--format {} has a size already; leave --memory out", filter->policy));
  }
  plan.filter = *std::move(filter);
  // The numbers are wrong for every format or for none: try one that accepts
  // them.
  auto settings = SettingsFrom(
      plan.filter, plan.filter.sizing.empty() ? "tamis" : "cassandra");
  if (!settings.ok()) return settings.status();
  return plan;
}

}  // namespace

int RunSize(const SizeArgs& args, const Console& console) {
  auto plan = PlanFrom(args);
  if (!plan.ok()) return Fail(console, "size", plan.status().message());
  const FilterArgs& filter = plan->filter;
  const bool is_one =
      !filter.format.empty() || !filter.kind.empty() || !filter.policy.empty();
  if ((is_one || plan->memory) && AsksForAdvice(args)) {
    return Fail(console, "size",
                "--deletes, --growth, --expiry, --lifetime and --queries "
                "choose among all kinds by a rate; leave --format, --kind, "
                "--policy and --memory out");
  }

  const std::vector<Row> rows = MakeRows(*plan);
  if (rows.size() == 1 && !rows.front().status.ok()) {
    return Fail(console, "size", rows.front().status.message());
  }
  Said said;
  said.text = ToTable(rows);
  said.json["filters"] = ToJson(rows, plan->keys);
  if (!is_one && !plan->memory) {
    Status status = Advise(args, plan->keys, &said);
    if (!status.ok()) return Fail(console, "size", status.message());
  }
  console.out->Write(args.json ? said.json.Text(2) + "\n" : said.text);
  return Finish(console, "size", kExitOk);
}

}  // namespace tamis::tools
