// SPDX-License-Identifier: Apache-2.0
// sstable/manifest_tags.h -- the tags of a manifest's records, of LevelDB and
// of RocksDB, whose values follow each.

#pragma once

#include <cstdint>

namespace tamis {

// Of both engines.
inline constexpr std::uint32_t kComparatorTag = 1;
inline constexpr std::uint32_t kLogNumberTag = 2;
inline constexpr std::uint32_t kNextFileTag = 3;
inline constexpr std::uint32_t kLastSequenceTag = 4;
inline constexpr std::uint32_t kCompactPointerTag = 5;
inline constexpr std::uint32_t kDeletedFileTag = 6;
inline constexpr std::uint32_t kNewFileTag = 7;
inline constexpr std::uint32_t kPreviousLogTag = 9;
// Of RocksDB only.
inline constexpr std::uint32_t kMinLogToKeepTag = 10;
inline constexpr std::uint32_t kNewFile2Tag = 100;
inline constexpr std::uint32_t kNewFile3Tag = 102;
inline constexpr std::uint32_t kNewFile4Tag = 103;
inline constexpr std::uint32_t kFamilyTag = 200;
inline constexpr std::uint32_t kFamilyAddTag = 201;
inline constexpr std::uint32_t kFamilyDropTag = 202;
inline constexpr std::uint32_t kMaxFamilyTag = 203;
inline constexpr std::uint32_t kAtomicGroupTag = 300;
inline constexpr std::uint32_t kBlobFileAdditionTag = 400;
inline constexpr std::uint32_t kBlobFileGarbageTag = 401;
// Tags with this bit have a value of stated length, and may be skipped.
inline constexpr std::uint32_t kSkippableTag = 1 << 13;

// Fields after a kNewFile4Tag: a number and a value of stated length each.
inline constexpr std::uint32_t kLastFieldTag = 1;
inline constexpr std::uint32_t kPathIdField = 65;
// A field with this bit may not be skipped.
inline constexpr std::uint32_t kUnskippableField = 1 << 6;

}  // namespace tamis
