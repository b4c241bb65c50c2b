#include <string>

#include <gtest/gtest.h>

#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

std::string FilterOf(const char* spec) {
  return testing::Build(*PolicyOf(spec), testing::NumberedKeys("key-", 100));
}

TEST(Recognise, TamisByItsMagicNumberWhateverItsName) {
  const std::string bytes = FilterOf("bloom:10");
  for (const char* name : {"", "x.tamis", "x.leveldb", "nb-1-big-Filter.db"}) {
    const RecognisedFormat format = RecogniseFormat(name, bytes);
    EXPECT_EQ(format.certainty, Certainty::kCertain) << name;
    EXPECT_EQ(format.spec, "tamis") << name;
  }
}

TEST(Recognise, CassandraByTheNameItGives) {
  const RecognisedFormat format =
      RecogniseFormat("ks-table-ka-7-Filter.db", FilterOf("cassandra:ka"));
  EXPECT_EQ(format.certainty, Certainty::kCertain);
  EXPECT_EQ(format.spec, "cassandra:ka");
}

TEST(Recognise, CassandraWithoutAVersionIsAGuessAmongEras) {
  for (const char* name : {"", "Filter.db", "copy-of-Filter.db"}) {
    const RecognisedFormat format =
        RecogniseFormat(name, FilterOf("cassandra:ka"));
    EXPECT_EQ(format.certainty, Certainty::kGuess) << name;
    EXPECT_EQ(format.spec, "cassandra:oa");
    ASSERT_GE(format.alternatives.size(), 3u);
  }
}

TEST(Recognise, NewerCassandraVersionsAreOnlyGuessed) {
  const RecognisedFormat format =
      RecogniseFormat("pa-1-big-Filter.db", FilterOf("cassandra:oa"));
  EXPECT_EQ(format.certainty, Certainty::kGuess);
  EXPECT_NE(format.reason.find("pa"), std::string::npos);
}

TEST(Recognise, LabAndMd5ShareALayout) {
  const RecognisedFormat format = RecogniseFormat("x", FilterOf("lab:10"));
  EXPECT_EQ(format.certainty, Certainty::kGuess);
  EXPECT_EQ(format.spec, "lab");
  EXPECT_EQ(format.alternatives, std::vector<std::string>{"md5"});
  EXPECT_EQ(RecogniseFormat("x.md5bloom", FilterOf("md5:10")).certainty,
            Certainty::kCertain);
}

TEST(Recognise, LevelDbIsNeverMoreThanAGuess) {
  const RecognisedFormat format = RecogniseFormat("x", FilterOf("leveldb:10"));
  EXPECT_EQ(format.certainty, Certainty::kGuess);
  EXPECT_EQ(format.spec, "leveldb");
}

TEST(Recognise, NothingFitsTextOrNothing) {
  for (const char* text :
       {"", "hello", "a line of text that is longer\n\x7f"}) {
    const RecognisedFormat format = RecogniseFormat("notes.txt", text);
    EXPECT_EQ(format.certainty, Certainty::kUnknown) << text;
    EXPECT_TRUE(format.spec.empty());
    EXPECT_FALSE(format.reason.empty());
  }
}

// Whatever is recognised can be made into a policy.
TEST(Recognise, EverySpecItNamesExists) {
  for (const char* spec :
       {"bloom:10", "leveldb:10", "cassandra:hf", "lab:10"}) {
    const RecognisedFormat format = RecogniseFormat("", FilterOf(spec));
    EXPECT_TRUE(MakePolicy(format.spec).ok()) << format.spec;
    for (const std::string& other : format.alternatives) {
      EXPECT_TRUE(MakePolicy(other).ok()) << other;
    }
  }
}

}  // namespace
}  // namespace tamis
