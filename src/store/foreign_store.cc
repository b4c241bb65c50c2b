// SPDX-License-Identifier: Apache-2.0
#include "store/foreign_store.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/coding.h"
#include "store/file_names.h"
#include "store/manifest.h"

namespace tamis {
namespace {

// The last eight bytes of RocksDB's tables.  Its oldest block-based tables end
// like LevelDB's and cannot be distinguished.
constexpr std::uint64_t kRocksDbMagics[] = {
    0x88e241b785f4cff7,  // block-based
    0x8242229663bf9564,  // plain
    0x4f3418eb7a8f13b8,  // plain, of the first versions
    0x926789d0c5f17873,  // cuckoo
};
constexpr std::size_t kMagicBytes = 8;

// RocksDB's own manifest tags begin here.  Lower ones that LevelDB does not
// write are used by several engines derived from it.
constexpr std::uint32_t kFirstRocksDbTag = 100;

enum class Engine { kRocksDb, kOther };

struct Evidence {
  Engine engine;
  std::string text;
};

Status Refusal(const std::string& dir, const Evidence& evidence) {
  const bool is_rocksdb = evidence.engine == Engine::kRocksDb;
  return Status::NotSupported(
      dir + ": this is " +
      (is_rocksdb ? "a RocksDB database" : "the database of another engine") +
      " (" + evidence.text +
      "); Tamis opens LevelDB's format only and has changed nothing: " +
      (is_rocksdb ? "use RocksDB, or copy the entries with it into a new store"
                  : "use the program that wrote it"));
}

// "OPTIONS-000007", as well as the temporary file it is written to first.
bool IsOptionsFile(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "OPTIONS-";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const std::size_t digits =
      std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(digits);
  return digits > 0 && (name.empty() || name == ".dbtmp");
}

std::optional<Evidence> InManifest(Env& env, const std::string& dir,
                                   const std::string& name) {
  std::optional<std::uint32_t> largest;
  ForEachEditPrefix(env, dir + "/" + name, [&](const EditPrefix& prefix) {
    largest = std::max(largest, prefix.unknown_tag);  // nothing compares least
  });
  if (!largest.has_value()) return std::nullopt;
  return Evidence{
      *largest >= kFirstRocksDbTag ? Engine::kRocksDb : Engine::kOther,
      name + " has records of tag " + std::to_string(*largest)};
}

// The first line has the time, a number, and the version.
bool IsRocksDbLog(Env& env, const std::string& path) {
  constexpr std::size_t kFirstLine = 128;
  const Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(path, false);
  if (!file.ok()) return false;
  std::string scratch;
  const Result<Slice> start = file->ReadAtMost(0, kFirstLine, &scratch);
  if (!start.ok()) return false;
  const Slice line = start->substr(0, start->find('\n'));
  return line.find(" RocksDB version: ") != Slice::npos;
}

std::optional<Evidence> InTable(Env& env, const std::string& dir,
                                const std::string& name) {
  const Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(dir + "/" + name, false);
  if (!file.ok() || file->size() < kMagicBytes) return std::nullopt;
  std::string scratch;
  const Result<Slice> end =
      file->Read(file->size() - kMagicBytes, kMagicBytes, &scratch);
  if (!end.ok()) return std::nullopt;
  const std::uint64_t magic = LoadLittle64(end->data());
  if (std::find(std::begin(kRocksDbMagics), std::end(kRocksDbMagics), magic) ==
      std::end(kRocksDbMagics)) {
    return std::nullopt;
  }
  return Evidence{Engine::kRocksDb, name + " is one of its tables"};
}

}  // namespace

Status RefuseForeignNames(Env& env, const std::string& dir,
                          const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == "IDENTITY" || IsOptionsFile(name)) {
      return Refusal(dir, {Engine::kRocksDb, "it has the file " + name});
    }
    if (name == "LOG" && IsRocksDbLog(env, InfoLogFileName(dir))) {
      return Refusal(dir, {Engine::kRocksDb, "its LOG says so"});
    }
  }
  return Status::Ok();
}

Status RefuseForeignFiles(Env& env, const std::string& dir,
                          const std::vector<std::string>& names) {
  std::optional<Evidence> other;
  for (const std::string& name : names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed.has_value()) continue;
    std::optional<Evidence> found;
    if (parsed->type == FileType::kManifest) {
      found = InManifest(env, dir, name);
    } else if (parsed->type == FileType::kTable) {
      found = InTable(env, dir, name);
    }
    if (!found.has_value()) continue;
    if (found->engine == Engine::kRocksDb) return Refusal(dir, *found);
    other = std::move(found);
  }
  return other.has_value() ? Refusal(dir, *other) : Status::Ok();
}

}  // namespace tamis
