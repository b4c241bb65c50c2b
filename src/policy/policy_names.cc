// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_names.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/no_throw.h"
#include "policy/table_policy.h"

namespace tamis {
namespace {

using Policies = std::vector<std::unique_ptr<const FilterPolicy>>;

// One for each name; Cassandra's versions differ in their bytes.
constexpr std::string_view kSpecs[] = {
    "tamis",        "leveldb",      "rocksdb",      "parquet", "cassandra:hf",
    "cassandra:lb", "cassandra:me", "cassandra:oa", "lab",     "md5",
};

Policies MakeAll() {
  Policies all;
  for (const std::string_view spec : kSpecs) {
    auto policy = MakeSeededPolicy(spec, 0);
    ThrowIfOutOfMemory(policy.status());  // the next call retries
    if (policy.ok()) all.push_back(*std::move(policy));
  }
  return all;
}

}  // namespace

const FilterPolicy* FindPolicyByName(std::string_view name) {
  // Never destroyed: filters may be read while the process exits.
  static const Policies* const all = new Policies(MakeAll());
  for (const auto& policy : *all) {
    if (policy->name() == name) return policy.get();
  }
  return nullptr;
}

}  // namespace tamis
