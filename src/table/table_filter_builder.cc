#include "table/table_filter_builder.h"

#include <cassert>

#include "formats/leveldb_bloom.h"

namespace tamis {

TableFilterBuilder::TableFilterBuilder(const FilterPolicy* whole,
                                       unsigned leveldb_bits) {
  // Keys come in order, and repeats are left out below.
  BuildOptions options;
  options.repeats = RepeatedKeys::kNeighbours;
  if (whole != nullptr) whole_ = whole->NewBuilderWith(options);
  if (leveldb_bits == 0) return;
  leveldb_policy_ = NewLevelDbBloomPolicy(
      {.bits_per_key = static_cast<double>(leveldb_bits)});
  leveldb_.emplace(*leveldb_policy_);
}

void TableFilterBuilder::Add(Slice user_key, bool is_repeat) {
  // LevelDB counts every version when it sizes a filter; ours does not.
  if (leveldb_.has_value()) leveldb_->AddKey(user_key);
  if (whole_ == nullptr || is_repeat) return;
  keys_.append(user_key);
  ends_[count_++] = keys_.size();
  if (count_ == kGroup) AddGroup();
}

void TableFilterBuilder::AddGroup() {
  std::array<Slice, kGroup> keys;
  std::size_t start = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    keys[i] = Slice(keys_).substr(start, ends_[i] - start);
    start = ends_[i];
  }
  whole_->AddMany({keys.data(), count_});
  keys_.clear();
  count_ = 0;
}

Status TableFilterBuilder::StartBlock(std::uint64_t offset) {
  return leveldb_.has_value() ? leveldb_->StartBlock(offset) : Status::Ok();
}

Status TableFilterBuilder::FinishLevelDb(std::string* dst) {
  assert(leveldb_.has_value());
  return leveldb_->Finish(dst);
}

Status TableFilterBuilder::FinishWhole(std::string* dst) {
  assert(whole_ != nullptr);
  AddGroup();
  return whole_->Finish(dst);
}

}  // namespace tamis
