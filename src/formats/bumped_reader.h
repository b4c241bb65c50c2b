// formats/bumped_reader.h -- asks a bumped ribbon filter for keys.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "filters/bumped_build.h"
#include "filters/bumped_query.h"
#include "filters/bumped_shape.h"
#include "filters/kernels.h"
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
  FilterInfo Describe() const override;

 private:
  struct Layer {
    BumpedLayer layer;
    const unsigned char* bytes;
  };
  struct Group;

  // From layer `first` on.
  bool Check(std::uint64_t digest, std::size_t first) const noexcept;
  void Ask(std::span<const Slice> keys, Group* group) const noexcept;
  void Answer(const Group& group, bool* out) const noexcept;

  BumpedFilter filter_;
  std::uint64_t seed_;
  std::optional<std::uint64_t> keys_;
  std::vector<Layer> layers_;
  const unsigned char* last_ = nullptr;
  const Kernels& kernels_ = ActiveKernels();
  // Where the first layer has windows of 64 rows.
  bool has_windows_ = false;
  WindowFinder finder_;
  WindowLevels levels_{};
};

}  // namespace tamis
