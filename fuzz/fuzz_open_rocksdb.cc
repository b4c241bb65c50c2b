// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as any of RocksDB's filters: as they are, and with each kind
// of trailer appended, which hardly any input has by itself.

#include "base/coding.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {
namespace {

constexpr std::size_t kTrailerBytes = 5;

std::string Trailer(unsigned first, std::uint32_t rest) {
  std::string trailer(kTrailerBytes, '\0');
  trailer[0] = static_cast<char>(first);
  StoreLittle(trailer.data() + 1, rest);
  return trailer;
}

// FastLocalBloom's with `choice` as probes: nearly always 1 to 30.
std::string BloomTrailer(std::uint8_t choice) {
  const std::uint32_t probes = choice < 240 ? 1u + choice % 30u : choice;
  return Trailer(0xff, probes << 8);
}

// Of lines of a power of two bytes, where `length` allows.
std::string LegacyTrailer(std::uint8_t choice, std::size_t length) {
  const std::size_t line_bytes = std::size_t{1} << choice % 11;
  const std::size_t lines = length / line_bytes + (choice >= 250 ? 1 : 0);
  return Trailer(1u + choice / 2u, static_cast<std::uint32_t>(lines));
}

std::string RibbonTrailer(std::uint8_t choice, std::uint8_t seed) {
  // Few blocks, which the data may fill; 0 and 1 are reserved.
  const std::uint32_t blocks =
      choice < 240 ? choice % 40u : (choice - 239u) << 19;
  return Trailer(0xfe, seed | blocks << 8);
}

void CheckWithTrailers(Slice bytes) {
  Input input(bytes);
  const std::uint8_t choice = input.TakeByte();
  const std::uint8_t seed = input.TakeByte();
  const std::string data(input.rest());
  // Data of whole lines, so that the legacy form fits.
  const std::string lines =
      data.substr(0, data.size() >> choice % 11 << choice % 11);
  const auto policy = PolicyOf("rocksdb");
  CheckOpen(*policy, data + BloomTrailer(choice));
  CheckOpen(*policy, lines + LegacyTrailer(choice, lines.size()));
  CheckOpen(*policy, data + RibbonTrailer(choice, seed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  for (const char* spec : {"rocksdb:10", "rocksdb-legacy:10",
                           "rocksdb-ribbon:10", "rocksdb:m=1500,k=30"}) {
    CheckDoor(spec, bytes);
  }
  CheckWithTrailers(bytes);
  // Fewer than a line behind a good trailer, and less than a trailer.
  const auto policy = PolicyOf("rocksdb");
  const std::string few = std::string(bytes.substr(0, 63)) + BloomTrailer(5);
  // (A trailer alone is a filter of no keys.)
  Check(size == 0 || !policy->Open(few).ok(), "less than a line is refused");
  Check(size == 0 || !policy->Open(bytes.substr(0, kTrailerBytes - 1)).ok(),
        "less than a trailer is refused");
  return 0;
}

}  // namespace tamis::fuzz
