// SPDX-License-Identifier: Apache-2.0
#include "bench/json.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/cold_report.h"
#include "bench/report.h"
#include "bench/store_report.h"
#include "bench/tail_report.h"

namespace tamis::bench {
namespace {

using Json = nlohmann::ordered_json;

// Returns null for 0, by which the reports mean "not known".
Json OrNull(double value) { return value == 0 ? Json() : Json(value); }

Json OrNull(std::optional<double> value) {
  return value.has_value() ? Json(*value) : Json();
}

// The members are bytes; null: not known.
Json CachesJson(const CpuCaches& caches) {
  Json json;
  json["l1d"] = caches.l1d == 0 ? Json() : Json(caches.l1d);
  json["l2"] = caches.l2 == 0 ? Json() : Json(caches.l2);
  json["l3"] = caches.l3 == 0 ? Json() : Json(caches.l3);
  return json;
}

void PutMachine(const Machine& machine, Json* json) {
  (*json)["cpu"] = machine.cpu;
  (*json)["caches"] = CachesJson(machine.caches);
  (*json)["cores"] = machine.cores;
}

Json Parse(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

// ---- The report about filters ----

Json MetricJson(const std::vector<double>& passes) {
  if (passes.empty()) return nullptr;
  Json json;
  json["median"] = Median(passes);
  json["least"] = *std::min_element(passes.begin(), passes.end());
  json["most"] = *std::max_element(passes.begin(), passes.end());
  json["passes"] = passes;
  return json;
}

Json RowJson(const Run& run, const Row& row) {
  Json json;
  json["name"] = row.name;
  json["is_filter"] = row.is_filter;
  json["bytes"] = row.bytes;
  json["bits_per_key"] = BitsPerKey(row, run.plan.keys);
  if (row.is_filter) {
    json["measured_rate"] = row.measured_rate();
    json["measured_with"] = row.absent_queries;
    json["expected_rate"] = OrNull(row.expected_rate);
    json["overhead"] = OrNull(Overhead(row, run.plan.keys));
    json["peak_bytes_per_key"] = row.peak ? Json(*row.peak) : Json();
  }
  Json times;
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    times[std::string(kMetricNames[i])] = MetricJson(row.passes[i]);
  }
  json["nanoseconds"] = std::move(times);
  return json;
}

Json RunJson(const Run& run) {
  Json json;
  json["keys"] = run.plan.keys;
  json["key_bytes"] = run.plan.key_bytes;
  json["queries"] = run.plan.queries;
  json["passes"] = run.plan.passes;
  json["build_passes"] = run.plan.build_passes;
  Json rows = Json::array();
  for (const Row& row : run.rows) rows.push_back(RowJson(run, row));
  json["rows"] = std::move(rows);
  return json;
}

std::string_view NameOf(GoalUnit unit) {
  if (unit == GoalUnit::kNanoseconds) return "nanoseconds";
  return unit == GoalUnit::kRatio ? "ratio" : "overhead";
}

Json GoalJson(const Goal& goal) {
  Json json;
  json["what"] = goal.what;
  json["unit"] = NameOf(goal.unit);
  json["keys"] = goal.keys;
  json["at_most"] = OrNull(goal.bound);
  Json values = Json::array();
  for (const GoalValue& each : goal.values) {
    Json value;
    value["key_bytes"] = each.key_bytes;
    value["of"] = each.of.empty() ? Json() : Json(each.of);
    value["value"] = OrNull(each.value);
    values.push_back(std::move(value));
  }
  json["values"] = std::move(values);
  const std::string verdict = goal.Verdict();
  json["verdict"] = verdict.empty() ? Json() : Json(verdict);
  return json;
}

// ---- The report about stores ----

Json SamplesJson(const Samples& samples) {
  Json json = Json::object();
  for (const StoreMetric& metric : StoreMetrics()) {
    const auto found = samples.find(metric.name);
    if (found == samples.end()) continue;
    Json& one = json[std::string(metric.name)];
    one["median"] = OrNull(MedianOf(samples, metric.name));
    for (const Sample& sample : found->second) {
      one["rounds"].push_back(sample.value);
      if (metric.unit != StoreUnit::kMebibytes) {
        one["cpu"].push_back(sample.cpu);
      }
    }
  }
  return json;
}

Json GoalJson(const StoreGoal& goal, const char* value_name) {
  return {{"what", std::string(goal.what)},
          {goal.at_least ? "at_least" : "at_most", goal.bound},
          {value_name, OrNull(goal.value)},
          {"verdict", std::string(goal.Verdict())}};
}

// Returns null where there is no such member, or `json` is no object.
Json Member(const Json& json, const std::string& name) {
  return json.is_object() && json.contains(name) ? json[name] : Json();
}

double NumberOr0(const Json& json) {
  return json.is_number() ? json.get<double>() : 0;
}

// Returns the rounds of one figure, or its median alone where the rounds were
// not kept.
std::vector<Sample> ParseSamples(const Json& json) {
  std::vector<Sample> samples;
  const Json rounds = Member(json, "rounds");
  const Json cpu = Member(json, "cpu");
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    samples.push_back({.value = NumberOr0(rounds[i]),
                       .cpu = i < cpu.size() ? NumberOr0(cpu[i]) : 0});
  }
  const Json median = Member(json, "median");
  if (samples.empty() && median.is_number()) {
    samples.push_back({.value = median.get<double>(), .cpu = 0});
  }
  return samples;
}

// Returns what WhatIsMissing() compares, in the order of the report.
std::vector<std::string> ContentsOf(std::string_view report) {
  std::vector<std::string> contents;
  const Json json = Parse(report);
  const Json stores = Member(json, "stores");
  for (const auto& [name, figures] : stores.items()) {
    if (!figures.empty()) contents.push_back(name);
  }
  for (const Json& run : Member(json, "runs")) {
    for (const Json& row : Member(run, "rows")) {
      const Json name = Member(row, "name");
      if (!name.is_string()) continue;
      contents.push_back(fmt::format(
          "{} with {:.0f} keys of {:.0f} bytes", name.get<std::string>(),
          NumberOr0(Member(run, "keys")), NumberOr0(Member(run, "key_bytes"))));
    }
  }
  return contents;
}

}  // namespace

