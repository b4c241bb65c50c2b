// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the filter that LevelDB passes to a policy of ours, in C++
// and in C: whatever they are, no answer is worse than the format's own.
//
// Byte 0: the policy; byte 1: how many bytes of the input are keys; the rest:
// the filter.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "tamis/leveldb_adapter.h"
#include "tamis/leveldb_filter_policy.h"
#include "tamis/leveldb_filter_policy_c.h"

namespace tamis::fuzz {
namespace {

// Those with checksums first: they notice every flipped bit.
constexpr std::string_view kSpecs[] = {
    "bloom:10",     "splitblock:10",     "ribbon:8",
    "fuse8",        "cuckoo:fpr=0.01",   "leveldb:10",
    "rocksdb:10",   "rocksdb-legacy:10", "rocksdb-ribbon:10",
    "cassandra:10", "parquet:10",        "lab:10",
    "md5:10"};
constexpr std::size_t kWithChecksum = 5;

// The same policy behind the three interfaces that LevelDB may call.
class Interfaces {
 public:
  explicit Interfaces(std::string_view spec)
      : policy_(PolicyOf(spec)),
        adapter_(PolicyOf(spec)),
        cpp_(PolicyOf(spec)),
        c_(new LevelDbAdapter(PolicyOf(spec))) {
    const std::string_view name = policy_->name();
    Check(adapter_.name() == name && cpp_.Name() == name &&
              LevelDbCallbacks::Name(c_) == name,
          "an adapter has the policy's name");
    leveldb_filterpolicy_destroy(NewLevelDbFilterPolicyC(PolicyOf(spec)));
  }
  ~Interfaces() { LevelDbCallbacks::Destroy(c_); }

  Interfaces(const Interfaces&) = delete;
  Interfaces& operator=(const Interfaces&) = delete;

  bool KeyMayMatch(Slice key, Slice filter) const {
    const bool may = adapter_.KeyMayMatch(key, filter);
    Check(cpp_.KeyMayMatch({key.data(), key.size()},
                           {filter.data(), filter.size()}) == may,
          "the C++ interface answers as the adapter");
    Check(
        LevelDbCallbacks::KeyMayMatch(c_, key.data(), key.size(), filter.data(),
                                      filter.size()) == (may ? 1 : 0),
        "the C interface answers as the adapter");
    return may;
  }

  std::string CreateFilter(std::span<const Slice> keys) const {
    std::string filter;
    adapter_.CreateFilter(keys, &filter);
    Check(!filter.empty(), "no filter is empty");
    Check(CreateInCpp(keys) == "before" + filter,
          "the C++ interface appends the adapter's filter");
    Check(CreateInC(keys) == filter, "the C interface makes the same filter");
    return filter;
  }

  const FilterPolicy& policy() const { return *policy_; }

 private:
  std::string CreateInCpp(std::span<const Slice> keys) const {
    std::vector<leveldb::Slice> theirs;
    for (const Slice key : keys) theirs.emplace_back(key.data(), key.size());
    std::string filter = "before";
    cpp_.CreateFilter(theirs.data(), static_cast<int>(theirs.size()), &filter);
    return filter;
  }
  std::string CreateInC(std::span<const Slice> keys) const {
    std::vector<const char*> starts;
    std::vector<std::size_t> lengths;
    for (const Slice key : keys) {
      starts.push_back(key.data());
      lengths.push_back(key.size());
    }
    std::size_t length = 0;
    char* const bytes =
        LevelDbCallbacks::CreateFilter(c_, starts.data(), lengths.data(),
                                       static_cast<int>(keys.size()), &length);
    const std::string filter(bytes, length);
    std::free(bytes);
    return filter;
  }

  const std::unique_ptr<const FilterPolicy> policy_;
  const LevelDbAdapter adapter_;
  const LevelDbFilterPolicy cpp_;
  LevelDbAdapter* const c_;
};

// Only what opens may rule a key out.
void CheckHostile(const Interfaces& interfaces, Slice filter) {
  const auto reader = interfaces.policy().Open(filter);
  for (const Slice key : QuestionsFrom(filter)) {
    const bool may = interfaces.KeyMayMatch(key, filter);
    if (filter.empty() || !reader.ok()) {
      Check(may, "what cannot be read rules nothing out");
    } else {
      Check(may || !reader.value()->MayContain(key),
            "a key that may be in is not ruled out");
    }
  }
}

// A filter with a checksum that lost its end, or has one bit turned over.
void CheckDamaged(const Interfaces& interfaces, std::span<const Slice> keys,
                  std::string filter, std::uint64_t choice) {
  const std::size_t at = choice / 8 % filter.size();
  for (const Slice key : keys) {
    Check(interfaces.KeyMayMatch(key, Slice(filter).substr(0, at)),
          "a filter that was cut hides no key");
  }
  filter[at] = static_cast<char>(filter[at] ^ 1 << choice % 8);
  for (const Slice key : keys) {
    Check(interfaces.KeyMayMatch(key, filter),
          "a filter with a flipped bit hides no key");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  const std::size_t choice = input.TakeByte() % std::size(kSpecs);
  const Interfaces interfaces(kSpecs[choice]);
  const std::vector<Slice> keys = KeysFrom(input.Take(input.TakeByte()));
  // An allocation of its very size, beyond which nothing may be read.
  const std::vector<char> hostile(input.rest().begin(), input.rest().end());
  CheckHostile(interfaces, {hostile.data(), hostile.size()});

  const std::string filter = interfaces.CreateFilter(keys);
  for (const Slice key : keys) {
    Check(interfaces.KeyMayMatch(key, filter), "no added key is forgotten");
  }
  if (choice < kWithChecksum) {
    CheckDamaged(interfaces, keys, filter, input.TakeNumber(4));
  }
  return 0;
}

}  // namespace tamis::fuzz
