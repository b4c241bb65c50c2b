// SPDX-License-Identifier: Apache-2.0
// store/obsolete_entries.h -- decides which entries a flush or a compaction may
// drop.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "table/internal_key.h"

namespace tamis {

// Sees the entries of a merge in order, newest version of a key first.
class ObsoleteEntries {
 public:
  // `snapshots`: ascending; the sequences of existing snapshots.
  // `may_be_below(user_key)`: false if no older entry of the key can exist
  // where this merge does not see it; may be empty: always true.
  ObsoleteEntries(const KeyOrder& order, std::vector<Sequence> snapshots,
                  std::function<bool(Slice)> may_be_below)
      : order_(order),
        snapshots_(std::move(snapshots)),
        may_be_below_(std::move(may_be_below)) {}

  // Returns true if no read can see the entry.
  bool MayDrop(Slice internal_key) {
    const Slice user_key = UserKeyOf(internal_key);
    const Sequence sequence = SequenceOf(internal_key);
    const std::size_t epoch = EpochOf(sequence);
    is_new_key_ = !has_key_ || order_.CompareUser(user_key, key_) != 0;
    if (is_new_key_) {
      key_.assign(user_key);
      has_key_ = true;
    } else if (epoch == last_epoch_) {
      return true;  // every read that sees it sees a newer one of the key, too
    }
    last_epoch_ = epoch;
    // A deletion that all reads see, with nothing below to hide.
    return TypeOf(internal_key) == ValueType::kDeletion && epoch == 0 &&
           may_be_below_ && !may_be_below_(user_key);
  }

  // True: the entry last passed to MayDrop() is the first of its user key.
  bool is_new_key() const noexcept { return is_new_key_; }

 private:
  // Returns how many snapshots are too old to see it.  Of the entries of one
  // key with the same number, all reads see only the newest.
  std::size_t EpochOf(Sequence sequence) const noexcept {
    return static_cast<std::size_t>(
        std::lower_bound(snapshots_.begin(), snapshots_.end(), sequence) -
        snapshots_.begin());
  }

  KeyOrder order_;
  std::vector<Sequence> snapshots_;
  std::function<bool(Slice)> may_be_below_;
  std::string key_;
  bool has_key_ = false;
  bool is_new_key_ = false;
  std::size_t last_epoch_ = 0;
};

}  // namespace tamis