std::string ToJson(const Report& report) {
  Json json;
  PutMachine(report.machine, &json);
  json["kernels"] = report.kernels;
  json["rocksdb_left_out"] =
      report.skipped.empty() ? Json() : Json(report.skipped);
  json["boost_left_out"] =
      report.boost_skipped.empty() ? Json() : Json(report.boost_skipped);
  Json runs = Json::array();
  for (const Run& run : report.runs) runs.push_back(RunJson(run));
  json["runs"] = std::move(runs);
  Json goals = Json::array();
  for (const Goal& goal : CheckGoals(report.runs)) {
    goals.push_back(GoalJson(goal));
  }
  json["goals"] = std::move(goals);
  return json.dump(2) + "\n";
}

std::string StoreJson(const StoreRun& run) {
  Json json;
  PutMachine(run.machine, &json);
  json["keys"] = run.plan.keys;
  json["key_bytes"] = kStoreKeyBytes;
  json["value_bytes"] = kStoreValueBytes;
  json["operations"] = run.plan.operations;
  json["snappy"] = run.plan.settings.snappy;
  json["rounds"] = run.rounds;
  json["seconds"] = run.seconds;
  json["units"] = "nanoseconds per operation, or bytes";
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    json["stores"][std::string(kStoreEngines[i].name)] =
        SamplesJson(run.engines[i]);
  }
  for (const StoreGoal& goal : CheckStoreGoals(run)) {
    json["goals"].push_back(GoalJson(goal, "ratio"));
  }
  return json.dump(2) + "\n";
}

std::string ColdJson(const ColdRun& run) {
  Json json;
  PutMachine(run.machine, &json);
  json["disk"] = run.disk.empty() ? Json() : Json(run.disk);
  json["disk_read_ahead_kib"] =
      run.disk_read_ahead ? Json(*run.disk_read_ahead) : Json();
  json["dropped"] =
      run.plan.drop == Drop::kMachine ? "page cache" : "files of the store";
  json["keys"] = run.plan.keys;
  json["key_bytes"] = kStoreKeyBytes;
  json["value_bytes"] = kStoreValueBytes;
  json["operations"] = run.plan.operations;
  json["warm_up"] = run.plan.warm_up;
  json["rounds"] = run.rounds;
  json["seconds"] = run.seconds;
  json["units"] = "nanoseconds, bytes, requests per operation; shares";
  for (std::size_t i = 0; i < kColdStoreCount; ++i) {
    Json& store = json["stores"][std::string(kColdStores[i].name)];
    store = Json::object();
    for (const auto& [name, samples] : run.stores[i]) {
      for (const Sample& sample : samples) store[name].push_back(sample.value);
    }
  }
  for (const StoreGoal& goal : CheckColdGoals(run)) {
    json["goals"].push_back(GoalJson(goal, "value"));
  }
  return json.dump(2) + "\n";
}

