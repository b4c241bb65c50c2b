// SPDX-License-Identifier: Apache-2.0
// formats/tamis/ribbon_reader.h -- queries a bumped ribbon filter.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filters/batch_plan.h"
#include "filters/kernels/kernels.h"
#include "filters/ribbon/build.h"
#include "filters/ribbon/layout.h"
#include "filters/ribbon/query.h"
#include "tamis/filter.h"

namespace tamis {

class BumpedReader final : public FilterReader {
 public:
  // REQUIRES: `payload` begins with the bytes of `filter`
  BumpedReader(BumpedFilter filter, std::uint64_t seed,
               std::optional<std::uint64_t> keys, Slice payload);

  bool MayContain(Slice key) const noexcept override;
  void MayContainMany(std::span<const Slice> keys,
                      std::span<bool> out) const noexcept override;
  std::optional<std::uint64_t> hash_seed() const noexcept override {
    return seed_;
  }
  bool MayContainHash(KeyHash hash) const noexcept override;
  void MayContainHashes(KeyHashes hashes,
                        std::span<bool> out) const noexcept override;
  FilterInfo Describe() const override;

 private:
  struct Layer {
    BumpedLayer layer;
    const unsigned char* bytes;
  };
  struct Group;
  class Late;

  // Checks the layers from `first` on.
  bool Check(std::uint64_t hash, std::size_t first) const noexcept;
  bool CheckOne(std::uint64_t hash) const noexcept;
  // Key is a Slice, or the hash of one.
  template <typename Key>
  void CheckMany(std::span<const Key> keys, std::span<bool> out) const noexcept;
  // Hashes at most kMaxWindows keys, and prefetches what a query reads of
  // the first layer.
  template <typename Key>
  void Prepare(std::span<const Key> keys, Group* group) const noexcept;
  // What a query for that hash reads of the first layer.
  std::span<const unsigned char> WideWindow(std::uint64_t hash) const noexcept;
  void Answer(const Group& group, std::size_t count, bool* out,
              Late* late) const noexcept;

  BumpedFilter filter_;
  std::uint64_t seed_;
  std::optional<std::uint64_t> keys_;
  std::vector<Layer> layers_;
  const unsigned char* last_ = nullptr;
  const Kernels& kernels_ = ActiveKernels();
  BatchPlan plan_;
  // If windows have 64 rows: for the first two layers, as far as they exist.
  bool has_windows_ = false;
  std::uint64_t window_bytes_ = 0;  // of the segments of one
  WindowLayer first_;
  WindowLayer second_;
};

}  // namespace tamis
