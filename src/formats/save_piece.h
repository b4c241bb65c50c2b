// SPDX-License-Identifier: Apache-2.0
// formats/save_piece.h -- a piece of a filter's bytes, made from its header and
// from its bits in memory.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "formats/bloom_parameters.h"
#include "formats/tamis/container.h"
#include "tamis/filter.h"

namespace tamis {

struct SavedPiece {
  std::uint64_t offset;
  std::span<char> bytes;
};

// Writes what of header and payload, one after the other, is in the piece.
// Returns the number of bytes.
inline std::size_t CopyPiece(Slice header, Slice payload,
                             const SavedPiece& piece) noexcept {
  std::size_t done = 0;
  std::uint64_t offset = piece.offset;
  for (const Slice part : {header, payload}) {
    if (offset >= part.size()) {
      offset -= part.size();
      continue;
    }
    const auto from = static_cast<std::size_t>(offset);
    const std::size_t n =
        std::min(part.size() - from, piece.bytes.size() - done);
    if (n > 0) std::memcpy(piece.bytes.data() + done, part.data() + from, n);
    done += n;
    offset = 0;
  }
  return done;
}

// MutableFilter::SavePiece() of a filter with these parameters and bits.
template <typename F>
Status SavePieceOf(const MutableFilter& filter, const F& format,
                   const BloomParameters& parameters, Slice payload,
                   const SavedPiece& piece, std::size_t* length,
                   std::uint64_t* total) {
  if constexpr (requires { format.HeaderOf(parameters); }) {
    std::array<char, kTamisHeaderBytes> header{};
    if (piece.offset < header.size()) {
      SealTamisApart(header, format.HeaderOf(parameters), payload);
    }
    *length = CopyPiece({header.data(), header.size()}, payload, piece);
    *total = header.size() + payload.size();
    return Status::Ok();
  } else {
    return filter.MutableFilter::SavePiece(piece.offset, piece.bytes, length,
                                           total);
  }
}

}  // namespace tamis
