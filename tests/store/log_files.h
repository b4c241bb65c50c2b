// SPDX-License-Identifier: Apache-2.0
// Logs and their records in memory, for the tests of this folder.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/log_reader.h"
#include "store/log_writer.h"
#include "tests/support/memory_env.h"

namespace tamis::testing {

using Records = std::vector<std::string>;

// The file that LogWriter makes of these, after `before`, which must be the
// bytes of whole records.
inline std::string LogOf(const Records& records,
                         const std::string& before = {}) {
  MemoryEnv env;
  env.SetContents("log", before);
  auto file = env.Reopen("log", before.size(), WriteKind::kLog);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  LogWriter writer(*std::move(file), before.size());
  for (const std::string& record : records) {
    const Status added = writer.Add(record);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  EXPECT_TRUE(writer.Close().ok());
  EXPECT_EQ(writer.bytes(), env.Contents("log").size());
  return env.Contents("log");
}

// What LogReader finds in a file.
struct Found {
  Records records;
  std::string damage;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t end = 0;
  bool ended_clean = false;
};

inline Found ReadLog(Slice contents) {
  LogReader reader(contents);
  Found found;
  for (Slice record; reader.Next(&record);) found.records.emplace_back(record);
  found.damage = reader.damage();
  found.damaged_bytes = reader.damaged_bytes();
  found.end = reader.end_of_record();
  found.ended_clean = reader.ended_clean();
  return found;
}

// These records, and nothing that is wrong.
inline void ExpectClean(Slice contents, const Records& records) {
  const Found found = ReadLog(contents);
  EXPECT_EQ(found.records, records);
  EXPECT_EQ(found.damage, "");
  EXPECT_EQ(found.damaged_bytes, 0u);
  EXPECT_TRUE(found.ended_clean);
}

}  // namespace tamis::testing
