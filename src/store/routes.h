// SPDX-License-Identifier: Apache-2.0
// store/routes.h -- from a key to the tables of level 0 that may have it: a
// router of all their keys, as one version sees it.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "filters/router/key_router.h"

namespace tamis {

// Immutable, though keys are added to its router.  The tables of a level are
// numbered as in the level; those that are not routed may have any key.
class Routes {
 public:
  using Label = std::uint16_t;
  static constexpr Label kNotRouted = 0xffff;
  // More tables that are not routed make routes useless.
  static constexpr std::size_t kMaxNotRouted = 16;

  // `labels`: of each table of the level.  Null: too many are not routed.
  // REQUIRES: the router outlives all that read the routes
  static std::shared_ptr<const Routes> Make(const KeyRouter& router,
                                            std::vector<Label> labels);

  // The tables that may have a key, in the order of the level.
  struct Tables {
    static constexpr std::size_t kMax = 24;
    std::size_t count = 0;
    std::array<std::uint16_t, kMax> at;
    bool are_all = false;  // all of the level, and `at` says nothing

    bool Have(std::size_t table) const noexcept {
      const auto end = at.begin() + static_cast<std::ptrdiff_t>(count);
      return are_all || std::find(at.begin(), end, table) != end;
    }
  };
  [[gnu::always_inline]] void Prefetch(std::uint64_t hash) const noexcept {
    router_.Prefetch(hash);
  }
  // `hash`: LineHash() of the key with the store's own seed.
  void Find(std::uint64_t hash, Tables* tables) const noexcept;

  const KeyRouter& router() const noexcept { return router_; }
  Label label(std::size_t table) const noexcept { return labels_[table]; }
  std::size_t table_count() const noexcept { return labels_.size(); }
  std::size_t routed_count() const noexcept {
    return labels_.size() - not_routed_.size();
  }

 private:
  Routes(const KeyRouter& router, std::vector<Label> labels);

  const KeyRouter& router_;
  std::vector<std::uint16_t> not_routed_;  // tables, ascending
  std::vector<std::uint16_t> tables_;      // by label; kNotRouted: no table
  const std::vector<Label> labels_;
};

// Where readers find the routes of a level.
class RouteSlot {
 public:
  // Null: there are none.
  const Routes* get() const noexcept {
    return visible_.load(std::memory_order_acquire);
  }
  // Returns the ones before, which last until no reader can use them.
  // REQUIRES: one thread at a time
  std::shared_ptr<const Routes> Exchange(
      std::shared_ptr<const Routes> next) noexcept {
    visible_.store(next.get(), std::memory_order_seq_cst);
    return std::exchange(owned_, std::move(next));
  }

 private:
  std::atomic<const Routes*> visible_{nullptr};
  std::shared_ptr<const Routes> owned_;
};

}  // namespace tamis
