// SPDX-License-Identifier: Apache-2.0
// bench_redis: filters in a Redis server beside its own sets: requests per
// second, latency, memory, the share of the time that is ours, and a filter of
// 100 million keys that is loaded whole.

#include <cstdio>

#ifdef TAMIS_HAS_HIREDIS
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/latencies.h"
#include "bench/machine.h"
#include "bench/redis_server.h"
#include "bench/text_table.h"
#include "tamis/filter.h"

namespace tamis::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatches[] = {1, 100, 1000};
constexpr int kSkipped = 77;

struct Options {
  std::string module = TAMIS_BENCH_REDIS_MODULE;
  std::uint64_t items = 1'000'000;
  std::uint64_t queries = 2'000'000;  // items in a round of a batch
  std::uint64_t large = 100'000'000;
  int rounds = 5;
  std::size_t depth = 16;  // requests ahead of their replies, small ones
  bool smoke = false;
};

std::string ItemOf(std::uint64_t number) {
  return fmt::format("item:{:011}", number);
}

// A scattered order, the same in every run.
std::uint64_t Scattered(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

// Requests about `count` items in batches, the items of first, first + 1, ...
std::vector<std::string> Additions(std::string_view command,
                                   std::string_view name, std::uint64_t first,
                                   std::uint64_t count, std::size_t batch) {
  std::vector<std::string> requests;
  std::vector<std::string> items(batch);
  for (std::uint64_t done = 0; done + batch <= count; done += batch) {
    std::vector<std::string_view> words = {command, name};
    for (std::size_t i = 0; i < batch; ++i) {
      items[i] = ItemOf(first + done + i);
      words.push_back(items[i]);
    }
    requests.push_back(RedisRequest(words));
  }
  return requests;
}

// The same about items below 2 * present at random: half of them are there.
std::vector<std::string> Queries(std::string_view command,
                                 std::string_view name, std::uint64_t present,
                                 std::uint64_t count, std::size_t batch) {
  std::vector<std::string> requests;
  std::vector<std::string> items(batch);
  for (std::uint64_t done = 0; done + batch <= count; done += batch) {
    std::vector<std::string_view> words = {command, name};
    for (std::size_t i = 0; i < batch; ++i) {
      items[i] = ItemOf(Scattered(done + i) % (2 * present));
      words.push_back(items[i]);
    }
    requests.push_back(RedisRequest(words));
  }
  return requests;
}

struct Figures {
  double items_per_second = 0;
  double server_ns = 0;  // within the command, per item, as the server counts
};

Figures Run(RedisServer* server, const std::vector<std::string>& requests,
            std::size_t batch, std::size_t depth, std::string_view command) {
  server->ResetStats();
  const auto start = Clock::now();
  server->RunAll(requests, depth);
  const std::chrono::duration<double> took = Clock::now() - start;
  const auto stats = server->StatsOf(command);
  const auto items = static_cast<double>(requests.size() * batch);
  return {.items_per_second = items / took.count(),
          .server_ns = stats.microseconds * 1e3 / items};
}

Latencies OneByOne(RedisServer* server,
                   const std::vector<std::string>& requests) {
  Latencies latencies;
  const std::size_t most = std::min<std::size_t>(requests.size(), 20'000);
  for (std::size_t i = 0; i < most; ++i) {
    const auto start = Clock::now();
    server->RunAll({&requests[i], 1}, 1);
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    latencies.Add(took.count());
  }
  return latencies;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One command of ours beside one of Redis.
struct Pair {
  std::string title;
  std::string_view ours, theirs;          // as they are sent
  std::string_view our_stat, their_stat;  // as the server counts them
  bool adds;
};

class Comparison {
 public:
  Comparison(RedisServer* server, const Options& options)
      : server_(server), options_(options) {}

  // Appends rows for each size of batch.
  void Compare(const Pair& pair, std::vector<Cells>* rows) {
    for (const std::size_t batch : kBatches) {
      std::vector<double> ours, theirs, ratios, our_ns, their_ns;
      for (int round = 0; round < options_.rounds; ++round) {
        const Figures a = Ours(pair, batch);
        const Figures b = Theirs(pair, batch);
        ours.push_back(a.items_per_second);
        theirs.push_back(b.items_per_second);
        ratios.push_back(a.items_per_second / b.items_per_second);
        our_ns.push_back(a.server_ns);
        their_ns.push_back(b.server_ns);
      }
      const double per_second = Median(ours);
      const Latencies of_ours = OneByOne(server_, Requests(pair, true, batch));
      const Latencies of_theirs =
          OneByOne(server_, Requests(pair, false, batch));
      const auto times = [](const Latencies& latencies) {
        return fmt::format("{:.0f}, {:.0f}", latencies.AtShare(0.5) / 1e3,
                           latencies.AtShare(0.99) / 1e3);
      };
      const auto size = static_cast<double>(batch);
      rows->push_back(
          {pair.title, fmt::format("{}", batch),
           fmt::format("{:.0f}", per_second / size),
           fmt::format("{:.0f}", Median(theirs) / size),
           fmt::format("{:.2f}", Median(ratios)),
           fmt::format("{:.0f}", Median(our_ns)),
           fmt::format("{:.0f}", Median(their_ns)),
           fmt::format("{:.0f} %", Median(our_ns) * per_second / 1e7),
           times(of_ours), times(of_theirs)});
    }
  }

  // Makes the filter and the set that are queried.
  void Fill() {
    const std::string items = std::to_string(options_.items);
    const std::uint64_t before = server_->UsedMemory();
    server_->Text({"BF.RESERVE", "filter", "0.01", items, "NONSCALING"});
    server_->RunAll(
        Additions("BF.MADD", "filter", 0, options_.items, kFillBatch), 4);
    const std::uint64_t between = server_->UsedMemory();
    server_->RunAll(Additions("SADD", "set", 0, options_.items, kFillBatch), 4);
    const std::uint64_t after = server_->UsedMemory();
    const auto count = static_cast<double>(options_.items);
    fmt::print(
        "bytes per item, of {} items of 16 bytes: the filter {:.2f} "
        "(MEMORY USAGE {:.2f}), the set {:.1f}\n",
        options_.items, static_cast<double>(between - before) / count,
        static_cast<double>(server_->Number({"MEMORY", "USAGE", "filter"})) /
            count,
        static_cast<double>(after - between) / count);
  }

 private:
  static constexpr std::size_t kFillBatch = 1000;

  std::uint64_t CountFor(std::size_t batch) const {
    return batch == 1 ? options_.queries / 8 : options_.queries;
  }
  std::vector<std::string> Requests(const Pair& pair, bool is_ours,
                                    std::size_t batch) {
    const std::string_view command = is_ours ? pair.ours : pair.theirs;
    if (pair.adds) {
      // New items, to a filter and a set that are made anew.
      server_->Text({"DEL", "new-filter", "new-set"});
      // The allocator would give the pages back during what is measured.
      server_->Text({"MEMORY", "PURGE"});
      if (is_ours) {
        const std::string count = std::to_string(CountFor(batch));
        server_->Text({"BF.RESERVE", "new-filter", "0.01", count});
      }
      return Additions(command, is_ours ? "new-filter" : "new-set", 0,
                       CountFor(batch), batch);
    }
    return Queries(command, is_ours ? "filter" : "set", options_.items,
                   CountFor(batch), batch);
  }
  // As many requests ahead as keep the server busy, but no megabytes of them.
  std::size_t DepthFor(std::size_t batch) const {
    return batch >= 1000 ? 2 : options_.depth;
  }
  Figures Ours(const Pair& pair, std::size_t batch) {
    return Run(server_, Requests(pair, true, batch), batch, DepthFor(batch),
               pair.our_stat);
  }
  Figures Theirs(const Pair& pair, std::size_t batch) {
    return Run(server_, Requests(pair, false, batch), batch, DepthFor(batch),
               pair.their_stat);
  }

  RedisServer* server_;
  const Options& options_;
};

// A filter that the library built, loaded in one command.
int MeasureLarge(RedisServer* server, const Options& options) {
  const auto policy = MakePolicy("bloom:fpr=0.01");
  if (!policy.ok()) return 1;
  const auto builder = policy->NewBuilder();
  for (std::uint64_t i = 0; i < options.large; ++i) builder->Add(ItemOf(i));
  std::string file;
  if (!builder->Finish(&file).ok()) return 1;

  server->Text({"FLUSHALL"});
  server->Text({"MEMORY", "PURGE"});
  const std::uint64_t used = server->UsedMemory();
  const std::uint64_t resident = server->ResidentMemory();
  const auto start = Clock::now();
  server->Text({"TAMIS.LOAD", "large", file});
  const std::chrono::duration<double> took = Clock::now() - start;
  // The server keeps the buffer of so large an argument for some seconds.
  std::this_thread::sleep_for(std::chrono::seconds(options.smoke ? 0 : 6));
  server->Text({"MEMORY", "PURGE"});
  const auto grown = static_cast<double>(server->UsedMemory() - used);
  const auto paged = static_cast<double>(server->ResidentMemory()) -
                     static_cast<double>(resident);
  const auto bytes = static_cast<double>(file.size());
  fmt::print(
      "a filter of {} keys, {:.1f} MiB: TAMIS.LOAD {:.2f} s; memory over its "
      "bytes: MEMORY USAGE {:+.2f} %, used_memory {:+.2f} %, resident {:+.2f} "
      "%\n",
      options.large, bytes / (1 << 20), took.count(),
      (static_cast<double>(server->Number({"MEMORY", "USAGE", "large"})) /
           bytes -
       1) *
          100,
      (grown / bytes - 1) * 100, (paged / bytes - 1) * 100);
  for (const std::size_t batch : kBatches) {
    const std::uint64_t count =
        batch == 1 ? options.queries / 8 : options.queries;
    const auto requests =
        Queries("TAMIS.MEXISTS", "large", options.large, count, batch);
    std::vector<double> rates, ns;
    for (int round = 0; round < options.rounds; ++round) {
      const Figures figures =
          Run(server, requests, batch, batch >= 1000 ? 2 : options.depth,
              "TAMIS.MEXISTS");
      rates.push_back(figures.items_per_second);
      ns.push_back(figures.server_ns);
    }
    fmt::print(
        "TAMIS.MEXISTS of {}: {:.0f} items per second, {:.0f} ns of each "
        "within the command\n",
        batch, Median(rates), Median(ns));
  }
  return 0;
}

int Measure(const Options& options) {
  RedisServer server(options.module);
  if (!server.why_not().empty()) {
    fmt::print("bench_redis is left out: {}\n", server.why_not());
    return kSkipped;
  }
  fmt::print(
      "Redis {} and one client, both on {}\n"
      "requests: up to {} ahead of their replies, 2 of 1,000 items; latencies: "
      "one by one\n\n",
      server.Version(), MachineText(ThisMachine()), options.depth);
  Comparison comparison(&server, options);
  comparison.Fill();
  std::vector<Cells> rows = {
      {"", "batch", "ours, req/s", "Redis, req/s", "ratio", "ours, ns/item",
       "Redis, ns/item", "share", "ours p50, p99 us", "Redis p50, p99 us"}};
  comparison.Compare({"MEXISTS / SMISMEMBER", "BF.MEXISTS", "SMISMEMBER",
                      "BF.MEXISTS", "smismember", false},
                     &rows);
  comparison.Compare(
      {"MADD / SADD", "BF.MADD", "SADD", "BF.MADD", "sadd", true}, &rows);
  fmt::print("{}\n", Aligned(rows));
  return options.large == 0 ? 0 : MeasureLarge(&server, options);
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  tamis::bench::Options options;
  CLI::App app{"Filters in a Redis server beside its own sets"};
  app.add_option("--module", options.module, "redis_tamis.so");
  app.add_option("--items", options.items, "Items in the filter and the set");
  app.add_option("--queries", options.queries, "Items in a round");
  app.add_option("--large", options.large,
                 "Keys of the filter that is loaded; 0: none");
  app.add_option("--rounds", options.rounds, "Rounds; the median is shown")
      ->check(CLI::PositiveNumber);
  app.add_option("--depth", options.depth, "Requests ahead of their replies");
  app.add_flag("--smoke", options.smoke, "A tiny run");
  CLI11_PARSE(app, argc, argv);
  if (options.smoke) {
    options.items = options.queries = options.large = 10'000;
    options.rounds = 1;
  }
  return tamis::bench::Measure(options);
}

#else

int main() {
  std::puts("bench_redis is left out: built without hiredis");
  return 77;  // skipped
}

#endif
