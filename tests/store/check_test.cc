// SPDX-License-Identifier: Apache-2.0
// CheckStore(): whatever byte is wrong, it says so and names the file.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/store.h"
#include "tests/store/stores.h"
#include "tests/store/table_parts.h"

namespace tamis {
namespace {

using testing::NumberKey;
using testing::PartPlaces;
using testing::PartsOf;
using testing::Reseal;
using testing::SmallOptions;
using testing::StillOptions;
using testing::TestStore;

std::vector<std::string> ProblemsOf(TestStore* store) {
  const auto checked = CheckStore(TestStore::dir(), store->options());
  if (!checked.ok()) return {checked.status().message()};
  return checked->problems;
}

// A table and a log.
class StoreCheck : public ::testing::Test {
 protected:
  StoreCheck() : store_(StillOptions()) {
    for (std::uint64_t i = 0; i < 600; ++i) {
      store_.Put(NumberKey(i), "value of " + NumberKey(i * i));
    }
    store_.Flush();
    for (std::uint64_t i = 0; i < 10; ++i) store_.Put(NumberKey(i), "log");
    store_.Close();
    table_ = store_.Files(".ldb").front();
    log_ = store_.Files(".log").back();
    parts_ = PartsOf(&store_.env(), table_);
  }

  void ExpectFound(const std::string& path, std::uint64_t offset) {
    SCOPED_TRACE(path + " at " + std::to_string(offset));
    store_.env().FlipBit(path, offset, offset % 8);
    const std::vector<std::string> problems = ProblemsOf(&store_);
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems.front().find(path), std::string::npos)
        << problems.front();
    store_.env().FlipBit(path, offset, offset % 8);
  }
  void ExpectFoundIn(const std::string& path, const BlockHandle& block) {
    const std::uint64_t end = block.offset + block.size + kBlockTrailerBytes;
    for (std::uint64_t at = block.offset; at < end; at += 1 + block.size / 37) {
      ExpectFound(path, at);
    }
    ExpectFound(path, end - 1);
  }

