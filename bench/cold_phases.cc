// SPDX-License-Identifier: Apache-2.0
#include "bench/cold_phases.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "bench/clocks.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kEntriesPerShortScan = 10;
// Keys for which the phase is run before it is measured, so that the program's
// own pages are in memory.
constexpr unsigned kRehearsed = 20;
constexpr std::uint64_t kKeySeed = 7;  // and the next, for missing keys

// What the kernel counts between two moments.
class Meter {
 public:
  explicit Meter(const Disk& disk)
      : disk_(disk), bytes_(BytesReadByProcess()), counters_(disk.Read()) {
    start_ = WallNanoseconds();
  }

  // Returns the figures of a phase that found the share `cached` of its store
  // in memory.  NotSupported: the kernel counts no bytes.
  Result<Figures> Per(std::string_view phase, double cached,
                      double operations) const {
    const double spent = WallNanoseconds() - start_;
    const auto bytes = BytesReadByProcess();
    const auto counters = disk_.Read();
    if (!bytes_.ok()) return bytes_.status();
    if (!bytes.ok()) return bytes.status();
    Figures figures;
    const auto note = [&](std::string_view what, double value) {
      figures[std::string(phase) + std::string(what)] = {.value = value,
                                                         .cpu = 0};
    };
    note(kColdCached, cached);
    note(kColdTime, spent / operations);
    note(kColdBytes, static_cast<double>(*bytes - *bytes_) / operations);
    if (counters.has_value() && counters_.has_value()) {
      note(
          kColdRequests,
          static_cast<double>(counters->reads - counters_->reads) / operations);
      note(
          kColdDiskBytes,
          static_cast<double>(counters->bytes - counters_->bytes) / operations);
    }
    return figures;
  }

 private:
  const Disk& disk_;
  Result<std::uint64_t> bytes_;
  std::optional<Disk::Counters> counters_;
  double start_ = 0;
};

}  // namespace

ColdWorker::ColdWorker(const ColdPlan& plan,
                       std::unique_ptr<StoreEngine> engine, std::string dir)
    : plan_(plan), engine_(std::move(engine)), dir_(std::move(dir)) {}

Result<Figures> ColdWorker::Run(std::string_view phase, unsigned round) {
  const auto* const found =
      std::find_if(std::begin(kColdPhases), std::end(kColdPhases),
                   [&](const ColdPhase& each) { return each.name == phase; });
  if (found == std::end(kColdPhases)) {
    return Status::InvalidArgument("no phase called " + std::string(phase));
  }
  if (const auto cold = DropPageCache(dir_, plan_.drop); !cold.ok()) {
    return cold.status();
  }
  Result<Figures> figures = Open();
  if (figures.ok() && found->read != ColdRead::kOpening) {
    figures = Measure(*found, round);
  }
  engine_->Close();
  return figures;
}

Result<Figures> ColdWorker::Open() {
  const Disk disk = Disk::Of(dir_);
  const double cached = CachedShare(dir_);
  const Meter meter(disk);
  if (Status opened = engine_->Open(dir_, StoreShape::kUsual); !opened.ok()) {
    return opened;
  }
  if (Status looked = Lookups(); !looked.ok()) return looked;
  auto figures = meter.Per("open", cached, 1);
  if (figures.ok() && (*figures)["open_bytes"].value == 0) {
    return Status::NotSupported(
        "opening a cold store read nothing from a disk; --dir names another "
        "place");
  }
  return figures;
}

Result<Figures> ColdWorker::Measure(const ColdPhase& phase, unsigned round) {
  const bool all = phase.read == ColdRead::kFullScan;
  const StoreKeys keys =
      all ? StoreKeys::InOrder(plan_.keys)
          : Draw(phase.kind, round * plan_.operations, plan_.operations);
  if (Status rehearsed = Rehearse(phase); !rehearsed.ok()) return rehearsed;
  const Disk disk = Disk::Of(dir_);
  const double cached = CachedShare(dir_);
  const Meter meter(disk);
  const Result<Seen> seen = Do(phase, keys);
  const auto figures =
      meter.Per(phase.name, cached,
                static_cast<double>(keys.size()) / phase.per_operation);
  if (!seen.ok()) return seen.status();
  if (!IsRight(phase, keys, *seen)) {
    return Status::Corruption("the store gave wrong answers: " +
                              std::string(phase.name));
  }
  return figures;
}

// The keys come from the second half of the order, which the rounds do not
// reach unless far more operations are requested than by default.
Status ColdWorker::Lookups() {
  const std::uint64_t half = std::max<std::uint64_t>(1, plan_.warm_up / 2);
  for (const KeyKind kind : {KeyKind::kMissing, KeyKind::kPresent}) {
    const StoreKeys keys = Draw(kind, plan_.keys / 2, half);
    const auto seen = engine_->Get({&keys, 0, keys.size()});
    if (!seen.ok()) return seen.status();
  }
  return Status::Ok();
}

// A full scan cannot be tried out without reading what it is to read.
Status ColdWorker::Rehearse(const ColdPhase& phase) {
  if (phase.read == ColdRead::kFullScan) return Status::Ok();
  const StoreKeys keys = Draw(phase.kind, plan_.keys / 4 * 3,
                              std::max(kRehearsed, phase.per_operation));
  const auto seen = Do(phase, keys);
  return seen.ok() ? Status::Ok() : seen.status();
}

StoreKeys ColdWorker::Draw(KeyKind kind, std::uint64_t first,
                           std::uint64_t count) const {
  return StoreKeys::Shuffled({.universe = plan_.keys,
                              .kind = kind,
                              .seed = kKeySeed + static_cast<unsigned>(kind),
                              .first = first,
                              .count = count});
}

Result<Seen> ColdWorker::Do(const ColdPhase& phase, const StoreKeys& keys) {
  switch (phase.read) {
    case ColdRead::kGet:
      return engine_->Get({&keys, 0, keys.size()});
    case ColdRead::kMultiGet:
      return engine_->MultiGet({&keys, 0, keys.size()}, phase.per_operation);
    case ColdRead::kEmptyRange:
      return EmptyRanges(keys);
    case ColdRead::kShortScan:
      return ShortScans(keys);
    case ColdRead::kFullScan:
    case ColdRead::kOpening:
      break;
  }
  return engine_->Scan({});
}

// From a missing key to just behind it, and so before the next key that is
// there.
Result<Seen> ColdWorker::EmptyRanges(const StoreKeys& keys) {
  Seen all;
  char limit[kStoreKeyBytes + 1];
  limit[kStoreKeyBytes] = '\x7f';  // greater than any digit
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(limit, keys[i].data(), kStoreKeyBytes);
    const auto seen = engine_->Scan(
        {.start = keys[i], .limit = {limit, sizeof(limit)}, .most = 1});
    if (!seen.ok()) return seen;
    all.values += seen->values;
  }
  return all;
}

Result<Seen> ColdWorker::ShortScans(const StoreKeys& keys) {
  Seen all;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto seen = engine_->Scan(
        {.start = keys[i], .limit = {}, .most = kEntriesPerShortScan});
    if (!seen.ok()) return seen;
    all.values += seen->values;
  }
  return all;
}

bool ColdWorker::IsRight(const ColdPhase& phase, const StoreKeys& keys,
                         const Seen& seen) const {
  if (phase.kind == KeyKind::kMissing) return seen == Seen{};
  if (phase.read != ColdRead::kShortScan) return seen == Expected(keys);
  // Those that begin at the last keys of all are shorter.
  return seen.values > keys.size() * (kEntriesPerShortScan - 1);
}

}  // namespace tamis::bench
