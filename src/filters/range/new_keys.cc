// SPDX-License-Identifier: Apache-2.0
// Keys that could be there are made of those that are: the front of one, and
// the rest of two others that are not far away; or of one, with other digits
// in place of its last ones.  So they have the lengths, the alphabets and the
// separators of these keys, and are where these are dense; but they are not at
// the distances of these keys from one another, which may be regular.

#include "filters/range/new_keys.h"

#include <algorithm>
#include <string>
#include <vector>

#include "filters/range/shared_bytes.h"

namespace tamis {
namespace {

// Runs of neighbours in which ranges are tried, and the new keys for each key
// of a run: as many as make neighbours among them a quarter of a gap apart.
constexpr std::size_t kTriedRuns = 8;
constexpr std::size_t kTriedRunKeys = 128;
constexpr std::size_t kNewPerKey = 4;
constexpr std::size_t kMinNew = 256;
// Keys for each one that is in a run, so that this does not cost much.
constexpr std::size_t kKeysPerTried = 64;
constexpr std::size_t kMinTried = 256;
// How far away the other key is.
constexpr std::size_t kNear = 2048;

// Numbers that look random and are always the same.
class Choice {
 public:
  std::size_t Below(std::size_t limit) noexcept {
    state_ = state_ * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 0x2545f4914f6cdd1d;
};

// The bytes that neighbours of a run mostly share.
std::size_t UsuallyShared(std::span<const Slice> run) {
  std::vector<std::size_t> shared;
  for (std::size_t i = 1; i < run.size(); ++i) {
    shared.push_back(SharedBytes(run[i - 1], run[i]));
  }
  if (shared.empty()) return 0;
  const auto middle =
      shared.begin() + static_cast<std::ptrdiff_t>(shared.size() / 2);
  std::nth_element(shared.begin(), middle, shared.end());
  return *middle;
}

bool IsText(char c) noexcept { return c >= ' ' && c <= '~'; }

// Puts other digits in place of those from `cut` on, decimal or hexadecimal;
// where bytes are not text, other bytes in place of all.
void ChangeDigits(std::size_t cut, Choice* choice, std::string* key) {
  cut = std::min(cut, key->size());
  const auto from = key->begin() + static_cast<std::ptrdiff_t>(cut);
  const bool text = std::all_of(from, key->end(), IsText);
  std::for_each(from, key->end(), [&](char& c) {
    if (!text) {
      c = static_cast<char>(choice->Below(256));
    } else if (c >= '0' && c <= '9') {
      c = static_cast<char>('0' + choice->Below(10));
    } else if (c >= 'a' && c <= 'f') {
      c = static_cast<char>('a' + choice->Below(6));
    }
  });
}

// Makes new keys near to those of a run, which begins at number `from`.
std::vector<std::string> NewKeys(std::span<const Slice> keys, std::size_t from,
                                 std::size_t length, Choice* choice) {
  const std::size_t usual = UsuallyShared(keys.subspan(from, length));
  const std::size_t low = from - std::min(from, kNear);
  const std::size_t high = std::min(from + length + kNear, keys.size());
  // One byte before the usual place, so that the front does not say between
  // which keys the new one is.
  const std::size_t front = usual - std::min<std::size_t>(usual, 1);
  std::vector<std::string> made;
  const std::size_t count = std::max(length * kNewPerKey, kMinNew);
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string& key = made.emplace_back(keys[from + choice->Below(length)]);
    if (i % 2 == 0) {
      ChangeDigits(front, choice, &key);
      continue;
    }
    const Slice middle = keys[low + choice->Below(high - low)];
    const Slice rest = keys[low + choice->Below(high - low)];
    key.resize(std::min({front, key.size(), middle.size()}));
    // A longer front of one key would be nearer to it than others are.
    const std::size_t more = middle.starts_with(key) ? 0 : 1 + choice->Below(3);
    const std::size_t cut = std::min(key.size() + more, middle.size());
    key.append(middle.substr(key.size(), cut - key.size()));
    key.append(rest.substr(std::min(cut, rest.size())));
  }
  std::sort(made.begin(), made.end());
  return made;
}

struct Tried {
  std::size_t empty = 0;
  std::size_t maybe = 0;
};

// Tries the ranges from one new key to the next where no key is between them,
// and in place of every other one its beginning alone.
void TryRanges(std::span<const Slice> keys,
               const std::vector<std::string>& news, const KeyCode& code,
               const CodeGroups& groups, Tried* tried) {
  auto next = std::lower_bound(keys.begin(), keys.end(), Slice(news.front()));
  for (std::size_t i = 0; i + 1 < news.size(); ++i) {
    const Slice lo = news[i];
    const Slice hi = i % 2 == 0 ? news[i] : news[i + 1];
    while (next != keys.end() && *next < lo) ++next;
    if (next != keys.end() && *next <= hi) continue;
    const KeyCode::Ends ends = code.EndsOf(lo, hi);
    ++tried->empty;
    if (!ends.empty && groups.MayContain(ends.lo, ends.hi)) ++tried->maybe;
  }
}

}  // namespace

double RateBetween(std::span<const Slice> keys, const KeyCode& code,
                   const CodeGroups& groups) {
  if (keys.size() < 2) return 0;
  const std::size_t wanted = std::max(keys.size() / kKeysPerTried, kMinTried);
  const std::size_t runs = std::clamp<std::size_t>(
      std::min(wanted, keys.size()) / kTriedRunKeys, 1, kTriedRuns);
  const std::size_t length = std::min(keys.size(), kTriedRunKeys);
  Choice choice;
  Tried tried;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t from = choice.Below(keys.size() - length + 1);
    TryRanges(keys, NewKeys(keys, from, length, &choice), code, groups, &tried);
  }
  return tried.empty == 0 ? 0
                          : static_cast<double>(tried.maybe) /
                                static_cast<double>(tried.empty);
}

}  // namespace tamis
