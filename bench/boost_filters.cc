// SPDX-License-Identifier: Apache-2.0
#include "bench/boost_filters.h"

#ifdef TAMIS_BENCH_BOOST

#include <new>
#include <type_traits>

#include <boost/bloom/fast_multiblock64.hpp>
#include <boost/bloom/filter.hpp>
#include <boost/bloom/multiblock.hpp>
#include <boost/version.hpp>

#include "base/huge_pages.h"

namespace tamis::bench {
namespace {

constexpr bool kTakesMany = BOOST_VERSION >= 109000;

// Boost mixes the result of a hash function unless it says that this is not
// needed.
struct SameHash {
  using is_avalanching = std::true_type;
  std::size_t operator()(std::uint64_t hash) const { return hash; }
};

// Memory like ours, so that filters are compared and not pages.  It is a
// template because Boost rebinds allocators; only bytes are allocated.
template <typename T>
struct HugePages {
  static_assert(sizeof(T) == 1);
  using value_type = T;

  T* allocate(std::size_t bytes) {
    T* memory = NewMemory(bytes).release();
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void deallocate(T* memory, std::size_t bytes) { FreeMemoryOf(bytes)(memory); }
  friend bool operator==(const HugePages&, const HugePages&) = default;
};

template <typename Subfilter>
class FilterOf final : public BoostFilter {
 public:
  explicit FilterOf(std::uint64_t bits) : filter_(bits) {}

  void InsertEach(std::span<const std::uint64_t> hashes) override {
    for (const std::uint64_t hash : hashes) filter_.insert(hash);
  }
  void InsertMany(std::span<const std::uint64_t> hashes) override {
    filter_.insert(hashes.begin(), hashes.end());
  }
  void AskEach(std::span<const std::uint64_t> hashes,
               std::span<bool> out) const override {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      out[i] = filter_.may_contain(hashes[i]);
    }
  }
  void AskMany(std::span<const std::uint64_t> hashes,
               std::span<bool> out) const override {
    if constexpr (kTakesMany) {
      bool* next = out.data();
      filter_.may_contain(
          hashes.begin(), hashes.end(),
          [&next](std::uint64_t /*hash*/, bool maybe) { *next++ = maybe; });
    } else {
      AskEach(hashes, out);
    }
  }
  std::uint64_t bytes() const override { return filter_.capacity() / 8; }

 private:
  boost::bloom::filter<std::uint64_t, 1, Subfilter, 0, SameHash,
                       HugePages<unsigned char>>
      filter_;
};

}  // namespace

std::unique_ptr<BoostFilter> NewBoostFilter(BoostKind kind,
                                            std::uint64_t bits) {
  if (kind == BoostKind::kMultiblock) {
    return std::make_unique<
        FilterOf<boost::bloom::multiblock<std::uint64_t, 6>>>(bits);
  }
  return std::make_unique<FilterOf<boost::bloom::fast_multiblock64<8>>>(bits);
}

BoostPresence BoostHere() {
#ifdef __AVX2__
  if (__builtin_cpu_supports("avx2") == 0 ||
      __builtin_cpu_supports("bmi2") == 0) {
    return BoostPresence::kOtherCpu;
  }
#endif
  return BoostPresence::kYes;
}

bool BoostTakesMany() { return kTakesMany; }

}  // namespace tamis::bench

#else

namespace tamis::bench {

std::unique_ptr<BoostFilter> NewBoostFilter(BoostKind /*kind*/,
                                            std::uint64_t /*bits*/) {
  return nullptr;
}

BoostPresence BoostHere() { return BoostPresence::kNoHeaders; }

bool BoostTakesMany() { return false; }

}  // namespace tamis::bench

#endif
