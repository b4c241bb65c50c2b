// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/prefixes.h"

#include <algorithm>
#include <utility>

#include "base/no_throw.h"
#include "formats/always_maybe.h"
#include "formats/prefix_reader.h"
#include "formats/tamis/any_kind.h"

namespace tamis {
namespace {

// Far from the kinds of filters: what is wrapped has one of those.
constexpr std::uint16_t kWithPrefixes = 256;
constexpr std::size_t kNameBytes = 64;
static_assert(kTamisPrefixBytes == kTamisHeaderBytes + kNameBytes);

// Returns why no answer can be given; empty: they can.
std::string WhyReserved(const TamisHeader& header) {
  if (std::string reason = WhyTooNew(header); !reason.empty()) return reason;
  if (header.seed != 0 || header.size_parameter != 0 ||
      header.parameter_b != 0) {
    return "its parameters are reserved";
  }
  return {};
}

// Nothing: the payload does not begin with a name of that length.
std::optional<Slice> NameIn(Slice payload, std::uint32_t length) noexcept {
  if (length == 0 || length > kNameBytes || payload.size() < kNameBytes) {
    return std::nullopt;
  }
  const Slice rest = payload.substr(length, kNameBytes - length);
  const bool is_padded =
      std::all_of(rest.begin(), rest.end(), [](char c) { return c == '\0'; });
  return is_padded ? std::optional(payload.substr(0, length)) : std::nullopt;
}

}  // namespace

bool ClaimsPrefixes(Slice bytes) noexcept {
  return bytes.starts_with(kTamisMagic) &&
         PeekTamisKind(bytes) == kWithPrefixes;
}

Result<std::unique_ptr<const FilterReader>> OpenTamisPrefixes(
    Slice bytes, std::shared_ptr<const PrefixExtractor> extractor) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  std::string reason = WhyReserved(contents->header);
  if (!reason.empty()) return NewAlwaysMaybe("tamis", std::move(reason));
  const std::optional<Slice> name =
      NameIn(contents->payload, contents->header.parameter_a);
  if (!name) {
    return Status::Corruption(
        "tamis: its payload does not begin with the name of an extractor");
  }
  const Slice filter = contents->payload.substr(kNameBytes);
  if (ClaimsPrefixes(filter)) {
    return Status::Corruption("tamis: prefixes of prefixes");
  }
  auto keys = OpenTamisFilter(filter);
  if (!keys.ok()) return keys;
  if (extractor == nullptr || extractor->name() != *name) {
    auto known = MakePrefixExtractor(*name);
    if (known.status().code() == StatusCode::kResourceExhausted) {
      return known.status();
    }
    // A name in another form than the shortest is no writer's.
    const bool is_known = known.ok() && (*known)->name() == *name;
    extractor = is_known ? *std::move(known) : nullptr;
  }
  if (extractor == nullptr)
    return NewUnknownPrefixReader(*std::move(keys), *name);
  return NewPrefixReader(*std::move(keys), std::move(extractor),
                         PrefixContents::kKeysAndPrefixes);
}

Status WrapTamisPrefixes(std::string_view name, std::size_t start,
                         std::string* dst) {
  const Result<TamisContents> keys = ParseTamis(Slice(*dst).substr(start));
  if (!keys.ok()) return keys.status();
  TamisHeader header;
  header.kind = kWithPrefixes;
  header.hash = static_cast<std::uint16_t>(TamisHash::kXxh3);
  header.keys = keys->header.keys;
  header.parameter_a = static_cast<std::uint32_t>(name.size());
  Status wrapped = NoThrow([&] {
    std::string front(kTamisHeaderBytes, '\0');
    front.append(name).resize(kTamisPrefixBytes, '\0');
    dst->insert(start, front);
    return Status::Ok();
  });
  if (!wrapped.ok()) {
    dst->resize(start);
    return wrapped;
  }
  SealTamis({dst->data() + start, dst->size() - start}, header);
  return Status::Ok();
}

}  // namespace tamis
