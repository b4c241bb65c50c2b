// SPDX-License-Identifier: Apache-2.0
#include "store/routes.h"

#include <algorithm>

namespace tamis {

std::shared_ptr<const Routes> Routes::Make(const KeyRouter& router,
                                           std::vector<Label> labels) {
  const auto not_routed = static_cast<std::size_t>(
      std::count(labels.begin(), labels.end(), kNotRouted));
  // Labels are of 16 bits, and so are the places of tables.
  if (not_routed > kMaxNotRouted || labels.size() >= kNotRouted) return nullptr;
  return std::shared_ptr<const Routes>(new Routes(router, std::move(labels)));
}

Routes::Routes(const KeyRouter& router, std::vector<Label> labels)
    : router_(router),
      tables_(router.labels(), kNotRouted),
      labels_(std::move(labels)) {
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const auto table = static_cast<std::uint16_t>(i);
    if (labels_[i] == kNotRouted) {
      not_routed_.push_back(table);
    } else {
      tables_[labels_[i]] = table;
    }
  }
}

void Routes::Find(std::uint64_t hash, Tables* tables) const noexcept {
  std::array<std::uint16_t, Tables::kMax>& at = tables->at;
  std::size_t count = not_routed_.size();
  std::copy(not_routed_.begin(), not_routed_.end(), at.begin());
  bool fits = true;
  const bool is_known = router_.ForEachLabel(hash, [&](unsigned label) {
    const std::uint16_t table = tables_[label];
    if (table == kNotRouted) return;
    // They are few, and mostly none.
    const auto end = at.begin() + static_cast<std::ptrdiff_t>(count);
    const auto place = std::lower_bound(at.begin(), end, table);
    if (place != end && *place == table) return;
    if (count == at.size()) {
      fits = false;
      return;
    }
    std::copy_backward(place, end, end + 1);
    *place = table;
    ++count;
  });
  tables->count = count;
  tables->are_all = !is_known || !fits;
}

}  // namespace tamis
