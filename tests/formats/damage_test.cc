// SPDX-License-Identifier: Apache-2.0
// What becomes of every cut and every flipped bit, format by format: these are
// the limits that docs/formats/ states.  `.tamis` notices all of it; the other
// formats have no checksum.

#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::PolicyOf;

enum class Outcome { kRefused, kMaybe, kUnnoticed };

std::ostream& operator<<(std::ostream& out, Outcome outcome) {
  return out << (outcome == Outcome::kRefused ? "refused"
                 : outcome == Outcome::kMaybe ? "maybe"
                                              : "unnoticed");
}

// Opens a copy that ends where its allocation ends, so that a sanitizer sees
// any read beyond it, and asks it.
Outcome OutcomeOf(const FilterPolicy& policy, const std::string& bytes) {
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  std::memcpy(exact.get(), bytes.data(), bytes.size());
  const auto reader = policy.Open(Slice(exact.get(), bytes.size()));
  if (!reader.ok()) {
    EXPECT_EQ(reader.status().code(), StatusCode::kCorruption);
    return Outcome::kRefused;
  }
  for (const char* key : {"user:1", "stranger", ""}) {
    (void)reader->MayContain(key);
  }
  return reader->Describe().always_maybe.empty() ? Outcome::kUnnoticed
                                                 : Outcome::kMaybe;
}

// Tells what a damaged filter must become, by its bytes.
using Rule = std::function<Outcome(const std::string& damaged)>;

void CheckEveryDamage(const std::string& spec, const Rule& rule,
                      std::uint64_t keys = 20) {
  const auto policy = PolicyOf(spec);
  const std::string whole =
      testing::Build(*policy, testing::NumberedKeys("user:", keys));
  ASSERT_EQ(rule(whole), Outcome::kUnnoticed);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    ASSERT_EQ(OutcomeOf(*policy, cut), rule(cut)) << spec << " cut to " << size;
  }
  std::string damaged = whole;
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    damaged[bit / 8] = static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_EQ(OutcomeOf(*policy, damaged), rule(damaged))
        << spec << " bit " << bit;
    damaged[bit / 8] = whole[bit / 8];
  }
}

TEST(Damage, LevelDbNoticesOnlyWhatIsLeftOfNothing) {
  CheckEveryDamage("leveldb:10", [](const std::string& bytes) {
    if (bytes.size() < 2) return Outcome::kRefused;
    const auto k = static_cast<unsigned char>(bytes.back());
    return k == 0 || k > 30 ? Outcome::kMaybe : Outcome::kUnnoticed;
  });
}

TEST(Damage, CassandraNoticesLengthsAndAbsurdProbes) {
  for (const char* spec :
       {"cassandra:hf", "cassandra:ka", "cassandra:me", "cassandra:oa"}) {
    CheckEveryDamage(spec, [](const std::string& bytes) {
      if (bytes.empty()) return Outcome::kMaybe;
      if (bytes.size() < 8) return Outcome::kRefused;
      const auto k = LoadBig<std::uint32_t>(bytes.data());
      const std::uint64_t words = LoadBig<std::uint32_t>(bytes.data() + 4);
      if (bytes.size() != 8 + 8 * words || k > 30) return Outcome::kRefused;
      return k == 0 ? Outcome::kMaybe : Outcome::kUnnoticed;
    });
  }
}

Outcome ByLabLayout(const std::string& bytes, unsigned most_probes) {
  if (bytes.size() < 12) return Outcome::kRefused;
  const std::uint32_t k = LoadLittle32(bytes.data());
  const std::uint64_t m = LoadLittle64(bytes.data() + 4);
  if (k == 0 || m == 0) return Outcome::kRefused;
  const std::uint64_t body = m / 8 + (m % 8 != 0 ? 1 : 0);
  if (bytes.size() != 12 + body) return Outcome::kRefused;
  if (m % 8 != 0 && static_cast<unsigned char>(bytes.back()) >> (m % 8) != 0) {
    return Outcome::kRefused;
  }
  return k > most_probes ? Outcome::kMaybe : Outcome::kUnnoticed;
}

TEST(Damage, LabAndMd5NoticeLengthsAndStrayBits) {
  for (const char* sizing : {":10", ":fpr=0.01", ":m=193,k=3", ":m=1,k=1"}) {
    CheckEveryDamage(std::string("lab") + sizing,
                     [](const auto& bytes) { return ByLabLayout(bytes, 30); });
    CheckEveryDamage(std::string("md5") + sizing,
                     [](const auto& bytes) { return ByLabLayout(bytes, 255); });
  }
}

