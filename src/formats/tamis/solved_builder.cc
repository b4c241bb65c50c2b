// SPDX-License-Identifier: Apache-2.0
#include "formats/tamis/solved_builder.h"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>

#include "base/no_throw.h"
#include "hash/xxhash.h"

namespace tamis {
namespace {

// The share of the time that sorting takes.
constexpr double kSealShare = 0.2;

// Returns `progress` rescaled to start at `first`, or nothing if it is empty.
std::function<void(double)> Later(std::function<void(double)> progress,
                                  double first) {
  if (!progress) return progress;
  return [progress = std::move(progress), first](double done) {
    progress(first + (1 - first) * done);
  };
}

}  // namespace

SolvedFilterBuilder::SolvedFilterBuilder(std::uint64_t seed,
                                         const BuildOptions& options,
                                         Append append)
    : seed_(seed),
      options_(options),
      append_(std::move(append)),
      progress_(options.progress),
      hashes_({.memory_bytes = options.memory_bytes,
               .temporary_folder = options.temporary_folder,
               .threads = options.threads}) {
  options_.progress = Later(options.progress, kSealShare);
}

void SolvedFilterBuilder::Add(Slice key) { hashes_.Push(Xxh3(key, seed_)); }

bool SolvedFilterBuilder::TakeHash(KeyHash hash) {
  if (hash.seed != seed_) return false;
  hashes_.Push(hash.value);
  return true;
}

void SolvedFilterBuilder::AddMany(std::span<const Slice> keys) {
  constexpr std::size_t kGroup = 64;
  const std::uint64_t seed = seed_;  // stores of hashes could alias a member
  std::array<std::uint64_t, kGroup> group;
  for (; !keys.empty(); keys = keys.subspan(std::min(kGroup, keys.size()))) {
    const std::size_t count = std::min(kGroup, keys.size());
    for (std::size_t i = 0; i < count; ++i) group[i] = Xxh3Short(keys[i], seed);
    hashes_.Push({group.data(), count});
  }
}

Status SolvedFilterBuilder::Finish(std::string* dst) {
  try {
    return SealAndBuild(dst);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

Status SolvedFilterBuilder::SealAndBuild(std::string* dst) {
  std::function<void(double)> sealing;
  if (progress_) {
    sealing = [this](double done) { progress_(kSealShare * done); };
  }
  if (Status sealed = hashes_.Seal(sealing); !sealed.ok()) return sealed;
  const std::size_t start = dst->size();
  Status built;
  try {
    built = append_({.hashes = &hashes_, .seed = seed_}, options_, dst);
  } catch (const std::exception&) {  // bad_alloc, or too long for a string
    built = OutOfMemory();
  }
  if (!built.ok()) {
    dst->resize(start);
  } else {
    counted_ = hashes_.size();
  }
  return built;
}

}  // namespace tamis
