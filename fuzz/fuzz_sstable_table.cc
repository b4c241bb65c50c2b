// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table of RocksDB and of LevelDB, read as `tamis scan`,
// `tamis verify` and `tamis probe` do.

#include <sys/mman.h>
#include <unistd.h>
#include <string>

#include "fuzz/fuzz_support.h"
#include "tamis/sstable.h"

namespace tamis::fuzz {
namespace {

class Counter final : public SstableVisitor {
 public:
  bool OnKeys(const StoredKeys& stored) override {
    Check(!stored.keys.empty(), "no visit without keys");
    Check(stored.keys.size() == stored.admitted.size(), "an answer per key");
    keys += stored.keys.size();
    last.assign(stored.keys.back());
    return true;
  }
  void OnProblem(const std::string& problem) override {
    Check(problem.find("offset ") != std::string::npos,
          "a problem names its offset");
    ++problems;
  }

  std::uint64_t keys = 0;
  std::uint64_t problems = 0;
  std::string last;  // key
};

void CheckInfo(const SstableInfo& info) {
  Check(info.filter.rate >= 0 && info.filter.rate <= 1, "a rate is a rate");
  Check(info.filter.set_bits <= info.filter.bits, "no more bits are set");
  Check(info.verdict != FilterVerdict::kUnreadable || !info.remarks.empty(),
        "what cannot be read has a reason");
}

void CheckTable(const std::string& path, std::string_view engine, Slice bytes) {
  const auto sstable =
      OpenSstable({.path = path, .engine = engine, .bytes = bytes.size()});
  Check(sstable.ok(), "any bytes can be described");
  CheckInfo((*sstable)->info());
  for (const Slice key : QuestionsFrom(bytes)) {
    (void)(*sstable)->MayContain(key);
    (void)(*sstable)->Find(key);
  }
  Counter counter;
  const auto walk = (*sstable)->Walk(counter);
  if (!walk.ok()) return;
  Check(walk->keys == counter.keys && walk->problems == counter.problems,
        "the walk counts what it passes on");
  (void)(*sstable)->Find(counter.last);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const int fd = ::memfd_create("table", MFD_CLOEXEC);
  Check(fd >= 0 && ::write(fd, data, size) == static_cast<ssize_t>(size),
        "a file in memory");
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  for (const std::string_view engine : {"rocksdb", "leveldb"}) {
    CheckTable(path, engine, AsSlice(data, size));
  }
  ::close(fd);
  return 0;
}

}  // namespace tamis::fuzz
