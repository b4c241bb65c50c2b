// SPDX-License-Identifier: Apache-2.0
#include "bench/plot.h"

#include <memory>

#include <fmt/format.h>

#include "bench/gnuplot.h"
#include "bench/goals.h"
#include "bench/report.h"
#include "bench/rocksdb_peer.h"

namespace tamis::bench {
namespace {

constexpr unsigned kFewestBits = 6;
constexpr unsigned kMaxBits = 20;

constexpr std::string_view kBlue = "#1f5fa8";
constexpr std::string_view kOrange = "#e06c00";
constexpr std::string_view kTeal = "#2a9d8f";
constexpr std::string_view kPurple = "#7b2d8b";
constexpr std::string_view kGrey = "#777777";
constexpr std::string_view kBlack = "#000000";

struct RateCurve {
  std::string_view kind;
  std::string_view colour;
  bool dashed = false;
};
constexpr RateCurve kRateCurves[] = {
    {"splitblock", kTeal},       {"bloom", kBlue},
    {"rocksdb", kOrange, true},  {"classic", kGrey},
    {"rocksdb-ribbon", kPurple},
};

// One kind at every size.  A Ribbon asked for at b bits per key makes itself
// smaller, at the rate of a Bloom filter of b; it is drawn where it is.
Result<Curve> MeasureRates(const RateCurve& drawn, const PlotPlan& plan,
                           const Progress& progress) {
  const std::string kind(drawn.kind);
  Curve curve{.name = kind,
              .colour = std::string(drawn.colour),
              .dashed = drawn.dashed,
              .points = {}};
  for (unsigned bits = kFewestBits; bits <= kMaxBits; ++bits) {
    auto subject = NewTamisSubject(kind + ":" + std::to_string(bits));
    if (!subject.ok()) return subject.status();
    Subjects one;
    one.push_back(*std::move(subject));
    const auto run = Measure({.keys = plan.rate_keys,
                              .queries = plan.rate_queries,
                              .two_threads = false,
                              .queries_of = {kMiss256}},
                             one, progress);
    if (!run.ok()) return run.status();
    const Row& row = run->rows.front();
    if (row.maybes == 0) continue;  // too few to be drawn
    curve.points.emplace_back(BitsPerKey(row, plan.rate_keys),
                              row.measured_rate());
  }
  return curve;
}

struct TimeCurve {
  std::string_view title;
  std::string_view row;
  Metric metric;
  std::string_view colour;
  bool dashed = false;
};
constexpr TimeCurve kTimeCurves[] = {
    {"RocksDB Bloom one by one", kRocksDbBloomName, kMissOne, kOrange, true},
    {"RocksDB Bloom in calls of 32", kRocksDbBloomName, kMiss32, kOrange},
    {"bloom one by one", kOurs, kMissOne, kBlue, true},
    {"bloom in calls of 256", kOurs, kMiss256, kBlue},
    {"floor: fetching the lines", kFloorName, kMiss256, kBlack},
};

Result<Subjects> SubjectsOverTime() {
  Subjects subjects;
  subjects.push_back(NewFloorSubject(Loads::kIndependent, kFloorBits));
  auto ours = NewTamisSubject(std::string(kOurs));
  if (!ours.ok()) return ours.status();
  subjects.push_back(*std::move(ours));
  // Without RocksDB its curves are not there.
  if (auto peers = NewRocksDbSubjects(kFloorBits); peers.ok()) {
    subjects.push_back(std::move(peers->front()));
  }
  return subjects;
}

// 1, 2 and 5 times the powers of ten.
std::vector<std::uint64_t> NumbersOfKeys(const PlotPlan& plan) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t ten = plan.fewest_keys; ten <= plan.most_keys; ten *= 10) {
    for (const std::uint64_t step : {1u, 2u, 5u}) {
      if (ten * step <= plan.most_keys) numbers.push_back(ten * step);
    }
  }
  return numbers;
}

