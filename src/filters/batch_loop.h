// SPDX-License-Identifier: Apache-2.0
// filters/batch_loop.h -- the loop of batched queries: prepare keys, then check
// them, so that the memory accesses of many keys overlap.
//
// A query of a large filter waits for memory much longer than it computes.  A
// batch therefore goes through two stages, a group of keys at a time.  The
// first hashes each key, finds its memory and prefetches it; the second reads
// what has arrived meanwhile.
//
//   CheckBatch      both stages for one key at a time
//   ForEachPrepared prepares one key at a time, and finishes a group of them
//                   at once: for kernels that check many keys, and to mark
//   ForEachGroup    prepares and finishes whole groups, in any form; the first
//                   two are built on it
//   ForEachGroupAhead   the same, with a distance between the stages that is
//                   chosen at run time (filters/batch_plan.h)
//
// The stages are lambdas, each called from one place, so that compilers inline
// them.  Each user chooses the size of a group and the order of the stages by
// measurement (docs/design/3-lines.md).

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace tamis {

enum class BatchOrder {
  // Each group is prepared before the previous one is finished, so that some
  // memory is always being fetched.
  kPipelined,
  // Each group is finished before the next is prepared: less state, and a
  // pause at the end of each group.
  kInTurn,
};

// Prepares some keys, each of which has its slot in *group.
template <typename Prepare, typename Key, typename Group>
concept GroupPreparer =
    std::invocable<const Prepare&, std::span<const Key>, Group*>;

// Finishes `count` keys of the batch, from keys[first] on.  May change what was
// prepared: it is not read afterwards.
template <typename Finish, typename Group>
concept GroupFinisher = std::invocable<const Finish&, std::size_t /*first*/,
                                       std::size_t /*count*/, Group&>;

template <typename Prepare, typename Key>
using PreparedBy = std::invoke_result_t<const Prepare&, const Key&>;

// Prefetches the memory of a key, and returns all that the second stage needs.
template <typename Prepare, typename Key>
concept KeyPreparer = std::invocable<const Prepare&, const Key&> &&
    std::default_initializable<PreparedBy<Prepare, Key>>;

// Calls prepare() and finish() for every key once, in the order of the keys;
// finish() only for keys that are prepared.  Groups have kKeys keys, only the
// last may have fewer, and none is empty.  Whenever a group is finished, the
// `ahead` groups after it are prepared, as far as there are keys: `ahead` and
// one more before the first is finished, and from then on one is finished for
// each that is prepared.  REQUIRES: ahead <= kMaxAhead
template <typename Group, std::size_t kKeys, std::size_t kMaxAhead,
          typename Key, GroupPreparer<Key, Group> Prepare,
          GroupFinisher<Group> Finish>
[[gnu::always_inline]] inline void ForEachGroupAhead(std::span<const Key> keys,
                                                     std::size_t ahead,
                                                     const Prepare& prepare,
                                                     const Finish& finish) {
  static_assert(kKeys > 0);
  constexpr std::size_t kRing = kMaxAhead + 1;
  std::array<Group, kRing> ring;
  std::size_t prepared = 0;
  std::size_t finished = 0;
  std::size_t next = 0;    // of the ring, to prepare
  std::size_t oldest = 0;  // to finish
  while (finished < keys.size()) {
    if (prepared < keys.size()) {
      const std::size_t count = std::min(kKeys, keys.size() - prepared);
      prepare(keys.subspan(prepared, count), &ring[next]);
      next = next + 1 == kRing ? 0 : next + 1;
      prepared += count;
      if (prepared < keys.size() && prepared - finished <= ahead * kKeys) {
        continue;
      }
    }
    const std::size_t count = std::min(kKeys, keys.size() - finished);
    finish(finished, count, ring[oldest]);
    oldest = oldest + 1 == kRing ? 0 : oldest + 1;
    finished += count;
  }
}

// The same with a fixed order.
template <typename Group, std::size_t kKeys,
          BatchOrder kOrder = BatchOrder::kPipelined, typename Key,
          GroupPreparer<Key, Group> Prepare, GroupFinisher<Group> Finish>
[[gnu::always_inline]] inline void ForEachGroup(std::span<const Key> keys,
                                                const Prepare& prepare,
                                                const Finish& finish) {
  static_assert(kKeys > 0);
  if constexpr (kOrder == BatchOrder::kInTurn) {
    Group group;
    for (std::size_t first = 0; first < keys.size(); first += kKeys) {
      const std::size_t count = std::min(kKeys, keys.size() - first);
      prepare(keys.subspan(first, count), &group);
      finish(first, count, group);
    }
  } else {
    std::array<Group, 2> groups;
    std::size_t prepared = 0;
    std::size_t finished = 0;
    for (unsigned now = 0; finished < keys.size(); now = 1 - now) {
      const std::size_t count = std::min(kKeys, keys.size() - prepared);
      if (count > 0) prepare(keys.subspan(prepared, count), &groups[now]);
      // At first there is no previous group.
      if (finished < prepared) {
        finish(finished, prepared - finished, groups[1 - now]);
      }
      finished = prepared;
      prepared += count;
    }
  }
}

// Calls prepare(key) for every key, and then finish(first, prepared), where
// prepared[i] is what prepare(keys[first + i]) returned.
template <std::size_t kKeys, BatchOrder kOrder = BatchOrder::kPipelined,
          typename Key, KeyPreparer<Key> Prepare,
          std::invocable<std::size_t, std::span<const PreparedBy<Prepare, Key>>>
              Finish>
[[gnu::always_inline]] inline void ForEachPrepared(std::span<const Key> keys,
                                                   const Prepare& prepare,
                                                   const Finish& finish) {
  using Prepared = PreparedBy<Prepare, Key>;
  using Group = std::array<Prepared, kKeys>;
  ForEachGroup<Group, kKeys, kOrder>(
      keys,
      // Hashing and prefetching alternate: evenly spaced memory requests are
      // faster than a burst of them.
      [&prepare](std::span<const Key> some, Group* group) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          (*group)[i] = prepare(some[i]);
        }
      },
      [&finish](std::size_t first, std::size_t count, const Group& group) {
        finish(first, std::span<const Prepared>(group.data(), count));
      });
}

// out[i] = check(prepare(keys[i])).  REQUIRES: `out` has space for all answers
template <std::size_t kKeys, BatchOrder kOrder = BatchOrder::kPipelined,
          typename Key, KeyPreparer<Key> Prepare,
          std::predicate<const PreparedBy<Prepare, Key>&> Check>
[[gnu::always_inline]] inline void CheckBatch(std::span<const Key> keys,
                                              bool* out, const Prepare& prepare,
                                              const Check& check) {
  using Prepared = PreparedBy<Prepare, Key>;
  ForEachPrepared<kKeys, kOrder>(
      keys, prepare,
      [&check, out](std::size_t first, std::span<const Prepared> group) {
        for (std::size_t i = 0; i < group.size(); ++i) {
          out[first + i] = check(group[i]);
        }
      });
}

}  // namespace tamis
