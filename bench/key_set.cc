#include "bench/key_set.h"

#include <algorithm>
#include <numeric>

#include "base/coding.h"
#include "base/wide_math.h"
#include "hash/splitmix64.h"

namespace tamis::bench {
namespace {

void WriteKey(std::uint64_t number, std::size_t key_bytes, char* to) {
  std::uint64_t word = SplitMix64(number);  // a bijection: keys stay distinct
  char bytes[sizeof(word)];
  for (std::size_t at = 0; at < key_bytes; at += sizeof(word)) {
    StoreLittle(bytes, word);
    std::copy_n(bytes, std::min(sizeof(word), key_bytes - at), to + at);
    word = SplitMix64(word);
  }
}

}  // namespace

KeySet::KeySet(const std::vector<std::uint64_t>& numbers, std::size_t key_bytes)
    : bytes_(numbers.size() * key_bytes, '\0') {
  slices_.reserve(numbers.size());
  char* to = bytes_.data();
  for (const std::uint64_t number : numbers) {
    WriteKey(number, key_bytes, to);
    slices_.emplace_back(to, key_bytes);
    to += key_bytes;
  }
}

std::vector<std::uint64_t> NumbersFrom(std::uint64_t first,
                                       std::uint64_t count) {
  std::vector<std::uint64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::vector<std::uint64_t> NumbersBelow(std::uint64_t end,
                                        std::uint64_t count) {
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers[i] = MultiplyHigh(SplitMix64(i), end);
  }
  return numbers;
}

}  // namespace tamis::bench
