// SPDX-License-Identifier: Apache-2.0
#include "store/dump_items.h"

#include <array>
#include <cstdio>
#include <utility>

namespace tamis {

DumpItem AboutItem(std::string name, std::string text) {
  DumpItem item;
  item.name = std::move(name);
  item.text = std::move(text);
  return item;
}

DumpItem ProblemItem(std::string text) {
  DumpItem item;
  item.kind = DumpItem::Kind::kProblem;
  item.text = std::move(text);
  return item;
}

std::string FilterText(const TableFilter& filter) {
  if (!filter.damage().ok()) return "damaged: " + filter.damage().message();
  if (filter.kind() == TableFilter::Kind::kNone) return "none";
  std::array<char, 32> rate{};
  std::snprintf(rate.data(), rate.size(), "%.3g", filter.expected_rate());
  return filter.kind_name() + ", " + std::to_string(filter.bytes()) +
         " bytes, expected rate " + rate.data();
}

}  // namespace tamis
