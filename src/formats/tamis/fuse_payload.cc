// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/fuse_payload.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "base/append_zeros.h"
#include "base/coding.h"
#include "base/mutex.h"

namespace tamis {
namespace {

constexpr FuseShape kNoShape = {.segment_bits = 0, .starts = 0};  // a list's

constexpr std::size_t kHashBytes = sizeof(std::uint64_t);

void EncodeEntry(const FusePart& part, char* entry) noexcept {
  const FuseShape shape = part.is_list() ? kNoShape : part.shape;
  StoreLittle(entry + kFuseSeedAt, part.is_list() ? part.listed : part.seed);
  StoreLittle(entry + kFuseStartsAt, shape.starts);
  StoreLittle(entry + kFuseTypeAt, static_cast<unsigned char>(part.type));
  StoreLittle(entry + kFuseSegmentBitsAt,
              static_cast<unsigned char>(shape.segment_bits));
  StoreLittle(entry + kFuseReservedAt, std::uint16_t{0});
}

bool IsReserved(const FusePart& part, const char* entry) noexcept {
  if (LoadLittle<std::uint16_t>(entry + kFuseReservedAt) != 0) return true;
  if (part.is_list()) return part.shape != kNoShape;
  return part.type != FuseType::kCells || part.shape.starts == 0 ||
         part.shape.segment_bits > kMaxFuseSegmentBits;
}

// Below 2^52 for cells.
std::uint64_t CellBytes(const FuseShape& shape,
                        const FuseSettings& settings) noexcept {
  return FuseCells(shape, settings.arity) * (settings.cell_bits / 8);
}

std::uint64_t ListedAt(const FusePart& part, std::uint64_t i) noexcept {
  return LoadLittle64(part.content + i * kHashBytes);
}

// A search in a list that does not ascend would miss keys.
bool Ascends(const FusePart& list) noexcept {
  for (std::uint64_t i = 1; i < list.listed; ++i) {
    if (ListedAt(list, i - 1) >= ListedAt(list, i)) return false;
  }
  return true;
}

Status DoesNotFit() {
  return Status::Corruption("tamis: its payload does not fit its parts");
}

// Solves the parts, several at a time, each into its planned place.
class FuseWriter {
 public:
  // REQUIRES: `payload` is all zero, and has the planned size
  FuseWriter(const FuseBuild& build, std::uint64_t parts,
             const FuseShape& planned, char* payload)
      : build_(build), parts_(parts), planned_(planned), payload_(payload) {}

  // Called by any thread, once for each part.
  void Write(std::size_t i, std::span<const std::uint64_t> hashes);

  // Called after all of them: returns the first error, if any.
  Status status() const TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return status_;
  }
  bool as_planned() const noexcept TAMIS_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return others_.empty();
  }
  // Appends the payload, including the parts that did not fit their places.
  Status AppendMoved(std::string* dst) const TAMIS_EXCLUDES(mutex_);

 private:
  // A part that did not fit its place.
  struct Other {
    FusePart part;
    std::string content;
  };

  std::uint64_t PlannedBytes() const noexcept {
    return CellBytes(planned_, build_.settings);
  }
  char* PlaceOf(std::size_t i) const noexcept {
    return payload_ + parts_ * kFuseEntryBytes + i * PlannedBytes();
  }
  Status Solve(std::size_t i, std::span<const std::uint64_t> hashes,
               FusePeeler* peeler);
  Status Enlarge(std::size_t i, const FusePart& part, const FusePeeler& peeler);
  Status List(std::size_t i, std::span<const std::uint64_t> hashes);
  void Keep(std::size_t i, Other other);
  std::unique_ptr<FusePeeler> TakePeeler();
  void Done(const Status& status, std::unique_ptr<FusePeeler> peeler);

  const FuseBuild& build_;
  const std::uint64_t parts_;
  const FuseShape planned_;
  char* const payload_;

