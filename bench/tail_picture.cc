// SPDX-License-Identifier: Apache-2.0
// The picture of bench_store --tail and --fill: curves of percentiles, and of
// rates over time.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bench/tail_report.h"

namespace tamis::bench {
namespace {

constexpr int kWidth = 820;
constexpr int kLeft = 80;
constexpr int kRight = 800;
constexpr int kPanelHeight = 200;
constexpr int kPanelStep = 270;
constexpr int kHeadHeight = 110;
constexpr std::size_t kRateSteps = 240;
constexpr double kMicrosecond = 1000;

constexpr std::string_view kStyle =
    "<style>\n"
    "text { font: 12px sans-serif; fill: #1f2328 }\n"
    ".head { font-size: 17px; font-weight: bold }\n"
    ".title { font-size: 14px; font-weight: bold }\n"
    ".note { fill: #59636e }\n"
    ".y { text-anchor: end }\n"
    ".x { text-anchor: middle }\n"
    ".page { fill: #ffffff }\n"
    ".grid { stroke: #d1d9e0; fill: none }\n"
    ".goal { stroke: #cf222e; fill: none; stroke-dasharray: 5 4 }\n"
    ".c0 { stroke: #0969da } .c1 { stroke: #8c959f }\n"
    ".c2 { stroke: #d4730b } .c3 { stroke: #1a7f37 }\n"
    ".c { fill: none; stroke-width: 2 }\n"
    "</style>\n";

// One set of axes and what is drawn in it.
class Panel {
 public:
  struct Scale {
    double least = 0;
    double most = 1;
    bool is_logarithmic = false;

    double At(double value) const {
      if (!is_logarithmic) return (value - least) / (most - least);
      return std::log(std::max(value, least) / least) / std::log(most / least);
    }
  };

  Panel(int top, Scale x, Scale y) : top_(top), x_(x), y_(y) {}

  void Title(std::string_view title) {
    svg_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n",
                        20, top_ - 12, title);
  }
  void LineAtY(double value, std::string_view style, std::string_view label) {
    svg_ += fmt::format(
        "<path d=\"M{} {:.1f}H{}\" class=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{:.1f}\" class=\"y\">{}</text>\n",
        kLeft, Y(value), kRight, style, kLeft - 6, Y(value) + 4, label);
  }
  void LabelAtX(double value, std::string_view label) {
    svg_ += fmt::format(
        "<path d=\"M{0:.1f} {1}v{2}\" class=\"grid\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3}\" class=\"x\">{4}</text>\n",
        X(value), top_, kPanelHeight, top_ + kPanelHeight + 16, label);
  }
  void Begin(std::size_t colour) {
    svg_ += fmt::format("<path class=\"c c{}\" d=\"", colour);
    is_first_ = true;
  }
  void Point(double x, double y) {
    svg_ += fmt::format("{}{:.1f} {:.1f}", is_first_ ? "M" : "L", X(x), Y(y));
    is_first_ = false;
  }
  void End() { svg_ += "\"/>\n"; }

  const std::string& svg() const { return svg_; }

 private:
  double X(double value) const {
    return kLeft + x_.At(value) * (kRight - kLeft);
  }
  double Y(double value) const {
    return top_ + (1 - y_.At(value)) * kPanelHeight;
  }

