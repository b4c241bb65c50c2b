// SPDX-License-Identifier: Apache-2.0
#include "tests/support/key_families.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include "base/coding.h"

namespace tamis::testing {
namespace {

[[gnu::format(printf, 1, 2)]] std::string Text(const char* format, ...) {
  std::array<char, 128> text;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

std::uint64_t Below(Random* random, std::uint64_t limit) {
  return (*random)() % limit;
}

unsigned Number(Random* random, std::uint64_t limit) {
  return static_cast<unsigned>(Below(random, limit));
}

std::string Integer(Random* random) { return BigEndian((*random)()); }

std::string Clustered(Random* random) {
  const std::uint64_t base = Below(random, 20) * 0x0b0d9f3a61c5e7d3;
  return BigEndian(base + ((*random)() >> 30));
}

std::string Decimal(Random* random) {
  return Text("%016u", Number(random, 4'000'000));
}

std::string Hexadecimal(Random* random) {
  return Text("%016llx", static_cast<unsigned long long>((*random)()));
}

std::string Padded(Random* random) {
  const unsigned user = Number(random, 4000);
  return Text("user:%06u:item:%04u", user, Number(random, 10000));
}

std::string Unpadded(Random* random) {
  const unsigned user = Number(random, 4000);
  return Text("user:%u:item:%u", user, Number(random, 10000));
}

std::string Uuid(Random* random) {
  const std::uint64_t a = (*random)();
  const std::uint64_t b = (*random)();
  return Text("%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a),
              static_cast<unsigned>(a >> 32 & 0xffff),
              static_cast<unsigned>(a >> 48 & 0xfff),
              static_cast<unsigned>(0x8000 + (b & 0x3fff)),
              static_cast<unsigned long long>(b >> 16));
}

std::string Timestamp(Random* random) {
  const unsigned us = Number(random, 4'000'000);
  return Text("2024-05-01T12:00:%02u.%06u:%08x", us / 1'000'000, us % 1'000'000,
              Number(random, std::uint64_t{1} << 32));
}

std::string Mixed(Random* random) {
  const std::uint64_t family = Below(random, 3);
  if (family == 0) return Padded(random);
  if (family == 1) return "session:" + Uuid(random);
  return Text("order:%016u", Number(random, 4'000'000));
}

std::string Url(Random* random) {
  static constexpr std::array kWords = {
      "news",  "blog",  "item", "user", "about",   "search",  "product", "list",
      "forum", "topic", "page", "wiki", "article", "archive", "image",   "tag",
      "video", "cart",  "help", "docs", "story",   "photo",   "event",   "map"};
  static constexpr std::array kEnds = {".com", ".org", ".net", ".de", ".co.uk"};
  // A few hosts have most pages.
  const std::uint64_t host = Below(random, 1 + Below(random, 3000));
  Random of_host(host);
  std::string url = "https://www.";
  for (std::uint64_t i = 0; i <= of_host() % 2; ++i) {
    url += kWords[of_host() % kWords.size()];
  }
  for (std::uint64_t i = 0; i < 2 + of_host() % 5; ++i) {
    url.push_back(static_cast<char>('a' + of_host() % 26));
  }
  url += kEnds[of_host() % kEnds.size()];
  for (std::uint64_t i = 0; i <= Below(random, 3); ++i) {
    url += "/";
    url += kWords[Below(random, kWords.size())];
  }
  if (Below(random, 2) == 0) return url + Text("/%u", Number(random, 100'000));
  url += "/";
  for (std::uint64_t i = 0; i < 3 + Below(random, 9); ++i) {
    url.push_back(static_cast<char>('a' + Below(random, 26)));
  }
  return url + ".html";
}

std::string AnyString(Random* random) {
  std::string key((*random)() % 12, '\0');
  for (char& c : key) {
    const std::uint64_t choice = (*random)() % 4;
    c = static_cast<char>(choice == 0 ? 0 : choice == 1 ? 255 : (*random)());
  }
  return key;
}

constexpr std::array kFamilies = {
    KeyFamily{"integers", 0.025, 0.10, 0.007, Integer},
    KeyFamily{"clusters", 0.025, 0.10, 0.007, Clustered},
    KeyFamily{"decimal", 0.025, 0.10, 0.007, Decimal},
    KeyFamily{"hexadecimal", 0.025, 0.10, 0.007, Hexadecimal},
    KeyFamily{"padded", 0.025, 0.10, 0.007, Padded},
    KeyFamily{"uuid", 0.025, 0.10, 0.007, Uuid},
    KeyFamily{"timestamps", 0.025, 0.10, 0.007, Timestamp},
    KeyFamily{"mixed", 0.06, 1, 1, Mixed},
    KeyFamily{"unpadded", 0.15, 1, 1, Unpadded},
    KeyFamily{"urls", 1, 1, 1, Url},
    KeyFamily{"strings", 1, 1, 1, AnyString}};

}  // namespace

std::span<const KeyFamily> KeyFamilies() { return kFamilies; }

std::vector<std::string> SortedKeys(const KeyFamily& family, std::size_t count,
                                    Random* random) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) keys.push_back(family.key(random));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::vector<std::string> AllShortStrings() {
  const std::string symbols("\0a\xff", 3);
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == 3) continue;
    for (const char symbol : symbols) all.push_back(all[i] + symbol);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string BigEndian(std::uint64_t number) {
  std::string bytes(8, '\0');
  StoreBig(bytes.data(), number);
  return bytes;
}

bool AnyBetween(const std::vector<std::string>& sorted, const std::string& lo,
                const std::string& hi) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), lo);
  return at != sorted.end() && *at <= hi;
}

}  // namespace tamis::testing
