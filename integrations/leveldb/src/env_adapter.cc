// SPDX-License-Identifier: Apache-2.0
#include "env_adapter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "convert.h"

namespace tamis::dropin {
namespace {

class FileAdapter final : public ReadableFile {
 public:
  FileAdapter(const leveldb::RandomAccessFile* file, std::uint64_t bytes)
      : file_(file), bytes_(bytes) {}

  std::uint64_t size() const noexcept override { return bytes_; }

  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    Result<Slice> read = ReadAtMost(offset, bytes, scratch);
    if (read.ok() && read->size() < bytes) {
      return Status::IoError("the file ends too early");
    }
    return read;
  }

  Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                           std::string* scratch) const override {
    const std::uint64_t rest = bytes_ - std::min(offset, bytes_);
    if (rest < bytes) bytes = static_cast<std::size_t>(rest);
    if (bytes == 0) return Slice();
    if (scratch->size() < bytes) scratch->resize(bytes);
    leveldb::Slice result;
    const leveldb::Status read =
        file_->Read(offset, bytes, &result, scratch->data());
    if (!read.ok()) return Ours(read);
    // It is a view of the scratch, or of memory that lives as long as the file.
    return Ours(result);
  }

 private:
  const leveldb::RandomAccessFile* const file_;
  const std::uint64_t bytes_;
};

// Owns the program's file.
class OwningFile final : public ReadableFile {
 public:
  OwningFile(std::string path, std::unique_ptr<leveldb::RandomAccessFile> file,
             std::uint64_t bytes)
      : path_(std::move(path)),
        file_(std::move(file)),
        adapter_(file_.get(), bytes) {}

  std::uint64_t size() const noexcept override { return adapter_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    return Named(adapter_.Read(offset, bytes, scratch));
  }
  Result<Slice> ReadAtMost(std::uint64_t offset, std::size_t bytes,
                           std::string* scratch) const override {
    return Named(adapter_.ReadAtMost(offset, bytes, scratch));
  }

 private:
  Result<Slice> Named(Result<Slice> read) const {
    if (read.ok()) return read;
    return read.status().WithMessage(path_ + ": " + read.status().message());
  }

  const std::string path_;
  const std::unique_ptr<leveldb::RandomAccessFile> file_;
  const FileAdapter adapter_;
};

class WritableAdapter final : public WritableFile {
 public:
  WritableAdapter(std::string path, std::unique_ptr<leveldb::WritableFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  Status Append(Slice bytes) override {
    return AboutFile(path_, file_->Append(Theirs(bytes)));
  }
  Status Flush() override { return AboutFile(path_, file_->Flush()); }
  Status Sync() override { return AboutFile(path_, file_->Sync()); }
  Status Close() override { return AboutFile(path_, file_->Close()); }

 private:
  const std::string path_;
  const std::unique_ptr<leveldb::WritableFile> file_;
};

class LockAdapter final : public FileLock {
 public:
  LockAdapter(leveldb::Env* env, leveldb::FileLock* lock)
      : env_(env), lock_(lock) {}
  ~LockAdapter() override { (void)env_->UnlockFile(lock_); }

 private:
  leveldb::Env* const env_;
  leveldb::FileLock* const lock_;
};

class EnvAdapter final : public Env {
 public:
  explicit EnvAdapter(leveldb::Env* theirs) : theirs_(theirs) {}

  Result<std::unique_ptr<ReadableFile>> OpenReadable(const std::string& path,
                                                     bool map) override;
  Result<std::unique_ptr<WritableFile>> Create(const std::string& path,
                                               WriteKind kind) override;
  Result<std::unique_ptr<WritableFile>> Reopen(const std::string& path,
                                               std::uint64_t keep,
                                               WriteKind kind) override;
  Result<std::vector<std::string>> List(const std::string& dir) override;
  bool Exists(const std::string& path) override {
    return theirs_->FileExists(path);
  }
  Result<std::uint64_t> FileSize(const std::string& path) override {
    std::uint64_t bytes = 0;
    const leveldb::Status found = theirs_->GetFileSize(path, &bytes);
    if (!found.ok()) return Missing(path, found);
    return bytes;
  }
  Status Remove(const std::string& path) override {
    const leveldb::Status removed = theirs_->RemoveFile(path);
    return removed.ok() ? Status::Ok() : Missing(path, removed);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return AboutFile(from, theirs_->RenameFile(from, to));
  }
  Status CreateDirectory(const std::string& dir) override;
  Status RemoveDirectory(const std::string& dir) override {
    return AboutFile(dir, theirs_->RemoveDir(dir));
  }
  // An Env of LevelDB makes a name durable when it syncs the file.
  Status SyncDirectory(const std::string& /*dir*/) override {
    return Status::Ok();
  }
  Result<std::unique_ptr<FileLock>> Lock(const std::string& path) override {
    leveldb::FileLock* lock = nullptr;
    const leveldb::Status taken = theirs_->LockFile(path, &lock);
    if (!taken.ok()) return AboutFile(path, taken);
    return std::unique_ptr<FileLock>(
        std::make_unique<LockAdapter>(theirs_, lock));
  }

