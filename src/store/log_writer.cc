// SPDX-License-Identifier: Apache-2.0
#include "store/log_writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/log_format.h"

namespace tamis {
namespace {

constexpr std::array<char, kLongestUncut> kZeros = {};

FragmentType TypeOf(bool is_first, bool is_last) noexcept {
  if (is_first) return is_last ? FragmentType::kFull : FragmentType::kFirst;
  return is_last ? FragmentType::kLast : FragmentType::kMiddle;
}

Slice Bytes(const FragmentHeader& header) {
  return {header.data(), header.size()};
}

}  // namespace

FragmentHeader HeaderOf(FragmentType type, Slice data) noexcept {
  assert(data.size() <= kLogBlockBytes - kLogHeaderBytes);
  FragmentHeader header;
  const char type_byte = static_cast<char>(type);
  const std::uint32_t crc = Crc32c(data, Crc32c({&type_byte, 1}));
  StoreLittle(header.data(), MaskCrc32c(crc));
  StoreLittle(header.data() + 4, static_cast<std::uint16_t>(data.size()));
  header[6] = type_byte;
  return header;
}

LogWriter::LogWriter(std::unique_ptr<WritableFile> file, std::uint64_t written)
    : file_(std::move(file)), written_(written) {}

std::size_t LogWriter::RestOfBlock() const noexcept {
  return kLogBlockBytes - static_cast<std::size_t>(written_ % kLogBlockBytes);
}

Status LogWriter::Add(Slice record, std::span<const std::size_t> cuts) {
  const std::size_t bytes = kLogHeaderBytes + record.size();
  if (bytes > RestOfBlock() &&
      (bytes <= kLongestUncut || RestOfBlock() <= kLogHeaderBytes)) {
    if (Status filled = FillBlock(); !filled.ok()) return filled;
  }
  return bytes <= RestOfBlock() && (cuts.empty() || record.empty())
             ? AddWhole(record)
             : AddInFragments(record, /*begin_empty=*/false, cuts);
}

Status LogWriter::AddHead(Slice fragments) {
  assert(written_ == 0);
  return Append({&fragments, 1});
}

Status LogWriter::AddWhole(Slice record) {
  const FragmentHeader header = HeaderOf(FragmentType::kFull, record);
  const Slice parts[] = {Bytes(header), record};
  return Append(parts);
}

Status LogWriter::AddBegunEmpty(Slice record) {
  assert(!record.empty());
  if (RestOfBlock() <= 2 * kLogHeaderBytes) {
    if (Status filled = FillBlock(); !filled.ok()) return filled;
  }
  return AddInFragments(record, /*begin_empty=*/true, {});
}

// Appends all fragments in one call, so that a kill cannot leave zeros between
// them.
Status LogWriter::AddInFragments(Slice record, bool begin_empty,
                                 std::span<const std::size_t> cuts) {
  std::vector<Slice> pieces;
  std::size_t most = RestOfBlock() - kLogHeaderBytes;
  if (begin_empty) {
    pieces.emplace_back();
    most -= kLogHeaderBytes;
  }
  for (std::size_t at = 0; at < record.size();) {
    while (!cuts.empty() && cuts.front() <= at) cuts = cuts.subspan(1);
    std::size_t bytes = std::min(most, record.size() - at);
    if (!cuts.empty() && cuts.front() < at + bytes &&
        cuts.front() - at + kLogHeaderBytes < most) {
      bytes = cuts.front() - at;
      most -= bytes + kLogHeaderBytes;
    } else {
      most = kLogBlockBytes - kLogHeaderBytes;
    }
    pieces.push_back(record.substr(at, bytes));
    at += bytes;
  }
  std::vector<FragmentHeader> headers(pieces.size());
  std::vector<Slice> parts;
  parts.reserve(2 * pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const FragmentType type = TypeOf(i == 0, i + 1 == pieces.size());
    headers[i] = HeaderOf(type, pieces[i]);
    parts.push_back(Bytes(headers[i]));
    parts.push_back(pieces[i]);
  }
  return Append(parts);
}

// Writes zeros to the end of the block, which readers skip.
Status LogWriter::FillBlock() {
  const std::size_t rest = RestOfBlock();
  assert(rest < kZeros.size());
  const Slice zeros[] = {{kZeros.data(), rest}};
  return Append(zeros);
}

Status LogWriter::Append(std::span<const Slice> parts) {
  Status added = file_->AppendRecord(parts);
  if (!added.ok()) return added;
  for (const Slice part : parts) written_ += part.size();
  return added;
}

}  // namespace tamis
