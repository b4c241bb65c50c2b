// SPDX-License-Identifier: Apache-2.0
// Logs that LogWriter does not write: damaged ones, and those of others.

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/log_format.h"
#include "tests/store/log_files.h"

namespace tamis::testing {
namespace {

constexpr unsigned kFull = 1;
constexpr unsigned kFirst = 2;
constexpr unsigned kMiddle = 3;
constexpr unsigned kLast = 4;

std::string Fragment(unsigned type, const std::string& data) {
  const std::string checked = static_cast<char>(type) + data;
  std::string bytes;
  AppendFixed32(&bytes, MaskCrc32c(Crc32c(checked)));
  bytes += static_cast<char>(data.size() & 0xff);
  bytes += static_cast<char>(data.size() >> 8);
  return bytes + checked;
}

// Up to the end of its block, with zeros.
std::string Filled(std::string block) {
  block.resize((block.size() + kLogBlockBytes - 1) / kLogBlockBytes *
               kLogBlockBytes);
  return block;
}

// Of 3000 bytes, of which the sectors from 1024 on were never written.
std::string TornRecord() {
  return Filled(LogOf({std::string(3000, 'x')}).substr(0, 1024));
}

void ExpectDamaged(const std::string& log, const Records& records,
                   std::uint64_t bytes, const std::string& sentence) {
  const Found found = ReadLog(log);
  EXPECT_EQ(found.records, records);
  EXPECT_EQ(found.damaged_bytes, bytes);
  EXPECT_NE(found.damage.find(sentence), std::string::npos) << found.damage;
  EXPECT_FALSE(found.ended_clean);
}

TEST(LogReader, NothingIsAnEmptyLog) {
  ExpectClean("", {});
  EXPECT_EQ(ReadLog("").end, 0u);
}

TEST(LogReader, PassesOverZeros) {
  ExpectClean(std::string(5, '\0'), {});
  ExpectClean(std::string(100'000, '\0'), {});
  const std::string log = LogOf({"one", "two"});
  for (const std::size_t zeros : {1u, 6u, 7u, 8u, 1000u, 32'768u, 100'000u}) {
    ExpectClean(log + std::string(zeros, '\0'), {"one", "two"});
    EXPECT_EQ(ReadLog(log + std::string(zeros, '\0')).end, log.size());
  }
  ExpectClean(Filled(log) + log, {"one", "two", "one", "two"});
  ExpectClean(Filled(log) + std::string(3 * kLogBlockBytes, '\0') + log,
              {"one", "two", "one", "two"});
}

TEST(LogReader, AChecksumThatFailsDropsTheRestOfItsBlockOnly) {
  std::string log = Filled(LogOf({"one", "two", "three"})) + LogOf({"four"});
  log[10 + 8] ^= 1;  // in the data of "two"
  ExpectDamaged(log, {"one", "four"}, kLogBlockBytes - 10, "checksum");
}

TEST(LogReader, ALengthBeyondAWholeBlockIsDamage) {
  std::string log = Filled(LogOf({"one", "two"})) + LogOf({"three"});
  log[10 + 5] = '\x80';
  ExpectDamaged(log, {"one", "three"}, kLogBlockBytes - 10, "length");
}

TEST(LogReader, ALengthBeyondTheEndOfTheFileIsARecordNotFinished) {
  std::string log = LogOf({"one", "two"});
  log.pop_back();
  const Found found = ReadLog(log);
  EXPECT_EQ(found.records, Records{"one"});
  EXPECT_EQ(found.damage, "");
  EXPECT_FALSE(found.ended_clean);
}

TEST(LogReader, ALengthBeyondTheEndOfTheFileIsDamageIfTheRecordIsThere) {
  std::string log = LogOf({"one", "two"});
  log[10 + 4] = 100;
  ExpectDamaged(log, {"one"}, log.size() - 10, "length");
}

TEST(LogReader, ALengthThatSwallowsOtherRecordsIsDamage) {
  std::string log = LogOf({"one", "two", "three"});
  log[10 + 4] = 100;
  ExpectDamaged(log, {"one"}, log.size() - 10, "length");
}

// A machine that stops has written some sectors and not others.
TEST(LogReader, ASectorThatWasNeverWrittenIsARecordNotFinished) {
  std::string log = LogOf({"one", std::string(3000, 'x')});
  std::fill_n(log.begin() + 1024, 512, '\0');
  const Found found = ReadLog(log);
  EXPECT_EQ(found.records, Records{"one"});
  EXPECT_EQ(found.damage, "");
  EXPECT_FALSE(found.ended_clean);
}

TEST(LogReader, AnEmptySectorBeforeAWholeRecordIsDamage) {
  for (const std::size_t between : {0u, 40'000u}) {
    std::string log = LogOf(
        {"one", std::string(3000, 'x'), std::string(between, 'y'), "last"});
    std::fill_n(log.begin() + 1024, 512, '\0');
    EXPECT_NE(ReadLog(log).damage, "") << between;
  }
}

// However few bytes of a record lie in the sector that was never written.
TEST(LogReader, ARecordThatReachesIntoAnUnwrittenSectorIsNotFinished) {
  for (std::size_t over = 1; over <= 20; ++over) {
    const std::string data(1024 - 10 - kLogHeaderBytes + over, 'x');
    std::string log = LogOf({"one", data});
    ASSERT_EQ(log.size(), 1024 + over);
    log.resize(1024);
    log.resize(65'536);
    const Found found = ReadLog(log);
    EXPECT_EQ(found.records, Records{"one"}) << over;
    EXPECT_EQ(found.damage, "") << over;
  }
}

// Its header begins in the last bytes of a sector that is as it was before.
TEST(LogReader, ARecordThatLacksTheFirstBytesOfItsHeaderIsNotFinished) {
  for (std::size_t missing = 1; missing < kLogHeaderBytes; ++missing) {
    const std::string first(512 - missing - kLogHeaderBytes, 'x');
    for (int i = 0; i < 1000; ++i) {
      const std::string whole = LogOf({first, "value" + std::to_string(i)});
      std::string log = whole;
      std::fill_n(log.begin() + 512 - static_cast<std::ptrdiff_t>(missing),
                  missing, '\0');
      if (log == whole) continue;
      const Found found = ReadLog(log);
      ASSERT_EQ(found.records, Records{first}) << missing << ", " << i;
      ASSERT_EQ(found.damage, "") << missing << ", " << i;
    }
  }
}

// A record of 3000 bytes that has the checksum of `checked`, and lacks the
// sectors from 1024 on.
std::string TornRecordWithChecksumOf(const std::string& checked) {
  std::string log = TornRecord();
  std::string checksum;
  AppendFixed32(&checksum, MaskCrc32c(Crc32c(checked)));
  return log.replace(0, checksum.size(), checksum);
}

// Of the many checksums that are tried some are right by accident.
TEST(LogReader, AChecksumThatIsRightByAccidentMakesNoDamageOfATornRecord) {
  const std::string torn = TornRecord();
  EXPECT_EQ(ReadLog(torn).damage, "");
  // With another bit, where something was written and where it was not.
  for (const std::size_t place : {6u, 7u, 100u, 1023u, 1024u, 2000u}) {
    std::string other = torn.substr(6, 1 + 3000);
    other[place - 6] = static_cast<char>(other[place - 6] ^ 1);
    EXPECT_EQ(ReadLog(TornRecordWithChecksumOf(other)).damage, "") << place;
  }
  // With another length, where no record ends.
  for (const std::size_t end : {8u, 100u, 1000u, 1100u, 2900u, 20'000u}) {
    const std::string other = torn.substr(6, end - 6);
    EXPECT_EQ(ReadLog(TornRecordWithChecksumOf(other)).damage, "") << end;
  }
}

TEST(LogReader, TellsWhetherRecordsMayLieInWhatItPassesOver) {
  const auto may_hide = [](Slice log) {
    LogReader reader(log);
    bool found = false;
    for (Slice record; reader.Next(&record);) {
      found |= reader.may_hide_records();
    }
    return found || reader.may_hide_records();
  };
  const std::string whole = LogOf({"one", std::string(3000, 'x')});
  for (std::size_t cut = 0; cut <= whole.size(); cut += cut < 40 ? 1 : 37) {
    ASSERT_FALSE(may_hide(whole.substr(0, cut))) << cut;
    ASSERT_FALSE(may_hide(Filled(whole.substr(0, cut)))) << cut;
  }
  std::string log = LogOf({"three", "four"}, whole);
  std::fill_n(log.begin() + 1024, 512, '\0');
  EXPECT_FALSE(may_hide(log)) << "they are found";
  std::fill_n(log.begin() + 1024, whole.size() - 1024 + 1, '\0');
  EXPECT_TRUE(may_hide(log)) << "the header behind it is gone";
  std::fill_n(log.begin(), 1024, '\0');
  EXPECT_TRUE(may_hide(log));
}

// Every block has a fragment with a wrong checksum and an empty sector, and is
// full of what could be headers.
TEST(LogReader, TakesTimeInProportionToTheLogWhateverItHolds) {
  std::string block;
  while (block.size() < kLogBlockBytes) block += "\x01\x40";
  block.replace(0, 7, "\xef\xbe\xad\xde\xdc\x05\x01", 7);
  std::fill_n(block.begin() + 512, 512, '\0');
  std::string log;
  for (int i = 0; i < 64; ++i) log += block;
  log.replace(log.size() - 10, 10, LogOf({"end"}));
  // Torn fragments one after the other, each followed by a whole one.
  std::string torn = LogOf({std::string(500, 'x')});
  std::fill_n(torn.begin() + 400, torn.size() - 400, '\0');
  for (int i = 0; i < 4000; ++i) log += torn + LogOf({""});
  for (const std::string& contents : {log, log + std::string(5, '\0')}) {
    LogReader reader(contents);
    for (Slice record; reader.Next(&record);) continue;
    EXPECT_LT(reader.work(), 8 * contents.size());
  }
}

TEST(LogReader, AFlippedBitInTheLastRecordIsDamage) {
  std::string log = LogOf({"one", std::string(3000, 'x')});
  log[2000] ^= 1;
  ExpectDamaged(log, {"one"}, log.size() - 10, "checksum");
}

TEST(LogReader, AnUnknownTypeIsPassedOverAlone) {
  const std::string one = Fragment(kFull, "one");
  const std::string two = Fragment(kFull, "two");
  ExpectDamaged(one + Fragment(5, "what") + two, {"one", "two"}, 4, "type");
  ExpectDamaged(one + Fragment(255, "what") + two, {"one", "two"}, 4, "type");
  ExpectDamaged(one + Fragment(0, "what") + two, {"one", "two"}, 4, "type");
  ExpectDamaged(one + Fragment(kFirst, "begun") + Fragment(9, "what") + two,
                {"one", "two"}, 9, "type");
}

TEST(LogReader, AMissingStartIsDamage) {
  const std::string one = Fragment(kFull, "one");
  ExpectDamaged(Fragment(kMiddle, "abc") + one, {"one"}, 3, "start");
  ExpectDamaged(Fragment(kMiddle, "abc") + Fragment(kLast, "de") + one, {"one"},
                5, "start");
}

TEST(LogReader, AMissingEndIsDamageIfAnotherRecordFollows) {
  const std::string one = Fragment(kFull, "one");
  const std::string begun = Fragment(kFirst, "abc");
  ExpectDamaged(begun + one, {"one"}, 3, "end");
  ExpectDamaged(begun + Fragment(kMiddle, "de") + begun + Fragment(kLast, "x"),
                {"abcx"}, 5, "end");
  ExpectDamaged(Filled(begun) + one, {"one"}, 3, "end");
}

TEST(LogReader, AMissingEndAtTheEndIsARecordNotFinished) {
  const std::string one = Fragment(kFull, "one");
  const std::string begun = Fragment(kFirst, "abc") + Fragment(kMiddle, "de");
  for (const std::string& log :
       {one + begun, Filled(one + begun),
        Filled(one + begun) + std::string(kLogBlockBytes, '\0')}) {
    const Found found = ReadLog(log);
    EXPECT_EQ(found.records, Records{"one"});
    EXPECT_EQ(found.damage, "");
    EXPECT_EQ(found.end, one.size());
    EXPECT_FALSE(found.ended_clean);
  }
}

TEST(LogReader, AnEmptyStartThatGoesNowhereIsNoDamage) {
  const std::string log = Fragment(kFirst, "") + Fragment(kFull, "one") +
                          Fragment(kFirst, "") + Fragment(kFirst, "t") +
                          Fragment(kLast, "wo");
  ExpectClean(log, {"one", "two"});
}

TEST(LogReader, DamageInTheMiddleDropsTheWholeRecord) {
  const Records records = {"one", std::string(80'000, 'x'), "three"};
  std::string log = LogOf(records);
  log[40'000] ^= 1;
  const Found found = ReadLog(log);
  EXPECT_EQ(found.records, (Records{"one", "three"}));
  // The second block, the piece in the first, and the last without its start.
  EXPECT_EQ(found.damaged_bytes,
            kLogBlockBytes + 80'000 - (kLogBlockBytes - kLogHeaderBytes));
  EXPECT_NE(found.damage.find("block at 32768: a checksum"), std::string::npos)
      << found.damage;
}

}  // namespace
}  // namespace tamis::testing
