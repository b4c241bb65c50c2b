// SPDX-License-Identifier: Apache-2.0
// The built-in policy's bytes, and a program's own policy.

#include <memory>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "orders.h"
#include "policies.h"
#include "scene.h"

namespace {

void BuiltIn() {
  for (const int bits : {1, 5, 10, 30, 60}) {
    const std::unique_ptr<const leveldb::FilterPolicy> policy(
        leveldb::NewBloomFilterPolicy(bits));
    for (const int count : {0, 1, 10, 1000}) {
      std::vector<std::string> texts;
      for (int i = 0; i < count; ++i)
        texts.push_back("key" + std::to_string(i));
      const std::vector<leveldb::Slice> keys(texts.begin(), texts.end());
      std::string filter = "kept";
      policy->CreateFilter(keys.data(), count, &filter);
      unsigned found = 0;
      const leveldb::Slice bytes(filter.data() + 4, filter.size() - 4);
      for (int i = 0; i < 2000; ++i) {
        found += policy->KeyMayMatch("key" + std::to_string(i), bytes);
      }
      std::printf("%s %d %d: %zu bytes, %016llx, %u\n", policy->Name(), bits,
                  count, filter.size(),
                  static_cast<unsigned long long>(HashOf(filter)), found);
    }
  }
}

void Own(const Scene& scene, const leveldb::Comparator* order) {
  const FirstLetters policy;
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = &policy;
  options.comparator = order;
  const std::string dir = scene.dir + "/" + order->Name();
  leveldb::DB* opened = nullptr;
  Say(scene, "open", leveldb::DB::Open(options, dir, &opened));
  std::unique_ptr<leveldb::DB> db(opened);
  // The letters b, d and f; what is looked up has others between them, too.
  for (int i = 0; i < 5000; ++i) {
    std::string key = "b000000";
    key[0] = static_cast<char>('b' + 2 * (i % 3));
    key += std::to_string(i);
    db->Put({}, key, std::string(20, 'v'));
  }
  db->CompactRange(nullptr, nullptr);
  std::printf("made %d\n", policy.made > 0);
  const auto look = [&](const char* what) {
    const unsigned asked = policy.asked;
    const unsigned ruled_out = policy.ruled_out;
    unsigned found = 0;
    for (int i = 0; i < 200; ++i) {
      std::string value;
      std::string key = "b000000";
      key[0] = static_cast<char>((i % 3 == 0 ? 'B' : 'b') + i % 5);
      key += std::to_string(i);
      found += db->Get({}, key, &value).ok();
    }
    std::printf("%s: found %u, asked %d, ruled out %d\n", what, found,
                policy.asked > asked, policy.ruled_out > ruled_out);
  };
  look("same policy");
  db.reset();
  Say(scene, "reopen", leveldb::DB::Open(options, dir, &opened));
  db.reset(opened);
  look("reopened");
  db.reset();
  options.filter_policy = nullptr;
  Say(scene, "without", leveldb::DB::Open(options, dir, &opened));
  db.reset(opened);
  look("without");
}

}  // namespace

void Filters(const Scene& scene) {
  BuiltIn();
  Own(scene, leveldb::BytewiseComparator());
  const CaselessOrder caseless;
  Own(scene, &caseless);
}