  int top_;
  Scale x_;
  Scale y_;
  std::string svg_;
  bool is_first_ = true;
};

// p90 is at 10, p99 at 100: every further nine is a step to the right.
double PlaceOf(const TailShare& share, double count) {
  return share.share < 1 ? 1 / (1 - share.share) : count;
}

struct Goal {
  std::string_view operation;
  double microseconds;
};
constexpr Goal kGoals[] = {{"put", 250}, {"present", 60}, {"missing", 60}};

std::string CurvesSvg(const TailRun& run, const TailOperation& operation,
                      int top) {
  double count = 1;
  double most = 0;
  for (const Figures& figures : run.engines) {
    count = std::max(
        count, TailFigure(figures, operation.name, kTailCount).value_or(0));
    most =
        std::max(most, TailFigure(figures, operation.name, "_max").value_or(0));
  }
  if (most == 0) return "";
  Panel panel(top, {1, count, true}, {100, std::max(most, 1000.0), true});
  panel.Title(
      fmt::format("{}: microseconds at each percentile", operation.title));
  for (double line = 100; line <= most; line *= 10) {
    panel.LineAtY(line, "grid", fmt::format("{:g}", line / kMicrosecond));
  }
  for (const TailShare& share : kTailShares) {
    const std::string_view title = share.title;
    if (title.ends_with("5")) continue;
    panel.LabelAtX(PlaceOf(share, count), title);
  }
  for (const Goal& goal : kGoals) {
    if (goal.operation != operation.name || run.plan.mode == TailMode::kFill) {
      continue;
    }
    panel.LineAtY(goal.microseconds * kMicrosecond, "goal", "");
  }
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    if (!TailFigure(run.engines[i], operation.name, kTailCount)) continue;
    panel.Begin(i);
    for (const TailShare& share : kTailShares) {
      panel.Point(
          PlaceOf(share, count),
          TailFigure(run.engines[i], operation.name, share.name).value_or(0));
    }
    panel.End();
  }
  return panel.svg();
}

std::string RatesSvg(const TailRun& run, int top) {
  std::array<RateOverTime, kStoreEngineCount> rates;
  double seconds = 0;
  double most = 0;
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    rates[i] = RateOf(run.engines[i], kRateSteps);
    if (rates[i].per_second.empty()) continue;
    seconds =
        std::max(seconds, rates[i].step_seconds *
                              static_cast<double>(rates[i].per_second.size()));
    most = std::max(most, std::ranges::max(rates[i].per_second));
  }
  if (most == 0) return "";
  Panel panel(top, {0, seconds}, {0, most});
  panel.Title("Puts per second, over the seconds of the run");
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    panel.LineAtY(share * most, "grid", fmt::format("{:.0f}", share * most));
    panel.LabelAtX(share * seconds, fmt::format("{:.1f}", share * seconds));
  }
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    if (rates[i].per_second.empty()) continue;
    panel.Begin(i);
    double at = rates[i].step_seconds / 2;
    for (const double rate : rates[i].per_second) {
      panel.Point(at, rate);
      at += rates[i].step_seconds;
    }
    panel.End();
  }
  return panel.svg();
}

std::string HeadSvg(const TailRun& run) {
  std::string svg = fmt::format(
      "<text x=\"20\" y=\"32\" class=\"head\">{}</text>\n"
      "<text x=\"20\" y=\"54\" class=\"note\">{} puts; {}; {} CPUs</text>\n",
      run.plan.mode == TailMode::kFill
          ? "Filling an empty store: lower and steadier is better"
          : "The slowest operations while a store is written to",
      run.plan.keys, run.machine.cpu, run.cpus);
  int x = 20;
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    if (run.engines[i].empty()) continue;
    svg += fmt::format(
        "<path d=\"M{} 72h20\" class=\"c c{}\"/>\n"
        "<text x=\"{}\" y=\"76\" class=\"legend\">{}</text>\n",
        x, i, x + 26, kStoreEngines[i].name);
    x += 110;
  }
  return svg;
}

}  // namespace

std::string DrawTailPicture(const TailRun& run) {
  std::string body = HeadSvg(run);
  int top = kHeadHeight;
  const auto add = [&](const std::string& panel) {
    body += panel;
    if (!panel.empty()) top += kPanelStep;
  };
  for (const TailOperation& operation : kTailOperations) {
    add(CurvesSvg(run, operation, top));
  }
  add(RatesSvg(run, top));
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
             "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
             "<title>Times of the slowest operations of stores, and their "
             "rates of puts</title>\n",
             kWidth, top) +
         std::string(kStyle) +
         fmt::format(
             "<rect width=\"{}\" height=\"{}\" rx=\"8\" class=\"page\"/>\n",
             kWidth, top) +
         body + "</svg>\n";
}

}  // namespace tamis::bench
