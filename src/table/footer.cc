// SPDX-License-Identifier: Apache-2.0
#include "table/footer.h"

#include <cassert>

#include "base/coding.h"

namespace tamis {
namespace {

constexpr std::size_t kMagicBytes = 8;

}  // namespace

void AppendHandle(std::string* dst, const BlockHandle& handle) {
  AppendVarint64(dst, handle.offset);
  AppendVarint64(dst, handle.size);
}

bool ReadHandle(Slice* in, BlockHandle* handle) noexcept {
  Slice rest = *in;
  if (!ReadVarint64(&rest, &handle->offset) ||
      !ReadVarint64(&rest, &handle->size)) {
    return false;
  }
  *in = rest;
  return true;
}

void AppendFooter(std::string* dst, const Footer& footer) {
  const std::size_t start = dst->size();
  AppendHandle(dst, footer.metaindex);
  AppendHandle(dst, footer.index);
  dst->resize(start + kFooterBytes - kMagicBytes);  // zeros
  AppendFixed64(dst, kTableMagic);
}

Result<Footer> ParseFooter(Slice bytes, std::uint64_t file_bytes) {
  assert(bytes.size() == kFooterBytes && file_bytes >= kFooterBytes);
  if (LoadLittle64(bytes.data() + kFooterBytes - kMagicBytes) != kTableMagic) {
    return Status::Corruption("not a table: its last bytes are not a footer");
  }
  Footer footer;
  Slice handles = bytes.substr(0, kFooterBytes - kMagicBytes);
  if (!ReadHandle(&handles, &footer.metaindex) ||
      !ReadHandle(&handles, &footer.index)) {
    return Status::Corruption("the footer's handles cannot be read");
  }
  // The metaindex only names filters and properties: its reader checks its
  // place.
  if (!LiesBefore(footer.index, file_bytes - kFooterBytes)) {
    return Status::Corruption("the index is not within the table");
  }
  return footer;
}

}  // namespace tamis
