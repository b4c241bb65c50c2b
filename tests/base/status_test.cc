// SPDX-License-Identifier: Apache-2.0
#include "tamis/status.h"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/append_zeros.h"
#include "tamis/result.h"

namespace tamis {
namespace {

TEST(Status, SaysWhatWentWrong) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status::Ok().ToString(), "ok");
  const Status bad = Status::Corruption("tamis: cut off");
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.code(), StatusCode::kCorruption);
  EXPECT_EQ(bad.ToString(), "corruption: tamis: cut off");
}

// Whoever runs out of memory can try again later; a full filter stays full.
TEST(Status, AFullFilterIsNoLackOfMemory) {
  const Status full = Status::FilterFull("cuckoo: no room");
  EXPECT_NE(full.code(), Status::ResourceExhausted("no memory").code());
  EXPECT_EQ(full.ToString(), "filter full: cuckoo: no room");
}

TEST(Status, CarriesWhatMendsItWhereItIsCopiedAndMoved) {
  EXPECT_EQ(Status().remedy(), Remedy::kNone);
  EXPECT_EQ(Status::Corruption("cut off").remedy(), Remedy::kNone);
  Status bad = Status::Corruption("cut off").With(Remedy::kRepairStore);
  EXPECT_EQ(bad.ToString(), "corruption: cut off");
  const Status copy = bad;
  EXPECT_EQ(copy.remedy(), Remedy::kRepairStore);
  const Status other = copy.WithMessage("a table is cut off");
  EXPECT_EQ(other.code(), StatusCode::kCorruption);
  EXPECT_EQ(other.message(), "a table is cut off");
  EXPECT_EQ(other.remedy(), Remedy::kRepairStore);
  const Result<int> none(std::move(bad));
  EXPECT_EQ(none.status().remedy(), Remedy::kRepairStore);
}

TEST(Result, HoldsAValueOrAStatus) {
  Result<std::unique_ptr<int>> value(std::make_unique<int>(7));
  ASSERT_TRUE(value.ok());
  EXPECT_TRUE(value.status().ok());
  EXPECT_EQ(**value, 7);
  const std::unique_ptr<int> taken = *std::move(value);
  EXPECT_EQ(*taken, 7);

  const Result<int> none(Status::NotFound("no such file"));
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), StatusCode::kNotFound);
}

TEST(Result, LeadsThroughOwningPointersToTheObject) {
  Result<std::unique_ptr<std::string>> unique(
      std::make_unique<std::string>("abc"));
  EXPECT_EQ(unique->size(), 3u);
  unique->push_back('d');
  const Result<std::shared_ptr<std::string>> shared(
      std::make_shared<std::string>("ab"));
  EXPECT_EQ(shared->size(), 2u);
  shared->push_back('c');  // as of a pointer that is const itself
  EXPECT_EQ(**shared, "abc");

  Result<std::string> plain("abcd");
  EXPECT_EQ(plain->size(), 4u);
  const Result<std::optional<int>> other(std::optional<int>(7));
  EXPECT_TRUE(other->has_value());
}

// Counts the objects that are alive.
class Counted {
 public:
  explicit Counted(int* alive) : alive_(alive) { ++*alive_; }
  Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
  ~Counted() { --*alive_; }
  Counted& operator=(const Counted&) = delete;

 private:
  int* alive_;
};

TEST(Result, ATemporaryGivesItsValueAwaySoThatALoopHoldsIt) {
  static_assert(std::is_same_v<decltype(*std::declval<Result<std::string>>()),
                               std::string>);
  int alive = 0;
  const auto make = [&]() -> Result<std::vector<Counted>> {
    return std::vector<Counted>(3, Counted(&alive));
  };
  int seen = 0;
  for ([[maybe_unused]] const Counted& counted : *make()) {
    ++seen;
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(alive, 0);
}

TEST(AppendZeros, LeavesWhatIsThereAndRefusesTheImpossible) {
  std::string text = "ab";
  ASSERT_TRUE(AppendZeros(&text, 3).ok());
  EXPECT_EQ(text, std::string("ab\0\0\0", 5));
  for (std::uint64_t count : {~std::uint64_t{0}, std::uint64_t{1} << 62}) {
    const Status status = AppendZeros(&text, count);
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << count;
    EXPECT_EQ(text.size(), 5u);
  }
}

}  // namespace
}  // namespace tamis
