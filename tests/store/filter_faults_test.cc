// SPDX-License-Identifier: Apache-2.0
#include "store/filter_faults.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/memory_env.h"

namespace tamis {
namespace {

TEST(FilterFaults, AreCountedAndTheLastOfEachKindIsKept) {
  testing::MemoryEnv env;
  InfoLog log;
  FilterFaults faults(log);
  EXPECT_EQ(faults.damaged(), 0u);
  EXPECT_EQ(faults.last_damaged(), "");
  faults.NoteDamaged("5.ldb: cut off");
  faults.NoteDamaged("6.ldb: wrong checksum");
  faults.NoteNotBuilt("7.ldb: no memory");
  EXPECT_EQ(faults.damaged(), 2u);
  EXPECT_EQ(faults.last_damaged(), "6.ldb: wrong checksum");
  EXPECT_EQ(faults.not_built(), 1u);
  EXPECT_EQ(faults.last_not_built(), "7.ldb: no memory");
  // People find each of them in the log.
  ASSERT_TRUE(env.CreateDirectory("/db").ok());
  log.Open(env, "/db");
  const std::string text = env.Contents("/db/LOG");
  for (const char* what : {"5.ldb: cut off", "6.ldb: wrong", "7.ldb: no mem"}) {
    EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
  }
}

}  // namespace
}  // namespace tamis
