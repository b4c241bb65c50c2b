// SPDX-License-Identifier: Apache-2.0
#include "absent_keys.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "numbers.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Returns the eight bytes after the first `skip`, as a number in their order.
std::uint64_t NumberAt(Slice key, std::size_t skip) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t at = skip + i;
    number = number << 8 |
             (at < key.size() ? static_cast<unsigned char>(key[at]) : 0u);
  }
  return number;
}

std::string WithNumber(std::string prefix, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    prefix += static_cast<char>(number >> shift);
  }
  return prefix;
}

// Returns a key of the store from the range of a table.
Result<std::string> SomeKeyIn(const StoreTable& table, Iterator* at,
                              std::mt19937_64* random) {
  const std::string& first = table.smallest;
  const std::string& last = table.largest;
  const auto shared = static_cast<std::size_t>(
      std::mismatch(first.begin(), first.end(), last.begin(), last.end())
          .first -
      first.begin());
  std::uniform_int_distribution<std::uint64_t> numbers(NumberAt(first, shared),
                                                       NumberAt(last, shared));
  at->Seek(WithNumber(first.substr(0, shared), numbers(*random)));
  if (at->Valid() && at->key() < Slice(last)) return std::string(at->key());
  return at->status().ok() ? Result<std::string>(first) : at->status();
}

// Returns keys of the store from all of its tables, of larger ones more.
Result<std::vector<std::string>> SomeKeys(Store& store,
                                          std::span<const StoreTable> tables,
                                          std::mt19937_64* random) {
  constexpr int kKeys = 1000;
  std::vector<double> weights;
  for (const StoreTable& table : tables) {
    weights.push_back(static_cast<double>(table.bytes));
  }
  std::discrete_distribution<std::size_t> any(weights.begin(), weights.end());
  const std::unique_ptr<Iterator> at = store.NewIterator();
  std::vector<std::string> keys;
  for (int i = 0; i < kKeys; ++i) {
    Result<std::string> key = SomeKeyIn(tables[any(*random)], at.get(), random);
    if (!key.ok()) return key.status();
    keys.push_back(*std::move(key));
  }
  return keys;
}

}  // namespace

Status AskAbsentKeys(Store& store, std::span<const StoreTable> tables,
                     std::uint64_t count) {
  if (count == 0 || tables.empty()) return Status::Ok();
  std::mt19937_64 random(count);
  const Result<std::vector<std::string>> keys =
      SomeKeys(store, tables, &random);
  if (!keys.ok()) return keys.status();
  std::string value;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Nobody's key, but for one in 2^64 whose owner chose it so.
    const std::string key =
        WithNumber((*keys)[i % keys->size()] + '\0', random());
    const Status got = store.Get({}, key, &value);
    if (!got.ok() && got.code() != StatusCode::kNotFound) return got;
  }
  return Status::Ok();
}

Result<std::uint64_t> ParseSample(std::string_view text) {
  constexpr std::uint64_t kMax = 1'000'000'000;
  if (text.empty()) return std::uint64_t{0};
  Result<std::uint64_t> count = ParseCount(text);
  if (!count.ok()) {
    return Status::InvalidArgument("--sample: " + count.status().message());
  }
  if (*count > kMax) {
    return Status::InvalidArgument("--sample: at most 1e9 keys can be asked");
  }
  return count;
}

std::string ObservedRate(const FilterCounts& filters) {
  if (filters.absent + filters.false_positives == 0) return "-";
  return Percent(filters.observed_rate());
}

}  // namespace tamis::tools
