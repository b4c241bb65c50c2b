// SPDX-License-Identifier: Apache-2.0
#include "table/table_range_filter.h"

#include <utility>

#include "base/no_throw.h"
#include "formats/tamis/range.h"
#include "table/block_file.h"
#include "table/filter_room.h"
#include "table/footer.h"
#include "table/held_range_filter.h"

namespace tamis {

TableRangeFilterBuilder::TableRangeFilterBuilder(unsigned bits_per_key,
                                                 std::uint64_t max_bytes) {
  if (bits_per_key == 0) return;
  const Status made = NoThrow([&] {
    Result<std::unique_ptr<const FilterPolicy>> policy = NewTamisRangePolicy(
        {.bits_per_key = static_cast<double>(bits_per_key)});
    if (!policy.ok()) return policy.status();
    policy_ = *std::move(policy);
    BuildOptions options;
    options.memory_bytes = max_bytes;
    options.repeats = RepeatedKeys::kNeighbours;
    builder_ = policy_->NewBuilder(options);
    return Status::Ok();
  });
  if (!made.ok()) problem_ = made.message();
}

bool TableRangeFilterBuilder::Finish(std::string* dst) {
  if (builder_ == nullptr) return false;
  dst->clear();
  Status done = builder_->Finish(dst);
  builder_.reset();
  if (done.ok() && dst->size() > kMaxBlockBytes) {
    done = Status::ResourceExhausted("it takes more than 4 GiB");
  }
  if (done.ok()) return true;
  problem_ = done.message().empty() ? "no memory" : done.message();
  return false;
}

std::shared_ptr<const HeldRangeFilter> ReadRangeFilter(
    const ReadableFile& file, const std::vector<MetaEntry>& entries,
    const UnpackLimits& limits, FilterRoom* room) {
  for (const MetaEntry& entry : entries) {
    if (entry.name != kRangeFilterMeta) continue;
    if (room != nullptr && !room->HasLeft(entry.handle.size)) {
      return HeldRangeFilter::NotHeld(entry.handle.size);
    }
    BlockBuffer buffer;
    Slice bytes;
    Status read = ReadBlock(file, entry.handle, &buffer, &bytes, limits);
    if (!read.ok()) return HeldRangeFilter::Damaged(std::move(read));
    return HeldRangeFilter::Open(bytes, room);
  }
  return nullptr;
}

}  // namespace tamis
