// SPDX-License-Identifier: Apache-2.0
#include "tests/support/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tamis::testing {
namespace {

// Other threads of a test allocate, too.
std::atomic<int> allocations_left = -1;
std::atomic<int> scopes = 0;
std::atomic<int> before_faults = 0;  // goes on below zero
std::atomic<int> faults = 0;
std::atomic<int> failed = 0;

[[maybe_unused]] bool IsFaulty() noexcept {
  if (scopes.load() == 0) return false;
  const int left = before_faults.fetch_sub(1);
  if (left > 0 || left <= -faults.load()) return false;
  ++failed;
  return true;
}

[[maybe_unused]] void* Allocate(std::size_t size) noexcept {
  if (IsFaulty()) return nullptr;
  int left = allocations_left.load();
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0 ? nullptr : std::malloc(size);
}

}  // namespace

void AllowAllocations(int count) { allocations_left = count; }

void FailAllocations(int after, int count) {
  before_faults = after;
  faults = count;
  failed = 0;
}
int FailedAllocations() { return failed; }

FaultScope::FaultScope() { ++scopes; }
FaultScope::~FaultScope() { --scopes; }

}  // namespace tamis::testing

// The thread sanitizer brings its own, and does not let it be replaced.
#if !defined(__has_feature)
#define TAMIS_REPLACES_NEW 1
#elif !__has_feature(thread_sanitizer)
#define TAMIS_REPLACES_NEW 1
#endif

#ifdef TAMIS_REPLACES_NEW
void* operator new(std::size_t size) {
  void* p = tamis::testing::Allocate(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return tamis::testing::Allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return tamis::testing::Allocate(size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
#endif
