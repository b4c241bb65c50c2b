// SPDX-License-Identifier: Apache-2.0
#include "tamis/filter_file.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "base/no_throw.h"
#include "base/path_lock.h"
#include "tamis/filter_memory.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

using Contents = std::variant<MappedFile, FilterMemory>;

Slice BytesOf(const Contents& contents) noexcept {
  const auto* mapped = std::get_if<MappedFile>(&contents);
  return mapped != nullptr ? mapped->bytes()
                           : std::get_if<FilterMemory>(&contents)->bytes();
}

Status StatusOf(const Contents& contents) {
  const auto* mapped = std::get_if<MappedFile>(&contents);
  return mapped != nullptr ? mapped->status() : Status::Ok();
}

// Answers "maybe" once a page could not be read: its zeros would hide keys.
class GuardedReader final : public FilterReader {
 public:
  GuardedReader(std::unique_ptr<const FilterReader> reader,
                const MappedFile& file)
      : reader_(std::move(reader)), file_(file) {}

  bool MayContain(Slice key) const noexcept override {
    return reader_->MayContain(key) || file_.faulted();
  }
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override {
    reader_->MayContainMany(keys, out);
    if (file_.faulted()) std::fill(out.begin(), out.end(), true);
  }
  bool MayContainRange(Slice lo, Slice hi) const noexcept override {
    return reader_->MayContainRange(lo, hi) || file_.faulted();
  }
  bool SkipForward(Slice from, std::string* to) const override {
    const bool found = reader_->SkipForward(from, to);
    return file_.faulted() ? SkipNothing(from, to) : found;
  }
  bool SkipBackward(Slice from, std::string* to) const override {
    const bool found = reader_->SkipBackward(from, to);
    return file_.faulted() ? SkipNothing(from, to) : found;
  }
  bool MayContainPrefix(Slice prefix) const noexcept override {
    return reader_->MayContainPrefix(prefix) || file_.faulted();
  }
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return reader_->hash_seed();
  }
  bool MayContainHash(KeyHash hash) const noexcept override {
    return reader_->MayContainHash(hash) || file_.faulted();
  }
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override {
    reader_->MayContainHashes(hashes, out);
    if (file_.faulted()) std::fill(out.begin(), out.end(), true);
  }
  FilterInfo Describe() const override {
    FilterInfo info = reader_->Describe();
    const Status read = file_.status();
    if (read.ok()) return info;
    info.rate = 1.0;
    info.always_maybe = read.message();
    return info;
  }

 private:
  static bool SkipNothing(Slice from, std::string* to) {
    to->assign(from);
    return true;
  }

  const std::unique_ptr<const FilterReader> reader_;
  const MappedFile& file_;
};

class OpenedFilterFile final : public FilterFile {
 public:
  OpenedFilterFile(Contents contents, std::string spec,
                   std::unique_ptr<const FilterPolicy> policy)
      : contents_(std::move(contents)),
        spec_(std::move(spec)),
        policy_(std::move(policy)) {}

  // The reader points into the bytes, so it is made once those are in their
  // final place.
  Status OpenReader() {
    auto reader = policy_->Open(bytes());
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
    const auto* mapped = std::get_if<MappedFile>(&contents_);
    if (mapped != nullptr && mapped->is_guarded()) {
      reader_ = std::make_unique<GuardedReader>(std::move(reader_), *mapped);
    }
    return Status::Ok();
  }

  const FilterReader& reader() const noexcept override { return *reader_; }
  Slice bytes() const noexcept override { return BytesOf(contents_); }
  std::string_view spec() const noexcept override { return spec_; }
  Status status() const override {
    return NoThrow([&] { return StatusOf(contents_); });
  }

 private:
  // In order of dependence: each member may point into those above it.
  Contents contents_;
  std::string spec_;
  std::unique_ptr<const FilterPolicy> policy_;
  std::unique_ptr<const FilterReader> reader_;
};

class HeldPathLock final : public FilterFileLock {
 public:
  explicit HeldPathLock(PathLock lock) : lock_(std::move(lock)) {}

 private:
  PathLock lock_;
};

std::string_view LastPart(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Returns the spec if the format is recognised with certainty.
Result<std::string> CertainSpec(const std::string& path, Slice bytes) {
  const RecognisedFormat found = RecogniseFormat(LastPart(path), bytes);
  if (found.certainty == Certainty::kCertain) return found.spec;
  if (found.certainty == Certainty::kUnknown) {
    return Status::InvalidArgument(path + ": not recognised as a filter (" +
                                   found.reason + ")");
  }
  std::string message = path + ": may be " + found.spec;
  for (const std::string& other : found.alternatives) message += ", " + other;
  return Status::InvalidArgument(message +
                                 ", which is a guess; name its format");
}

Result<std::unique_ptr<const FilterFile>> OpenFilterFile(
    const std::string& path, std::string_view spec, FileAccess access) {
  auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status();

  std::string chosen(spec);
  if (chosen.empty()) {
    auto certain = CertainSpec(path, file->bytes());
    if (Status read = file->status(); !read.ok()) return read;
    if (!certain.ok()) return certain.status();
    chosen = *std::move(certain);
  }
  auto policy = MakePolicy(chosen);
  if (!policy.ok()) return policy.status();

  Contents contents(*std::move(file));
  if (access == FileAccess::kLoad) {
    auto memory = FilterMemory::Copy(BytesOf(contents));
    if (Status read = StatusOf(contents); !read.ok()) return read;
    if (!memory.ok()) {
      return memory.status().WithMessage(path + ": " +
                                         memory.status().message());
    }
    contents = *std::move(memory);
  }
  auto opened = std::make_unique<OpenedFilterFile>(
      std::move(contents), std::move(chosen), *std::move(policy));
  Status status = opened->OpenReader();
  if (Status read = opened->status(); !read.ok()) return read;
  if (!status.ok()) {
    return status.WithMessage(path + ": " + status.message());
  }
  return std::unique_ptr<const FilterFile>(std::move(opened));
}

}  // namespace

Result<std::unique_ptr<const FilterFile>> FilterFile::Open(
    const std::string& path, std::string_view spec, FileAccess access) {
  return NoThrow([&] { return OpenFilterFile(path, spec, access); });
}

Status WriteFilterFile(const std::string& path, Slice bytes,
                       IfExists if_exists) {
  const Overwrite overwrite =
      if_exists == IfExists::kReplace ? Overwrite::kYes : Overwrite::kNo;
  return NoThrow([&] { return WriteFileAtomically(path, bytes, overwrite); });
}

Result<std::unique_ptr<FilterFileLock>> LockFilterFile(
    const std::string& path,
    std::optional<std::chrono::milliseconds> patience) {
  return NoThrow([&]() -> Result<std::unique_ptr<FilterFileLock>> {
    auto lock = PathLock::Take(path, patience);
    if (!lock.ok()) return lock.status();
    return std::unique_ptr<FilterFileLock>(
        std::make_unique<HeldPathLock>(*std::move(lock)));
  });
}

}  // namespace tamis
