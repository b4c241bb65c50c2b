// SPDX-License-Identifier: Apache-2.0
// store/obsolete_entries.h -- which entries a flush or a compaction may leave
// out.

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
  // `snapshots`: rising; the sequences that somebody reads at.
  // `may_be_below(user_key)`: false if no older entry of the key can exist
  // where this merge does not see it; may be empty: always true.
  ObsoleteEntries(const KeyOrder& order, std::vector<Sequence> snapshots,
                  std::function<bool(Slice)> may_be_below)
      : order_(order),
        snapshots_(std::move(snapshots)),
        may_be_below_(std::move(may_be_below)) {}

  // True: no read can tell whether the entry is there.
  bool MayDrop(Slice internal_key) {
    const Slice user_key = UserKeyOf(internal_key);
    const Sequence sequence = SequenceOf(internal_key);
    const std::size_t epoch = EpochOf(sequence);
    is_new_key_ = !has_key_ || order_.CompareUser(user_key, key_) != 0;
    if (is_new_key_) {
      key_.assign(user_key);
      has_key_ = true;
    } else if (epoch == last_epoch_) {
      return true;  // whoever sees this one sees a newer one of the key, too
    }
    last_epoch_ = epoch;
    // A deletion that everybody sees, with nothing below to hide.
    return TypeOf(internal_key) == ValueType::kDeletion && epoch == 0 &&
           may_be_below_ && !may_be_below_(user_key);
  }

  // Of the entry last given to MayDrop(): the first of its user key.
  bool is_new_key() const noexcept { return is_new_key_; }

 private:
  // How many snapshots are too old to see it.  Entries of one key with the
  // same number are seen by the same snapshots, but for the newest of them.
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
