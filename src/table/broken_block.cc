// SPDX-License-Identifier: Apache-2.0
#include "table/broken_block.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/coding.h"
#include "table/block.h"
#include "table/internal_key.h"

namespace tamis {
namespace {

constexpr std::size_t kLongestHead = 15;  // three numbers
constexpr std::size_t kRestartBytes = 4;
// Longer keys are not followed, because they would have to be kept in memory.
constexpr std::size_t kLongestKey = std::size_t{64} << 10;
// So many zeros are not an entry, and unlikely to be part of a value.
constexpr std::size_t kLostBytes = 16;

class EntryWalk {
 public:
  EntryWalk(const BytesAt& bytes_at, std::uint64_t begin,
            const FileLengths& lengths)
      : bytes_at_(bytes_at), begin_(begin), lengths_(lengths) {}

  std::uint64_t Run() {
    std::uint64_t believed = begin_;
    std::optional<std::uint64_t> end = EntryAt(begin_);
    while (end.has_value()) {
      if (*end > lengths_.once) return believed;
      if (*end >= lengths_.now) return lengths_.now;
      const std::optional<std::uint64_t> next = EntryAt(*end);
      if (!next && !IsLostAt(*end) && !AreRestartsAt(*end)) return believed;
      believed = *end;
      end = next;
    }
    return believed;
  }

 private:
  // Returns where the entry that starts there ends, which may be beyond the
  // file; nothing: there is none.  Its key becomes the last one.
  std::optional<std::uint64_t> EntryAt(std::uint64_t begin) {
    Slice bytes = bytes_at_(begin, kLongestHead);
    EntryHead head;
    const char* at = bytes.data();
    const char* const bytes_end = bytes.data() + bytes.size();
    at = DecodeVarint32(at, bytes_end, &head.shared);
    if (at != nullptr) at = DecodeVarint32(at, bytes_end, &head.unshared);
    if (at != nullptr) at = DecodeVarint32(at, bytes_end, &head.value_bytes);
    if (at == nullptr || head.shared > key_.size() ||
        head.unshared > kLongestKey - std::min(kLongestKey, key_.size())) {
      return std::nullopt;
    }
    const auto head_bytes = static_cast<std::size_t>(at - bytes.data());
    bytes = bytes_at_(begin, head_bytes + head.unshared);
    if (bytes.size() < head_bytes + head.unshared) return std::nullopt;
    std::string key = key_.substr(0, head.shared);
    key.append(bytes.substr(head_bytes, head.unshared));
    if (!IsInternalKey(key)) return std::nullopt;
    key_ = std::move(key);
    return begin + head_bytes + head.unshared + head.value_bytes;
  }

  bool IsLostAt(std::uint64_t at) const {
    const Slice bytes = bytes_at_(at, kLostBytes).substr(0, kLostBytes);
    return std::all_of(bytes.begin(), bytes.end(),
                       [](char c) { return c == '\0'; });
  }

  // Returns whether offsets of entries, ascending from 0, and their number are
  // there.
  bool AreRestartsAt(std::uint64_t at) const {
    std::uint32_t before = 0;
    for (std::uint32_t i = 0;; ++i) {
      const Slice bytes =
          bytes_at_(at + std::uint64_t{i} * kRestartBytes, kRestartBytes);
      if (bytes.size() < kRestartBytes)
        return i > 0;  // the file ends among them
      const std::uint32_t word = LoadLittle32(bytes.data());
      if (i > 0 && word == i) return true;
      if (i == 0 ? word != 0 : word <= before || word >= at - begin_) {
        return false;
      }
      before = word;
    }
  }

  const BytesAt& bytes_at_;
  const std::uint64_t begin_;
  const FileLengths& lengths_;
  std::string key_;  // of the entry that was found last
};

}  // namespace

std::uint64_t EndOfEntries(const BytesAt& bytes_at, std::uint64_t begin,
                           const FileLengths& lengths) {
  return EntryWalk(bytes_at, begin, lengths).Run();
}

}  // namespace tamis
