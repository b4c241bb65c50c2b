// SPDX-License-Identifier: Apache-2.0
// count_instructions: queries and nothing else, for tools that count
// instructions. Two runs that differ in the number of queries differ by what
// these take: scripts/kernel_cycles.sh runs it so, under valgrind.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/keys.h"
#include "tamis/filter.h"
#include "tamis/key_hash.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kFilterKeys = 100'000;  // within any second-level cache
constexpr std::size_t kCall = 256;
constexpr std::size_t kKeyBytes = 8;

struct Queries {
  std::unique_ptr<const FilterReader> reader;
  std::span<const Slice> keys;
  KeyHashes hashes;
};

// Queries the same kCall keys once, in one of the ways.  False: there is no
// such way.
bool AskAll(const Queries& queries, std::string_view way, std::span<bool> out) {
  if (way == "many") {
    queries.reader->MayContainMany(queries.keys, out);
  } else if (way == "hashes") {
    queries.reader->MayContainHashes(queries.hashes, out);
  } else if (way == "one") {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = queries.reader->MayContain(queries.keys[i]);
    }
  } else if (way == "one-hash") {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = queries.reader->MayContainHash(
          {queries.hashes.values[i], queries.hashes.seed});
    }
  } else {
    return false;
  }
  return true;
}

Result<std::string> Build(const FilterPolicy& policy) {
  const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
  KeyChunk chunk(kFilterKeys, kKeyBytes);
  chunk.FillFrom(0, kFilterKeys);
  builder->AddMany(chunk.keys());
  std::string bytes;
  Status built = builder->Finish(&bytes);
  if (!built.ok()) return built;
  return bytes;
}

int Run(const std::string& spec, std::string_view way, std::uint64_t calls) {
  const auto policy = MakePolicy(spec);
  if (!policy.ok()) return 2;
  const Result<std::string> bytes = Build(**policy);
  if (!bytes.ok()) return 1;
  auto reader = (*policy)->Open(*bytes);
  if (!reader.ok()) return 1;
  KeyChunk chunk(kCall, kKeyBytes);
  chunk.FillFrom(kFilterKeys, kCall);  // absent
  std::array<std::uint64_t, kCall> values;
  const Queries queries = {.reader = *std::move(reader),
                           .keys = chunk.keys(),
                           .hashes = HashKeys(chunk.keys(), values)};
  std::array<bool, kCall> out = {};
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (!AskAll(queries, way, out)) return 2;
  }
  fmt::print("{} of {} keys may be in\n",
             std::count(out.begin(), out.end(), true), kCall);
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--smoke") == 0) {
    return tamis::bench::Run("ribbon:8", "hashes", 2);
  }
  std::uint64_t calls = 0;
  if (argc == 4) {
    const std::string_view text = argv[3];
    std::from_chars(text.data(), text.data() + text.size(), calls);
  }
  const int status = calls > 0 ? tamis::bench::Run(argv[1], argv[2], calls) : 2;
  if (status == 2) {
    fmt::print(
        "usage: count_instructions POLICY many|hashes|one|one-hash CALLS\n"
        "Builds a filter of 100,000 keys and queries 256 absent ones so "
        "often.\n");
  }
  return status;
}
