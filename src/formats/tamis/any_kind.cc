// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/any_kind.h"

#include <span>
#include <string>
#include <utility>

#include "formats/always_maybe.h"
#include "formats/dispatching_policy.h"
#include "formats/tamis/prefixes.h"

namespace tamis {
namespace {

// Opens bytes of an unknown kind, or that are not a .tamis filter.
Result<std::unique_ptr<const FilterReader>> OpenUnknown(Slice bytes) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  std::string reason = WhyTooNew(contents->header);
  if (reason.empty()) reason = WhyUnknownKind(contents->header);
  return NewAlwaysMaybe("tamis", std::move(reason));
}

Status CombineUnknown(std::span<const Slice> filters,
                      SetOperation /*operation*/, std::string* /*dst*/) {
  if (ClaimsPrefixes(filters.front())) {
    return Status::NotSupported(
        "filters with prefixes cannot be combined; build one from the keys");
  }
  auto reader = OpenUnknown(filters.front());
  if (!reader.ok()) return reader.status();
  return Status::InvalidArgument("a filter cannot be combined: " +
                                 reader->Describe().always_maybe);
}

KindReading::Combine CombineOf(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  return row == nullptr ? CombineUnknown : row->combine;
}

// "classic, bloom, splitblock"
std::string BloomNames() {
  std::string names;
  for (const TamisKindRow& row : TamisKinds()) {
    if (row.parse_bloom == nullptr) continue;
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<const FilterReader>> OpenTamisFilter(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  if (row != nullptr) return row->open(bytes);
  return ClaimsPrefixes(bytes) ? OpenTamisPrefixes(bytes, nullptr)
                               : OpenUnknown(bytes);
}

Result<std::unique_ptr<const FilterPolicy>> NewTamisPolicy(
    TamisKind kind, const TamisSettings& settings) {
  return Dispatching(RowOf(kind).make(settings), {OpenTamisFilter, CombineOf});
}

Status RefuseTamis(Slice bytes, std::string_view what) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  return Status::NotSupported("filter kind " +
                              std::to_string(contents->header.kind) + " " +
                              std::string(what));
}

Result<TamisBloom> ParseTamisBloom(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  if (row == nullptr || row->parse_bloom == nullptr) {
    Result<TamisContents> contents = ParseTamis(bytes);
    if (!contents.ok()) return contents.status();
    return Status::NotSupported("tamis: only for " + BloomNames() + " filters");
  }
  Result<ParsedBloom> parsed = row->parse_bloom(bytes);
  if (!parsed.ok()) return parsed.status();
  if (!parsed->always_maybe.empty()) {
    return Status::NotSupported("tamis: " + parsed->always_maybe);
  }
  return TamisBloom{row->kind, row->unit, *std::move(parsed)};
}

}  // namespace tamis