  mutable Mutex mutex_;
  Status status_ TAMIS_GUARDED_BY(mutex_);
  std::map<std::size_t, Other> others_ TAMIS_GUARDED_BY(mutex_);
  // Idle peelers.
  std::vector<std::unique_ptr<FusePeeler>> peelers_ TAMIS_GUARDED_BY(mutex_);
  std::uint64_t done_ TAMIS_GUARDED_BY(mutex_) = 0;
};

std::unique_ptr<FusePeeler> FuseWriter::TakePeeler() {
  const MutexLock lock(mutex_);
  if (!status_.ok()) return nullptr;  // the build has failed already
  if (peelers_.empty()) return std::make_unique<FusePeeler>();
  std::unique_ptr<FusePeeler> peeler = std::move(peelers_.back());
  peelers_.pop_back();
  return peeler;
}

void FuseWriter::Done(const Status& status,
                      std::unique_ptr<FusePeeler> peeler) {
  const MutexLock lock(mutex_);
  if (status_.ok()) status_ = status;
  peelers_.push_back(std::move(peeler));
  ++done_;
  if (!build_.progress) return;
  build_.progress(static_cast<double>(done_) / static_cast<double>(parts_));
}

void FuseWriter::Write(std::size_t i, std::span<const std::uint64_t> hashes) {
  std::unique_ptr<FusePeeler> peeler = TakePeeler();
  if (peeler == nullptr) return;
  const Status status = Solve(i, hashes, peeler.get());
  Done(status, std::move(peeler));
}

Status FuseWriter::Solve(std::size_t i, std::span<const std::uint64_t> hashes,
                         FusePeeler* peeler) {
  const FuseSolution solution =
      SolveFuse({.hashes = hashes, .scale = parts_}, planned_,
                build_.settings.arity, build_.most_attempts, peeler);
  FusePart part;
  part.shape = solution.shape;
  part.seed = solution.seed;
  switch (solution.outcome) {
    case FuseOutcome::kNoMemory:
      return Status::ResourceExhausted("fuse: no memory to build it in");
    case FuseOutcome::kUnsolved:
      return List(i, hashes);
    case FuseOutcome::kSolved:
      break;
  }
  if (part.shape != planned_) return Enlarge(i, part, *peeler);
  EncodeEntry(part, payload_ + i * kFuseEntryBytes);
  peeler->Assign(build_.settings.cell_bits,
                 reinterpret_cast<unsigned char*>(PlaceOf(i)));
  return Status::Ok();
}

void FuseWriter::Keep(std::size_t i, Other other) {
  EncodeEntry(other.part, payload_ + i * kFuseEntryBytes);
  const MutexLock lock(mutex_);
  others_.emplace(i, std::move(other));
}

Status FuseWriter::Enlarge(std::size_t i, const FusePart& part,
                           const FusePeeler& peeler) {
  Other other{part, {}};
  Status room =
      AppendZeros(&other.content, CellBytes(part.shape, build_.settings));
  if (!room.ok()) return room;
  peeler.Assign(build_.settings.cell_bits,
                reinterpret_cast<unsigned char*>(other.content.data()));
  Keep(i, std::move(other));
  return Status::Ok();
}

Status FuseWriter::List(std::size_t i, std::span<const std::uint64_t> hashes) {
  Other other;
  other.part.type = FuseType::kList;
  other.part.listed = hashes.size();
  Status room = AppendZeros(&other.content, hashes.size() * kHashBytes);
  if (!room.ok()) return room;
  char* to = other.content.data();
  for (const std::uint64_t hash : hashes) {
    StoreLittle(to, hash);
    to += kHashBytes;
  }
  Keep(i, std::move(other));
  return Status::Ok();
}

