// SPDX-License-Identifier: Apache-2.0
// Filters in parts, byte for byte as an independent writer makes them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/filter_parts.h"
#include "table/part_cache.h"
#include "table/table_filter.h"
#include "tests/support/golden.h"
#include "tests/support/memory_env.h"

namespace tamis {
namespace {

using testing::FromHex;
using testing::LoadGolden;

// One row of tamis_filter_parts.json.
class GoldenParts {
 public:
  explicit GoldenParts(const nlohmann::json& row)
      : row_(row), top_(Bytes("top")) {
    for (const auto& part : row["parts"]) {
      parts_.push_back(FromHex(part.get<std::string>()));
    }
  }

  const std::string& top() const { return top_; }
  const std::vector<std::string>& parts() const { return parts_; }
  std::uint64_t offset() const { return row_["offset"].get<std::uint64_t>(); }
  std::uint32_t lines_per_part() const {
    return row_["lines_per_part"].get<std::uint32_t>();
  }
  std::string lines() const {
    std::string lines;
    for (const std::string& part : parts_) lines += part;
    return lines;
  }
  // The filter of the row's keys, as we build it.
  std::string Build() const {
    const auto policy = MakePolicy(row_["spec"].get<std::string>());
    EXPECT_TRUE(policy.ok());
    const auto builder = (*policy)->NewBuilder();
    for (const auto& key : row_["keys"]) {
      builder->Add(FromHex(key.get<std::string>()));
    }
    std::string filter;
    EXPECT_TRUE(builder->Finish(&filter).ok());
    return filter;
  }

 private:
  std::string Bytes(const char* name) const {
    return FromHex(row_[name].get<std::string>());
  }

  const nlohmann::json& row_;
  std::string top_;
  std::vector<std::string> parts_;
};

TEST(FilterPartsBytes, AreWrittenAsByTheReference) {
  const auto golden = LoadGolden("tamis_filter_parts.json");
  for (const auto& row : golden["vectors"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const GoldenParts expected(row);
    const std::string filter = expected.Build();
    const auto lines = ViewLines(filter);
    ASSERT_TRUE(lines.has_value());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(lines->lines),
                          lines->count * kLineBytes),
              expected.lines());
    std::string top;
    AppendPartsTop(&top, *lines, expected.offset(), expected.lines_per_part());
    EXPECT_EQ(testing::ToHex(top), row["top"].get<std::string>());
  }
}

TEST(FilterPartsBytes, AreReadAsTheReferenceWroteThem) {
  const auto golden = LoadGolden("tamis_filter_parts.json");
  for (const auto& row : golden["vectors"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const GoldenParts stored(row);
    const std::uint64_t end = stored.offset() + stored.lines().size();
    const auto top = ParsePartsTop(stored.top(), end);
    ASSERT_TRUE(top.ok());
    EXPECT_FALSE(ParsePartsTop(stored.top(), end - 1).ok());
    ASSERT_EQ(top->part_count(), stored.parts().size());
    std::uint64_t at = stored.offset();
    for (std::size_t i = 0; i < stored.parts().size(); ++i) {
      std::string part = stored.parts()[i];
      EXPECT_EQ(top->OffsetOf(i), at);
      EXPECT_EQ(top->SizeOf(i), part.size());
      EXPECT_TRUE(top->IsPart(i, part));
      part.back() = static_cast<char>(part.back() ^ 0x80);
      EXPECT_FALSE(top->IsPart(i, part));
      at += part.size();
    }
  }
}

// Of each key also which part it asks: with the others damaged the answer is
// the same, and with that one it is "maybe".
TEST(FilterPartsBytes, AnswerAsTheReferenceDoes) {
  constexpr std::uint64_t kMostBytes = 1 << 20;  // of a file for a test
  const auto golden = LoadGolden("tamis_filter_parts.json");
  std::size_t absent = 0;
  for (const auto& row : golden["vectors"]) {
    SCOPED_TRACE(row["why"].get<std::string>());
    const GoldenParts stored(row);
    if (stored.offset() > kMostBytes) continue;
    const std::string file =
        std::string(stored.offset(), '\0') + stored.lines();
    const auto top = ParsePartsTop(stored.top(), file.size());
    ASSERT_TRUE(top.ok());
    // The last turn damages nothing.
    for (std::size_t damaged = 0; damaged <= stored.parts().size(); ++damaged) {
      testing::MemoryEnv env;
      std::string content = file;
      if (damaged < stored.parts().size()) content[top->OffsetOf(damaged)] ^= 1;
      env.SetContents("/f", content);
      FilterRoom room;
      PartCache cache(room);
      const auto filter = TableFilter::OpenParts(
          stored.top(), {*env.OpenReadable("/f", true), &room, &cache},
          TableFilter::kInParts);
      ASSERT_EQ(filter->kind(), TableFilter::Kind::kParts);
      for (const auto& answer : row["answers"]) {
        const bool is_in_damaged = answer["part"].get<std::size_t>() == damaged;
        const bool expected = is_in_damaged || answer["maybe"].get<bool>();
        EXPECT_EQ(filter->MayContain(FromHex(answer["key"].get<std::string>())),
                  expected);
        absent += expected ? 0 : 1;
      }
    }
  }
  EXPECT_GT(absent, 100u);
}

}  // namespace
}  // namespace tamis