// What RocksDB's reader makes of the bytes, but for those of 1 to 5 bytes and
// those shorter than a line.
Outcome ByRocksDbTrailer(const std::string& bytes) {
  if (bytes.empty()) return Outcome::kUnnoticed;  // it says: no keys
  if (bytes.size() < 5) return Outcome::kRefused;
  const std::uint64_t length = bytes.size() - 5;
  const auto* t = reinterpret_cast<const unsigned char*>(bytes.data() + length);
  // A trailer alone may stand for no keys, but not a Ribbon's.
  if (length == 0) return t[0] == 0xfe ? Outcome::kRefused : Outcome::kMaybe;
  if (t[0] == 0xff) {
    const bool known =
        t[1] == 0 && t[2] >= 1 && t[2] <= 30 && t[3] == 0 && t[4] == 0;
    if (!known) return Outcome::kMaybe;
    return length < 64 ? Outcome::kRefused : Outcome::kUnnoticed;
  }
  if (t[0] == 0xfe) {
    const unsigned blocks = t[2] + 256u * t[3] + 65536u * t[4];
    return blocks < 2 || length < 16 ? Outcome::kMaybe : Outcome::kUnnoticed;
  }
  if (t[0] == 0 || t[0] >= 0x80) return Outcome::kMaybe;
  const std::uint32_t lines = LoadLittle32(t + 1);
  const bool fits =
      lines != 0 && length % lines == 0 && std::has_single_bit(length / lines);
  return fits ? Outcome::kUnnoticed : Outcome::kMaybe;
}

TEST(Damage, RocksDbNoticesReservedTrailersAndNotMuchElse) {
  for (const char* spec :
       {"rocksdb:10", "rocksdb:100", "rocksdb:m=1,k=30", "rocksdb-legacy:10",
        "rocksdb-legacy:m=512,k=1", "rocksdb-legacy:100"}) {
    CheckEveryDamage(spec, ByRocksDbTrailer);
  }
}

TEST(Damage, RocksDbRibbonNoticesTooFewBlocksAndNotMuchElse) {
  // 20 keys would become a Bloom filter.
  CheckEveryDamage("rocksdb-ribbon:10", ByRocksDbTrailer, 400);
  CheckEveryDamage("rocksdb-ribbon:3", ByRocksDbTrailer, 2000);
}

// A flipped bit of its header is noticed, or leaves the filter as it was: an
// integer of another width, say.
TEST(Damage, ParquetNoticesEveryCutAndItsHeader) {
  const auto keys = testing::NumberedKeys("user:", 20);
  for (const char* spec : {"parquet:10", "parquet:m=5000,k=8"}) {
    const auto policy = PolicyOf(spec);
    const std::string whole = testing::Build(*policy, keys);
    const std::size_t header_bits =
        whole.size() * 8 - policy->Predict(keys.size()).bits;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      ASSERT_EQ(OutcomeOf(*policy, whole.substr(0, size)), Outcome::kRefused)
          << size;
    }
    std::string damaged = whole;
    unsigned noticed = 0;
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      damaged[bit / 8] = static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)));
      if (OutcomeOf(*policy, damaged) != Outcome::kUnnoticed) {
        ASSERT_LT(bit, header_bits) << spec;
        ++noticed;
      } else if (bit < header_bits) {
        for (const std::string& key : keys) {
          ASSERT_TRUE(testing::AnswersMaybe(*policy, damaged, key)) << bit;
        }
      }
      damaged[bit / 8] = whole[bit / 8];
    }
    EXPECT_GE(noticed, header_bits * 7 / 10) << spec;
  }
}

TEST(Damage, OurOwnNoticesEverything) {
  for (const char* spec : {"bloom:10", "classic:10", "splitblock:10",
                           "bloom:m=2000,k=32", "splitblock:100,seed=3"}) {
    const std::string whole =
        testing::Build(*PolicyOf(spec), testing::NumberedKeys("user:", 20));
    CheckEveryDamage(spec, [&whole](const std::string& bytes) {
      return bytes == whole ? Outcome::kUnnoticed : Outcome::kRefused;
    });
  }
}

// Where no checksum can tell, a bit that falls from 1 to 0 may hide a key, but
// one that rises from 0 to 1 never does.
TEST(Damage, RisingBitsOfTheArrayHideNoKey) {
  struct Case {
    const char* spec;
    std::size_t header, trailer;
  };
  const auto keys = testing::NumberedKeys("user:", 20);
  for (const Case& c :
       {Case{"leveldb:10", 0, 1}, Case{"cassandra:ka", 8, 0},
        Case{"cassandra:oa", 8, 0}, Case{"lab:m=200,k=7", 12, 0},
        Case{"md5:m=200,k=7", 12, 0}, Case{"rocksdb:10", 0, 5},
        Case{"rocksdb-legacy:10", 0, 5}, Case{"parquet:10", 15, 0}}) {
    const auto policy = PolicyOf(c.spec);
    const std::string whole = testing::Build(*policy, keys);
    for (std::size_t bit = 8 * c.header; bit < 8 * (whole.size() - c.trailer);
         ++bit) {
      std::string raised = whole;
      raised[bit / 8] = static_cast<char>(raised[bit / 8] | (1 << (bit % 8)));
      const auto reader = policy->Open(raised);
      ASSERT_TRUE(reader.ok());
      for (const std::string& key : keys) {
        ASSERT_TRUE(reader->MayContain(key)) << c.spec << " bit " << bit;
      }
    }
  }
}

}  // namespace
}  // namespace tamis