Result<std::vector<Curve>> MeasureTimes(const PlotPlan& plan,
                                        const Progress& progress) {
  std::vector<Curve> curves;
  for (const TimeCurve& curve : kTimeCurves) {
    curves.push_back({.name = std::string(curve.title),
                      .colour = std::string(curve.colour),
                      .dashed = curve.dashed,
                      .points = {}});
  }
  for (const std::uint64_t keys : NumbersOfKeys(plan)) {
    const auto subjects = SubjectsOverTime();
    if (!subjects.ok()) return subjects.status();
    const auto run = Measure({.keys = keys,
                              .queries = plan.queries,
                              .passes = plan.passes,
                              .two_threads = false,
                              .queries_of = {kMissOne, kMiss256, kMiss32}},
                             *subjects, progress);
    if (!run.ok()) return run.status();
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const Figure figure{run->Find(kTimeCurves[i].row), kTimeCurves[i].metric};
      if (!figure.measured()) continue;
      curves[i].points.emplace_back(static_cast<double>(keys),
                                    Median(figure.passes()));
    }
  }
  std::erase_if(curves, [](const Curve& c) { return c.points.empty(); });
  return curves;
}

std::string DataBlocks(const std::vector<Curve>& curves, char letter) {
  std::string text;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    text += fmt::format("${}{} << END\n", letter, i);
    for (const auto& [x, y] : curves[i].points) {
      text += fmt::format("{:.9g} {:.9g}\n", x, y);
    }
    text += "END\n";
  }
  return text;
}

std::string PlotLines(const std::vector<Curve>& curves, char letter) {
  std::string text;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    text += fmt::format(
        "{}${}{} using 1:2 with linespoints lw 2 pt 7 ps 0.5 dt {} "
        "lc rgb '{}' title {}",
        i == 0 ? "" : ", ", letter, i, curves[i].dashed ? 2 : 1,
        curves[i].colour, Quoted(curves[i].name));
  }
  return text;
}

std::string Script(const PlotData& data, std::string_view title,
                   const std::string& path) {
  return DataBlocks(data.rates, 'r') + DataBlocks(data.times, 't') +
         fmt::format(
             "set terminal svg size 1200,560 font 'sans-serif,13' "
             "background rgb 'white'\n"
             "set output {}\n"
             "set multiplot layout 1,2 title {} noenhanced\n"
             "set grid xtics ytics lt 1 lw 1 lc rgb '#cccccc'\n"
             "set key noenhanced\n"
             "set title 'Rate of false positives'\n"
             "set xlabel 'bits per key'\n"
             "set ylabel 'measured rate of false positives'\n"
             "set logscale y\n"
             "set format y '10^{{%T}}'\n"
             "set xrange [{}:{}]\n"
             "set yrange [1e-5:0.3]\n"
             "set key bottom left\n"
             "plot {}, 2**(-x) with lines dt 3 lw 2 lc rgb 'black' "
             "title 'no filter can: 2^{{-b}}' enhanced\n"
             "set title 'What a miss costs at 10 bits per key'\n"
             "set xlabel 'keys'\n"
             "set ylabel 'nanoseconds of processor time per query'\n"
             "set logscale xy\n"
             "set format x '10^{{%T}}'\n"
             "set format y '%g'\n"
             "set xrange [*:*] noextend\n"
             "set yrange [*:*]\n"
             "set key top left\n"
             "plot {}\n"
             "unset multiplot\n"
             "set output\n",
             Quoted(path), Quoted(title), kFewestBits - 2, kMaxBits + 1,
             PlotLines(data.rates, 'r'), PlotLines(data.times, 't'));
}

}  // namespace

Result<PlotData> MeasureForPlot(const PlotPlan& plan,
                                const Progress& progress) {
  PlotData data;
  for (const RateCurve& drawn : kRateCurves) {
    auto curve = MeasureRates(drawn, plan, progress);
    if (!curve.ok()) return curve.status();
    data.rates.push_back(*std::move(curve));
  }
  auto times = MeasureTimes(plan, progress);
  if (!times.ok()) return times.status();
  data.times = *std::move(times);
  return data;
}

Status DrawPlot(const PlotData& data, std::string_view title,
                const std::string& path) {
  return RunGnuplot(Script(data, title, path), path);
}

}  // namespace tamis::bench
