// SPDX-License-Identifier: Apache-2.0
// The picture of the README: bars of lookups, and of what they cost.

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "bench/store_report.h"

namespace tamis::bench {
namespace {

struct Bars {
  std::string_view metric;
  std::string_view label;
};
constexpr Bars kLookups[] = {
    {"missing", "missing key"},
    {"missing_memtable", "missing key, full memtable"},
    {"multi_missing", "missing key, MultiGet of 100"},
    {"present", "present key"},
    {"multi_present", "present key, MultiGet of 100"},
};
constexpr Bars kOpening[] = {
    {"open", "opening the store"},
    {"first_get", "first lookup after opening"},
};
constexpr Bars kMemory[] = {
    {"memory_private", "memory of its own"},
};

// Bars of one unit, drawn to one scale.
struct Panel {
  std::string_view title;
  std::span<const Bars> bars;
  double unit;  // in the unit of the samples
};
constexpr double kMicrosecond = 1000;
constexpr double kMebibyte = 1 << 20;
constexpr Panel kPanels[] = {
    {"Lookups: nanoseconds per key (LevelDB has no MultiGet: a loop of Get)",
     kLookups, 1},
    {"Opening: microseconds", kOpening, kMicrosecond},
    {"Memory for filters and indexes: MiB", kMemory, kMebibyte},
};

constexpr int kWidth = 820;
constexpr int kMargin = 20;
constexpr int kBarsLeft = 240;   // labels end a little before
constexpr int kBarsWidth = 480;  // the rest is room for figures
constexpr int kBarHeight = 13;
constexpr int kBarStep = 15;
constexpr int kGroupStep = kBarStep * static_cast<int>(kStoreEngineCount) + 9;
constexpr int kTitleStep = 34;
constexpr int kHeadHeight = 96;

// Colours for light and for dark pages; each has its own background, so that
// the text is readable on any page.
constexpr std::string_view kStyle =
    "<style>\n"
    "text { font: 13px sans-serif; fill: #1f2328 }\n"
    ".head { font-size: 17px; font-weight: bold }\n"
    ".title { font-size: 14px; font-weight: bold }\n"
    ".note { fill: #59636e }\n"
    ".label { text-anchor: end }\n"
    ".figure { font-size: 11px }\n"
    ".page { fill: #ffffff }\n"
    ".s0 { fill: #0969da } .s1 { fill: #8c959f } .s2 { fill: #d4730b }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text { fill: #f0f6fc }\n"
    "  .note { fill: #9198a1 }\n"
    "  .page { fill: #0d1117 }\n"
    "  .s0 { fill: #4493f8 } .s1 { fill: #7d8590 } .s2 { fill: #f0883e }\n"
    "}\n"
    "</style>\n";

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Text(int x, int y, std::string_view style, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y,
                     style, Escaped(text));
}

std::string Rect(int x, int y, int width, std::string_view style) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n", x,
      y, width, kBarHeight, style);
}

// "1,399", "24.3": three digits or more.
std::string Figure(double value) {
  if (value < 99.95) return fmt::format("{:.1f}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (auto end = static_cast<int>(digits.size()) - 3; end > 0; end -= 3) {
    digits.insert(static_cast<std::size_t>(end), ",");
  }
  return digits;
}

double LargestOf(const StoreRun& run, const Panel& panel) {
  double largest = 0;
  for (const Bars& bars : panel.bars) {
    for (const Samples& samples : run.engines) {
      largest = std::max(largest, MedianOf(samples, bars.metric).value_or(0));
    }
  }
  return largest;
}

// One bar per store, below each other; a store without the figure has none.
std::string GroupSvg(const StoreRun& run, const Bars& bars, const Panel& panel,
                     double largest, int top) {
  std::string svg = Text(kBarsLeft - 10, top + kBarStep + kBarHeight - 2,
                         "label", bars.label);
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    const int y = top + kBarStep * static_cast<int>(i);
    const auto median = MedianOf(run.engines[i], bars.metric);
    if (!median.has_value()) continue;
    const double share = largest > 0 ? *median / largest : 0;
    const int width = std::max(1, static_cast<int>(share * kBarsWidth + 0.5));
    svg += Rect(kBarsLeft, y, width, fmt::format("s{}", i));
    svg += Text(kBarsLeft + width + 5, y + kBarHeight - 3, "figure",
                Figure(*median / panel.unit));
  }
  return svg;
}

std::string PanelSvg(const StoreRun& run, const Panel& panel, int* top) {
  std::string svg = Text(kMargin, *top + 20, "title", panel.title);
  *top += kTitleStep;
  const double largest = LargestOf(run, panel);
  for (const Bars& bars : panel.bars) {
    svg += GroupSvg(run, bars, panel, largest, *top);
    *top += kGroupStep;
  }
  return svg;
}

std::string HeadSvg(const StoreRun& run) {
  std::string svg = Text(kMargin, 32, "head",
                         "Tamis, LevelDB and RocksDB: shorter bars are better");
  svg += Text(kMargin, 54, "note",
              fmt::format("{} entries of {} bytes, all in memory; medians; {}",
                          Figure(static_cast<double>(run.plan.keys)),
                          kStoreKeyBytes + kStoreValueBytes, run.cpu));
  int x = kMargin;
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    svg += Rect(x, 70, kBarHeight, fmt::format("s{}", i));
    svg += Text(x + kBarHeight + 6, 81, "legend", kStoreEngines[i].name);
    x += 100;
  }
  return svg;
}

}  // namespace

std::string DrawStorePicture(const StoreRun& run) {
  int height = kHeadHeight;
  std::string body = HeadSvg(run);
  for (const Panel& panel : kPanels) body += PanelSvg(run, panel, &height);
  height += kMargin / 2;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
             "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
             "<title>Lookups of three stores, as bars; shorter is better"
             "</title>\n",
             kWidth, height) +
         std::string(kStyle) +
         fmt::format(
             "<rect width=\"{}\" height=\"{}\" rx=\"8\" class=\"page\"/>\n",
             kWidth, height) +
         body + "</svg>\n";
}

}  // namespace tamis::bench
