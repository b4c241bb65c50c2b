// SPDX-License-Identifier: Apache-2.0
// NNNNNN.filter, byte for byte, beside tables that LevelDB wrote.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/file_names.h"
#include "store/table_filter_file.h"
#include "table/table_reader.h"
#include "tests/support/golden.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::HexNumber;
using testing::LoadGolden;

constexpr char kDir[] = "db";

// One row of tamis_filter_file.json, with its table and its file in memory.
class GoldenFilterFile {
 public:
  explicit GoldenFilterFile(const nlohmann::json& row) : row_(row) {
    const std::string content = testing::ReadFile(
        std::string(TAMIS_SOURCE_DIR) + "/tests/golden/leveldb/" +
        row["table"].get<std::string>());
    owner_.number = row["number"].get<std::uint64_t>();
    owner_.bytes = content.size();
    owner_.modified = row["modified"].get<std::uint64_t>();
    owner_.binding = static_cast<std::uint32_t>(
        HexNumber(row["binding"].get<std::string>()));
    owner_.quick_binding = static_cast<std::uint32_t>(
        HexNumber(row["quick_binding"].get<std::string>()));
    env_.SetContents("db/table", content);
    env_.SetContents(FilterFileName(kDir, owner_.number), file());
    auto table =
        Table::Open({}, *env_.OpenReadable("db/table", false), "table");
    EXPECT_TRUE(table.ok());
    table_ = *std::move(table);
  }

  const FilterOwner& owner() const { return owner_; }
  std::string file() const { return FromHex(row_["file"].get<std::string>()); }
  std::string filter() const {
    return FromHex(row_["filter"].get<std::string>());
  }
  const Table& table() const { return *table_; }

  // As a reader does for whom the table was last written to at that time; sets
  // *compared to the blocks that were compared.
  FilterFileLook Read(std::uint64_t modified,
                      std::vector<BoundBlocks>* compared) {
    return ReadFilterFile({.env = env_,
                           .dir = dir_,
                           .number = owner_.number,
                           .table_bytes = owner_.bytes,
                           .table_modified = modified,
                           .binding =
                               [&](BoundBlocks blocks) {
                                 compared->push_back(blocks);
                                 return table_->ReadBinding(blocks);
                               },
                           .read = context_});
  }

 private:
  const nlohmann::json& row_;
  const std::string dir_ = kDir;
  const TableReadContext context_;
  testing::MemoryEnv env_;
  FilterOwner owner_;
  std::unique_ptr<Table> table_;
};

TEST(FilterFileBytes, AreThoseOfTheReference) {
  const auto golden = LoadGolden("tamis_filter_file.json");
  bool any_is_long = false;
  for (const auto& row : golden["vectors"]) {
    SCOPED_TRACE(row["table"].get<std::string>());
    GoldenFilterFile stored(row);
    const FilterOwner& owner = stored.owner();
    EXPECT_EQ(*stored.table().ReadBinding(BoundBlocks::kAll), owner.binding);
    EXPECT_EQ(*stored.table().ReadBinding(BoundBlocks::kSome),
              owner.quick_binding);
    any_is_long |= owner.binding != owner.quick_binding;
    EXPECT_EQ(FilterFileBytes(owner, "tamis.Filter1", stored.filter()),
              stored.file());
    std::vector<BoundBlocks> compared;
    const FilterFileLook look = stored.Read(owner.modified, &compared);
    ASSERT_EQ(look.state, FilterFileState::kUsable) << look.problem;
    for (const auto& key : row["keys"]) {
      EXPECT_TRUE(look.filter->MayContain(FromHex(key.get<std::string>())));
    }
  }
  EXPECT_TRUE(any_is_long);
}

TEST(FilterFileBytes, AllOfATableThatMayHaveChangedIsCompared) {
  const auto golden = LoadGolden("tamis_filter_file.json");
  for (const auto& row : golden["vectors"]) {
    GoldenFilterFile stored(row);
    const std::uint64_t then = stored.owner().modified;
    for (const std::uint64_t now : {std::uint64_t{0}, then, then + 1}) {
      std::vector<BoundBlocks> compared;
      EXPECT_EQ(stored.Read(now, &compared).state, FilterFileState::kUsable);
      const bool is_unchanged = now == then && then != 0;
      EXPECT_EQ(compared,
                std::vector<BoundBlocks>{is_unchanged ? BoundBlocks::kSome
                                                      : BoundBlocks::kAll});
    }
  }
}

}  // namespace
}  // namespace tamis
