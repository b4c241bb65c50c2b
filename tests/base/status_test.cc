#include "tamis/status.h"

#include <memory>
#include <string>
#include <utility>

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
