// SPDX-License-Identifier: Apache-2.0
#include "filters/ribbon/solver.h"

#include <algorithm>
#include <array>

#include "base/wide_math.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/back_substitution.h"
#include "filters/ribbon/elimination.h"
#include "filters/ribbon/part_elimination.h"

namespace tamis {
class BumpedSolver::Impl {
 public:
  virtual ~Impl() = default;
  virtual void Solve(std::uint64_t first_part,
                     std::span<const std::uint64_t> hashes,
                     unsigned char* layer,
                     std::vector<std::uint64_t>* bumped) = 0;
};

template <typename Word>
class BumpedSolver::ImplOf final : public Impl {
 public:
  explicit ImplOf(const BumpedLayer& layer) : layer_(layer), back_(layer_) {}

  void Solve(std::uint64_t first_part, std::span<const std::uint64_t> hashes,
             unsigned char* bytes,
             std::vector<std::uint64_t>* bumped) override {
    const std::uint64_t end =
        std::min(first_part + kPartsAtOnce, layer_.parts());
    while (lanes_.size() < end - first_part) lanes_.emplace_back(layer_);
    Eliminate(first_part, end, hashes);
    for (std::uint64_t part = first_part; part < end; ++part) {
      const BumpedElimination<Word>& lane = lanes_[part - first_part];
      back_.Run(lane, bytes);
      bumped->insert(bumped->end(), lane.bumped().begin(), lane.bumped().end());
    }
  }

 private:
  // The current key of each lane, and the lanes that have one.
  struct Work {
    std::array<WalkingKey<Word>, kPartsAtOnce> keys;
    std::array<std::size_t, kPartsAtOnce> busy;
    std::size_t count = 0;
  };

  void Eliminate(std::uint64_t first_part, std::uint64_t end,
                 std::span<const std::uint64_t> hashes) {
    const auto parts = static_cast<std::size_t>(end - first_part);
    Work work;
    for (std::size_t i = 0; i < parts; ++i) {
      auto stop = hashes.end();
      if (i + 1 < parts) {
        stop =
            std::lower_bound(hashes.begin(), hashes.end(),
                             layer_.FirstHashOf((first_part + i + 1) *
                                                layer_.shape().part_buckets()));
      }
      const auto own = static_cast<std::size_t>(stop - hashes.begin());
      if (lanes_[i].Start(first_part + i, hashes.first(own), &work.keys[i])) {
        work.busy[work.count++] = i;
      }
      hashes = hashes.subspan(own);
    }
    while (work.count >= kWalkers) Together(&work);
    for (std::size_t i = 0; i < work.count; ++i) {
      Alone(&lanes_[work.busy[i]], work.keys[work.busy[i]]);
    }
  }

  static void Alone(BumpedElimination<Word>* lane, WalkingKey<Word> key) {
    do {
      while (Walk(&key, lane->rows().values)) {
      }
    } while (lane->Settle(&key));
  }

  std::size_t WalkFour(WalkingKey<Word>* keys, std::size_t values) const {
    if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
      return kernels_.walk(keys, values);
    } else {
      return WalkTogether(keys, values);
    }
  }

  // Works on the last kWalkers lanes until one of them is done, and removes it.
  void Together(Work* work) {
    std::size_t* const last = work->busy.data() + (work->count - kWalkers);
    std::array<WalkingKey<Word>, kWalkers> keys;
    for (std::size_t i = 0; i < kWalkers; ++i) keys[i] = work->keys[last[i]];
    const std::size_t values = lanes_[last[0]].rows().values;
    std::size_t stopped = 0;
    do {
      stopped = WalkFour(keys.data(), values);
    } while (lanes_[last[stopped]].Settle(&keys[stopped]));
    for (std::size_t i = 0; i < kWalkers; ++i) work->keys[last[i]] = keys[i];
    last[stopped] = last[kWalkers - 1];
    --work->count;
  }

  const BumpedLayer layer_;
  std::vector<BumpedElimination<Word>> lanes_;
  BackSubstitution<Word> back_;
  const Kernels& kernels_ = ActiveKernels();
};

BumpedSolver::BumpedSolver(const BumpedLayer& layer) {
  if (layer.shape().window == 64) {
    impl_ = std::make_unique<ImplOf<std::uint64_t>>(layer);
  } else {
    impl_ = std::make_unique<ImplOf<Uint128>>(layer);
  }
}
BumpedSolver::~BumpedSolver() = default;

void BumpedSolver::Solve(std::uint64_t first_part,
                         std::span<const std::uint64_t> hashes,
                         unsigned char* layer,
                         std::vector<std::uint64_t>* bumped) {
  impl_->Solve(first_part, hashes, layer, bumped);
}

}  // namespace tamis
