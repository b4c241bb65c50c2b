// SPDX-License-Identifier: Apache-2.0
// Cleanup functions, and iterators without entries.

#include <memory>

#include <leveldb/db.h>
#include <leveldb/iterator.h>

#include "scene.h"

namespace {

void PrintTwo(void* one, void* two) {
  std::printf("cleanup %s %s\n", static_cast<const char*>(one),
              static_cast<const char*>(two));
}

void* Text(const char* text) { return const_cast<char*>(text); }

void RegisterThree(leveldb::Iterator* entries) {
  entries->RegisterCleanup(PrintTwo, Text("first"), Text("1"));
  entries->RegisterCleanup(PrintTwo, Text("second"), Text("2"));
  entries->RegisterCleanup(PrintTwo, Text("third"), Text("3"));
}

void Use(const Scene& scene, leveldb::Iterator* entries) {
  std::printf("%d ", entries->Valid());
  entries->SeekToFirst();
  entries->SeekToLast();
  entries->Seek("x");
  std::printf("%d ", entries->Valid());
  Say(scene, "status", entries->status());
}

}  // namespace

void Iterators(const Scene& scene) {
  std::unique_ptr<leveldb::Iterator> entries(leveldb::NewEmptyIterator());
  Use(scene, entries.get());
  RegisterThree(entries.get());
  entries.reset(
      leveldb::NewErrorIterator(leveldb::Status::Corruption("a", "b")));
  Use(scene, entries.get());
  entries->RegisterCleanup(PrintTwo, Text("only"), Text("one"));
  entries.reset();

  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, scene.dir + "/db", &opened));
  const std::unique_ptr<leveldb::DB> db(opened);
  entries.reset(db->NewIterator({}));
  Use(scene, entries.get());
  RegisterThree(entries.get());
  Say(scene, "put", db->Put({}, "x", "y"));
  Use(scene, entries.get());
  entries.reset(db->NewIterator({}));
  Use(scene, entries.get());
  std::printf("%s %s\n", entries->key().ToString().c_str(),
              entries->value().ToString().c_str());
  entries.reset();
}
