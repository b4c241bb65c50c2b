// SPDX-License-Identifier: Apache-2.0
// Mutable filters, made from a spec or loaded from bytes.

#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/tamis/any_kind.h"
#include "formats/tamis/kinds.h"
#include "policy/kinds.h"
#include "policy/registry.h"
#include "tamis/mutable_filter.h"

namespace tamis {
namespace {

template <typename Filter>
Result<std::unique_ptr<MutableFilter>> AsMutable(
    Result<std::unique_ptr<Filter>> filter) {
  if (!filter.ok()) return filter.status();
  return std::unique_ptr<MutableFilter>(*std::move(filter));
}

std::string ErasingKinds() {
  return NamesOfKinds([](const KindEntry& kind) { return kind.erases; });
}

Result<std::unique_ptr<ErasableFilter>> MakeErasable(
    std::string_view text, std::uint64_t planned_keys) {
  Result<KindOrder> order = ReadKindOrder(text);
  if (!order.ok()) return order.status();
  if (order->row != nullptr && order->row->new_erasable != nullptr) {
    return order->row->new_erasable(order->settings, planned_keys);
  }
  if (auto policy = MakePolicy(text); !policy.ok()) return policy.status();
  return Status::NotSupported(order->name +
                              ": keys cannot be erased from this kind; " +
                              ErasingKinds() + " can");
}

Result<std::unique_ptr<RotatingFilter>> MakeRotating(
    std::string_view text, std::uint64_t planned_keys) {
  Result<KindOrder> order = ReadKindOrder(text);
  if (!order.ok()) return order.status();
  if (order->row != nullptr && order->row->new_rotating != nullptr) {
    return order->row->new_rotating(order->settings, planned_keys);
  }
  if (auto policy = MakePolicy(text); !policy.ok()) return policy.status();
  return Status::NotSupported(order->name + ": this kind has no generations");
}

Result<std::unique_ptr<MutableFilter>> LoadGrowing(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  if (row == nullptr || !row->grows()) {
    return RefuseTamis(bytes, "needs all its keys at once, and cannot grow");
  }
  if (row->load_erasable != nullptr) {
    return AsMutable(row->load_erasable(bytes));
  }
  if (row->load_rotating != nullptr) {
    return AsMutable(row->load_rotating(bytes));
  }
  return row->load(bytes);
}

Result<std::unique_ptr<ErasableFilter>> LoadShrinking(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  if (row != nullptr && row->load_erasable != nullptr) {
    return row->load_erasable(bytes);
  }
  return RefuseTamis(bytes, "cannot erase keys; " + ErasingKinds() + " can");
}

Result<std::unique_ptr<RotatingFilter>> LoadExpiring(Slice bytes) {
  const TamisKindRow* row = RowOfBytes(bytes);
  if (row != nullptr && row->load_rotating != nullptr) {
    return row->load_rotating(bytes);
  }
  return RefuseTamis(bytes, "has no generations");
}

}  // namespace

Result<std::unique_ptr<ErasableFilter>> NewErasable(
    std::string_view text, std::uint64_t planned_keys) {
  return NoThrow([&] { return MakeErasable(text, planned_keys); });
}

Result<std::unique_ptr<RotatingFilter>> NewRotating(
    std::string_view text, std::uint64_t planned_keys) {
  return NoThrow([&] { return MakeRotating(text, planned_keys); });
}

Result<std::unique_ptr<MutableFilter>> LoadMutable(Slice bytes) {
  return NoThrow([&] { return LoadGrowing(bytes); });
}

Result<std::unique_ptr<ErasableFilter>> LoadErasable(Slice bytes) {
  return NoThrow([&] { return LoadShrinking(bytes); });
}

Result<std::unique_ptr<RotatingFilter>> LoadRotating(Slice bytes) {
  return NoThrow([&] { return LoadExpiring(bytes); });
}

}  // namespace tamis