Status FuseWriter::AppendMoved(std::string* dst) const {
  const MutexLock lock(mutex_);
  std::uint64_t bytes =
      parts_ * kFuseEntryBytes + (parts_ - others_.size()) * PlannedBytes();
  for (const auto& [i, other] : others_) bytes += other.content.size();
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, bytes);
  if (!room.ok()) return room;

  char* to = dst->data() + start;
  const auto put = [&to](const char* from, std::size_t size) {
    std::memcpy(to, from, size);
    to += size;
  };
  put(payload_, static_cast<std::size_t>(parts_) * kFuseEntryBytes);
  auto next = others_.begin();
  for (std::size_t i = 0; i < parts_; ++i) {
    if (next != others_.end() && next->first == i) {
      put(next->second.content.data(), next->second.content.size());
      ++next;
    } else {
      put(PlaceOf(i), static_cast<std::size_t>(PlannedBytes()));
    }
  }
  return Status::Ok();
}

// The payload as planned, or *moved if some parts did not fit.
Status WriteParts(KeyHashSet* hashes, const FuseBuild& build,
                  std::span<char> payload, std::string* moved) {
  const std::uint64_t parts = FuseParts(hashes->size(), build.part_keys);
  FuseWriter writer(build, parts,
                    FusePartShape(hashes->size(), parts, build.settings.arity),
                    payload.data());
  const Status visited = hashes->ForEachRange(
      static_cast<std::size_t>(parts),
      [parts](std::size_t i) { return FirstHashOf(i, parts); },
      [&writer](std::size_t i, std::span<const std::uint64_t> some) {
        writer.Write(i, some);
      });
  if (!visited.ok()) return visited;
  if (Status written = writer.status(); !written.ok()) return written;
  return writer.as_planned() ? Status::Ok() : writer.AppendMoved(moved);
}

}  // namespace

Status AppendFusePayload(KeyHashSet* hashes, const FuseBuild& build,
                         std::string* dst) {
  const std::uint64_t parts = FuseParts(hashes->size(), build.part_keys);
  if (parts == 0) return Status::Ok();
  const FuseShape planned =
      FusePartShape(hashes->size(), parts, build.settings.arity);
  const std::uint64_t bytes =
      parts * (kFuseEntryBytes + CellBytes(planned, build.settings));
  const std::size_t start = dst->size();
  Status room = AppendZeros(dst, bytes, build.threads);
  if (!room.ok()) return room;

  std::string moved;
  Status written = WriteParts(
      hashes, build, {dst->data() + start, static_cast<std::size_t>(bytes)},
      &moved);
  if (written.ok() && !moved.empty()) {
    dst->resize(start);
    written = AppendZeros(dst, moved.size());
    if (written.ok()) std::copy(moved.begin(), moved.end(), &(*dst)[start]);
  }
  if (!written.ok()) dst->resize(start);
  return written;
}

Result<FuseDirectory> ParseFuseParts(Slice payload, std::uint64_t parts,
                                     const FuseSettings& settings) {
  if (parts > payload.size() / kFuseEntryBytes) return DoesNotFit();
  FuseDirectory directory;
  directory.payload = payload;
  try {
    directory.offsets.resize(static_cast<std::size_t>(parts));
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("tamis: no memory for its directory");
  }
  std::uint64_t offset = parts * kFuseEntryBytes;
  for (std::size_t i = 0; i < parts; ++i) {
    directory.offsets[i] = offset;
    const FusePart part = directory.PartAt(i);
    if (IsReserved(part, payload.data() + i * kFuseEntryBytes)) {
      directory.always_maybe = "an entry of its directory is reserved";
      return directory;
    }
    const std::uint64_t rest = payload.size() - offset;
    if (part.listed > rest / kHashBytes) return DoesNotFit();
    const std::uint64_t bytes = part.is_list()
                                    ? part.listed * kHashBytes
                                    : CellBytes(part.shape, settings);
    if (bytes > rest) return DoesNotFit();
    if (!Ascends(part)) {
      return Status::Corruption("tamis: a list of hashes is not sorted");
    }
    offset += bytes;
  }
  if (offset != payload.size()) return DoesNotFit();
  return directory;
}

bool FuseListHas(const FusePart& part, std::uint64_t hash) noexcept {
  std::uint64_t from = 0;
  std::uint64_t to = part.listed;
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    const std::uint64_t listed = ListedAt(part, middle);
    if (listed == hash) return true;
    if (listed < hash) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return false;
}

}  // namespace tamis
