// SPDX-License-Identifier: Apache-2.0
// A program's own Env: every file of a database goes through it.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>

#include "orders.h"
#include "scene.h"

namespace {

// Moves every path below another directory, and can fail to write.
class MovingEnv final : public leveldb::EnvWrapper {
 public:
  MovingEnv(leveldb::Env* base, std::string to)
      : EnvWrapper(base), to_(std::move(to)) {}

  std::atomic<bool> fails{false};
  std::atomic<bool> sees_other_paths{false};

  leveldb::Status NewSequentialFile(const std::string& f,
                                    leveldb::SequentialFile** r) override {
    return EnvWrapper::NewSequentialFile(To(f), r);
  }
  leveldb::Status NewRandomAccessFile(const std::string& f,
                                      leveldb::RandomAccessFile** r) override {
    return EnvWrapper::NewRandomAccessFile(To(f), r);
  }
  leveldb::Status NewWritableFile(const std::string& f,
                                  leveldb::WritableFile** r) override;
  leveldb::Status NewAppendableFile(const std::string& f,
                                    leveldb::WritableFile** r) override;
  bool FileExists(const std::string& f) override {
    return EnvWrapper::FileExists(To(f));
  }
  leveldb::Status GetChildren(const std::string& dir,
                              std::vector<std::string>* r) override {
    return EnvWrapper::GetChildren(To(dir), r);
  }
  leveldb::Status RemoveFile(const std::string& f) override {
    return EnvWrapper::RemoveFile(To(f));
  }
  leveldb::Status CreateDir(const std::string& d) override {
    return EnvWrapper::CreateDir(To(d));
  }
  leveldb::Status RemoveDir(const std::string& d) override {
    return EnvWrapper::RemoveDir(To(d));
  }
  leveldb::Status GetFileSize(const std::string& f, uint64_t* s) override {
    return EnvWrapper::GetFileSize(To(f), s);
  }
  leveldb::Status RenameFile(const std::string& s,
                             const std::string& t) override {
    return EnvWrapper::RenameFile(To(s), To(t));
  }
  leveldb::Status LockFile(const std::string& f,
                           leveldb::FileLock** l) override {
    return EnvWrapper::LockFile(To(f), l);
  }
  leveldb::Status NewLogger(const std::string& f,
                            leveldb::Logger** r) override {
    return EnvWrapper::NewLogger(To(f), r);
  }

 private:
  std::string To(const std::string& path) {
    if (path.compare(0, 8, "/nowhere") == 0) return to_ + path.substr(8);
    sees_other_paths = true;
    return path;
  }

  const std::string to_;
};

class FailingFile final : public leveldb::WritableFile {
 public:
  FailingFile(leveldb::WritableFile* file, const std::atomic<bool>& fails)
      : file_(file), fails_(fails) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    return fails_ ? Fail() : file_->Append(data);
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return fails_ ? Fail() : file_->Flush(); }
  leveldb::Status Sync() override { return fails_ ? Fail() : file_->Sync(); }

 private:
  static leveldb::Status Fail() {
    return leveldb::Status::IOError("on purpose");
  }

  const std::unique_ptr<leveldb::WritableFile> file_;
  const std::atomic<bool>& fails_;
};

leveldb::Status MovingEnv::NewWritableFile(const std::string& f,
                                           leveldb::WritableFile** r) {
  leveldb::Status status = EnvWrapper::NewWritableFile(To(f), r);
  if (status.ok()) *r = new FailingFile(*r, fails);
  return status;
}

leveldb::Status MovingEnv::NewAppendableFile(const std::string& f,
                                             leveldb::WritableFile** r) {
  leveldb::Status status = EnvWrapper::NewAppendableFile(To(f), r);
  if (status.ok()) *r = new FailingFile(*r, fails);
  return status;
}

// Counts what is logged.
class CountingLogger final : public leveldb::Logger {
 public:
  void Logv(const char* format, std::va_list ap) override {
    char line[500];
    std::vsnprintf(line, sizeof(line), format, ap);
    const std::lock_guard<std::mutex> lock(mutex_);
    ++lines_;
  }
  bool has_any() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_ != 0;
  }

 private:
  std::mutex mutex_;
  int lines_ = 0;
};

void Fill(const Scene& scene, const leveldb::Options& options,
          const std::string& dir) {
  leveldb::DB* opened = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, dir, &opened));
  if (opened == nullptr) return;
  const std::unique_ptr<leveldb::DB> db(opened);
  Chance chance(scene.seed);
  for (int i = 0; i < 2000; ++i) {
    db->Put({}, chance.Bytes(6, 9), std::string(100, 'v'));
    if (i % 500 == 0) db->CompactRange(nullptr, nullptr);
  }
}

