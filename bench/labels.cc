// SPDX-License-Identifier: Apache-2.0
#include "bench/labels.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tamis::bench {
namespace {

// Of the widest font that "sans-serif" of 13 is likely to be.
constexpr double kCharWidth = 8;
constexpr double kLineHeight = 16;
constexpr double kMarkRadius = 6;

bool Overlap(const Box& a, const Box& b) {
  return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y &&
         b.low.y < a.high.y;
}

bool IsInside(const Box& inner, const Box& outer) {
  return inner.low.x >= outer.low.x && inner.high.x <= outer.high.x &&
         inner.low.y >= outer.low.y && inner.high.y <= outer.high.y;
}

Box Around(Pixel middle, double width, double height) {
  return {{middle.x - width / 2, middle.y - height / 2},
          {middle.x + width / 2, middle.y + height / 2}};
}

// The name's middle, if the name is `away` from the point's mark in the
// direction of the angle.
Pixel MiddleAt(Pixel point, double width, double angle, double away) {
  const double reach_x = width / 2 + kMarkRadius + away;
  const double reach_y = kLineHeight / 2 + kMarkRadius + away;
  return {point.x + std::cos(angle) * reach_x,
          point.y + std::sin(angle) * reach_y};
}

// In the order in which they look good: beside it, above, below, slanted.
std::vector<Pixel> PlacesFor(const NamedPixel& point) {
  constexpr double kEighths[] = {0, 4, 2, 6, 1, 7, 3, 5};
  constexpr double kFarthest = 120;
  constexpr double kStep = 6;
  const double width = WidthOf(point.name);
  std::vector<Pixel> places;
  for (double away = 0; away <= kFarthest; away += kStep) {
    for (const double eighth : kEighths) {
      const double angle = eighth * std::numbers::pi / 4;
      places.push_back(MiddleAt(point.at, width, angle, away));
    }
  }
  return places;
}

}  // namespace

double WidthOf(const std::string& name) {
  return static_cast<double>(name.size()) * kCharWidth;
}

std::vector<Pixel> PlaceLabels(const std::vector<NamedPixel>& points,
                               const Box& area) {
  std::vector<Box> taken;
  for (const NamedPixel& point : points) {
    taken.push_back(Around(point.at, 2 * kMarkRadius, 2 * kMarkRadius));
  }
  std::vector<Pixel> labels;
  for (const NamedPixel& point : points) {
    const auto box = [&](Pixel middle) {
      return Around(middle, WidthOf(point.name), kLineHeight);
    };
    const std::vector<Pixel> places = PlacesFor(point);
    const auto free =
        std::find_if(places.begin(), places.end(), [&](Pixel middle) {
          return IsInside(box(middle), area) &&
                 std::none_of(taken.begin(), taken.end(), [&](const Box& b) {
                   return Overlap(b, box(middle));
                 });
        });
    labels.push_back(free == places.end() ? places.front() : *free);
    taken.push_back(box(labels.back()));
  }
  return labels;
}

}  // namespace tamis::bench
