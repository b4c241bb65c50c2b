// SPDX-License-Identifier: Apache-2.0
// table/table_filter_builder.h -- the filters of a table while it is written.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/key_prefix.h"
#include "formats/leveldb/filter_block.h"
#include "formats/tamis/block_filter.h"
#include "tamis/filter.h"

namespace tamis {

// Calls must match: (Add* EndBlock StartBlock)* and then each Finish, once.
//
// If a filter cannot be built, for lack of memory or another reason, the table
// has none.  No failure of a filter is a failure of its table, and no exception
// of a policy escapes.
class TableFilterBuilder {
 public:
  // `whole` is the policy of the whole-table filter; null: none.  0 bits: no
  // filter block of LevelDB, or no filter of the blocks, which hashes with that
  // seed.
  // `leveldb`: null, or the policy of the filter block instead of LevelDB's own
  // with those bits.  REQUIRES: it outlives this
  TableFilterBuilder(const FilterPolicy* whole, unsigned leveldb_bits,
                     unsigned block_bits = 0, std::uint64_t block_seed = 0,
                     const FilterPolicy* leveldb = nullptr);

  // The prefixes of the keys go into the whole-table filter, too, and count as
  // keys.  A key that comes before others must do so by its bytes, too.
  // REQUIRES: no key was added; the extractor outlives this
  void AddPrefixesBy(const PrefixExtractor& extractor);

  // `is_repeat`: the user key is that of the entry before.
  void Add(Slice user_key, bool is_repeat);
  // The data block of the keys so far is complete.
  void EndBlock() noexcept;
  // The next data block starts there, or the data ends there.
  void StartBlock(std::uint64_t offset);

  // True: *dst is the filter.  False: there is none, and if one was requested,
  // the problem says why.
  bool FinishLevelDb(std::string* dst);
  bool FinishBlocks(std::string* dst);
  bool FinishWhole(std::string* dst);

  // Why there is no filter; empty: there is one, or none was requested.
  const std::string& leveldb_problem() const noexcept {
    return leveldb_problem_;
  }
  const std::string& whole_problem() const noexcept { return whole_problem_; }
  const std::string& blocks_problem() const noexcept { return blocks_problem_; }
  // Why the whole-table filter lacks requested prefixes, though there is one.
  const std::string& prefixes_problem() const noexcept {
    return prefixes_problem_;
  }
  // After FinishWhole(): the filter has the prefixes of all keys.
  bool has_prefixes() const noexcept {
    return whole_ != nullptr && prefixes_.has_value();
  }

 private:
  void AddGroup();
  void AddToWhole(Slice key);
  std::optional<Slice> NewPrefixOf(Slice user_key);
  void GiveUpLevelDb(std::string why);
  void GiveUpWhole(std::string why);
  void GiveUpBlocks(std::string why);

  static constexpr std::size_t kGroup = 64;

  std::unique_ptr<FilterBuilder> whole_;
  std::string whole_problem_;
  // Buffered keys for whole_, one after the other, and where each ends.
  std::string keys_;
  std::array<std::size_t, kGroup> ends_{};
  std::size_t count_ = 0;
  std::optional<PrefixWalk> prefixes_;
  std::string prefixes_problem_;

  std::unique_ptr<const FilterPolicy> leveldb_policy_;
  std::optional<LevelDbFilterBlockBuilder> leveldb_;
  std::string leveldb_problem_;

  std::optional<BlockFilterBuilder> blocks_;
  bool block_has_keys_ = false;
  std::string blocks_problem_;
};

}  // namespace tamis
