// SPDX-License-Identifier: Apache-2.0
#include "sort/hash_ranges.h"

#include <algorithm>

namespace tamis {
namespace {

constexpr std::uint64_t kMaxAtOnce = std::uint64_t{1} << 15;  // hashes

// Returns the index of the first hash above `hash`, at or after `from`.  Takes
// time for the distance, not for the number of hashes.
std::size_t FirstAbove(std::span<const std::uint64_t> sorted, std::size_t from,
                       std::uint64_t hash) noexcept {
  std::size_t step = 1;
  while (step < sorted.size() - from && sorted[from + step] <= hash) {
    from += step;
    step *= 2;
  }
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = begin + static_cast<std::ptrdiff_t>(
                               std::min(step + 1, sorted.size() - from));
  return static_cast<std::size_t>(std::upper_bound(begin, end, hash) -
                                  sorted.begin());
}

}  // namespace

Result<std::span<const std::uint64_t>> HashRangeReader::Read(
    std::uint64_t first, std::uint64_t last) {
  const std::size_t first_part = hashes_.PartOf(first);
  const std::size_t last_part = hashes_.PartOf(last);
  Status status = Load(first_part);
  if (!status.ok()) return status;
  const std::size_t begin =
      first == 0 ? 0 : FirstAbove(loaded_, position_, first - 1);
  if (first_part == last_part) {
    position_ = FirstAbove(loaded_, begin, last);
    return loaded_.subspan(begin, position_ - begin);
  }
  position_ = loaded_.size();
  const Hashes tail = loaded_.subspan(begin);
  // Reserves all at once instead of doubling; unused pages take no memory.
  std::uint64_t most = tail.size();
  for (std::size_t part = first_part + 1; part <= last_part; ++part) {
    most += hashes_.parts[part].count;
  }
  pieces_.clear();
  pieces_.reserve(static_cast<std::size_t>(most));
  pieces_.assign(tail.begin(), tail.end());
  for (std::size_t part = first_part + 1; part <= last_part; ++part) {
    status = AppendUpTo(part, last);
    if (!status.ok()) return status;
  }
  return Hashes(pieces_);
}

Status HashRangeReader::Load(std::size_t part) {
  if (part == loaded_part_) return Status::Ok();
  if (hashes_.file != nullptr) {
    Status status = LoadFromFile(part);
    if (!status.ok()) return status;
  } else {
    loaded_ = {hashes_.parts[part].hashes,
               static_cast<std::size_t>(hashes_.parts[part].count)};
  }
  loaded_part_ = part;
  position_ = 0;
  return Status::Ok();
}

Status HashRangeReader::LoadFromFile(std::size_t part) {
  loaded_part_ = ~std::size_t{0};
  const auto count = static_cast<std::size_t>(hashes_.parts[part].count);
  // A little more, so that the next part is likely to fit, too.
  const std::span<std::uint64_t> to(buffer_.Reserve(count + count / 16), count);
  loaded_ = to;
  if (count == 0) return Status::Ok();
  return hashes_.file->ReadAt(hashes_.parts[part].sorted_offset,
                              std::as_writable_bytes(to));
}

Status HashRangeReader::AppendUpTo(std::size_t part, std::uint64_t last) {
  const HashPart& source = hashes_.parts[part];
  if (hashes_.file == nullptr) {
    const Hashes all(source.hashes, static_cast<std::size_t>(source.count));
    pieces_.insert(pieces_.end(), all.begin(),
                   std::upper_bound(all.begin(), all.end(), last));
    return Status::Ok();
  }
  for (std::uint64_t done = 0; done < source.count; done += kMaxAtOnce) {
    const std::size_t old_size = pieces_.size();
    const auto count =
        static_cast<std::size_t>(std::min(kMaxAtOnce, source.count - done));
    pieces_.resize(old_size + count);
    Status status = hashes_.file->ReadAt(
        source.sorted_offset + done * sizeof(std::uint64_t),
        std::as_writable_bytes(std::span(pieces_).subspan(old_size)));
    if (!status.ok()) return status;
    if (pieces_.back() > last) {
      const auto from = pieces_.begin() + static_cast<std::ptrdiff_t>(old_size);
      pieces_.erase(std::upper_bound(from, pieces_.end(), last), pieces_.end());
      return Status::Ok();
    }
  }
  return Status::Ok();
}

}  // namespace tamis
