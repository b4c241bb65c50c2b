// SPDX-License-Identifier: Apache-2.0
// Env::Default() and the functions that take an Env.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/env.h>

#include "scene.h"

namespace {

void Raise(void* flag) { static_cast<std::atomic<int>*>(flag)->fetch_add(1); }

template <typename File>
void SayAndDelete(const Scene& scene, const char* what,
                  const leveldb::Status& status, File* file) {
  std::printf("%s ", file == nullptr ? "null" : "made");
  Say(scene, what, status);
  delete file;
}

void Missing(const Scene& scene, leveldb::Env* env) {
  const std::string none = scene.dir + "/none";
  auto* sequential = reinterpret_cast<leveldb::SequentialFile*>(1);
  leveldb::Status status = env->NewSequentialFile(none, &sequential);
  SayAndDelete(scene, "sequential", status, sequential);
  auto* random = reinterpret_cast<leveldb::RandomAccessFile*>(1);
  status = env->NewRandomAccessFile(none, &random);
  SayAndDelete(scene, "random", status, random);
  auto* writable = reinterpret_cast<leveldb::WritableFile*>(1);
  status = env->NewWritableFile(none + "/file", &writable);
  SayAndDelete(scene, "writable", status, writable);
  writable = reinterpret_cast<leveldb::WritableFile*>(1);
  status = env->NewAppendableFile(none + "/file", &writable);
  SayAndDelete(scene, "appendable", status, writable);
  std::vector<std::string> names = {"before"};
  Say(scene, "children", env->GetChildren(none, &names));
  std::printf("%zu\n", names.size());
  std::uint64_t bytes = 7;
  Say(scene, "size", env->GetFileSize(none, &bytes));
  std::printf("%d\n", static_cast<int>(bytes));
  Say(scene, "remove", env->RemoveFile(none));
  Say(scene, "delete", env->DeleteFile(none));
  Say(scene, "mkdir", env->CreateDir(none + "/dir"));
  Say(scene, "mkdir again", env->CreateDir(scene.dir));
  Say(scene, "rmdir", env->RemoveDir(none));
  Say(scene, "old rmdir", env->DeleteDir(none));
  Say(scene, "rename", env->RenameFile(none, none + "2"));
  std::printf("exists %d\n", env->FileExists(none));
}

void Files(const Scene& scene, leveldb::Env* env) {
  const std::string path = scene.dir + "/file";
  leveldb::WritableFile* writable = nullptr;
  Say(scene, "make", env->NewWritableFile(path, &writable));
  Say(scene, "append", writable->Append("abc"));
  Say(scene, "append", writable->Append(std::string(100000, 'x')));
  Say(scene, "flush", writable->Flush());
  Say(scene, "sync", writable->Sync());
  Say(scene, "close", writable->Close());
  delete writable;
  Say(scene, "reopen", env->NewAppendableFile(path, &writable));
  Say(scene, "append", writable->Append("end"));
  delete writable;
  std::uint64_t bytes = 0;
  Say(scene, "size", env->GetFileSize(path, &bytes));
  std::printf("%d\n", static_cast<int>(bytes));

  char scratch[10];
  leveldb::Slice read;
  leveldb::RandomAccessFile* random = nullptr;
  Say(scene, "open", env->NewRandomAccessFile(path, &random));
  Say(scene, "read", random->Read(1, 4, &read, scratch));
  std::printf("%s\n", read.ToString().c_str());
  delete random;
  leveldb::SequentialFile* sequential = nullptr;
  Say(scene, "open", env->NewSequentialFile(path, &sequential));
  Say(scene, "skip", sequential->Skip(100002));
  Say(scene, "read", sequential->Read(10, &read, scratch));
  std::printf("%s\n", read.ToString().c_str());
  Say(scene, "read at end", sequential->Read(10, &read, scratch));
  std::printf("%zu\n", read.size());
  delete sequential;
  Say(scene, "rename", env->RenameFile(path, path + "2"));
  Say(scene, "write", leveldb::WriteStringToFile(env, "text", path));
  std::string text = "before";
  Say(scene, "read", leveldb::ReadFileToString(env, path, &text));
  std::printf("%s\n", text.c_str());
  Say(scene, "write",
      leveldb::WriteStringToFile(env, "text", scene.dir + "/none/file"));
  Say(scene, "read", leveldb::ReadFileToString(env, path + "3", &text));
  std::printf("[%s]\n", text.c_str());
  std::vector<std::string> names;
  Say(scene, "children", env->GetChildren(scene.dir, &names));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) std::printf("%s ", name.c_str());
  std::printf("\n");
}

void Locks(const Scene& scene, leveldb::Env* env) {
  const std::string path = scene.dir + "/lock";
  leveldb::FileLock* lock = nullptr;
  Say(scene, "lock", env->LockFile(path, &lock));
  auto* second = reinterpret_cast<leveldb::FileLock*>(1);
  Say(scene, "again", env->LockFile(path, &second));
  std::printf("%d\n", second == nullptr);
  Say(scene, "unlock", env->UnlockFile(lock));
  Say(scene, "lock", env->LockFile(path, &lock));
  Say(scene, "unlock", env->UnlockFile(lock));
  Say(scene, "no directory", env->LockFile(scene.dir + "/none/lock", &second));
  // It is the lock of a database.
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* db = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, scene.dir + "/db", &db));
  Say(scene, "of a database", env->LockFile(scene.dir + "/db/LOCK", &second));
  delete db;
  Say(scene, "closed", env->LockFile(scene.dir + "/db/LOCK", &lock));
  Say(scene, "locked", leveldb::DB::Open(options, scene.dir + "/db", &db));
  Say(scene, "unlock", env->UnlockFile(lock));
}

[[gnu::format(printf, 2, 3)]] void LogTo(leveldb::Logger* logger,
                                         const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  logger->Logv(format, arguments);
  va_end(arguments);
}

void Rest(const Scene& scene, leveldb::Env* env) {
  std::atomic<int> done{0};
  env->Schedule(Raise, &done);
  env->Schedule(Raise, &done);
  env->StartThread(Raise, &done);
  while (done.load() < 3) env->SleepForMicroseconds(100);
  std::printf("done %d\n", done.load());
  const std::uint64_t before = env->NowMicros();
  env->SleepForMicroseconds(2000);
  std::printf("later %d\n", env->NowMicros() >= before + 2000);
  setenv("TEST_TMPDIR", (scene.dir + "/tests").c_str(), 1);
  std::string path;
  Say(scene, "test directory", env->GetTestDirectory(&path));
  std::printf("%d %d\n", path == scene.dir + "/tests", env->FileExists(path));
  leveldb::Logger* logger = nullptr;
  Say(scene, "logger", env->NewLogger(scene.dir + "/log", &logger));
  LogTo(logger, "one %d", 1);
  LogTo(logger, "%s\n", std::string(2000, 'y').c_str());
  delete logger;
  std::string text;
  leveldb::ReadFileToString(env, scene.dir + "/log", &text);
  std::printf(
      "log: %d %d %d\n", text.find(" one 1\n") != std::string::npos,
      text.find(" " + std::string(2000, 'y') + "\n") != std::string::npos,
      static_cast<int>(std::count(text.begin(), text.end(), '\n')));
  Say(scene, "no logger", env->NewLogger(scene.dir + "/none/log", &logger));
}

}  // namespace

void DefaultEnv(const Scene& scene) {
  leveldb::Env* const env = leveldb::Env::Default();
  std::printf("%d\n", env == leveldb::Env::Default());
  Missing(scene, env);
  Files(scene, env);
  Locks(scene, env);
  Rest(scene, env);
}
