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

}  // namespace

std::unique_ptr<const FilterReader> NewAlwaysMaybe(std::string format,
                                                   std::string reason) {
  return std::make_unique<AlwaysMaybe>(std::move(format), std::move(reason));
}

}  // namespace tamis
