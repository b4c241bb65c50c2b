// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the top block of a filter in parts, and a filter of which
// arbitrary bits are changed.
//
// Byte 0: how many lines a part has; bytes 1 and 2: how many bytes the top
// block has; then the top block; what is left is the file, and the changes.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "formats/tamis/line_view.h"
#include "fuzz/fuzz_support.h"
#include "table/filter_parts.h"
#include "table/part_cache.h"
#include "table/table_filter.h"

namespace tamis::fuzz {
namespace {

class PartsFile final : public ReadableFile {
 public:
  explicit PartsFile(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    Check(offset <= bytes_.size() && bytes <= bytes_.size() - offset,
          "only bytes of the file are read");
    scratch->assign(bytes_, offset, bytes);
    return Slice(*scratch);
  }

 private:
  const std::string bytes_;
};

constexpr unsigned kWays[] = {TableFilter::kWholly, TableFilter::kInParts,
                              TableFilter::kAtFirst, TableFilter::kDrop, 2};

void CheckAnyTop(Slice top, Slice file_bytes) {
  const auto file = std::make_shared<PartsFile>(std::string(file_bytes));
  FilterRoom room;
  room.set_limit(std::uint64_t{1} << 20);
  PartCache cache(room);
  for (const unsigned way : kWays) {
    const auto filter = TableFilter::OpenParts(top, {file, &room, &cache}, way);
    for (int i = 0; i < 50; ++i) {
      (void)filter->MayContain(std::to_string(i));
    }
    Check(room.held() <= room.limit(), "the limit holds");
  }
}

// No key is hidden by a change that the checksum surely notices: one of four
// neighbouring bytes.
void CheckChangedParts(Slice top, std::string file, Slice changes,
                       std::uint64_t keys) {
  Input input(changes);
  const std::size_t at =
      static_cast<std::size_t>(input.TakeNumber(2)) % file.size();
  for (std::size_t i = at; i < std::min(at + 4, file.size()); ++i) {
    file[i] = static_cast<char>(file[i] ^ input.TakeByte());
  }
  const auto stored = std::make_shared<PartsFile>(std::move(file));
  FilterRoom room;
  PartCache cache(room);
  for (const unsigned way : kWays) {
    const auto filter =
        TableFilter::OpenParts(top, {stored, &room, &cache}, way);
    Check(filter->damage().ok(), "a part is not the filter");
    for (std::uint64_t i = 0; i < keys; ++i) {
      Check(filter->MayContain(std::to_string(i)), "no key is hidden");
    }
  }
}

void Run(Slice bytes) {
  Input input(bytes);
  const std::uint32_t lines_per_part = input.TakeByte() % kLinesPerPart + 1;
  const std::size_t size = input.TakeNumber(2);
  const Slice top = input.Take(size);
  CheckAnyTop(top, input.rest());

  const std::uint64_t keys = 50 + size % 500;
  const auto builder = (*MakePolicy("bloom:20"))->NewBuilder();
  for (std::uint64_t i = 0; i < keys; ++i) builder->Add(std::to_string(i));
  std::string filter;
  if (!builder->Finish(&filter).ok()) return;
  const auto lines = ViewLines(filter);
  Check(lines.has_value(), "a cache-local filter has lines");
  std::string file(reinterpret_cast<const char*>(lines->lines),
                   static_cast<std::size_t>(lines->count) * kLineBytes);
  std::string own_top;
  AppendPartsTop(&own_top, *lines, 0, lines_per_part);
  CheckChangedParts(own_top, std::move(file), input.rest(), keys);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  tamis::fuzz::Run(tamis::fuzz::AsSlice(data, size));
  return 0;
}
