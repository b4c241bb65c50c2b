// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "formats/leveldb/filter_block.h"
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

TEST(Recognise, RocksDbByItsTrailerIsAGuess) {
  for (const std::string spec :
       {"rocksdb", "rocksdb-legacy", "rocksdb-ribbon"}) {
    const auto policy = PolicyOf(spec);
    for (const std::uint64_t keys : {100u, 1000u, 50'000u}) {
      const std::string bytes =
          testing::Build(*policy, testing::NumberedKeys("key-", keys));
      // A Ribbon over few keys is none: RocksDB writes a Bloom filter then.
      const std::string expected = (*policy->Open(bytes))->Describe().format;
      for (const char* name : {"", "f", "f.filter"}) {
        const RecognisedFormat format = RecogniseFormat(name, bytes);
        EXPECT_EQ(format.certainty, Certainty::kGuess) << spec << keys;
        EXPECT_EQ(format.spec, expected) << spec << keys;
      }
      const RecognisedFormat named = RecogniseFormat("f." + spec, bytes);
      EXPECT_EQ(named.certainty, Certainty::kCertain);
      EXPECT_EQ(named.spec, spec);
    }
  }
}

TEST(Recognise, RocksDbNeedsATrailerThatItsLengthFits) {
  const auto guess = [](std::size_t bytes, const char* trailer) {
    return RecogniseFormat(
               "", std::string(bytes, '\xaa') + testing::FromHex(trailer))
        .spec;
  };
  EXPECT_EQ(guess(64, "ff00060000"), "rocksdb");
  EXPECT_EQ(guess(65, "ff00060000"), "");
  EXPECT_EQ(guess(0, "ff00060000"), "");
  EXPECT_EQ(guess(64, "ff00000000"), "");
  EXPECT_EQ(guess(64, "ff001f0000"), "");
  EXPECT_EQ(guess(64, "ff01060000"), "");
  EXPECT_EQ(guess(64, "ff00060100"), "");
  EXPECT_EQ(guess(64, "ff00460000"), "");
  EXPECT_EQ(guess(192, "0603000000"), "rocksdb-legacy");
  EXPECT_EQ(guess(384, "0603000000"), "rocksdb-legacy");  // lines of 128 bytes
  EXPECT_EQ(guess(192, "0604000000"), "");
  EXPECT_EQ(guess(128, "0602000000"), "");  // never even
  EXPECT_EQ(guess(192, "1f03000000"), "");
  EXPECT_EQ(guess(160, "fe07020000"), "rocksdb-ribbon");
  EXPECT_EQ(guess(160, "fe07010000"), "");
  EXPECT_EQ(guess(161, "fe07020000"), "");
  EXPECT_EQ(guess(16 * 65, "fe07020000"), "");  // more than 32 columns
}

TEST(Recognise, AnEmptyFileIsNotCertainlyRocksDbs) {
  const RecognisedFormat format = RecogniseFormat("f.rocksdb", "");
  EXPECT_EQ(format.certainty, Certainty::kGuess);
  EXPECT_EQ(format.spec, "rocksdb");
}

TEST(Recognise, ParquetByItsHeaderWhateverItsName) {
  for (const std::uint64_t keys : {1u, 100u, 100'000u}) {
    const std::string bytes = testing::Build(
        *PolicyOf("parquet:10"), testing::NumberedKeys("key-", keys));
    for (const char* name : {"", "x.leveldb", "nb-1-big-Filter.db"}) {
      const RecognisedFormat format = RecogniseFormat(name, bytes);
      EXPECT_EQ(format.certainty, Certainty::kCertain) << name;
      EXPECT_EQ(format.spec, "parquet") << name;
      EXPECT_EQ(format.reason, "its header") << name;
    }
    // A damaged one is still Parquet's, for somebody to say that it is.
    const Slice cut(bytes.data(), bytes.size() - 1);
    EXPECT_EQ(RecogniseFormat("", cut).spec, "parquet");
  }
}

TEST(Recognise, OtherFormsOfParquetsHeaderAreAGuessIfTheLengthFits) {
  const auto guess = [](const std::string& hex) {
    const RecognisedFormat format =
        RecogniseFormat("", testing::FromHex(hex) + std::string(32, '\x55'));
    EXPECT_NE(format.certainty, Certainty::kCertain) << hex;
    return format.spec;
  };
  // The size, 32, as a varint with an idle second byte.
  EXPECT_EQ(guess("15c0001c1c00001c1c00001c1c000000"), "parquet");
  EXPECT_EQ(guess("158081001c1c00001c1c00001c1c000000"), "");  // 64
  // The obsolete form: the size, and twice 0.
  EXPECT_EQ(guess("200000000000000000000000"), "parquet");
  EXPECT_EQ(guess("400000000000000000000000"), "");
}

TEST(Recognise, AParquetFileHoldsFiltersAndIsNone) {
  for (const char* bytes : {"PAR1 and so on PAR1", "PAR1 and cut here"}) {
    for (const char* name : {"", "t.parquet", "x.leveldb", "x.parquet-bloom"}) {
      const RecognisedFormat format = RecogniseFormat(name, bytes);
      EXPECT_EQ(format.certainty, Certainty::kUnknown) << name;
      EXPECT_EQ(format.holds_filters, "a Parquet file") << name;
      EXPECT_EQ(format.not_a_filter, "");
      EXPECT_EQ(format.spec, "");
      EXPECT_EQ(format.reason,
                "it is a Parquet file, whose filters FindParquetFilters() "
                "finds");
    }
  }
  const RecognisedFormat encrypted = RecogniseFormat("", "PARE and so on PARE");
  EXPECT_EQ(encrypted.holds_filters, "");
  EXPECT_EQ(encrypted.not_a_filter, "an encrypted Parquet file");
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

// Their lengths fit a filter now and then; their names tell.
TEST(Recognise, FilesOfAStoreAreNotTakenForFilters) {
  const std::string filter = FilterOf("leveldb:10");
  for (const char* name :
       {"MANIFEST-000002", "CURRENT", "LOG", "LOG.old", "LOCK", "000001.log",
        "000005.ldb", "7.sst", "TAMIS", "TAMIS.damaged"}) {
    const RecognisedFormat format = RecogniseFormat(name, filter);
    EXPECT_EQ(format.certainty, Certainty::kUnknown) << name;
    EXPECT_FALSE(format.store_file.empty()) << name;
    EXPECT_TRUE(format.not_a_filter.empty()) << name;
  }
  // What its content shows for certain is believed.
  for (const char* name : {"TAMIS", "copy", "notes.txt"}) {
    const RecognisedFormat format =
        RecogniseFormat(name, "tamis settings 1\nfilter = bloom:10\n");
    EXPECT_EQ(format.not_a_filter, "a file of settings of a store") << name;
  }
  EXPECT_EQ(RecogniseFormat("000001.log", FilterOf("bloom:10")).spec, "tamis");
  EXPECT_EQ(RecogniseFormat("app.log", "a text of some length\n").not_a_filter,
            "text");
}

// Whatever is recognised can be made into a policy.
TEST(Recognise, EverySpecItNamesExists) {
  for (const char* spec :
       {"bloom:10", "leveldb:10", "cassandra:hf", "lab:10", "rocksdb:10",
        "rocksdb-legacy:10", "rocksdb-ribbon:10", "parquet:10"}) {
    const RecognisedFormat format = RecogniseFormat("", FilterOf(spec));
    EXPECT_TRUE(MakePolicy(format.spec).ok()) << format.spec;
    for (const std::string& other : format.alternatives) {
      EXPECT_TRUE(MakePolicy(other).ok()) << other;
    }
  }
}

}  // namespace
}  // namespace tamis
