// SPDX-License-Identifier: Apache-2.0
// What LevelDB's header only declares of its interfaces: their destructors, by
// which their tables of virtual functions and their types are placed here, and
// the methods that have a default.

#include <leveldb/cache.h>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

namespace leveldb {

Comparator::~Comparator() = default;
FilterPolicy::~FilterPolicy() = default;
Cache::~Cache() = default;
Snapshot::~Snapshot() = default;
DB::~DB() = default;
WriteBatch::Handler::~Handler() = default;
SequentialFile::~SequentialFile() = default;
RandomAccessFile::~RandomAccessFile() = default;
WritableFile::~WritableFile() = default;
Logger::~Logger() = default;
FileLock::~FileLock() = default;
Env::Env() = default;
Env::~Env() = default;
EnvWrapper::~EnvWrapper() = default;

// For classes of programs that derive from DB.
Status DB::Put(const WriteOptions& options, const Slice& key,
               const Slice& value) {
  WriteBatch batch;
  batch.Put(key, value);
  return Write(options, &batch);
}

Status DB::Delete(const WriteOptions& options, const Slice& key) {
  WriteBatch batch;
  batch.Delete(key);
  return Write(options, &batch);
}

Status Env::NewAppendableFile(const std::string& fname, WritableFile** result) {
  *result = nullptr;
  return Status::NotSupported("NewAppendableFile", fname);
}

// Each of the old and the new name calls the other: a class overrides one.
Status Env::RemoveFile(const std::string& fname) { return DeleteFile(fname); }
Status Env::DeleteFile(const std::string& fname) { return RemoveFile(fname); }
Status Env::RemoveDir(const std::string& dirname) { return DeleteDir(dirname); }
Status Env::DeleteDir(const std::string& dirname) { return RemoveDir(dirname); }

Status WriteStringToFile(Env* env, const Slice& data,
                         const std::string& fname) {
  WritableFile* file = nullptr;
  Status status = env->NewWritableFile(fname, &file);
  if (!status.ok()) return status;
  status = file->Append(data);
  if (status.ok()) status = file->Close();
  delete file;
  if (!status.ok()) (void)env->RemoveFile(fname);
  return status;
}

Status ReadFileToString(Env* env, const std::string& fname, std::string* data) {
  data->clear();
  SequentialFile* file = nullptr;
  Status status = env->NewSequentialFile(fname, &file);
  if (!status.ok()) return status;
  std::string piece(8192, '\0');
  for (;;) {
    Slice read;
    status = file->Read(piece.size(), &read, piece.data());
    if (!status.ok() || read.empty()) break;
    data->append(read.data(), read.size());
  }
  delete file;
  return status;
}

}  // namespace leveldb
