// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/line_view.h"

#include "base/no_throw.h"
#include "formats/tamis/container.h"
#include "tamis/result.h"

namespace tamis {
namespace {

bool IsLineFilter(const TamisHeader& header) noexcept {
  return header.version == kTamisVersion &&
         header.hash == static_cast<std::uint16_t>(TamisHash::kXxh3) &&
         header.flags == 0 &&
         header.kind == static_cast<std::uint16_t>(TamisKind::kLineBloom) &&
         header.parameter_a >= 1 && header.parameter_a <= kMaxLineProbes &&
         header.parameter_b == 0;
}

}  // namespace

std::optional<LineView> ViewLines(Slice bytes) noexcept {
  // The error message may fail for lack of memory.
  const Result<TamisContents> contents =
      NoThrow([&] { return ParseTamis(bytes); });
  if (!contents.ok() || !IsLineFilter(contents->header)) return std::nullopt;
  const TamisHeader& header = contents->header;
  const std::uint64_t count = contents->payload.size() / kLineBytes;
  if (count == 0 || contents->payload.size() % kLineBytes != 0 ||
      header.size_parameter != count) {
    return std::nullopt;
  }
  LineView view;
  view.lines = reinterpret_cast<const unsigned char*>(contents->payload.data());
  view.count = count;
  view.probes = TamisLineProbes(header.parameter_a);
  view.seed = header.seed;
  if (header.keys != kTamisKeysUnknown) view.keys = header.keys;
  return view;
}

}  // namespace tamis
