// SPDX-License-Identifier: Apache-2.0
#include "file_type.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "loaded_string.h"
#include "module_memory.h"

namespace tamis {
namespace {

constexpr int kEncodingVersion = 1;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

RedisType* file_type = nullptr;

const tamis_filter* FilterOf(const void* value) noexcept {
  return static_cast<const tamis_filter*>(value);
}

void SaveFile(RedisIo* io, void* value) {
  std::string_view rest = BytesOfFile(FilterOf(value));
  redis.SaveUnsigned(io, rest.size());
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    redis.SaveStringBuffer(io, piece.data(), piece.size());
    rest.remove_prefix(piece.size());
  }
}

// Null: damaged, or there is no memory.
FileFilter ReadFile(RedisIo* io) {
  const std::uint64_t length = redis.LoadUnsigned(io);
  ByteBuffer bytes;
  while (!redis.IsIOError(io) && bytes.size() < length) {
    const LoadedString piece(io);
    if (redis.IsIOError(io) || !piece.ok() || piece.bytes().empty() ||
        piece.bytes().size() > length - bytes.size() ||
        !bytes.Append(piece.bytes())) {
      return nullptr;
    }
  }
  FileFilter filter;
  if (redis.IsIOError(io) ||
      OpenFile({bytes.data(), bytes.size()}, &filter) != TAMIS_OK) {
    return nullptr;
  }
  return filter;
}

void* LoadFile(RedisIo* io, int version) {
  if (version != kEncodingVersion) {
    redis.LogIOError(io, "warning",
                     "a .tamis file of version %d: this module reads version "
                     "%d; load a newer module",
                     version, kEncodingVersion);
    return nullptr;
  }
  FileFilter filter = ReadFile(io);
  if (filter == nullptr) {
    redis.LogIOError(io, "warning",
                     "a .tamis file is damaged, or does not fit into memory");
  }
  return filter.release();
}

void RewriteFile(RedisIo* io, RedisString* key, void* value) {
  const std::string_view bytes = BytesOfFile(FilterOf(value));
  redis.EmitAOF(io, "TAMIS.LOAD", "sb", key, bytes.data(), bytes.size());
}

std::size_t MemoryOfFile(const void* value) {
  constexpr std::size_t kObjectBytes = 512;  // about; beside the bytes
  return BytesOfFile(FilterOf(value)).size() + kObjectBytes;
}

void DigestFile(RedisDigest* sum, void* value) {
  const std::string_view bytes = BytesOfFile(FilterOf(value));
  redis.DigestAddStringBuffer(sum, bytes.data(), bytes.size());
  redis.DigestEndSequence(sum);
}

void FreeFile(void* value) {
  tamis_filter_destroy(static_cast<tamis_filter*>(value));
}

std::size_t EffortToFree(RedisString* /*key*/, const void* value) {
  return 1 + BytesOfFile(FilterOf(value)).size() / kPieceBytes;
}

void* CopyFile(RedisString* /*from*/, RedisString* /*to*/, const void* value) {
  FileFilter copy;
  static_cast<void>(OpenFile(BytesOfFile(FilterOf(value)), &copy));
  return copy.release();
}

}  // namespace

bool CreateFileType(RedisContext* context) {
  RedisTypeMethods methods = {.version = 3,
                              .rdb_load = LoadFile,
                              .rdb_save = SaveFile,
                              .aof_rewrite = RewriteFile,
                              .mem_usage = MemoryOfFile,
                              .add_to_digest = DigestFile,
                              .free = FreeFile,
                              .aux_load = nullptr,
                              .aux_save = nullptr,
                              .aux_save_triggers = 0,
                              .free_effort = EffortToFree,
                              .unlink = nullptr,
                              .copy = CopyFile,
                              .defrag = nullptr};
  file_type =
      redis.CreateDataType(context, "tamis-fl0", kEncodingVersion, &methods);
  return file_type != nullptr;
}

RedisType* FileType() noexcept { return file_type; }

int OpenFile(std::string_view bytes, FileFilter* filter) {
  tamis_policy* policy = nullptr;
  int code = tamis_policy_create("tamis", &policy, nullptr);
  if (code != TAMIS_OK) return code;
  tamis_filter* opened = nullptr;
  code =
      tamis_filter_open(policy, bytes.data(), bytes.size(), &opened, nullptr);
  tamis_policy_destroy(policy);
  if (code == TAMIS_OK) filter->reset(opened);
  return code;
}

std::string_view BytesOfFile(const tamis_filter* filter) noexcept {
  std::size_t length = 0;
  const char* const bytes = tamis_filter_bytes(filter, &length);
  return {bytes, length};
}

}  // namespace tamis
