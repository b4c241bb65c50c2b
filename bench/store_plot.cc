// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench/gnuplot.h"
#include "bench/store_report.h"

namespace tamis::bench {
namespace {

struct Bars {
  std::string_view metric;
  std::string_view label;
};
constexpr Bars kReads[] = {
    {"missing", "missing"},
    {"missing_memtable", "missing,\\nfull\\nmemtable"},
    {"missing_overlap", "missing,\\noverlapping\\ntables"},
    {"multi_missing", "missing,\\nMultiGet"},
    {"present", "present"},
    {"present_overlap", "present,\\noverlapping\\ntables"},
    {"multi_present", "present,\\nMultiGet"},
    {"short_scan", "seek and\\n10 entries"},
};
constexpr Bars kWrites[] = {
    {"fill_seq", "sequential"}, {"fill_seq_settled", "sequential,\\nsettled"},
    {"fill_random", "random"},  {"fill_random_settled", "random,\\nsettled"},
    {"scan", "full scan"},
};

constexpr std::string_view kColours[] = {"#1f5fa8", "#777777", "#e06c00",
                                         "#1a7f37"};
static_assert(std::size(kColours) == kStoreEngineCount);

std::string DataBlock(const StoreRun& run, std::span<const Bars> bars,
                      std::string_view name) {
  std::string text = fmt::format("${} << END\n", name);
  for (const Bars& bar : bars) {
    text += fmt::format("\"{}\"", bar.label);
    for (const Samples& samples : run.engines) {
      const auto median = MedianOf(samples, bar.metric);
      text += median.has_value() ? fmt::format(" {:.3f}", *median) : " -";
    }
    text += '\n';
  }
  return text + "END\n";
}

std::string PlotLine(std::string_view name) {
  std::string text = "plot ";
  for (std::size_t i = 0; i < kStoreEngineCount; ++i) {
    text += fmt::format("{}${} using {}:xtic(1) lc rgb '{}' title '{}'",
                        i == 0 ? "" : ", ", name, i + 2, kColours[i],
                        kStoreEngines[i].name);
  }
  return text + "\n";
}

std::string Script(const StoreRun& run, const std::string& path) {
  const std::string title = fmt::format("{} entries of 116 bytes; {}",
                                        run.plan.keys, run.machine.cpu);
  return DataBlock(run, kReads, "reads") + DataBlock(run, kWrites, "writes") +
         fmt::format(
             "set terminal svg size 1400,560 font 'sans-serif,12' "
             "background rgb 'white'\n"
             "set output {}\n"
             "set multiplot layout 1,2 title {} noenhanced\n"
             "set style data histogram\n"
             "set style histogram clustered gap 1\n"
             "set style fill solid noborder\n"
             "set datafile missing '-'\n"
             "set grid ytics lt 1 lw 1 lc rgb '#cccccc'\n"
             "set ylabel 'nanoseconds'\n"
             "set logscale y\n"
             "set key top left\n"
             "set bmargin 5\n"
             "set yrange [10:*]\n"
             "set title 'Reads: less is better'\n",
             Quoted(path), Quoted(title)) +
         PlotLine("reads") +
         "unset logscale y\nset yrange [0:*]\n"
         "set title 'Filling and scanning, per entry'\n" +
         PlotLine("writes") + "unset multiplot\nset output\n";
}

}  // namespace

Status DrawStorePlot(const StoreRun& run, const std::string& path) {
  return RunGnuplot(Script(run, path), path);
}

}  // namespace tamis::bench
