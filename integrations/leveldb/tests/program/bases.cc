// SPDX-License-Identifier: Apache-2.0
// Classes that derive from every class of LevelDB's headers, and an Env from
// nothing, as programs of before 1.23 write it: its methods have the old names,
// it cannot append, and it never says NotFound.

#include <map>
#include <memory>
#include <mutex>
#include <typeinfo>
#include <vector>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>

#include "orders.h"
#include "policies.h"
#include "scene.h"

namespace {

using Bytes = std::shared_ptr<std::string>;

class OwnSequential final : public leveldb::SequentialFile {
 public:
  explicit OwnSequential(Bytes bytes) : bytes_(std::move(bytes)) {}
  leveldb::Status Read(size_t n, leveldb::Slice* result,
                       char* scratch) override {
    n = bytes_->copy(scratch, n, at_);
    at_ += n;
    *result = leveldb::Slice(scratch, n);
    return {};
  }
  leveldb::Status Skip(uint64_t n) override {
    at_ = std::min<std::size_t>(bytes_->size(), at_ + n);
    return {};
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

class OwnRandom final : public leveldb::RandomAccessFile {
 public:
  explicit OwnRandom(Bytes bytes) : bytes_(std::move(bytes)) {}
  // Needs no scratch.
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char*) const override {
    *result = leveldb::Slice(bytes_->data() + offset,
                             std::min(n, bytes_->size() - offset));
    return {};
  }

 private:
  Bytes bytes_;
};

class OwnWritable final : public leveldb::WritableFile {
 public:
  explicit OwnWritable(Bytes bytes) : bytes_(std::move(bytes)) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes_->append(data.data(), data.size());
    return {};
  }
  leveldb::Status Close() override { return {}; }
  leveldb::Status Flush() override { return {}; }
  leveldb::Status Sync() override { return {}; }

 private:
  Bytes bytes_;
};

class OwnLock final : public leveldb::FileLock {};

class OwnLogger final : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

// Threads and time are the default's.
class OwnEnvironment final : public leveldb::Env {
 public:
  leveldb::Status NewSequentialFile(const std::string& f,
                                    leveldb::SequentialFile** r) override {
    const Bytes bytes = Find(f);
    *r = bytes == nullptr ? nullptr : new OwnSequential(bytes);
    return bytes == nullptr ? None() : leveldb::Status();
  }
  leveldb::Status NewRandomAccessFile(const std::string& f,
                                      leveldb::RandomAccessFile** r) override {
    const Bytes bytes = Find(f);
    *r = bytes == nullptr ? nullptr : new OwnRandom(bytes);
    return bytes == nullptr ? None() : leveldb::Status();
  }
  leveldb::Status NewWritableFile(const std::string& f,
                                  leveldb::WritableFile** r) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_[f] = std::make_shared<std::string>();
    files_[f]->reserve(std::size_t{8} << 20);  // readers have views of it
    *r = new OwnWritable(files_[f]);
    return {};
  }
  bool FileExists(const std::string& f) override { return Find(f) != nullptr; }
  leveldb::Status GetChildren(const std::string& dir,
                              std::vector<std::string>* r) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    r->clear();
    for (const auto& [name, bytes] : files_) {
      if (name.compare(0, dir.size() + 1, dir + "/") == 0) {
        r->push_back(name.substr(dir.size() + 1));
      }
    }
    return r->empty() ? None() : leveldb::Status();
  }
  leveldb::Status DeleteFile(const std::string& f) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return files_.erase(f) == 0 ? None() : leveldb::Status();
  }
  leveldb::Status CreateDir(const std::string&) override { return {}; }
  leveldb::Status DeleteDir(const std::string&) override { return {}; }
  leveldb::Status GetFileSize(const std::string& f, uint64_t* s) override {
    const Bytes bytes = Find(f);
    *s = bytes == nullptr ? 0 : bytes->size();
    return bytes == nullptr ? None() : leveldb::Status();
  }
  leveldb::Status RenameFile(const std::string& s,
                             const std::string& t) override {
    const Bytes bytes = Find(s);
    if (bytes == nullptr) return None();
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.erase(s);
    files_[t] = bytes;
    return {};
  }
  leveldb::Status LockFile(const std::string&, leveldb::FileLock** l) override {
    *l = new OwnLock;
    return {};
  }
  leveldb::Status UnlockFile(leveldb::FileLock* l) override {
    delete l;
    return {};
  }
  void Schedule(void (*f)(void*), void* a) override { Base()->Schedule(f, a); }
  void StartThread(void (*f)(void*), void* a) override {
    Base()->StartThread(f, a);
  }
  leveldb::Status GetTestDirectory(std::string* path) override {
    return Base()->GetTestDirectory(path);
  }
  leveldb::Status NewLogger(const std::string&, leveldb::Logger** r) override {
    *r = new OwnLogger;
    return {};
  }
  uint64_t NowMicros() override { return Base()->NowMicros(); }
  void SleepForMicroseconds(int n) override { Base()->SleepForMicroseconds(n); }

 private:
  static leveldb::Env* Base() { return leveldb::Env::Default(); }
  static leveldb::Status None() { return leveldb::Status::IOError("none"); }
  Bytes Find(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = files_.find(name);
    return found == files_.end() ? nullptr : found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Bytes> files_;
};

