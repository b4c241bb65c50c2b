// SPDX-License-Identifier: Apache-2.0
#include "tamis/key_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/no_throw.h"
#include "hash/splitmix64.h"
#include "hash/xxhash.h"
#include "math/fast_range.h"

namespace tamis {
namespace {

// Of the hash that divides keys.  SplitMix64 maps no two numbers to one, and
// SeedOf() never passes it this one: the division is independent of what the
// filters make of the keys.
constexpr std::uint64_t kDivisionSeed = SplitMix64(~std::uint64_t{0});

constexpr std::string_view kPrefix = "part-";
constexpr std::string_view kMiddle = "-of-";
constexpr std::string_view kSuffix = ".tamis";
constexpr std::size_t kDigits = 5;

// Keys that are sorted by part at a time, on the stack.
constexpr std::size_t kGroup = 256;

std::optional<std::uint64_t> Digits(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

struct PartName {
  std::uint64_t part;
  std::uint64_t count;
};

// Returns what FileName() made the name of; nothing: it did not.
std::optional<PartName> ParsePartName(std::string_view name) {
  constexpr std::size_t kMiddleAt = kPrefix.size() + kDigits;
  constexpr std::size_t kCountAt = kMiddleAt + kMiddle.size();
  if (name.size() != kCountAt + kDigits + kSuffix.size() ||
      !name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
      name.substr(kMiddleAt, kMiddle.size()) != kMiddle) {
    return std::nullopt;
  }
  const auto part = Digits(name.substr(kPrefix.size(), kDigits));
  const auto count = Digits(name.substr(kCountAt, kDigits));
  if (!part || !count || *part >= *count || *count > KeyParts::kMaxCount) {
    return std::nullopt;
  }
  return PartName{*part, *count};
}

// Reads the names in a folder.
Result<KeyParts> FindParts(const std::string& folder) {
  KeyParts found{.count = 0};
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    const auto name = ParsePartName(entry->path().filename().string());
    if (!name) continue;
    if (found.count != 0 && found.count != name->count) {
      return Status::InvalidArgument(folder + ": it has parts of " +
                                     std::to_string(found.count) + " and of " +
                                     std::to_string(name->count) +
                                     "; keep those of one number in a folder");
    }
    found.count = name->count;
  }
  if (error == std::errc::no_such_file_or_directory) {
    return Status::NotFound(folder + ": no such directory");
  }
  if (error) return Status::IoError(folder + ": " + error.message());
  if (found.count == 0) {
    return Status::NotFound(folder +
                            ": it has no files like part-00000-of-00016.tamis");
  }
  return found;
}

Result<std::unique_ptr<const FilterFile>> OpenPart(const std::string& folder,
                                                   const KeyParts& parts,
                                                   std::uint64_t part,
                                                   FileAccess access) {
  const std::string path = folder + "/" + parts.FileName(part);
  // Opening a pipe would wait for somebody who writes to it.
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind != std::filesystem::file_type::regular &&
      kind != std::filesystem::file_type::not_found) {
    return Status::IoError(path + ": it is not a regular file");
  }
  auto file = FilterFile::Open(path, "tamis", access);
  if (!file.ok()) return file.status();
  const FilterReader& reader = (*file)->reader();
  const std::optional<std::uint64_t> seed = reader.hash_seed().has_value()
                                                ? reader.hash_seed()
                                                : reader.Describe().seed;
  if (seed != parts.SeedOf(part)) {
    return Status::Corruption(path + ": it is the filter of something else");
  }
  return file;
}

class OpenFolder final : public FilterFolder {
 public:
  OpenFolder(const KeyParts& parts,
             std::vector<std::unique_ptr<const FilterFile>> files,
             std::vector<MissingPart> missing)
      : parts_(parts), files_(std::move(files)), missing_(std::move(missing)) {}

  const KeyParts& parts() const noexcept override { return parts_; }
  const std::vector<MissingPart>& missing() const noexcept override {
    return missing_;
  }
  Status status() const override {
    for (const auto& file : files_) {
      if (file == nullptr) continue;
      if (Status status = file->status(); !status.ok()) return status;
    }
    return Status::Ok();
  }

  bool MayContain(Slice key) const noexcept override {
    const auto& file = files_[parts_.PartOf(key)];
    return file == nullptr || file->reader().MayContain(key);
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    for (std::size_t at = 0; at < keys.size(); at += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - at);
      AskGroup(keys.subspan(at, count), out.subspan(at, count));
    }
  }
  FilterInfo Describe() const override;

