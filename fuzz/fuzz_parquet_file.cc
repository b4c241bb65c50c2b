// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a Parquet file whose filters are to be found; and as the
// footer of one that is otherwise whole, since hardly any input ends with the
// length and the magic that a footer needs.

#include <functional>

#include "formats/parquet/sbbf.h"
#include "fuzz/fuzz_support.h"
#include "tamis/parquet.h"

namespace tamis::fuzz {
namespace {

void CheckPlace(const ParquetFilterPlace& place, Slice file) {
  Check(!place.physical_type.empty(), "a type has a name");
  Check(place.column.size() <= file.size(), "a path comes from the file");
  if (!place.status.ok()) {
    Check(!place.status.message().empty(), "a refusal has a reason");
    Check(place.filter.empty(), "a damaged filter has no bytes");
    return;
  }
  const char* end = place.filter.data() + place.filter.size();
  Check(std::less_equal<>()(file.data(), place.filter.data()) &&
            std::less_equal<>()(end, file.data() + file.size()),
        "a filter lies in its file");
  Check(place.filter.data() == file.data() + place.offset,
        "a filter lies at its offset");
  Check(place.filter.size() == place.header_bytes + place.bitset_bytes,
        "a filter is its header and its bits");
  const auto policy =
      NewParquetPolicy({.bits_per_key = 10, .rate = 0, .bits = 0, .probes = 0});
  const auto reader = policy->Open(place.filter);
  Check(reader.ok(), "what is listed as whole can be opened");
  CheckReader(**reader, QuestionsFrom(place.filter.substr(0, 200)));
}

void CheckFile(Slice file) {
  constexpr std::size_t kMaxPlaces = 20;  // for time; the rest is alike
  const auto places = FindParquetFilters(file);
  if (!places.ok()) {
    Check(!places.status().message().empty(), "a refusal has a reason");
    return;
  }
  Check(places->size() <= file.size(), "no more filters than bytes");
  for (std::size_t i = 0; i < std::min(kMaxPlaces, places->size()); ++i) {
    CheckPlace((*places)[i], file);
  }
}

// A filter of one block at offset 4, then `metadata` as the footer's.
std::string WithTail(Slice metadata) {
  constexpr Slice kHeader("\x15\x40\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 15);
  std::string file = "PAR1" + std::string(kHeader) + std::string(32, '\x5a');
  file += metadata;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    file += static_cast<char>(metadata.size() >> shift);
  }
  return file + "PAR1";
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const tamis::Slice input = tamis::fuzz::AsSlice(data, size);
  tamis::fuzz::CheckFile(input);
  tamis::fuzz::CheckFile(tamis::fuzz::WithTail(input));
  return 0;
}
