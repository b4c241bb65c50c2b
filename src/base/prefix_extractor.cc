// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/no_throw.h"
#include "tamis/prefix.h"

namespace tamis {
namespace {

// Longer prefixes than this say little more than the whole key does.
constexpr std::size_t kMaxFixed = 65535;
constexpr std::size_t kMaxCount = 255;
constexpr std::size_t kMaxNameBytes = 64;

class FixedPrefix final : public PrefixExtractor {
 public:
  explicit FixedPrefix(std::size_t length)
      : length_(length), name_("fixed=" + std::to_string(length)) {}

  std::string_view name() const noexcept override { return name_; }
  std::optional<std::size_t> PrefixLength(Slice key) const override {
    return key.size() < length_ ? std::nullopt : std::optional(length_);
  }

 private:
  const std::size_t length_;
  const std::string name_;
};

// The delimiter as it is, where that can be read as nothing else.
std::string DelimiterText(unsigned char delimiter) {
  const bool is_plain = delimiter > ' ' && delimiter < 0x7f && delimiter != ',';
  if (is_plain) return std::string(1, static_cast<char>(delimiter));
  std::array<char, 8> digits{};
  std::snprintf(digits.data(), digits.size(), "0x%02x", delimiter);
  return digits.data();
}

class DelimitedPrefix final : public PrefixExtractor {
 public:
  DelimitedPrefix(unsigned char delimiter, std::size_t count)
      : delimiter_(delimiter),
        count_(count),
        name_("delimiter=" + DelimiterText(delimiter) +
              ",count=" + std::to_string(count)) {}

  std::string_view name() const noexcept override { return name_; }
  std::optional<std::size_t> PrefixLength(Slice key) const override {
    std::size_t at = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const void* const found =
          at < key.size()
              ? std::memchr(key.data() + at, delimiter_, key.size() - at)
              : nullptr;
      if (found == nullptr) return std::nullopt;
      at = static_cast<std::size_t>(static_cast<const char*>(found) -
                                    key.data()) +
           1;
    }
    return at;
  }

 private:
  const unsigned char delimiter_;
  const std::size_t count_;
  const std::string name_;
};

class PrefixByFunction final : public PrefixExtractor {
 public:
  using Function = std::function<std::optional<std::size_t>(Slice)>;
  PrefixByFunction(std::string name, Function prefix_length)
      : name_(std::move(name)), prefix_length_(std::move(prefix_length)) {}

  std::string_view name() const noexcept override { return name_; }
  std::optional<std::size_t> PrefixLength(Slice key) const override {
    return prefix_length_(key);
  }

 private:
  const std::string name_;
  const Function prefix_length_;
};

using Made = Result<std::shared_ptr<const PrefixExtractor>>;

Status NotUnderstood(std::string_view text, std::string_view why) {
  return Status::InvalidArgument(std::string("prefix extractor \"")
                                     .append(text)
                                     .append("\": ")
                                     .append(why));
}

// Nothing: not a number from 1 to `most`.
std::optional<std::size_t> NumberIn(std::string_view digits, std::size_t most,
                                    int base = 10) noexcept {
  std::size_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  if (error != std::errc() || stop != end || number > most) return std::nullopt;
  return number;
}

Made MakeFixed(std::string_view text, std::string_view digits) {
  const std::optional<std::size_t> length = NumberIn(digits, kMaxFixed);
  if (!length || *length == 0) {
    return NotUnderstood(text, "the length is a number of bytes, 1 to 65535");
  }
  return std::shared_ptr<const PrefixExtractor>(
      std::make_shared<FixedPrefix>(*length));
}

// Takes the delimiter off the front of *rest.
std::optional<unsigned char> TakeDelimiter(std::string_view* rest) noexcept {
  const std::string_view value = rest->starts_with(',')
                                     ? std::string_view()
                                     : rest->substr(0, rest->find(','));
  rest->remove_prefix(value.size());
  if (value.size() == 1) return static_cast<unsigned char>(value.front());
  if (value.size() != 4 || !value.starts_with("0x")) return std::nullopt;
  const std::optional<std::size_t> byte = NumberIn(value.substr(2), 255, 16);
  if (!byte) return std::nullopt;
  return static_cast<unsigned char>(*byte);
}

Made MakeDelimited(std::string_view text, std::string_view rest) {
  const std::optional<unsigned char> delimiter = TakeDelimiter(&rest);
  if (!delimiter) {
    return NotUnderstood(text,
                         "the delimiter is one byte, as it is or as \"0x1f\"; "
                         "a comma is \"0x2c\"");
  }
  constexpr std::string_view kCount = ",count=";
  std::optional<std::size_t> count = 1;
  if (rest.starts_with(kCount)) {
    count = NumberIn(rest.substr(kCount.size()), kMaxCount);
  } else if (!rest.empty()) {
    count.reset();
  }
  if (!count || *count == 0) {
    return NotUnderstood(
        text,
        "after the delimiter may be its count, as in \",count=2\": 1 to "
        "255");
  }
  return std::shared_ptr<const PrefixExtractor>(
      std::make_shared<DelimitedPrefix>(*delimiter, *count));
}

Made Make(std::string_view text) {
  using Maker = Made (*)(std::string_view, std::string_view);
  // A capped prefix of a key that is too short is the key, which is in every
  // filter anyway.
  constexpr std::array<std::pair<std::string_view, Maker>, 4> kMakers = {
      {{"fixed=", MakeFixed},
       {"delimiter=", MakeDelimited},
       {"rocksdb.FixedPrefix.", MakeFixed},
       {"rocksdb.CappedPrefix.", MakeFixed}}};
  for (const auto& [start, make] : kMakers) {
    if (text.starts_with(start)) return make(text, text.substr(start.size()));
  }
  return NotUnderstood(text,
                       "it is \"fixed=8\", or \"delimiter=:,count=2\", or a "
                       "function that only a program has");
}

bool IsOfAName(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

Made MakePrefixExtractor(std::string_view text) {
  return NoThrow([&] { return Make(text); });
}

Made NewPrefixExtractor(
    std::string name,
    std::function<std::optional<std::size_t>(Slice key)> prefix_length) {
  return NoThrow([&]() -> Made {
    if (name.empty() || name.size() > kMaxNameBytes ||
        !std::all_of(name.begin(), name.end(), IsOfAName)) {
      return NotUnderstood(
          name, "a name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'");
    }
    if (Make(name).ok()) {
      return NotUnderstood(name, "this name has a meaning of its own");
    }
    if (!prefix_length) return NotUnderstood(name, "it has no function");
    return std::shared_ptr<const PrefixExtractor>(
        std::make_shared<PrefixByFunction>(std::move(name),
                                           std::move(prefix_length)));
  });
}

}  // namespace tamis
