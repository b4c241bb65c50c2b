#include <algorithm>

#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace tamis::bench {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(double value) { return value == 0 ? Json() : Json(value); }

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
    json["measured_with"] = row.strangers;
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

Json GoalJson(const Goal& goal) {
  Json json;
  json["what"] = goal.what;
  json["unit"] = goal.unit == GoalUnit::kRatio ? "ratio" : "overhead";
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

}  // namespace

std::string ToJson(const Report& report) {
  Json json;
  json["cpu"] = report.cpu;
  json["kernels"] = report.kernels;
  json["rocksdb_left_out"] =
      report.skipped.empty() ? Json() : Json(report.skipped);
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

}  // namespace tamis::bench
