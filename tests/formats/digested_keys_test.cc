// SPDX-License-Identifier: Apache-2.0
// The filters of hashes are those of the keys.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tamis/blocked.h"
#include "formats/tamis/fuse.h"
#include "formats/tamis/ribbon.h"
#include "hash/xxhash.h"
#include "math/ribbon_sizing.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

using testing::Build;
using testing::PolicyOf;

class FromHashes : public ::testing::Test {
 protected:
  // "<count>.<i>", hashed with `seed`.
  void Collect(std::uint64_t count, std::uint64_t seed) {
    keys_ = testing::NumberedKeys(std::to_string(count) + ".", count);
    hashes_ = std::make_unique<KeyHashSet>(KeyHashSetOptions());
    for (const std::string& key : keys_) hashes_->Push(Xxh3(key, seed));
    ASSERT_TRUE(hashes_->Seal().ok());
    hashed_ = {.hashes = hashes_.get(), .seed = seed};
  }
  void ExpectSame(const std::string& spec, Status status,
                  const std::string& bytes) {
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(bytes == "front" + Build(*PolicyOf(spec), keys_))
        << spec << " of " << keys_.size();
  }

  std::vector<std::string> keys_;
  std::unique_ptr<KeyHashSet> hashes_;
  HashedKeys hashed_{};
};

// Small ones, many: their last equations are solved at a second attempt here
// and there.
TEST_F(FromHashes, ARibbonIsThatOfTheKeys) {
  const std::uint32_t columns = RibbonColumns(6.5);
  for (std::uint64_t count = 0; count < 3000; count += 1 + count / 40) {
    const std::uint64_t seed = count % 5;
    ASSERT_NO_FATAL_FAILURE(Collect(count, seed));
    std::string bytes = "front";
    Status status = AppendTamisRibbon(hashed_, columns, {}, &bytes);
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame("ribbon:6.5,seed=" + std::to_string(seed), status, bytes));
  }
}

TEST_F(FromHashes, AFuseFilterIsThatOfTheKeys) {
  for (const std::uint64_t count : {0u, 1u, 2u, 10u, 1000u, 50'000u}) {
    ASSERT_NO_FATAL_FAILURE(Collect(count, 9));
    std::string bytes = "front";
    Status status =
        AppendTamisFuse(hashed_, {.cell_bits = 16, .arity = 4}, {}, &bytes);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("fuse16:arity=4,seed=9", status, bytes));
  }
}

TEST_F(FromHashes, LinesAreThoseOfTheKeys) {
  for (const std::uint64_t count : {0u, 1u, 100u, 300'000u}) {
    ASSERT_NO_FATAL_FAILURE(Collect(count, 2));
    std::string bytes = "front";
    Status status = AppendTamisLines(hashed_, {.bits_per_key = 10}, &bytes);
    ASSERT_NO_FATAL_FAILURE(ExpectSame("bloom:10,seed=2", status, bytes));
  }
}

}  // namespace
}  // namespace tamis
