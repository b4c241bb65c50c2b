// SPDX-License-Identifier: Apache-2.0
#include "size_advice.h"

#include <fmt/core.h>

#include "numbers.h"

namespace tamis::tools {

bool AsksForAdvice(const SizeArgs& args) {
  return args.deletes || args.growth || args.expiry || !args.lifetime.empty() ||
         !args.queries.empty();
}

Result<FilterNeed> NeedFrom(const SizeArgs& args, std::uint64_t keys,
                            double rate) {
  FilterNeed need;
  need.keys = keys;
  need.rate = rate;
  need.deletes = args.deletes;
  need.growth = args.growth;
  need.expiry = args.expiry;
  if (!args.lifetime.empty()) {
    auto seconds = ParseSeconds(args.lifetime);
    if (!seconds.ok()) {
      return Status::InvalidArgument("--lifetime: " +
                                     seconds.status().message());
    }
    need.lifetime_seconds = *seconds;
  }
  if (!args.queries.empty() && args.queries != "0") {
    auto queries = ParsePositive(args.queries);
    if (!queries.ok()) {
      return Status::InvalidArgument("--queries: " +
                                     queries.status().message());
    }
    need.queries_per_key = *queries;
  } else if (args.queries == "0") {
    need.queries_per_key = 0;
  }
  return need;
}

std::string AdviceText(const FilterAdvice& advice) {
  return fmt::format("advice: {}\n{}\n", advice.best.spec, advice.reason);
}

Json AdviceJson(const FilterNeed& need, const FilterAdvice& advice) {
  Json object;
  object["kind"] = advice.best.kind;
  object["spec"] = advice.best.spec;
  object["reason"] = advice.reason;
  object["lifetime_seconds"] = need.lifetime_seconds;
  object["queries_per_key"] = need.queries_per_key;
  Json list = Json::Array();
  for (const FilterChoice& choice : advice.choices) {
    Json row;
    row["kind"] = choice.kind;
    row["spec"] = choice.spec;
    if (!choice.unfit.empty()) {
      row["unfit"] = choice.unfit;
    } else {
      row["bytes"] = choice.estimate.bytes;
      row["bits_per_key"] = choice.bits_per_key;
      row["overhead"] = choice.overhead;
      row["build_ns_per_key"] = choice.build_ns_per_key;
      row["query_ns"] = choice.query_ns;
      row["cost"] = choice.cost;
    }
    list.Add(std::move(row));
  }
  object["choices"] = std::move(list);
  return object;
}

}  // namespace tamis::tools