  TestStore store_;
  std::string table_;
  std::string log_;
  PartPlaces parts_;
};

TEST_F(StoreCheck, FindsNothingWrongWithAWholeStore) {
  const auto checked = CheckStore(TestStore::dir(), store_.options());
  ASSERT_TRUE(checked.ok());
  EXPECT_TRUE(checked->problems.empty());
  EXPECT_EQ(checked->tables, 1u);
  EXPECT_EQ(checked->entries, 610u);
  EXPECT_EQ(checked->filters, 2u);
  EXPECT_EQ(checked->logs, 1u);
  EXPECT_EQ(checked->log_records, 10u);
  EXPECT_GT(checked->blocks, 3u);
  EXPECT_GT(checked->bytes, 5000u);
}

TEST_F(StoreCheck, FindsFlippedBitsInDataBlocks) {
  for (std::uint64_t at = 0;
       at < parts_.own_filter.offset && at < parts_.leveldb_filter.offset;
       at += 111) {
    ExpectFound(table_, at);
  }
}

TEST_F(StoreCheck, FindsFlippedBitsInTheIndex) {
  ExpectFoundIn(table_, parts_.footer.index);
}
TEST_F(StoreCheck, FindsFlippedBitsInTheMetaindex) {
  ExpectFoundIn(table_, parts_.footer.metaindex);
}
TEST_F(StoreCheck, FindsFlippedBitsInBothFilters) {
  ExpectFoundIn(table_, parts_.own_filter);
  ExpectFoundIn(table_, parts_.leveldb_filter);
}

TEST_F(StoreCheck, FindsFlippedBitsInTheFooter) {
  const std::uint64_t size = store_.env().Contents(table_).size();
  std::string handles;
  AppendHandle(&handles, parts_.footer.metaindex);
  AppendHandle(&handles, parts_.footer.index);
  for (std::uint64_t at = size - kFooterBytes; at < size; ++at) {
    const std::uint64_t in_footer = at - (size - kFooterBytes);
    // The padding between means nothing to anybody.
    if (in_footer >= handles.size() && in_footer < kFooterBytes - 8) continue;
    ExpectFound(table_, at);
  }
}

TEST_F(StoreCheck, FindsFlippedBitsInTheManifestAndTheLog) {
  const std::vector<std::string> files = store_.Files("");
  const auto manifest =
      std::find_if(files.begin(), files.end(), [](const std::string& file) {
        return file.find("/MANIFEST-") != std::string::npos;
      });
  ASSERT_NE(manifest, files.end());
  for (const std::string& path : {*manifest, log_}) {
    const std::uint64_t size = store_.env().Contents(path).size();
    for (std::uint64_t at = 0; at < size; at += 7) {
      // A length that reaches beyond the end looks like a write that was cut
      // off by a crash, so it is no damage.
      const std::uint64_t in_log_record = at % (size / 10);
      if (path == log_ && (in_log_record == 4 || in_log_record == 5)) continue;
      if (path != log_ && (at == 4 || at == 5)) continue;
      store_.env().FlipBit(path, at, at % 8);
      EXPECT_FALSE(ProblemsOf(&store_).empty()) << path << " at " << at;
      store_.env().FlipBit(path, at, at % 8);
    }
  }
}

// The checksum fits, but a key of the table is denied.
TEST_F(StoreCheck, FindsAFilterThatDeniesAKey) {
  std::string bytes = store_.env().Contents(table_);
  const BlockHandle& filter = parts_.leveldb_filter;
  for (std::uint64_t i = 0; i < 16; ++i) bytes[filter.offset + i] = '\0';
  Reseal(&bytes, filter);
  store_.env().SetContents(table_, bytes);
  const std::vector<std::string> problems = ProblemsOf(&store_);
  ASSERT_FALSE(problems.empty());
  EXPECT_NE(problems.front().find(table_), std::string::npos);
  EXPECT_NE(problems.front().find("filter"), std::string::npos);
}

TEST_F(StoreCheck, FindsFilesThatAreMissingOrCut) {
  const std::string bytes = store_.env().Contents(table_);
  store_.env().SetContents(table_, bytes.substr(0, bytes.size() / 2));
  ASSERT_FALSE(ProblemsOf(&store_).empty());
  EXPECT_NE(ProblemsOf(&store_).front().find(table_), std::string::npos);
  ASSERT_TRUE(store_.env().Remove(table_).ok());
  ASSERT_FALSE(ProblemsOf(&store_).empty());
  EXPECT_NE(ProblemsOf(&store_).front().find(table_), std::string::npos);
  ASSERT_TRUE(store_.env().Remove("/db/CURRENT").ok());
  ASSERT_FALSE(ProblemsOf(&store_).empty());
  EXPECT_NE(ProblemsOf(&store_).front().find("/db/CURRENT is missing"),
            std::string::npos);
  store_.env().SetContents("/db/CURRENT", "nonsense\n");
  EXPECT_FALSE(ProblemsOf(&store_).empty());
}

TEST_F(StoreCheck, TellsHowFarItIs) {
  struct Heard {
    std::uint64_t last = 0;
    std::uint64_t all = 0;
    int calls = 0;
  } heard;
  const auto hear = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_GE(done, heard.last);
    EXPECT_LE(done, all);
    heard.last = done;
    heard.all = all;
    ++heard.calls;
  };
  ASSERT_TRUE(CheckStore("/db", store_.options(), hear).ok());
  EXPECT_GT(heard.calls, 0);
  EXPECT_EQ(heard.last, heard.all);
}

TEST(StoreCheckMany, FindsNothingWrongWithManyLevels) {
  TestStore store(SmallOptions());
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    store.Put(NumberKey(i * 7919 % 9000), std::to_string(i));
  }
  ASSERT_TRUE(store->WaitForQuiet().ok());
  EXPECT_EQ(ProblemsOf(&store), std::vector<std::string>{});
}

}  // namespace
}  // namespace tamis
