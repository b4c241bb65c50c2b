// table/table_filter_builder.h -- both filters of a table while it is written.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/leveldb_filter_block.h"
#include "tamis/filter.h"

namespace tamis {

// Calls must match: (Add* StartBlock)* and then either Finish, once each.
class TableFilterBuilder {
 public:
  // `whole` is the policy of the whole-table filter; null: none.  No bits: no
  // filter block of LevelDB's.
  TableFilterBuilder(const FilterPolicy* whole, unsigned leveldb_bits);

  // `is_repeat`: the user key is that of the entry before.
  void Add(Slice user_key, bool is_repeat);
  // The next data block begins there, or the data ends.
  Status StartBlock(std::uint64_t offset);

  // REQUIRES, for each: there is one
  Status FinishLevelDb(std::string* dst);
  Status FinishWhole(std::string* dst);

 private:
  void AddGroup();

  static constexpr std::size_t kGroup = 64;

  std::unique_ptr<FilterBuilder> whole_;
  // Keys on their way to whole_, one after the other, and where each ends.
  std::string keys_;
  std::array<std::size_t, kGroup> ends_{};
  std::size_t count_ = 0;

  std::unique_ptr<const FilterPolicy> leveldb_policy_;
  std::optional<LevelDbFilterBlockBuilder> leveldb_;
};

}  // namespace tamis
