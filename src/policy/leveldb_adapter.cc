// SPDX-License-Identifier: Apache-2.0
#include "tamis/leveldb_adapter.h"

#include <cassert>
#include <string_view>
#include <utility>

namespace tamis {
namespace {

// Rules nothing out.  To LevelDB's own policy, which may read it under its
// name, the last byte is a reserved number of probes, and the answer is
// "maybe".
constexpr std::string_view kMaybe("\x00\xff", 2);

Status Build(const FilterPolicy& policy, std::span<const Slice> keys,
             std::string* dst) {
  const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
  if (builder == nullptr) return Status::NotSupported("no builder");
  builder->AddMany(keys);
  return builder->Finish(dst);
}

}  // namespace

LevelDbAdapter::LevelDbAdapter(std::unique_ptr<const FilterPolicy> policy)
    : policy_(std::move(policy)) {
  assert(policy_ != nullptr);
  name_ = policy_->name();
}

LevelDbAdapter::~LevelDbAdapter() = default;

void LevelDbAdapter::CreateFilter(std::span<const Slice> keys,
                                  std::string* dst) const noexcept {
  const std::size_t start = dst->size();
  bool is_built = false;
  try {
    is_built = Build(*policy_, keys, dst).ok();
  } catch (...) {
    is_built = false;
  }
  if (is_built && dst->size() > start) return;
  dst->resize(start);
  dst->append(kMaybe);
}

bool LevelDbAdapter::KeyMayMatch(Slice key, Slice filter) const noexcept {
  if (filter.empty() || filter == kMaybe) return true;
  try {
    const auto reader = policy_->Open(filter);
    return !reader.ok() || *reader == nullptr || reader->MayContain(key);
  } catch (...) {
    return true;
  }
}

}  // namespace tamis
