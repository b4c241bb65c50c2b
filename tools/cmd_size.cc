// tamis size: what a filter would cost, before there is one.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
  Status status;     // why this format cannot do what was asked
  Estimate estimate;
  double bits_per_key = 0;
  // With twice the planned keys; nothing for a kind that takes no more than
  // it was made for.
  std::optional<double> rate_at_double;
};

// Can a filter of this kind take more keys than it was made for?
bool TakesMore(const std::string& format, const std::string& kind) {
  return format != "rocksdb-ribbon" && kind != "ribbon" && kind != "cuckoo" &&
         !kind.starts_with("fuse");
}

Row MakeRow(const SizeArgs& args, const std::string& format,
            const std::string& kind, std::uint64_t keys) {
  Row row;
  row.format = format;
  row.kind = kind;
  FilterArgs filter = args.filter;
  // In a table of all formats a sizing rule is for the one that has it, and
  // sizes are for kinds that have a choice.
  if (filter.format.empty() && format != "cassandra") filter.sizing.clear();
  if (filter.kind.empty() && kind.starts_with("fuse")) {
    filter.fpr.clear();
    filter.bits_per_key.clear();
  }
  filter.kind = kind;
  auto spec = SpecFrom(filter, format);
  if (!spec.ok()) {
    row.status = spec.status();
    return row;
  }
  auto policy = MakePolicy(*spec);
  if (!policy.ok()) {
    row.status = InOptionWords(policy.status());
    return row;
  }
  row.estimate = (*policy)->Predict(keys);
  row.status = CheckEstimate(row.estimate);
  if (!row.status.ok()) return row;
  row.bits_per_key =
      static_cast<double>(row.estimate.bits) / static_cast<double>(keys);
  // 2^63 keys and more have no double; they saturate any filter.
  const std::uint64_t twice = keys > UINT64_MAX / 2 ? UINT64_MAX : keys * 2;
  if (TakesMore(format, kind)) {
    row.rate_at_double = (*policy)->RateAt(keys, twice);
  }
  return row;
}

std::vector<Row> MakeRows(const SizeArgs& args, std::uint64_t keys) {
  const std::string& format = args.filter.format;
  const std::string& kind = args.filter.kind;
  // Kinds are a matter of the tamis format alone.
  if (!format.empty() || !kind.empty()) {
    return {MakeRow(args, format.empty() ? "tamis" : format, kind, keys)};
  }
  std::vector<Row> rows;
  for (const FormatEntry& entry : KnownFormats()) {
    const std::string name(entry.name);
    rows.push_back(MakeRow(args, name, "", keys));
    if (name != "tamis") continue;
    for (const std::string_view other : KindNames().subspan(1)) {
      rows.push_back(MakeRow(args, name, std::string(other), keys));
    }
  }
  return rows;
}

std::string NameIn(const Row& row) {
  return row.kind.empty() ? row.format : row.format + " " + row.kind;
}

// The reason, without the name that the row begins with.
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

// What the advice is about: the rate that was given, or that of the default
// kind at the size that was, with many keys.
double RateOf(const SizeArgs& args) {
  constexpr std::uint64_t kMany = 1'000'000;
  auto rate = ParseRate(args.filter.fpr);
  if (rate.ok()) return *rate;
  FilterArgs filter = args.filter;
  filter.sizing.clear();
  auto spec = SpecFrom(filter);
  auto policy = MakePolicy(spec.ok() ? *spec : "tamis");
  return policy.ok() ? (*policy)->Predict(kMany).false_positive_rate : 1;
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
  // The rows say why; but who asked for more than a table gets an error.
  return AsksForAdvice(args) ? advice.status() : Status::Ok();
}

}  // namespace

int RunSize(const SizeArgs& args, const Console& console) {
  auto keys = ParseCount(args.keys);
  if (!keys.ok()) {
    return Fail(console, "size", "--keys: " + keys.status().message());
  }
  if (*keys == 0) return Fail(console, "size", "--keys must be at least 1");
  // The numbers are wrong for every format or for none: ask one that takes
  // what was given.
  auto spec =
      SpecFrom(args.filter, args.filter.sizing.empty() ? "tamis" : "cassandra");
  if (!spec.ok()) return Fail(console, "size", spec.status().message());

  const bool is_one = !args.filter.format.empty() || !args.filter.kind.empty();
  if (is_one && AsksForAdvice(args)) {
    return Fail(console, "size",
                "--deletes, --growth, --expiry, --lifetime and --queries "
                "choose among all kinds; leave --format and --kind out");
  }

  const std::vector<Row> rows = MakeRows(args, *keys);
  if (rows.size() == 1 && !rows.front().status.ok()) {
    return Fail(console, "size", rows.front().status.message());
  }
  Said said;
  said.text = ToTable(rows);
  said.json["filters"] = ToJson(rows, *keys);
  if (!is_one) {
    Status status = Advise(args, *keys, &said);
    if (!status.ok()) return Fail(console, "size", status.message());
  }
  console.out->Write(args.json ? said.json.Text(2) + "\n" : said.text);
  return Finish(console, "size", kExitOk);
}

}  // namespace tamis::tools
