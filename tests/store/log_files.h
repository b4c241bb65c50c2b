// SPDX-License-Identifier: Apache-2.0
// Logs and their records in memory, for the tests of this folder.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/log_reader.h"
#include "store/log_replay.h"
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

// The log from which the manifest wants the batches.
inline constexpr std::uint64_t kLogNumber = 3;

inline ReplayLog LogToReplay(std::string contents,
                             std::uint64_t number = kLogNumber) {
  ReplayLog log;
  log.number = number;
  log.path = "/db/" + std::to_string(number) + ".log";
  log.contents = std::move(contents);
  return log;
}

inline std::vector<ReplayLog> Planned(std::vector<ReplayLog> logs,
                                      bool logs_are_ours = true) {
  ManifestState state;
  state.log_number = kLogNumber;
  state.logs_are_ours = logs_are_ours;
  PlanReplay(state, &logs);
  return logs;
}

inline ReplayLog Plan(std::string contents, bool logs_are_ours = true) {
  return Planned({LogToReplay(std::move(contents))}, logs_are_ours).front();
}

}  // namespace tamis::testing
