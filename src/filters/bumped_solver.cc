#include "filters/bumped_solver.h"

#include <algorithm>
#include <array>

#include "base/wide_math.h"
#include "filters/bumped_back.h"
#include "filters/bumped_lane.h"

namespace tamis {
class BumpedSolver::Impl {
 public:
  virtual ~Impl() = default;
  virtual void Solve(std::uint64_t first_part,
                     std::span<const std::uint64_t> digests,
                     unsigned char* layer,
                     std::vector<std::uint64_t>* bumped) = 0;
};

template <typename Word>
class BumpedSolver::ImplOf final : public Impl {
 public:
  explicit ImplOf(const BumpedLayer& layer) : layer_(layer), back_(layer_) {}

  void Solve(std::uint64_t first_part, std::span<const std::uint64_t> digests,
             unsigned char* bytes,
             std::vector<std::uint64_t>* bumped) override {
    const std::uint64_t end =
        std::min(first_part + kPartsAtOnce, layer_.parts());
    while (lanes_.size() < end - first_part) lanes_.emplace_back(layer_);
    Eliminate(first_part, end, digests);
    for (std::uint64_t part = first_part; part < end; ++part) {
      const BumpedLane<Word>& lane = lanes_[part - first_part];
      back_.Run(lane, bytes);
      bumped->insert(bumped->end(), lane.bumped().begin(), lane.bumped().end());
    }
  }

 private:
  static constexpr std::size_t kTogether = 4;

  void Eliminate(std::uint64_t first_part, std::uint64_t end,
                 std::span<const std::uint64_t> digests) {
    const auto parts = static_cast<std::size_t>(end - first_part);
    std::array<MovingKey<Word>, kPartsAtOnce> moving;
    std::array<std::size_t, kPartsAtOnce> busy;
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts; ++i) {
      auto stop = digests.end();
      if (i + 1 < parts) {
        stop = std::lower_bound(
            digests.begin(), digests.end(),
            layer_.FirstDigestOf((first_part + i + 1) *
                                 layer_.shape().part_buckets()));
      }
      const auto own = static_cast<std::size_t>(stop - digests.begin());
      if (lanes_[i].Start(first_part + i, digests.first(own), &moving[i])) {
        busy[count++] = i;
      }
      digests = digests.subspan(own);
    }
    for (; count >= kTogether; count = Together(&moving, &busy, count)) {
    }
    for (std::size_t i = 0; i < count; ++i) {
      Alone(&lanes_[busy[i]], moving[busy[i]]);
    }
  }

  static void Alone(BumpedLane<Word>* lane, MovingKey<Word> moving) {
    do {
      while (moving.Step()) {
      }
    } while (lane->Settle(&moving));
  }

  // Works on the last kTogether of `busy` until one of them is done, and takes
  // that out; returns how many are left.
  std::size_t Together(std::array<MovingKey<Word>, kPartsAtOnce>* moving,
                       std::array<std::size_t, kPartsAtOnce>* busy,
                       std::size_t count) {
    // Four keys in registers: each step waits for the one before, and the
    // processor has something to do meanwhile.
    std::size_t* const last = busy->data() + (count - kTogether);
    MovingKey<Word> a = (*moving)[last[0]];
    MovingKey<Word> b = (*moving)[last[1]];
    MovingKey<Word> c = (*moving)[last[2]];
    MovingKey<Word> d = (*moving)[last[3]];
    std::size_t done = 0;
    while (true) {
      done = 0;
      if (!a.Step() && !Settle(last[done], &a)) break;
      ++done;
      if (!b.Step() && !Settle(last[done], &b)) break;
      ++done;
      if (!c.Step() && !Settle(last[done], &c)) break;
      ++done;
      if (!d.Step() && !Settle(last[done], &d)) break;
    }
    (*moving)[last[0]] = a;
    (*moving)[last[1]] = b;
    (*moving)[last[2]] = c;
    (*moving)[last[3]] = d;
    last[done] = last[kTogether - 1];
    return count - 1;
  }

  // By a copy, so that the key itself can stay in registers.
  bool Settle(std::size_t lane, MovingKey<Word>* moving) {
    MovingKey<Word> copy = *moving;
    const bool more = lanes_[lane].Settle(&copy);
    *moving = copy;
    return more;
  }

  const BumpedLayer layer_;
  std::vector<BumpedLane<Word>> lanes_;
  BackSubstitution<Word> back_;
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
                         std::span<const std::uint64_t> digests,
                         unsigned char* layer,
                         std::vector<std::uint64_t>* bumped) {
  impl_->Solve(first_part, digests, layer, bumped);
}

}  // namespace tamis
