// SPDX-License-Identifier: Apache-2.0
#include "formats/always_maybe.h"

#include <utility>

namespace tamis {
namespace {

class AlwaysMaybe final : public FilterReader {
 public:
  AlwaysMaybe(std::string format, std::string reason)
      : format_(std::move(format)), reason_(std::move(reason)) {}

  bool MayContain(Slice /*key*/) const noexcept override { return true; }

  FilterInfo Describe() const override {
    FilterInfo info;
    info.format = format_;
    info.kind = "unknown";
    info.always_maybe = reason_;
    return info;
  }

 private:
  std::string format_;
  std::string reason_;
};

class NoKeys final : public FilterReader {
 public:
  explicit NoKeys(std::string format) : format_(std::move(format)) {}

  bool MayContain(Slice /*key*/) const noexcept override { return false; }
  bool MayContainRange(Slice lo, Slice hi) const noexcept override {
    return hi < lo;
  }
  bool SkipForward(Slice /*from*/, std::string* /*to*/) const override {
    return false;
  }
  bool SkipBackward(Slice /*from*/, std::string* /*to*/) const override {
    return false;
  }

  FilterInfo Describe() const override {
    FilterInfo info;
    info.format = format_;
    info.kind = "empty";
    info.rate = 0;
    info.keys = 0;
    return info;
  }

 private:
  std::string format_;
};

}  // namespace

std::unique_ptr<const FilterReader> NewAlwaysMaybe(std::string format,
                                                   std::string reason) {
  return std::make_unique<AlwaysMaybe>(std::move(format), std::move(reason));
}

std::unique_ptr<const FilterReader> NewNoKeys(std::string format) {
  return std::make_unique<NoKeys>(std::move(format));
}

}  // namespace tamis