 private:
  Status Missing(const std::string& path, const leveldb::Status& why);
  Result<std::unique_ptr<WritableFile>> Rewrite(const std::string& path,
                                                std::uint64_t keep);

  leveldb::Env* const theirs_;
};

// An Env need not say NotFound where a file is missing.
Status EnvAdapter::Missing(const std::string& path,
                           const leveldb::Status& why) {
  const Status status = AboutFile(path, why);
  if (status.code() == StatusCode::kNotFound || theirs_->FileExists(path)) {
    return status;
  }
  return Status::NotFound(status.message());
}

Result<std::unique_ptr<ReadableFile>> EnvAdapter::OpenReadable(
    const std::string& path, bool /*map*/) {
  const Result<std::uint64_t> bytes = FileSize(path);
  if (!bytes.ok()) return bytes.status();
  leveldb::RandomAccessFile* file = nullptr;
  const leveldb::Status opened = theirs_->NewRandomAccessFile(path, &file);
  if (!opened.ok()) return Missing(path, opened);
  return std::unique_ptr<ReadableFile>(std::make_unique<OwningFile>(
      path, std::unique_ptr<leveldb::RandomAccessFile>(file), *bytes));
}

Result<std::unique_ptr<WritableFile>> EnvAdapter::Create(
    const std::string& path, WriteKind /*kind*/) {
  leveldb::WritableFile* file = nullptr;
  const leveldb::Status made = theirs_->NewWritableFile(path, &file);
  if (!made.ok()) return AboutFile(path, made);
  return std::unique_ptr<WritableFile>(std::make_unique<WritableAdapter>(
      path, std::unique_ptr<leveldb::WritableFile>(file)));
}

Result<std::unique_ptr<WritableFile>> EnvAdapter::Reopen(
    const std::string& path, std::uint64_t keep, WriteKind /*kind*/) {
  const Result<std::uint64_t> bytes = FileSize(path);
  if (!bytes.ok()) return bytes.status();
  if (*bytes < keep) {
    return Status::IoError(path + ": shorter than the " + std::to_string(keep) +
                           " bytes it should have");
  }
  if (*bytes > keep) return Rewrite(path, keep);
  leveldb::WritableFile* file = nullptr;
  const leveldb::Status opened = theirs_->NewAppendableFile(path, &file);
  if (!opened.ok()) return Rewrite(path, keep);
  return std::unique_ptr<WritableFile>(std::make_unique<WritableAdapter>(
      path, std::unique_ptr<leveldb::WritableFile>(file)));
}

// An Env cannot truncate a file, and need not append to one: the kept bytes go
// into a new file, which replaces the old one.
Result<std::unique_ptr<WritableFile>> EnvAdapter::Rewrite(
    const std::string& path, std::uint64_t keep) {
  const auto old = OpenReadable(path, false);
  if (!old.ok()) return old.status();
  std::string scratch;
  const Result<Slice> kept =
      (*old)->Read(0, static_cast<std::size_t>(keep), &scratch);
  if (!kept.ok()) return kept.status();
  const std::string fresh = path + ".tmp";
  auto file = Create(fresh, WriteKind::kLog);
  if (!file.ok()) return file;
  Status written = (*file)->Append(*kept);
  if (written.ok()) written = (*file)->Sync();
  if (written.ok()) written = Rename(fresh, path);
  if (!written.ok()) return written;
  return file;
}

Result<std::vector<std::string>> EnvAdapter::List(const std::string& dir) {
  std::vector<std::string> names;
  const leveldb::Status listed = theirs_->GetChildren(dir, &names);
  if (!listed.ok()) return Missing(dir, listed);
  std::erase_if(names, [](const std::string& name) {
    return name == "." || name == "..";
  });
  return names;
}

// An Env of LevelDB reports a directory that is there already as an error.
Status EnvAdapter::CreateDirectory(const std::string& dir) {
  const leveldb::Status made = theirs_->CreateDir(dir);
  if (made.ok() || theirs_->FileExists(dir)) return Status::Ok();
  std::vector<std::string> names;
  if (theirs_->GetChildren(dir, &names).ok()) return Status::Ok();
  return AboutFile(dir, made);
}

}  // namespace

Status AboutFile(const std::string& path, const leveldb::Status& status) {
  if (status.ok()) return Status::Ok();
  const Status ours = ErrorOf(status);
  if (ours.message().find(path) != std::string::npos) return ours;
  return ours.WithMessage(path + ": " + ours.message());
}

std::unique_ptr<Env> AdaptEnv(leveldb::Env* theirs) {
  if (theirs == nullptr || theirs == leveldb::Env::Default()) return nullptr;
  return std::make_unique<EnvAdapter>(theirs);
}

std::unique_ptr<ReadableFile> AdaptFile(const leveldb::RandomAccessFile* file,
                                        std::uint64_t bytes) {
  return std::make_unique<FileAdapter>(file, bytes);
}

}  // namespace tamis::dropin
