#include <string>

#include <gtest/gtest.h>

#include "formats/leveldb_filter_block.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tests/support/filters.h"
#include "tests/support/golden.h"

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

TEST(Recognise, NewerCassandraVersionsAreUnknown) {
  const RecognisedFormat format =
      RecogniseFormat("pa-1-big-Filter.db", FilterOf("cassandra:oa"));
  EXPECT_EQ(format.certainty, Certainty::kUnknown);
  EXPECT_NE(format.reason.find("pa"), std::string::npos);
}

TEST(Recognise, AnEmptyFilterDbIsCassandras) {
  const RecognisedFormat format = RecogniseFormat("nb-1-big-Filter.db", "");
  EXPECT_EQ(format.spec, "cassandra:nb");
  EXPECT_EQ(format.reason, "its name and its length");
}

TEST(Recognise, DamagedCassandraFilesKeepTheirName) {
  std::string cut = FilterOf("cassandra:nb");
  cut.pop_back();
  const RecognisedFormat format = RecogniseFormat("nb-1-big-Filter.db", cut);
  EXPECT_EQ(format.spec, "cassandra:nb");
  EXPECT_EQ(format.reason, "its name; its content does not fit");
}

// What is surely no filter is not taken for one, whatever its name says.
TEST(Recognise, NamesWhatIsNoFilter) {
  struct Case {
    std::string what, bytes;
  };
  const auto policy = PolicyOf("leveldb:16");
  LevelDbFilterBlockBuilder builder(*policy);
  builder.AddKey("key");
  std::string block;
  ASSERT_TRUE(builder.Finish(&block).ok());
  const std::string table =
      std::string(100, '\0') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
  for (const Case& c :
       {Case{"text", "a line of text\nand another\n"},
        Case{"gzip data", std::string("\x1f\x8b\x08\x00rest\x06", 9)},
        Case{"a LevelDB table", table},
        Case{"the filter block of a LevelDB table", block}}) {
    for (const char* name : {"", "x.leveldb", "x.lab", "nb-1-big-Filter.db"}) {
      const RecognisedFormat format = RecogniseFormat(name, c.bytes);
      EXPECT_EQ(format.certainty, Certainty::kUnknown) << c.what;
      EXPECT_EQ(format.not_a_filter, c.what) << name;
    }
  }
}

TEST(Recognise, AFilterOf16BitsPerKeyIsNotTakenForABlock) {
  // Its last byte is 11, as a block's is.
  for (std::uint64_t keys : {1u, 2u, 10u, 1000u}) {
    const std::string bytes = testing::Build(
        *PolicyOf("leveldb:16"), testing::NumberedKeys("key-", keys));
    ASSERT_EQ(bytes.back(), 11);
    EXPECT_EQ(RecogniseFormat("", bytes).spec, "leveldb") << keys;
  }
}

TEST(Recognise, LevelDbNeedsALegalProbeCountAndNineBytes) {
  const std::string bits(8, '\xaa');
  EXPECT_EQ(RecogniseFormat("", bits + '\x06').spec, "leveldb");
  EXPECT_EQ(RecogniseFormat("", bits + '\x1f').spec, "");
  EXPECT_EQ(RecogniseFormat("", bits + '\0').spec, "");
  EXPECT_EQ(RecogniseFormat("", bits.substr(1) + '\x06').spec, "");
}

TEST(Recognise, CassandraNeedsAFittingLengthAndProbeCount) {
  const auto guess = [](const char* hex) {
    return RecogniseFormat("", testing::FromHex(hex)).spec;
  };
  EXPECT_EQ(guess("0000000500000001aa00000000000000"), "cassandra:oa");
  EXPECT_NE(guess("0000000500000001aa00000000000000aa00000000000000"),
            "cassandra:oa");
  EXPECT_NE(guess("0000001f00000001aa00000000000000"), "cassandra:oa");
  EXPECT_NE(guess("0000000000000001aa00000000000000"), "cassandra:oa");
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