void Scan(const Scene& scene, const leveldb::Options& options,
          const std::string& dir) {
  leveldb::DB* opened = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, dir, &opened));
  if (opened == nullptr) return;
  const std::unique_ptr<leveldb::DB> db(opened);
  const std::unique_ptr<leveldb::Iterator> entries(db->NewIterator({}));
  std::uint64_t hash = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    hash = hash * 31 + HashOf(entries->key());
  }
  std::printf("%016llx ", static_cast<unsigned long long>(hash));
  Say(scene, "scanned", entries->status());
}

void OfMoving(const Scene& scene) {
  MovingEnv env(leveldb::Env::Default(), scene.dir);
  CountingLogger logger;
  leveldb::Options options;
  options.env = &env;
  options.info_log = &logger;
  options.write_buffer_size = 64 << 10;
  options.create_if_missing = true;
  Fill(scene, options, "/nowhere/db");
  options.create_if_missing = false;
  for (int i = 0; i < 2; ++i) {
    options.reuse_logs = i == 1;
    Scan(scene, options, "/nowhere/db");
  }
  std::printf("logged %d, other paths %d, real %d, its LOG %d\n",
              logger.has_any(), env.sees_other_paths.load(),
              leveldb::Env::Default()->FileExists(scene.dir + "/db/CURRENT"),
              env.FileExists("/nowhere/db/LOG"));
  options.reuse_logs = false;
  leveldb::DB* db = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, "/nowhere/db", &db));
  Say(scene, "put", db->Put({}, "last", "1"));
  env.fails = true;
  leveldb::WriteOptions sync;
  sync.sync = true;
  const leveldb::Status failed = db->Put(sync, "lost", "1");
  std::printf("fails %d\n", failed.IsIOError());
  delete db;
  env.fails = false;
  Say(scene, "repair", leveldb::RepairDB("/nowhere/db", options));
  Say(scene, "open", leveldb::DB::Open(options, "/nowhere/db", &db));
  std::string value;
  Say(scene, "get", db->Get({}, "last", &value));
  delete db;
  Say(scene, "destroy", leveldb::DestroyDB("/nowhere/db", options));
  std::printf("gone %d\n", !env.FileExists("/nowhere/db/CURRENT"));
}

void OfMemory(const Scene& scene) {
  const std::unique_ptr<leveldb::Env> env(
      leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.env = env.get();
  options.write_buffer_size = 64 << 10;
  const ReverseOrder reverse;
  options.comparator = &reverse;
  Scan(scene, options, "/memory/db");
  options.create_if_missing = true;
  Fill(scene, options, "/memory/db");
  Scan(scene, options, "/memory/db");
  std::printf("on disk %d\n",
              leveldb::Env::Default()->FileExists("/memory/db/CURRENT"));
  Say(scene, "destroy", leveldb::DestroyDB("/memory/db", options));

  Say(scene, "write", leveldb::WriteStringToFile(env.get(), "abcdef", "/d/a"));
  Say(scene, "write", leveldb::WriteStringToFile(env.get(), "x", "/d/b/c"));
  std::vector<std::string> names;
  Say(scene, "children", env->GetChildren("/d", &names));
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
  Say(scene, "none", env->RemoveFile("/d/none"));
  Say(scene, "none", env->RenameFile("/d/none", "/d/c"));
  Say(scene, "rename", env->RenameFile("/d/a", "/d/c"));
  std::uint64_t bytes = 0;
  Say(scene, "size", env->GetFileSize("/d/c", &bytes));
  std::printf("%d\n", static_cast<int>(bytes));
  leveldb::RandomAccessFile* file = nullptr;
  Say(scene, "open", env->NewRandomAccessFile("/d/c", &file));
  char scratch[10];
  leveldb::Slice read;
  Say(scene, "read", file->Read(2, 10, &read, scratch));
  std::printf("%s\n", read.ToString().c_str());
  Say(scene, "read after", file->Read(7, 1, &read, scratch));
  delete file;
  std::string text;
  Say(scene, "read", leveldb::ReadFileToString(env.get(), "/d/b/c", &text));
  std::printf("%s\n", text.c_str());
}

}  // namespace

void OwnEnv(const Scene& scene) {
  OfMoving(scene);
  OfMemory(scene);
}