void Reopen(const Scene& scene, leveldb::Env* env) {
  leveldb::Options options;
  options.env = env;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  Chance chance(scene.seed);
  for (int i = 0; i < 5; ++i) {
    leveldb::DB* db = nullptr;
    options.reuse_logs = i % 2 == 1;
    Say(scene, "open", leveldb::DB::Open(options, "/own", &db));
    if (db == nullptr) return;
    for (int k = 0; k < 600; ++k) {
      db->Put({}, chance.Bytes(3, 9), chance.Bytes(300, 9));
    }
    leveldb::Iterator* const entries = db->NewIterator({});
    std::uint64_t hash = 0;
    for (entries->SeekToLast(); entries->Valid(); entries->Prev()) {
      hash = hash * 31 + HashOf(entries->key()) + HashOf(entries->value());
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(hash));
    delete entries;
    delete db;
  }
  Say(scene, "destroy", leveldb::DestroyDB("/own", options));
  std::printf("gone %d\n", !env->FileExists("/own/CURRENT"));
}

class DerivedBatch final : public leveldb::WriteBatch {};

class OwnSnapshot final : public leveldb::Snapshot {
 public:
  ~OwnSnapshot() override = default;
};

class OwnCache final : public leveldb::Cache {
 public:
  Handle* Insert(const leveldb::Slice&, void*, size_t,
                 void (*)(const leveldb::Slice&, void*)) override {
    return nullptr;
  }
  Handle* Lookup(const leveldb::Slice&) override { return nullptr; }
  void Release(Handle*) override {}
  void* Value(Handle*) override { return nullptr; }
  void Erase(const leveldb::Slice&) override {}
  uint64_t NewId() override { return 1; }
  size_t TotalCharge() const override { return 5; }
};

class OwnIterator final : public leveldb::Iterator {
 public:
  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const leveldb::Slice&) override {}
  void Next() override {}
  void Prev() override {}
  leveldb::Slice key() const override { return {}; }
  leveldb::Slice value() const override { return {}; }
  leveldb::Status status() const override { return {}; }
};

class OwnHandler final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice&, const leveldb::Slice&) override {}
  void Delete(const leveldb::Slice&) override {}
};

// A wrapper of a program may override nothing, and inherits all.
class PlainWrapper final : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
};

template <typename Base, typename Derived>
void Types(const Derived& derived) {
  const Base& base = derived;
  std::printf("%s %d %d\n", typeid(Base).name(),
              typeid(base) == typeid(Derived),
              dynamic_cast<const Derived*>(&base) == &derived);
}

void Nothing(void*, void*) {}

void Derived() {
  DerivedBatch batch;
  batch.Put("a", "b");
  std::printf("%zu\n", batch.ApproximateSize());
  OwnCache cache;
  cache.Prune();
  Types<leveldb::Cache>(cache);
  Types<leveldb::Snapshot>(OwnSnapshot());
  Types<leveldb::FileLock>(OwnLock());
  Types<leveldb::Logger>(OwnLogger());
  OwnIterator entries;
  entries.RegisterCleanup(Nothing, nullptr, nullptr);
  Types<leveldb::Iterator>(entries);
  Types<leveldb::WriteBatch::Handler>(OwnHandler());
  Types<leveldb::Comparator>(ReverseOrder());
  Types<leveldb::FilterPolicy>(FirstLetters());
  Types<leveldb::SequentialFile>(OwnSequential(nullptr));
  Types<leveldb::RandomAccessFile>(OwnRandom(nullptr));
  Types<leveldb::WritableFile>(OwnWritable(nullptr));
  // What the library made has the program's types, too.
  const std::unique_ptr<leveldb::Cache> made(leveldb::NewLRUCache(10));
  std::printf(
      "%d %d\n", dynamic_cast<leveldb::Cache*>(made.get()) != nullptr,
      dynamic_cast<leveldb::EnvWrapper*>(leveldb::Env::Default()) == nullptr);
}

void Wrapped(const Scene& scene) {
  OwnEnvironment env;
  PlainWrapper wrapper(&env);
  Types<leveldb::Env>(env);
  Types<leveldb::EnvWrapper>(wrapper);
  leveldb::WritableFile* file = nullptr;
  Say(scene, "append", wrapper.NewAppendableFile("/f", &file));
  Say(scene, "write", leveldb::WriteStringToFile(&wrapper, "text", "/f"));
  std::string text;
  Say(scene, "read", leveldb::ReadFileToString(&wrapper, "/f", &text));
  Say(scene, "rename", wrapper.RenameFile("/f", "/g"));
  Say(scene, "remove", wrapper.RemoveFile("/g"));
  Say(scene, "remove", wrapper.DeleteFile("/g"));
  Say(scene, "rmdir", wrapper.RemoveDir("/d"));
  std::printf("%d %d %s\n", wrapper.FileExists("/g"), wrapper.target() == &env,
              text.c_str());
  Reopen(scene, &wrapper);
}

}  // namespace

void Bases(const Scene& scene) {
  Derived();
  OwnEnvironment env;
  Reopen(scene, &env);
  Wrapped(scene);
}
