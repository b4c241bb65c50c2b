#include <algorithm>

#include <nlohmann/json.hpp>

#include "bench/report.h"

namespace tamis::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMetricNames[kMetricCount] = {"build", "miss", "hit",
                                                    "miss_many", "hit_many"};

Json MetricJson(const Row& reference, const Row& row, Metric metric) {
  const std::vector<double>& passes = row.passes[metric];
  if (passes.empty()) return nullptr;
  Json json;
  json["ns_per_key"] = Median(passes);
  json["ns_least"] = *std::min_element(passes.begin(), passes.end());
  json["ns_most"] = *std::max_element(passes.begin(), passes.end());
  const double ratio = RatioTo(reference, row, metric);
  json["ratio_to_reference"] = ratio == 0 ? Json() : Json(ratio);
  return json;
}

Json RowJson(const Run& run, const Row& row) {
  Json json;
  json["name"] = row.name;
  json["is_filter"] = row.is_filter;
  json["bytes"] = row.bytes;
  if (row.is_filter) {
    json["bits_per_key"] =
        static_cast<double>(row.bytes) * 8 / static_cast<double>(run.plan.keys);
    json["expected_rate"] = row.expected_rate;
    json["measured_rate"] = row.measured_rate;
    const double overhead = Overhead(row, run.plan.keys);
    json["overhead"] = overhead == 0 ? Json() : Json(overhead);
  }
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    json[kMetricNames[i]] =
        MetricJson(run.rows.front(), row, static_cast<Metric>(i));
  }
  return json;
}

Json RunJson(const Run& run) {
  Json json;
  json["keys"] = run.plan.keys;
  json["key_bytes"] = run.plan.key_bytes;
  json["queries"] = run.plan.queries;
  json["passes"] = run.plan.passes;
  json["reference"] = run.rows.front().name;
  Json rows = Json::array();
  for (const Row& row : run.rows) rows.push_back(RowJson(run, row));
  json["rows"] = std::move(rows);
  return json;
}

}  // namespace

std::string ToJson(std::span<const Run> runs) {
  Json list = Json::array();
  for (const Run& run : runs) list.push_back(RunJson(run));
  Json json;
  json["cpu"] = CpuName();
  json["runs"] = std::move(list);
  return json.dump(2) + "\n";
}

}  // namespace tamis::bench
