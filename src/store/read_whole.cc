// SPDX-License-Identifier: Apache-2.0
#include "store/read_whole.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace tamis {
namespace {

constexpr std::uint64_t kMinLogLimit = std::uint64_t{4} << 30;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

Status TooLong(const std::string& path, std::uint64_t bytes,
               std::uint64_t limit) {
  return Status::ResourceExhausted(
      path + ": it has " + std::to_string(bytes) +
      " bytes, which no log or manifest of a store has (at most " +
      std::to_string(limit) +
      " are read); if it is a log and they are all needed, open the store "
      "with a larger write_buffer_bytes");
}

// In pieces: memory is taken for the actual contents, not for a claimed size.
Status AppendAll(const ReadableFile& file, std::string* contents) {
  contents->reserve(static_cast<std::size_t>(file.size()));
  std::string scratch;
  for (;;) {
    Result<Slice> piece =
        file.ReadAtMost(contents->size(), kPieceBytes, &scratch);
    if (!piece.ok()) return piece.status();
    if (piece->empty()) return Status::Ok();
    contents->append(*piece);
  }
}

}  // namespace

std::uint64_t MostLogBytes(const StoreOptions& options) noexcept {
  const std::uint64_t buffer = options.write_buffer_bytes;
  return std::max(kMinLogLimit, buffer > UINT64_MAX / 4 ? buffer : 4 * buffer);
}

Status CheckLength(const std::string& path, std::uint64_t bytes,
                   std::uint64_t limit) {
  return bytes > limit ? TooLong(path, bytes, limit) : Status::Ok();
}

Result<std::string> ReadWholeFile(Env& env, const std::string& path,
                                  std::uint64_t limit) {
  Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const std::uint64_t bytes = file->size();
  if (Status fits = CheckLength(path, bytes, limit); !fits.ok()) return fits;
  std::string contents;
  try {
    Status read = AppendAll(**file, &contents);
    if (!read.ok()) return read;
    return contents;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Status::ResourceExhausted(path + ": not enough memory to read its " +
                                   std::to_string(bytes) + " bytes");
}

}  // namespace tamis
