#include "tests/support/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tamis::testing {
namespace {

// Other threads of a test allocate, too.
std::atomic<int> allocations_left = -1;

[[maybe_unused]] void* Allocate(std::size_t size) noexcept {
  int left = allocations_left.load();
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0 ? nullptr : std::malloc(size);
}

}  // namespace

void AllowAllocations(int count) { allocations_left = count; }

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
