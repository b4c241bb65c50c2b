// SPDX-License-Identifier: Apache-2.0
#include "bench/frontier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "bench/gnuplot.h"
#include "bench/labels.h"
#include "bench/report.h"

namespace tamis::bench {
namespace {

constexpr double kWidth = 1100;
constexpr double kHeight = 700;
constexpr Box kArea = {{90, 75}, {1080, 630}};  // within the axes
constexpr Box kNamesArea = {{100, 80}, {1072, 625}};
// A name that is this far from its point gets a line to it.
constexpr double kFarAway = 16;
constexpr double kDotRadius = 4;

constexpr std::string_view kOursColour = "#1f5fa8";
constexpr std::string_view kTheirsColour = "#e06c00";

// Returns the metric of the largest batches that the filter takes.
Metric BatchedMiss(const Row& row) {
  for (const Metric metric : {kMiss256, kMiss32}) {
    if (!row.passes[metric].empty()) return metric;
  }
  return kMissOne;
}

// An axis, from one end to the other.
struct Axis {
  double low = 0;
  double high = 0;

  double Part(double value) const {
    return std::log(value / low) / std::log(high / low);
  }
};

Axis AxisFor(const std::vector<FrontierPoint>& points,
             double FrontierPoint::*value) {
  constexpr double kBeside = 1.35;  // room for names
  Axis axis{std::numeric_limits<double>::max(), 0};
  for (const FrontierPoint& point : points) {
    axis.low = std::min(axis.low, point.*value);
    axis.high = std::max(axis.high, point.*value);
  }
  return {axis.low / kBeside, axis.high * kBeside};
}

// Returns the points that no other one beats in both, from the fastest to the
// smallest.
std::vector<FrontierPoint> Unbeaten(std::vector<FrontierPoint> points) {
  std::sort(points.begin(), points.end(),
            [](const FrontierPoint& a, const FrontierPoint& b) {
              return a.slowness != b.slowness ? a.slowness < b.slowness
                                              : a.overhead < b.overhead;
            });
  std::vector<FrontierPoint> best;
  for (FrontierPoint& point : points) {
    if (best.empty() || point.overhead < best.back().overhead) {
      best.push_back(std::move(point));
    }
  }
  return best;
}

std::string OnScreen(Pixel pixel) {
  return fmt::format("screen {:.5f}, screen {:.5f}", pixel.x / kWidth,
                     pixel.y / kHeight);
}

// Returns the place of the name's edge that is nearest to its point.
Pixel NearestEdge(const NamedPixel& point, Pixel label) {
  const double half = WidthOf(point.name) / 2;
  return {std::clamp(point.at.x, label.x - half, label.x + half),
          point.at.y > label.y + 8   ? label.y + 8
          : point.at.y < label.y - 8 ? label.y - 8
                                     : label.y};
}

// Where the points are drawn.
std::vector<NamedPixel> OnArea(const std::vector<FrontierPoint>& points,
                               const Axis& x, const Axis& y) {
  std::vector<NamedPixel> named;
  for (const FrontierPoint& point : points) {
    const Pixel at = {
        std::lerp(kArea.low.x, kArea.high.x, x.Part(point.slowness)),
        std::lerp(kArea.low.y, kArea.high.y, y.Part(point.overhead))};
    named.push_back({at, point.label});
  }
  return named;
}

std::string Line(Pixel from, Pixel to, std::string_view look) {
  return fmt::format("set arrow from {} to {} nohead {} back\n", OnScreen(from),
                     OnScreen(to), look);
}

// Piece by piece, and no two alike, or gnuplot makes them one path, which
// ImageMagick would close.
std::string FrontierLine(const std::vector<NamedPixel>& best) {
  std::string text;
  for (std::size_t i = 1; i < best.size(); ++i) {
    text +=
        Line(best[i - 1].at, best[i].at,
             i % 2 == 0 ? "lw 4 lc rgb '#cfdcec'" : "lw 4.1 lc rgb '#cfdcec'");
  }
  return text;
}

std::string Names(const std::vector<FrontierPoint>& points,
                  const std::vector<NamedPixel>& named) {
  const std::vector<Pixel> places = PlaceLabels(named, kNamesArea);
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Pixel edge = NearestEdge(named[i], places[i]);
    if (std::hypot(edge.x - named[i].at.x, edge.y - named[i].at.y) > kFarAway) {
      text += Line(named[i].at, edge, "lw 0.7 lc rgb '#999999'");
    }
    const std::string_view colour =
        points[i].ours ? kOursColour : kTheirsColour;
    text += fmt::format(
        "set object circle at {} size screen {:.5f} front fs solid noborder "
        "fc rgb '{}'\n"
        "set label {} at {} center noenhanced front tc rgb '{}'\n",
        OnScreen(named[i].at), kDotRadius / kWidth, colour,
        Quoted(points[i].label), OnScreen(places[i]), colour);
  }
  return text;
}

std::string Script(const std::vector<FrontierPoint>& points,
                   std::string_view title, const std::string& path) {
  const Axis x = AxisFor(points, &FrontierPoint::slowness);
  const Axis y = AxisFor(points, &FrontierPoint::overhead);
  return fmt::format(
             "set terminal svg size {},{} font 'sans-serif,13' "
             "background rgb 'white'\n"
             "set output {}\n"
             "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
             "set bmargin at screen {:.5f}\nset tmargin at screen {:.5f}\n"
             "set title {} noenhanced\n"
             "set grid xtics ytics lt 1 lw 1 lc rgb '#e4e4e4'\n"
             "unset key\nset logscale xy\n"
             "set xlabel 'time of a batched miss, as a multiple of fetching "
             "one line of memory'\n"
             "set ylabel 'bits above log2(1/rate)'\n"
             "set xtics (0.5,0.7,1,1.5,2,3,4,5,7,10,15,20,30,50,70,100)\n"
             "set ytics ('0.2 %%' 0.2,'0.5 %%' 0.5,'1 %%' 1,'2 %%' 2,"
             "'5 %%' 5,'10 %%' 10,'20 %%' 20,'50 %%' 50,'100 %%' 100,"
             "'200 %%' 200,'500 %%' 500,'1000 %%' 1000)\n"
             "set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:{:.6g}]\n",
             kWidth, kHeight, Quoted(path), kArea.low.x / kWidth,
             kArea.high.x / kWidth, kArea.low.y / kHeight,
             kArea.high.y / kHeight, Quoted(title), x.low, x.high, y.low * 100,
             y.high * 100) +
         FrontierLine(OnArea(Unbeaten(points), x, y)) +
         Names(points, OnArea(points, x, y)) +
         "plot -1 notitle\nset output\n";  // which is the axes alone
}

}  // namespace

std::vector<FrontierPoint> FrontierOf(const Run& run) {
  std::vector<FrontierPoint> points;
  const Figure floor{run.Find(kFloorName), kMiss256};
  for (const Row& row : run.rows) {
    const Metric metric = BatchedMiss(row);
    const double slowness = RatioOf({&row, metric}, floor);
    const double overhead = Overhead(row, run.plan.keys);
    if (!row.is_filter || !(slowness > 0) || !(overhead > 0)) continue;
    std::string label = row.name;
    if (metric == kMiss32) label += " (of 32)";
    if (metric == kMissOne) label += " (one by one)";
    points.push_back({.label = std::move(label),
                      .slowness = slowness,
                      .overhead = overhead,
                      .ours = !row.name.starts_with("RocksDB") &&
                              !row.name.starts_with("Boost") &&
                              row.name != kLevelDbName});
  }
  return points;
}

Status DrawFrontier(const std::vector<FrontierPoint>& points,
                    std::string_view title, const std::string& path) {
  return RunGnuplot(Script(points, title, path), path);
}

}  // namespace tamis::bench