std::string TailJson(const TailRun& run) {
  Json json;
  json["cpu"] = run.machine.cpu;
  json["caches"] = CachesJson(run.machine.caches);
  json["cpus"] = run.cpus;
  json["mode"] = run.plan.mode == TailMode::kFill ? "fill" : "tail";
  json["puts"] = run.plan.keys;
  json["key_bytes"] = kStoreKeyBytes;
  json["value_bytes"] = kStoreValueBytes;
  json["snappy"] = run.plan.settings.snappy;
  json["seconds"] = run.seconds;
  json["units"] = "nanoseconds; puts per second, one per interval";
  json["interval_seconds"] = kTailIntervalSeconds;
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    Json& store = json["stores"][std::string(kStoreEngines[i].name)];
    store = Json::object();
    for (const auto& [name, sample] : run.engines[i]) {
      if (!name.starts_with(kTailRate)) store[name] = sample.value;
    }
    const auto all = std::numeric_limits<std::size_t>::max();
    store["rate"] = RateOf(run.engines[i], all / 2).per_second;
  }
  if (run.plan.mode == TailMode::kFill) return json.dump(2) + "\n";
  for (const StoreGoal& goal : CheckTailGoals(run)) {
    json["goals"].push_back(GoalJson(goal, "microseconds"));
  }
  return json.dump(2) + "\n";
}

Result<StoreRun> ParseStoreJson(std::string_view text) {
  const Json json = Parse(text);
  const Json stores = Member(json, "stores");
  if (!stores.is_object()) {
    return Status::Corruption("these are no figures of bench_store --json");
  }
  StoreRun run;
  const Json cpu = Member(json, "cpu");
  if (cpu.is_string()) run.machine.cpu = cpu.get<std::string>();
  run.plan.keys = static_cast<std::uint64_t>(NumberOr0(Member(json, "keys")));
  run.rounds = static_cast<unsigned>(NumberOr0(Member(json, "rounds")));
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    const Json figures = Member(stores, std::string(kStoreEngines[i].name));
    for (const auto& [name, figure] : figures.items()) {
      auto samples = ParseSamples(figure);
      if (!samples.empty()) run.engines[i][name] = std::move(samples);
    }
  }
  return run;
}

std::string WhatIsMissing(std::string_view before, std::string_view after) {
  const std::vector<std::string> now = ContentsOf(after);
  for (const std::string& each : ContentsOf(before)) {
    if (std::find(now.begin(), now.end(), each) == now.end()) return each;
  }
  return "";
}

std::string QuestionLine(std::string_view phase, unsigned round) {
  return Json{{"phase", std::string(phase)}, {"round", round}}.dump();
}

std::optional<Question> ParseQuestion(const std::string& line) {
  const Json json = Parse(line);
  if (!json.is_object()) return {};
  return Question{.phase = json["phase"].get<std::string>(),
                  .round = json["round"].get<unsigned>()};
}

std::string AnswerLine(const Result<Figures>& figures) {
  Json json;
  if (figures.ok()) {
    json["figures"] = Json::object();
    for (const auto& [name, sample] : *figures) {
      json["figures"][name] = {sample.value, sample.cpu};
    }
  } else {
    json["code"] = static_cast<int>(figures.status().code());
    json["message"] = figures.status().message();
  }
  return json.dump();
}

Result<Figures> ParseAnswer(const std::string& line) {
  const Json json = Parse(line);
  if (!json.is_object()) return Status::IoError("no answer: " + line);
  if (json.contains("code")) {
    return Status(static_cast<StatusCode>(json["code"].get<int>()),
                  json["message"].get<std::string>());
  }
  Figures figures;
  for (const auto& [name, pair] : json["figures"].items()) {
    figures[name] = {.value = pair[0].get<double>(),
                     .cpu = pair[1].get<double>()};
  }
  return figures;
}

}  // namespace tamis::bench