 private:
  // REQUIRES: at most kGroup keys
  void AskGroup(std::span<const Slice> keys,
                std::span<bool> out) const noexcept;

  KeyParts parts_;
  std::vector<std::unique_ptr<const FilterFile>> files_;  // null: missing
  std::vector<MissingPart> missing_;
};

// Keys of one part are asked together, so that their cache misses overlap.
void OpenFolder::AskGroup(std::span<const Slice> keys,
                          std::span<bool> out) const noexcept {
  struct Place {
    std::uint32_t part;
    std::uint32_t index;
  };
  std::array<Place, kGroup> places;
  std::array<Slice, kGroup> sorted;
  std::array<bool, kGroup> answers;
  const std::size_t count = keys.size();
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = {static_cast<std::uint32_t>(parts_.PartOf(keys[i])),
                 static_cast<std::uint32_t>(i)};
  }
  std::sort(places.begin(), places.begin() + count,
            [](Place a, Place b) { return a.part < b.part; });
  for (std::size_t i = 0; i < count; ++i) sorted[i] = keys[places[i].index];
  for (std::size_t from = 0, to = 0; from < count; from = to) {
    while (to < count && places[to].part == places[from].part) ++to;
    const std::span<bool> some = std::span(answers).subspan(from, to - from);
    const auto& file = files_[places[from].part];
    if (file == nullptr) {
      std::fill(some.begin(), some.end(), true);
    } else {
      file->reader().MayContainMany(
          std::span<const Slice>(sorted).subspan(from, to - from), some);
    }
  }
  for (std::size_t i = 0; i < count; ++i) out[places[i].index] = answers[i];
}

// Sums of all parts.  The rate is the mean of the parts, of which each is asked
// as often as any other.
FilterInfo OpenFolder::Describe() const {
  FilterInfo sum;
  double rates = static_cast<double>(missing_.size());
  std::optional<std::uint64_t> keys = 0;
  for (const auto& file : files_) {
    if (file == nullptr) continue;
    const FilterInfo info = file->reader().Describe();
    sum.format = info.format;
    sum.kind = info.kind;
    sum.hash = info.hash;
    sum.probes = info.probes;
    sum.bits += info.bits;
    sum.set_bits += info.set_bits;
    rates += info.always_maybe.empty() ? info.rate : 1;
    keys = keys && info.keys ? std::optional(*keys + *info.keys) : std::nullopt;
  }
  if (missing_.empty()) sum.keys = keys;
  sum.rate = rates / static_cast<double>(parts_.count);
  if (missing_.size() == files_.size())
    sum.always_maybe = "all parts are missing";
  return sum;
}

}  // namespace

std::uint64_t KeyParts::PartOf(Slice key) const noexcept {
  return FastRange(Xxh3(key, kDivisionSeed), count);
}

std::uint64_t KeyParts::SeedOf(std::uint64_t part) const noexcept {
  return SplitMix64(count << 32 | part);
}

std::string KeyParts::FileName(std::uint64_t part) const {
  std::array<char, 64> name;
  const int length =
      std::snprintf(name.data(), name.size(), "part-%05llu-of-%05llu.tamis",
                    static_cast<unsigned long long>(part),
                    static_cast<unsigned long long>(count));
  return std::string(name.data(), static_cast<std::size_t>(length));
}

Result<std::unique_ptr<const FilterFolder>> FilterFolder::Open(
    const std::string& folder, FileAccess access) {
  return NoThrow([&]() -> Result<std::unique_ptr<const FilterFolder>> {
    const Result<KeyParts> parts = FindParts(folder);
    if (!parts.ok()) return parts.status();
    std::vector<std::unique_ptr<const FilterFile>> files;
    std::vector<MissingPart> missing;
    for (std::uint64_t part = 0; part < parts->count; ++part) {
      auto file = OpenPart(folder, *parts, part, access);
      if (file.ok()) {
        files.push_back(*std::move(file));
      } else {
        files.push_back(nullptr);
        missing.push_back({part, file.status()});
      }
    }
    return std::unique_ptr<const FilterFolder>(std::make_unique<OpenFolder>(
        *parts, std::move(files), std::move(missing)));
  });
}

}  // namespace tamis
