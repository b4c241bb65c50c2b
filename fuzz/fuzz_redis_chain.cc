// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the value of a key of the Redis module: a description and
// the stream of its filters, as RESTORE, RDB files and LOADCHUNK bring them.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "chain_codec.h"
#include "filter_chain.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr const char* kWord = "a key";

bool MayContain(const FilterChain& chain, std::string_view key) {
  const char* const bytes = key.data();
  const std::size_t length = key.size();
  unsigned char answer = 0;
  chain.MayContain({&bytes, &length, 1}, &answer);
  return answer != 0;
}

// Returns what is here of the stream, which reading again must not change.
std::string StreamOf(const FilterChain& chain) {
  std::string stream;
  std::array<char, 100> piece;
  while (const std::size_t n =
             chain.ReadStream(stream.size(), piece.data(), piece.size())) {
    stream.append(piece.data(), n);
  }
  Check(stream.size() == chain.ReceivedBytes(), "all that is here is read");
  return stream;
}

// Changes a chain as the commands do.
void Use(FilterChain* chain, Input* input) {
  if (chain->is_loading()) {
    Check(MayContain(*chain, kWord), "a chain that is loading says maybe");
  }
  for (int i = 0; i < 4; ++i) {
    const Slice key = input->Take(2);
    const bool is_cuckoo = chain->parameters().kind == ChainKind::kCuckoo;
    const char* const bytes = key.data();
    const std::size_t length = key.size();
    unsigned char is_new = 0;
    std::size_t done = 0;
    const ChainStatus status =
        is_cuckoo ? chain->Insert(key)
                  : chain->AddNew({&bytes, &length, 1}, &is_new, &done);
    if (chain->is_rotating() && i == 2 && !chain->is_loading()) {
      Check(chain->Rotate() == ChainStatus::kOk, "generations rotate");
    }
    if (status == ChainStatus::kOk) {
      Check(MayContain(*chain, key), "an added key may be in");
      Check(chain->Count(key) > 0, "an added key is counted");
    }
  }
}

// What was read is written, and reads as the same.
void CheckCopy(const FilterChain& chain) {
  const std::string description = chain.Description();
  const std::string stream = StreamOf(chain);
  std::unique_ptr<FilterChain> copy;
  Check(FilterChain::FromDescription(description, &copy) == ChainStatus::kOk,
        "a description that was written is read");
  Check(copy->Feed(0, stream) == ChainStatus::kOk, "and so is its stream");
  Check(copy->Description() == description && StreamOf(*copy) == stream,
        "and they are the same");
}

// Half of the inputs are descriptions that are right, so that the stream is
// reached; their filters are small, and real ones often come first.
std::string DescriptionFrom(Input* input, std::string* stream) {
  if ((input->TakeByte() & 1) == 0) {
    return std::string(input->Take(input->TakeByte()));
  }
  ChainDescription description;
  const std::uint8_t kind = input->TakeByte();
  description.parameters = {
      .kind = (kind & 1) == 0 ? ChainKind::kBloom : ChainKind::kCuckoo,
      .error = 0.01,
      .capacity = input->TakeNumber(1) + 1,
      .expansion = static_cast<std::uint32_t>(kind >> 1 & 3)};
  if ((kind & 17) == 16) {  // items expire
    description.parameters.expansion = 0;
    description.parameters.generations = kMinGenerations + (kind >> 6);
  }
  std::unique_ptr<FilterChain> real;
  if ((kind & 8) != 0 &&
      FilterChain::Create(description.parameters, &real) == ChainStatus::kOk) {
    Use(real.get(), input);
    *stream = StreamOf(*real);
    return real->Description();
  }
  const std::size_t filters = input->TakeByte() % 4 + 1u;
  for (std::size_t i = 0; i < filters; ++i) {
    description.filters.push_back(
        {.capacity = input->TakeNumber(8) >> (input->TakeByte() & 63),
         .bytes = std::uint64_t{64} + input->TakeByte()});
  }
  return EncodeDescription(description);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  std::string stream;
  const std::string description = DescriptionFrom(&input, &stream);
  std::unique_ptr<FilterChain> chain;
  if (FilterChain::FromDescription(description, &chain) != ChainStatus::kOk) {
    return 0;
  }
  // Up to two bytes of a real stream become others.
  for (int i = 0; i < 2 && !stream.empty(); ++i) {
    const std::size_t at = input.TakeNumber(2) % stream.size();
    stream[at] = static_cast<char>(stream[at] ^ input.TakeByte());
  }
  if (stream.empty()) stream = std::string(input.rest());
  std::size_t at = 0;
  while (at < stream.size()) {
    const std::size_t n = input.TakeByte() * std::size_t{16} + 1;
    const std::string_view piece = std::string_view(stream).substr(at, n);
    const ChainStatus status = chain->Feed(chain->ReceivedBytes(), piece);
    if (status == ChainStatus::kOk) CheckCopy(*chain);
    at += piece.size();
  }
  Use(chain.get(), &input);
  CheckCopy(*chain);
  Check(chain->Feed(chain->ReceivedBytes() + 1, "x") == ChainStatus::kDamaged,
        "a piece has its place");
  return 0;
}

}  // namespace tamis::fuzz
