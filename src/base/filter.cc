// What tamis/filter.h promises of a filter that overrides nothing.

#include "tamis/filter.h"

#include <cassert>
#include <string>

namespace tamis {

void FilterReader::MayContainMany(std::span<const Slice> keys,
                                  std::span<bool> out) const noexcept {
  assert(keys.size() == out.size());
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = MayContain(keys[i]);
}

bool FilterReader::MayContainRange(Slice /*lo*/, Slice /*hi*/) const noexcept {
  return true;
}

Result<std::unique_ptr<MutableFilter>> FilterPolicy::NewMutable(
    std::uint64_t /*planned_keys*/) const {
  return Status::NotSupported(std::string(name()) +
                              ": this kind of filter needs all its keys at "
                              "once; use a builder");
}

Status FilterPolicy::Combine(std::span<const Slice> /*filters*/,
                             SetOperation /*operation*/,
                             std::string* /*dst*/) const {
  return Status::NotSupported(std::string(name()) +
                              ": filters of this kind cannot be combined; "
                              "build a new one from the keys");
}

}  // namespace tamis
