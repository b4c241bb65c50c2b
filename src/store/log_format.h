// SPDX-License-Identifier: Apache-2.0
// store/log_format.h -- the framing of LevelDB's logs and manifests.
//
// A file is a sequence of blocks of 32 KiB, the last of which may be short.  A
// block consists of fragments, each with a header:
//
//   0  u32  masked CRC-32C of the type and the data
//   4  u16  bytes of data
//   6  u8   type
//   7       data
//
// A record is one full fragment, or a first, any number of middle ones and a
// last.  Fewer than 7 bytes at the end of a block, or a header of no data and
// type 0, mean that the record continues, or the next one starts, in the next
// block.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

inline constexpr std::size_t kLogBlockBytes = 32768;
inline constexpr std::size_t kLogHeaderBytes = 7;

enum class FragmentType : std::uint8_t {
  kZeros = 0,  // nothing was written here
  kFull = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,
};

// A record up to this size, header included, is never split: a file writes it
// in one step, and splitting would save less than an eighth of a block.
inline constexpr std::size_t kLongestUncut = 4096;

}  // namespace tamis
