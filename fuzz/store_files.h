// SPDX-License-Identifier: Apache-2.0
// fuzz/store_files.h -- the files of a store out of arbitrary bytes, in memory,
// for the targets that open, list, check or dump them.
//
// An input is a byte of switches, then files: a byte for the kind, one for the
// number, two for the length, and the bytes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "fuzz/fuzz_support.h"
#include "store/file_names.h"
#include "store/log_format.h"
#include "store/settings_file.h"
#include "table/footer.h"
#include "tests/support/memory_env.h"

namespace tamis::fuzz {

inline constexpr char kStoreDir[] = "/db";

// Gives every fragment of a log or manifest the checksum that it should have.
inline void FixLogChecksums(std::string* log) {
  for (std::size_t at = 0; at + kLogHeaderBytes <= log->size();) {
    const std::size_t block_end = (at / kLogBlockBytes + 1) * kLogBlockBytes;
    const std::size_t length = LoadLittle<std::uint16_t>(log->data() + at + 4);
    const std::size_t end = at + kLogHeaderBytes + length;
    if (end > log->size() || end > block_end) {
      at = block_end;
      continue;
    }
    if (length > 0 || (*log)[at + 6] != 0) {
      const std::uint32_t crc = Crc32c(Slice(*log).substr(at + 6, length + 1));
      StoreLittle(log->data() + at, MaskCrc32c(crc));
    }
    at = end;
  }
}

// Returns the handles that the entries of an uncompressed block have as values.
inline std::vector<BlockHandle> HandlesIn(Slice block) {
  std::vector<BlockHandle> handles;
  for (;;) {
    std::uint32_t shared = 0;
    std::uint32_t unshared = 0;
    std::uint32_t value_bytes = 0;
    if (!ReadVarint32(&block, &shared) || !ReadVarint32(&block, &unshared) ||
        !ReadVarint32(&block, &value_bytes) || block.size() < unshared ||
        block.size() - unshared < value_bytes) {
      return handles;
    }
    Slice value = block.substr(unshared, value_bytes);
    BlockHandle handle;
    if (ReadHandle(&value, &handle)) handles.push_back(handle);
    block.remove_prefix(std::size_t{unshared} + value_bytes);
  }
}

// Gives one block of a table the checksum that it should have.  Returns it,
// empty where the handle leads out of the table.
inline Slice FixBlockChecksum(const BlockHandle& handle, std::string* table) {
  if (!LiesBefore(handle, table->size())) return {};
  const std::uint32_t crc =
      Crc32c(Slice(*table).substr(handle.offset, handle.size + 1));
  StoreLittle(table->data() + handle.offset + handle.size + 1, MaskCrc32c(crc));
  return Slice(*table).substr(handle.offset, handle.size);
}

// Gives every block that the footer of a table leads to its checksum.
inline void FixTableChecksums(std::string* table) {
  if (table->size() < kFooterBytes) return;
  const auto footer = ParseFooter(
      Slice(*table).substr(table->size() - kFooterBytes), table->size());
  if (!footer.ok()) return;
  for (const BlockHandle& root : {footer->metaindex, footer->index}) {
    // A block may lie over another, so the handles are taken out first.
    const std::vector<BlockHandle> handles =
        HandlesIn(FixBlockChecksum(root, table));
    for (const BlockHandle& handle : handles) FixBlockChecksum(handle, table);
    FixBlockChecksum(root, table);
  }
}

struct StoreSwitches {
  bool can_map;
  bool read_only;
  bool skip_damaged;
  bool fix_log_checksums;  // and those of manifests, so that more is believed
  bool repair_first;
  bool fix_table_checksums;

  explicit StoreSwitches(unsigned byte)
      : can_map((byte & 1) != 0),
        read_only((byte & 2) != 0),
        skip_damaged((byte & 4) != 0),
        fix_log_checksums((byte & 8) != 0),
        repair_first((byte & 16) != 0),
        fix_table_checksums((byte & 32) != 0) {}
};

enum class StoreFile {
  kLog,
  kTable,
  kOldTable,
  kManifest,
  kTemporary,
  kInfoLog,
  kCurrent,
  kSettings
};
inline constexpr unsigned kStoreFileKinds = 8;

inline std::string PathOf(StoreFile kind, std::uint64_t number) {
  switch (kind) {
    case StoreFile::kLog:
      return LogFileName(kStoreDir, number);
    case StoreFile::kTable:
      return TableFileName(kStoreDir, number);
    case StoreFile::kOldTable:
      return OldTableFileName(kStoreDir, number);
    case StoreFile::kManifest:
      return ManifestFileName(kStoreDir, number);
    case StoreFile::kTemporary:
      return TemporaryFileName(kStoreDir, number);
    case StoreFile::kInfoLog:
      return InfoLogFileName(kStoreDir);
    case StoreFile::kCurrent:
      return CurrentFileName(kStoreDir);
    case StoreFile::kSettings:
      break;
  }
  return SettingsFileName(kStoreDir);
}

inline void FixChecksums(StoreFile kind, const StoreSwitches& switches,
                         std::string* content) {
  const bool is_log = kind == StoreFile::kLog || kind == StoreFile::kManifest;
  const bool is_table =
      kind == StoreFile::kTable || kind == StoreFile::kOldTable;
  if (switches.fix_log_checksums && is_log) FixLogChecksums(content);
  if (switches.fix_table_checksums && is_table) FixTableChecksums(content);
}

// Puts the files of an input, its switches left out, into kStoreDir.
inline void PutFiles(Slice bytes, const StoreSwitches& switches,
                     testing::MemoryEnv* env) {
  constexpr std::size_t kMaxFiles = 20;
  Check(env->CreateDirectory(kStoreDir).ok(), "a directory can be made");
  Input input(bytes);
  for (std::size_t i = 0; i < kMaxFiles && !input.empty(); ++i) {
    const auto kind =
        static_cast<StoreFile>(input.TakeByte() % kStoreFileKinds);
    const std::uint64_t number = input.TakeByte();
    const auto length = static_cast<std::size_t>(input.TakeNumber(2));
    std::string content(input.Take(length));
    FixChecksums(kind, switches, &content);
    env->SetContents(PathOf(kind, number), std::move(content));
  }
}

inline void ExpectReason(const Status& status) {
  Check(status.ok() || status.message().find(kStoreDir) != std::string::npos,
        "an error names a file");
}

}  // namespace tamis::fuzz
