// SPDX-License-Identifier: Apache-2.0
#include "policy/foreign_file.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis {
namespace {

TEST(ForeignFile, NamesWhatIsNoFilter) {
  EXPECT_EQ(NameForeignFile(std::string(40, 'x') +
                            "\x57\xfb\x80\x8b\x24\x75\x47\xdb"),
            "a LevelDB table");
  EXPECT_EQ(NameForeignFile(std::string(40, 'x') +
                            "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"),
            "a RocksDB table");
  EXPECT_EQ(NameForeignFile("PAR1...PAR1"), "a Parquet file");
  EXPECT_EQ(NameForeignFile("\x1f\x8b\x08..."), "gzip data");
  EXPECT_EQ(NameForeignFile("\x28\xb5\x2f\xfd..."), "zstd data");
  EXPECT_EQ(NameForeignFile(Slice("SQLite format 3\0...", 19)),
            "an SQLite database");
  EXPECT_EQ(NameForeignFile("SQLite format 3 is nice"), "text");
  EXPECT_EQ(NameForeignFile("too short"), "");
  EXPECT_EQ(NameForeignFile("long enough, but not text: \x80"), "");
  EXPECT_EQ(NameForeignFile(""), "");
}

}  // namespace
}  // namespace tamis
