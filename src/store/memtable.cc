// SPDX-License-Identifier: Apache-2.0
#include "store/memtable.h"

#include <utility>

namespace tamis {

Memtable::Memtable(const KeyOrder& order, std::size_t expected_bytes,
                   bool with_filter, std::shared_ptr<ChunkStock> stock)
    : order_(order), list_(order, std::move(stock)) {
  if (with_filter) filter_ = MemtableFilter::New(expected_bytes);
}

void Memtable::Add(Sequence sequence, ValueType type, Slice user_key,
                   Slice value, std::uint64_t hash) {
  list_.Insert(sequence, type, user_key, value);
  if (filter_ != nullptr) filter_->Add(hash);
}

void Memtable::Get(const LookupKey& key, std::string* value,
                   LookupResult* result) const {
  result->state = LookupResult::State::kAbsent;
  const SkipList::Node* const found = list_.FindAtOrAfter(key.internal());
  if (found == nullptr) return;
  const Slice internal = SkipList::KeyOf(found);
  if (order_.CompareUser(UserKeyOf(internal), key.user()) != 0) return;
  if (TypeOf(internal) == ValueType::kDeletion) {
    result->state = LookupResult::State::kDeletion;
    return;
  }
  result->state = LookupResult::State::kValue;
  if (value != nullptr) value->assign(SkipList::ValueOf(found));
}

std::unique_ptr<InternalIterator> Memtable::NewIterator() const {
  return list_.NewIterator();
}

std::size_t Memtable::bytes() const noexcept {
  return list_.bytes() + (filter_ != nullptr ? filter_->bytes() : 0);
}

double Memtable::filter_rate() const noexcept {
  return filter_ != nullptr ? filter_->RateAt(list_.entries()) : 1.0;
}

}  // namespace tamis
