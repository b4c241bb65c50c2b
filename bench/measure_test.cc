// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace tamis::bench {
namespace {

Plan TinyPlan() {
  return {.keys = 2000, .queries = 1000, .two_threads = false};
}

Result<Run> MeasureTiny(const Subjects& subjects) {
  return Measure(TinyPlan(), subjects,
                 [](const Plan&, unsigned, std::string_view) {});
}

TEST(Measure, QueriesFiltersByHashesInEveryWayThatTheyHave) {
  Subjects subjects;
  auto ours = NewTamisSubject("bloom:10");
  ASSERT_TRUE(ours.ok());
  subjects.push_back(*std::move(ours));
  subjects.push_back(NewHashedSubject(kHashedName, subjects.front().get()));
  const auto run = MeasureTiny(subjects);
  ASSERT_TRUE(run.ok()) << run.status().message();
  const Row* hashed = run->Find(kHashedName);
  ASSERT_NE(hashed, nullptr);
  EXPECT_FALSE(hashed->passes[kMiss256].empty());
  EXPECT_TRUE(hashed->passes[kMissInline].empty());
  EXPECT_FALSE(run->Find("bloom:10")->passes[kHitInline].empty());
  EXPECT_FALSE(run->Find("bloom:10")->passes[kHitPrefetched].empty());
}

// Does nothing; the subjects below add to it.
class EmptySubject : public Subject {
 public:
  std::string name() const override { return "empty"; }
  bool is_filter() const override { return false; }
  void Prepare(const KeyChunk& /*chunk*/) override {}
  void Start(std::uint64_t /*keys*/, Metric /*how*/) override {}
  void Add(Metric /*how*/) override {}
  Status Finish() override { return Status::Ok(); }
  Status Load() override { return Status::Ok(); }
  void Ask(std::size_t /*keys_per_call*/, std::span<bool> /*out*/) override {}
  std::uint64_t bytes() const override { return 0; }
  double ExpectedRate(std::uint64_t /*keys*/) const override { return 0; }
};

class PreparedSubject final : public EmptySubject {
 public:
  bool Has(Metric metric) const override {
    return metric == kMissOne || IsInline(metric);
  }
  void Prepare(const KeyChunk& /*chunk*/) override { is_inline_ = false; }
  void PrepareInline(const KeyChunk& /*chunk*/) override { is_inline_ = true; }
  void Ask(std::size_t /*keys_per_call*/, std::span<bool> /*out*/) override {
    EXPECT_FALSE(is_inline_);
  }
  Status AskInline(Metric /*metric*/, std::span<bool> /*out*/) override {
    EXPECT_TRUE(is_inline_);
    return Status::Ok();
  }

 private:
  bool is_inline_ = false;
};

TEST(Measure, PreparesHashesForInlineQueriesOnly) {
  Subjects subjects;
  subjects.push_back(std::make_unique<PreparedSubject>());
  EXPECT_TRUE(MeasureTiny(subjects).ok());
}

class BoastingSubject final : public EmptySubject {
 public:
  bool Has(Metric metric) const override { return metric == kMissInline; }
};

TEST(Measure, FailsWhereASubjectDoesNotImplementTheInlineQueriesItClaims) {
  Subjects subjects;
  subjects.push_back(std::make_unique<BoastingSubject>());
  const auto run = MeasureTiny(subjects);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().code(), StatusCode::kNotSupported);
}

}  // namespace
}  // namespace tamis::bench
