// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/erasable_policy.h"

namespace tamis {
namespace {

std::string WhyAlwaysMaybe(const TamisHeader& header,
                           const ErasableKind& kind) {
  std::string reason = WhyUnreadable(header, kind.kind);
  if (!reason.empty()) return reason;
  if (!kind.TakesA(header.parameter_a) || header.parameter_b != kind.b) {
    return "its parameters are reserved";
  }
  if (header.keys > kMaxErasableKeys) return "its number of keys is reserved";
  return {};
}

}  // namespace

Result<ParsedErasable> ParseErasable(Slice bytes, const ErasableKind& kind) {
  Result<TamisContents> contents = ParseTamis(bytes);
  if (!contents.ok()) return contents.status();
  const TamisHeader& header = contents->header;
  ParsedErasable parsed;
  parsed.blocks = header.size_parameter;
  parsed.bloom.payload = contents->payload;
  parsed.bloom.always_maybe = WhyAlwaysMaybe(header, kind);
  parsed.bloom.parameters = {.bits = 0,
                             .probes = header.parameter_a,
                             .seed = header.seed,
                             .keys = header.keys};
  return parsed;
}

TamisHeader ErasableHeader(const ErasableKind& kind,
                           const BloomParameters& parameters,
                           std::uint64_t blocks) noexcept {
  TamisHeader header =
      NewTamisHeader(kind.kind, parameters.seed, *parameters.keys);
  header.size_parameter = blocks;
  header.parameter_a = parameters.probes;
  header.parameter_b = kind.b;
  return header;
}

Result<SortedHashes> SortHashes(const ChunkedArray<std::uint64_t>& hashes) {
  SortedHashes sorted;
  const auto count = static_cast<std::size_t>(hashes.size());
  sorted.memory =
      NewMemory(std::max<std::size_t>(count, 1) * sizeof(std::uint64_t));
  if (sorted.memory == nullptr) {
    return Status::ResourceExhausted("no memory to sort the keys' hashes");
  }
  auto* first = reinterpret_cast<std::uint64_t*>(sorted.memory.get());
  std::uint64_t* last = first;
  for (std::size_t i = 0; i < hashes.chunk_count(); ++i) {
    last = std::copy(hashes.chunk(i).begin(), hashes.chunk(i).end(), last);
  }
  std::sort(first, last);
  sorted.hashes = {first, std::unique(first, last)};
  return sorted;
}

}  // namespace tamis
