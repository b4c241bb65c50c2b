// SPDX-License-Identifier: Apache-2.0
#include "sstable/cassandra/index_file.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::size_t kMaxKeyBytes = 0xffff;
// After the key: two numbers of at most nine bytes each.
constexpr std::size_t kMaxNumbers = 18;
constexpr std::size_t kMaxHead = 2 + kMaxKeyBytes + kMaxNumbers;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

// The leading ones of the first byte say how many bytes follow; its other bits
// are the highest of the number.
bool TakeVariable(Slice* in, std::uint64_t* value) noexcept {
  if (in->empty()) return false;
  const unsigned first = ByteAt(*in, 0);
  const auto more =
      static_cast<unsigned>(std::countl_one(static_cast<unsigned char>(first)));
  if (in->size() < 1 + more) return false;
  std::uint64_t number = more >= 7 ? 0 : first & (0x7fu >> more);
  for (unsigned i = 1; i <= more; ++i) number = number << 8 | ByteAt(*in, i);
  in->remove_prefix(1 + more);
  *value = number;
  return true;
}

template <typename T>
bool TakeFixed(Slice* in, std::uint64_t* value) noexcept {
  if (in->size() < sizeof(T)) return false;
  *value = LoadBig<T>(in->data());
  in->remove_prefix(sizeof(T));
  return true;
}

// Takes an entry without its promoted index, which has *promoted bytes.
bool TakeHead(CassandraIndexForm form, Slice* in, Slice* key,
              std::uint64_t* promoted) noexcept {
  std::uint64_t size;
  std::uint64_t position;
  if (!TakeFixed<std::uint16_t>(in, &size) || in->size() < size) return false;
  *key = in->substr(0, static_cast<std::size_t>(size));
  in->remove_prefix(static_cast<std::size_t>(size));
  *promoted = 0;
  switch (form) {
    case CassandraIndexForm::kPosition:
      return TakeFixed<std::uint64_t>(in, &position);
    case CassandraIndexForm::kFixedPromoted:
      return TakeFixed<std::uint64_t>(in, &position) &&
             TakeFixed<std::uint32_t>(in, promoted);
    case CassandraIndexForm::kVariablePromoted:
      break;
  }
  return TakeVariable(in, &position) && TakeVariable(in, promoted);
}

Status Damaged(std::uint64_t at, std::string_view what) {
  return Status::Corruption("offset " + std::to_string(at) + ": " +
                            std::string(what));
}

}  // namespace

Status ForEachIndexEntry(
    const ReadableFile& file, CassandraIndexForm form,
    const std::function<bool(Slice key, std::uint64_t offset)>& take) {
  std::uint64_t at = 0;  // of `rest` in the file
  std::string scratch;
  Slice rest;
  while (at < file.size()) {
    const std::uint64_t left = file.size() - at;
    if (rest.size() < std::min<std::uint64_t>(kMaxHead, left)) {
      const Result<Slice> piece = file.Read(
          at,
          static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, left)),
          &scratch);
      if (!piece.ok()) {
        return piece.status().WithMessage("offset " + std::to_string(at) +
                                          ": " + piece.status().message());
      }
      rest = *piece;
    }
    const std::size_t before = rest.size();
    Slice key;
    std::uint64_t promoted;
    if (!TakeHead(form, &rest, &key, &promoted)) {
      return Damaged(at, "the entry is cut off");
    }
    const std::uint64_t head = before - rest.size();
    if (promoted > left - head) {
      return Damaged(at, "the entry is longer than the file");
    }
    if (!take(key, at)) return Status::Ok();
    at += head + promoted;
    rest = promoted < rest.size()
               ? rest.substr(static_cast<std::size_t>(promoted))
               : Slice();
  }
  return Status::Ok();
}

}  // namespace tamis
