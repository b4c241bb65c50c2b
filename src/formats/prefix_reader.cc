// SPDX-License-Identifier: Apache-2.0
#include "formats/prefix_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/key_prefix.h"

namespace tamis {
namespace {

class PrefixReader final : public FilterReader {
 public:
  // `owned`, which may be null, is the filter if that is not owned elsewhere.
  PrefixReader(const FilterReader& filter,
               std::unique_ptr<const FilterReader> owned,
               std::shared_ptr<const PrefixExtractor> extractor,
               PrefixContents contents)
      : owned_(std::move(owned)),
        filter_(filter),
        extractor_(std::move(extractor)),
        has_keys_(contents == PrefixContents::kKeysAndPrefixes) {}

  bool MayContain(Slice key) const noexcept override {
    return has_keys_ ? filter_.MayContain(key) : MayContainRange(key, key);
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    if (has_keys_) return filter_.MayContainMany(keys, out);
    FilterReader::MayContainMany(keys, out);
  }
  bool MayContainRange(Slice lo, Slice hi) const noexcept override {
    if (hi < lo) return true;
    if (has_keys_ && lo == hi) return filter_.MayContain(lo);
    if (has_keys_ && !filter_.MayContainRange(lo, hi)) return false;
    return Ask([&] { return PrefixOfClosedRange(*extractor_, lo, hi); });
  }
  bool MayContainPrefix(Slice prefix) const noexcept override {
    return Ask([&]() -> std::optional<Slice> {
      const std::optional<std::string> end = EndOfPrefix(prefix);
      const Slice bound = end ? Slice(*end) : Slice();
      return PrefixOfRange(*extractor_, prefix, end ? &bound : nullptr);
    });
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return has_keys_ ? filter_.hash_seed() : std::nullopt;
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return !has_keys_ || filter_.MayContainHash(hash);
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    if (has_keys_) return filter_.MayContainHashes(hashes, out);
    std::fill(out.begin(), out.end(), true);
  }
  FilterInfo Describe() const override {
    FilterInfo info = filter_.Describe();
    info.prefixes = extractor_->name();
    return info;
  }

 private:
  // `find` returns the prefix to ask for; nothing, or an exception: none.
  template <typename Find>
  bool Ask(const Find& find) const noexcept {
    try {
      const std::optional<Slice> prefix = find();
      return !prefix || filter_.MayContain(*prefix);
    } catch (...) {
      return true;
    }
  }

  const std::unique_ptr<const FilterReader> owned_;
  const FilterReader& filter_;
  const std::shared_ptr<const PrefixExtractor> extractor_;
  const bool has_keys_;
};

// Of no key it finds a prefix.
class UnknownExtractor final : public PrefixExtractor {
 public:
  explicit UnknownExtractor(std::string_view name) : name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  std::optional<std::size_t> PrefixLength(Slice /*key*/) const override {
    return std::nullopt;
  }

 private:
  const std::string name_;
};

}  // namespace

std::unique_ptr<const FilterReader> NewUnknownPrefixReader(
    std::unique_ptr<const FilterReader> filter, std::string_view name) {
  return NewPrefixReader(std::move(filter),
                         std::make_shared<UnknownExtractor>(name),
                         PrefixContents::kKeysAndPrefixes);
}

std::unique_ptr<const FilterReader> NewPrefixReader(
    std::unique_ptr<const FilterReader> filter,
    std::shared_ptr<const PrefixExtractor> extractor, PrefixContents contents) {
  const FilterReader& reader = *filter;
  return std::make_unique<PrefixReader>(reader, std::move(filter),
                                        std::move(extractor), contents);
}

std::unique_ptr<const FilterReader> AskForPrefixes(
    const FilterReader& filter,
    std::shared_ptr<const PrefixExtractor> extractor, PrefixContents contents) {
  return std::make_unique<PrefixReader>(filter, nullptr, std::move(extractor),
                                        contents);
}

}  // namespace tamis
