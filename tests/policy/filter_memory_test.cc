// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_memory.h"

#include <sys/mman.h>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/growing_pages.h"
#include "base/huge_pages.h"
#include "tamis/filter_file.h"
#include "tests/base/temp_dir.h"
#include "tests/support/filters.h"

namespace tamis {
namespace {

std::uintptr_t AddressOf(Slice bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes.data());
}

TEST(FilterMemory, HoldsTheBytesAtACacheLineAndKeepsThemWhenMoved) {
  for (std::size_t size : {0u, 1u, 63u, 64u, 65u, 100'000u, 5'000'000u}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
    auto copy = FilterMemory::Copy(bytes);
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(copy->bytes(), bytes);
    EXPECT_EQ(AddressOf(copy->bytes()) % 64, 0u);
    if (size >= kHugePageBytes) {
      EXPECT_EQ(AddressOf(copy->bytes()) % kHugePageBytes, 0u);
    }
    const FilterMemory moved = *std::move(copy);
    EXPECT_EQ(moved.bytes(), bytes);
  }
}

TEST(NewMemory, SaysSoWhenThereIsNone) {
  EXPECT_EQ(NewMemory(~std::size_t{0}), nullptr);
  EXPECT_EQ(NewMemory(~std::size_t{0} / 2), nullptr);
}

bool IsMapped(std::uintptr_t address) {
  unsigned char in_memory = 0;
  return ::mincore(reinterpret_cast<void*>(address), 1, &in_memory) == 0;
}

TEST(NewMemory, ALargeBlockIsTheSystemsAgainWhenItIsFreed) {
  for (const std::size_t bytes : {kMappedBytes, 3 * kHugePageBytes / 2}) {
    MemoryBlock<unsigned char> block = NewMemory(bytes);
    ASSERT_NE(block, nullptr);
    if (block.get_deleter().mapped_bytes == 0) {
      GTEST_SKIP() << "with the address sanitizer, malloc has all blocks";
    }
    std::memset(block.get(), 1, bytes);
    const auto first = reinterpret_cast<std::uintptr_t>(block.get());
    const std::uintptr_t last = first + bytes - PageBytes();
    EXPECT_TRUE(IsMapped(first));
    EXPECT_TRUE(IsMapped(last));
    FreeMemoryOf(bytes)(block.release());
    EXPECT_FALSE(IsMapped(first));
    EXPECT_FALSE(IsMapped(last));
  }
}

TEST(FilterMemory, ALoadedFileAnswersThoughTheFileIsCutShort) {
  TempDir dir;
  const auto policy = testing::PolicyOf("bloom:10");
  const auto keys = testing::NumberedKeys("k", 5000);
  const std::string filter = testing::Build(*policy, keys);
  const std::string path = dir.Write("f.tamis", filter);
  const auto file = FilterFile::Open(path, "", FileAccess::kLoad);
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  dir.Write("f.tamis", "");  // in place: a mapping would lose its bytes
  EXPECT_EQ(file->bytes(), filter);
  for (const std::string& key : keys) {
    ASSERT_TRUE(file->reader().MayContain(key));
  }
}

}  // namespace
}  // namespace tamis
