// SPDX-License-Identifier: Apache-2.0
#include "bench/tail_phases.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/clocks.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kFillSeed = 1;
constexpr std::uint64_t kPutSeed = 2;
constexpr std::uint64_t kReadSeed = 3;  // and the next
// Keys are made so many at a time: a hundred million would fill memory.
constexpr std::uint64_t kKeysAtOnce = 100'000;
// The reader goes through so many keys of each kind, over and over.
constexpr std::uint64_t kKeysRead = 1'000'000;

void AddFigures(std::string_view operation, const Latencies& latencies,
                Figures* figures) {
  for (const TailShare& share : kTailShares) {
    (*figures)[fmt::format("{}{}", operation, share.name)].value =
        share.share < 1 ? latencies.AtShare(share.share) : latencies.max();
  }
  (*figures)[fmt::format("{}{}", operation, kTailCount)].value =
      static_cast<double>(latencies.count());
}

// Counts what happens in each interval of time.
class Rate {
 public:
  explicit Rate(double start) : end_(start + kInterval) {}

  void Count(double now) {
    for (; now >= end_; end_ += kInterval) {
      intervals_.push_back(in_interval_);
      in_interval_ = 0;
    }
    ++in_interval_;
  }
  void AddFigures(Figures* figures) const {
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      (*figures)[TailRateName(i)].value = intervals_[i];
    }
  }

 private:
  static constexpr double kInterval = kTailIntervalSeconds * 1e9;

  double end_;
  double in_interval_ = 0;
  std::vector<double> intervals_;
};

// Puts all keys in an order that looks random, each in a call of its own.
class Putter {
 public:
  Putter(StoreEngine* engine, std::uint64_t keys, std::uint64_t seed)
      : engine_(engine), keys_(keys), seed_(seed) {}

  Status Run() {
    for (std::uint64_t i = 0; i < keys_; i += kKeysAtOnce) {
      const StoreKeys keys =
          StoreKeys::Shuffled({.universe = keys_,
                               .seed = seed_,
                               .first = i,
                               .count = std::min(kKeysAtOnce, keys_ - i)});
      if (Status put = PutAll(keys); !put.ok()) return put;
    }
    return Status::Ok();
  }
  void AddTo(Figures* figures) const {
    AddFigures("put", latencies_, figures);
    rate_.AddFigures(figures);
  }

 private:
  Status PutAll(const StoreKeys& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const double start = WallNanoseconds();
      Status put = engine_->Put({&keys, i, i + 1});
      const double end = WallNanoseconds();
      if (!put.ok()) return put;
      latencies_.Add(end - start);
      rate_.Count(end);
    }
    return Status::Ok();
  }

  StoreEngine* engine_;
  std::uint64_t keys_;
  std::uint64_t seed_;
  Latencies latencies_;
  Rate rate_{WallNanoseconds()};
};

// Asks for present and missing keys in turn, until it is told to stop.
class Asker {
 public:
  Asker(StoreEngine* engine, std::uint64_t keys) : engine_(engine) {
    for (const KeyKind kind : {KeyKind::kPresent, KeyKind::kMissing}) {
      const auto which = static_cast<unsigned>(kind);
      keys_[which] = StoreKeys::Shuffled({.universe = keys,
                                          .kind = kind,
                                          .seed = kReadSeed + which,
                                          .count = std::min(kKeysRead, keys)});
    }
  }

  Status Run(const std::atomic<bool>& stop) {
    for (std::size_t i = 0; !stop.load(std::memory_order_relaxed); ++i) {
      for (unsigned kind = 0; kind < keys_.size(); ++kind) {
        if (Status asked = Ask(kind, i % keys_[kind].size()); !asked.ok()) {
          return asked;
        }
      }
    }
    return Status::Ok();
  }
  void AddTo(Figures* figures) const {
    AddFigures("present", latencies_[0], figures);
    AddFigures("missing", latencies_[1], figures);
  }

 private:
  Status Ask(unsigned kind, std::size_t i) {
    const double start = WallNanoseconds();
    const Result<Seen> seen = engine_->Get({&keys_[kind], i, i + 1});
    const double end = WallNanoseconds();
    if (!seen.ok()) return seen.status();
    Seen right;
    if (kind == static_cast<unsigned>(KeyKind::kPresent)) {
      right.Add(ValueOf(keys_[kind][i]).data());
    }
    if (*seen != right) {
      return Status::Corruption("the store gave a wrong answer to a get");
    }
    latencies_[kind].Add(end - start);
    return Status::Ok();
  }

  StoreEngine* engine_;
  std::array<StoreKeys, 2> keys_;       // by KeyKind
  std::array<Latencies, 2> latencies_;  // likewise
};

}  // namespace

std::string TailRateName(std::size_t interval) {
  return fmt::format("{}{:08}", kTailRate, interval);
}

TailWorker::TailWorker(const TailPlan& plan,
                       std::unique_ptr<StoreEngine> engine, std::string dir)
    : plan_(plan), engine_(std::move(engine)), dir_(std::move(dir)) {}

Result<Figures> TailWorker::Run(std::string_view phase) {
  if (phase == "tail") return Measure();
  if (phase == "finish") return Finish();
  return Status::InvalidArgument("no phase called " + std::string(phase));
}

Result<Figures> TailWorker::Measure() {
  std::error_code error;
  std::filesystem::create_directories(dir_, error);
  if (error) return Status::IoError(dir_ + ": " + error.message());
  Status opened = engine_->Open(dir_ + "/tail", StoreShape::kUsual);
  if (!opened.ok()) return opened;
  if (plan_.mode == TailMode::kFill) return MeasurePuts();
  if (Status filled = FillAndSettle(); !filled.ok()) return filled;
  return MeasureBusy();
}

Status TailWorker::FillAndSettle() {
  for (std::uint64_t i = 0; i < plan_.keys; i += kKeysAtOnce) {
    const StoreKeys keys =
        StoreKeys::Shuffled({.universe = plan_.keys,
                             .seed = kFillSeed,
                             .first = i,
                             .count = std::min(kKeysAtOnce, plan_.keys - i)});
    if (Status put = engine_->Put({&keys, 0, keys.size()}); !put.ok()) {
      return put;
    }
  }
  return engine_->Settle().status();
}

Result<Figures> TailWorker::MeasurePuts() {
  Putter putter(engine_.get(), plan_.keys, kPutSeed);
  if (Status put = putter.Run(); !put.ok()) return put;
  Figures figures;
  putter.AddTo(&figures);
  return figures;
}

Result<Figures> TailWorker::MeasureBusy() {
  Asker asker(engine_.get(), plan_.keys);
  std::atomic<bool> stop{false};
  Status asked;
  std::jthread asking([&] { asked = asker.Run(stop); });
  Putter putter(engine_.get(), plan_.keys, kPutSeed);
  Status put = putter.Run();
  stop.store(true, std::memory_order_relaxed);
  asking.join();
  if (!put.ok()) return put;
  if (!asked.ok()) return asked;
  Figures figures;
  putter.AddTo(&figures);
  asker.AddTo(&figures);
  return figures;
}

Result<Figures> TailWorker::Finish() {
  engine_->Close();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
  return Figures{};
}

}  // namespace tamis::bench
