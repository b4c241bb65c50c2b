// SPDX-License-Identifier: Apache-2.0
// One filter that several threads fill at the same time, without a lock, while
// others may already query it.

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "tamis/filter.h"

namespace {

constexpr unsigned kThreads = 4;
constexpr unsigned kKeysEach = 50'000;

std::string Key(unsigned thread, unsigned i) {
  return "user:" + std::to_string(thread * kKeysEach + i);
}

// Inserts a batch at a time: the memory accesses of a batch overlap.
void InsertSome(tamis::ConcurrentFilter* filter, unsigned thread) {
  std::array<std::string, 100> keys;
  for (unsigned i = 0; i < kKeysEach;) {
    for (std::string& key : keys) key = Key(thread, i++);
    const std::vector<tamis::Slice> batch(keys.begin(), keys.end());
    if (!filter->InsertMany(batch).ok()) std::puts("full");
  }
}

}  // namespace

int main() {
  const auto policy = tamis::MakePolicy("bloom:12");
  if (!policy.ok()) return 1;
  auto filter = policy->NewConcurrent(kThreads * kKeysEach);
  if (!filter.ok()) return 1;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back(InsertSome, filter.value().get(), t);
  }
  for (std::thread& thread : threads) thread.join();
  std::string bytes;  // an ordinary filter of this format
  if (!filter->Save(&bytes).ok()) return 1;

  const auto reader = policy->Open(bytes);
  if (!reader.ok()) return 1;
  unsigned missing = 0;
  for (unsigned i = 0; i < kThreads * kKeysEach; ++i) {
    if (!reader->MayContain(Key(0, i))) ++missing;
  }
  std::printf("%zu bytes, %u keys missing, rate %.2f %%\n", bytes.size(),
              missing, reader->Describe().rate * 100);
  return missing == 0 ? 0 : 1;
}
