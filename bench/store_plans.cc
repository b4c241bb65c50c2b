// SPDX-License-Identifier: Apache-2.0
#include "bench/store_plans.h"

#include <algorithm>

namespace tamis::bench {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

}  // namespace

StorePlan PlanFor(const BenchOptions& options) {
  StorePlan plan;
  plan.keys = options.keys;
  if (plan.keys == 0 && options.quick) plan.keys = 1'000'000;
  if (plan.keys == 0 && options.smoke) plan.keys = 20'000;
  if (plan.keys == 0) plan.keys = 10'000'000;
  plan.operations = options.operations;
  if (plan.operations == 0) {
    plan.operations = std::min<std::uint64_t>(1'000'000, plan.keys / 4);
  }
  plan.memtable_entries = std::min(plan.memtable_entries, plan.keys / 2);
  plan.settings.snappy = options.snappy;
  if (options.rocksdb_caches) {
    plan.settings.rocksdb_reads = RocksDbReads::kCached;
  }
  // Twice: caches are in shards, which do not fill evenly.
  plan.settings.cache_bytes = 2 * plan.keys * kEntryBytes + 64 * kMebibyte;
  if (options.smoke) {
    plan.overlapping_tables = 10;
    plan.settings.quiet_seconds = 0.1;
  }
  return plan;
}

ColdPlan ColdPlanFor(const BenchOptions& options) {
  constexpr std::uint64_t kKeysPerOperation = 500;
  ColdPlan plan;
  plan.keys = PlanFor(options).keys;
  // At least one MultiGet.
  const std::uint64_t most =
      std::max<std::uint64_t>(100, plan.keys / kKeysPerOperation);
  plan.operations = options.operations != 0 ? options.operations
                                            : std::min(plan.operations, most);
  plan.warm_up = std::min(plan.warm_up, most / 2);
  // A test must not slow down everything else on the machine.
  if (options.drop_files || options.smoke) plan.drop = Drop::kFiles;
  return plan;
}

TailPlan TailPlanFor(const BenchOptions& options) {
  TailPlan plan;
  plan.mode = options.fill ? TailMode::kFill : TailMode::kBusy;
  BenchOptions sized = options;
  // A fill that lasts some tenths of a second.
  if (sized.keys == 0 && options.smoke) {
    sized.keys = options.fill ? 200'000 : 20'000;
  }
  if (sized.keys == 0 && options.fill) {
    sized.keys = options.quick ? 2'000'000 : 100'000'000;
  }
  if (sized.keys == 0) sized.keys = options.quick ? 400'000 : 4'000'000;
  plan.keys = sized.keys;
  plan.only = options.only;
  plan.settings = PlanFor(sized).settings;
  return plan;
}

std::vector<std::string> ChildArguments(const BenchOptions& options,
                                        std::string_view name) {
  const StorePlan plan = PlanFor(options);
  std::vector<std::string> arguments = {"bench_store",
                                        "--serve",
                                        std::string(name),
                                        "--dir",
                                        options.dir + "/" + std::string(name),
                                        "--keys",
                                        std::to_string(plan.keys),
                                        "--operations",
                                        std::to_string(plan.operations)};
  if (options.snappy) arguments.emplace_back("--snappy");
  if (options.rocksdb_caches) arguments.emplace_back("--rocksdb-caches");
  if (options.smoke) arguments.emplace_back("--smoke");
  return arguments;
}

std::vector<std::string> ColdArgumentsFor(const BenchOptions& options,
                                          const ColdStore& store,
                                          const std::string& dir) {
  const ColdPlan plan = ColdPlanFor(options);
  std::vector<std::string> arguments = {
      "bench_store",  "--cold",
      "--serve",      std::string(store.name),
      "--dir",        dir,
      "--keys",       std::to_string(plan.keys),
      "--operations", std::to_string(plan.operations)};
  if (plan.drop == Drop::kFiles) arguments.emplace_back("--drop-files");
  return arguments;
}

std::vector<std::string> TailArgumentsFor(const BenchOptions& options,
                                          std::string_view name) {
  const TailPlan plan = TailPlanFor(options);
  std::vector<std::string> arguments = {
      "bench_store", plan.mode == TailMode::kFill ? "--fill" : "--tail",
      "--serve",     std::string(name),
      "--dir",       options.dir + "/" + std::string(name),
      "--keys",      std::to_string(plan.keys)};
  if (options.snappy) arguments.emplace_back("--snappy");
  if (options.rocksdb_caches) arguments.emplace_back("--rocksdb-caches");
  if (options.smoke) arguments.emplace_back("--smoke");
  return arguments;
}

}  // namespace tamis::bench
