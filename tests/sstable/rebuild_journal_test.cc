// SPDX-License-Identifier: Apache-2.0
#include "sstable/rebuild_journal.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace tamis {
namespace {

using Kind = RebuildMove::Kind;

RebuildJournal SomeJournal() {
  RebuildJournal journal;
  journal.engine = "leveldb";
  RebuildUnit unit{.anchor = "CURRENT", .moves = {}};
  unit.moves.push_back({.kind = Kind::kAdd,
                        .name = "000020.ldb",
                        .new_mark = {.bytes = 1234, .crc = {}}});
  unit.moves.push_back({.kind = Kind::kReplace,
                        .name = "CURRENT",
                        .old_mark = {.bytes = 16, .crc = 7},
                        .new_mark = {.bytes = 17, .crc = 4294967295u}});
  unit.moves.push_back({.kind = Kind::kRetire,
                        .name = "a name with spaces.ldb",
                        .old_mark = {.bytes = 99, .crc = {}}});
  journal.units = {unit, {.anchor = "nb-1-big-Data.db", .moves = {}}};
  return journal;
}

TEST(RebuildJournal, IsReadAsItWasWritten) {
  RebuildJournal journal = SomeJournal();
  for (const bool is_done : {false, true}) {
    journal.is_done = is_done;
    const std::string text = FormatRebuildJournal(journal);
    const auto parsed = ParseRebuildJournal(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString() << text;
    EXPECT_EQ(FormatRebuildJournal(*parsed), text);
    EXPECT_EQ(parsed->is_done, is_done);
    EXPECT_EQ(parsed->units.size(), 2u);
    EXPECT_EQ(parsed->units[0].moves[2].name, "a name with spaces.ldb");
  }
}

TEST(RebuildJournal, WhatIsCutOffOrChangedIsRefused) {
  const std::string text = FormatRebuildJournal(SomeJournal());
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(ParseRebuildJournal(text.substr(0, i)).ok()) << i;
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(ParseRebuildJournal(changed).ok()) << i;
  }
  EXPECT_FALSE(ParseRebuildJournal(text + "x").ok());
}

TEST(RebuildJournal, NoNameLeadsOutOfTheDirectory) {
  for (const char* name : {"../x", "/etc/passwd", "..", "."}) {
    RebuildJournal journal = SomeJournal();
    journal.units[0].moves[0].name = name;
    EXPECT_FALSE(ParseRebuildJournal(FormatRebuildJournal(journal)).ok());
    journal = SomeJournal();
    journal.units[0].anchor = name;
    EXPECT_FALSE(ParseRebuildJournal(FormatRebuildJournal(journal)).ok());
  }
}

}  // namespace
}  // namespace tamis
