// SPDX-License-Identifier: Apache-2.0
// bench/labels.h -- places names so that none covers another.

#pragma once

#include <string>
#include <vector>

namespace tamis::bench {

// Pixels, from the lower left corner.
struct Pixel {
  double x = 0;
  double y = 0;
};
struct Box {
  Pixel low;
  Pixel high;
};

struct NamedPixel {
  Pixel at;
  std::string name;
};

// For each point the middle of its name: as near to it as possible inside
// `area`, without covering another name or point.  A name for which there is no
// such place nearby goes beside its point anyway.
std::vector<Pixel> PlaceLabels(const std::vector<NamedPixel>& points,
                               const Box& area);

// How wide a name is drawn, about.
double WidthOf(const std::string& name);

}  // namespace tamis::bench
