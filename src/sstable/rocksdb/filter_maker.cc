// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/filter_maker.h"

#include <utility>

namespace tamis {
namespace {

// Versions of a key are neighbours; prefixes come between keys.
BuildOptions OptionsFor(const RocksDbFilterShape& shape) {
  BuildOptions options;
  options.repeats = shape.has_whole_keys && shape.prefix.has_value()
                        ? RepeatedKeys::kAsFormat
                        : RepeatedKeys::kNeighbours;
  return options;
}

}  // namespace

RocksDbFilterMaker::RocksDbFilterMaker(const FilterPolicy& policy,
                                       const RocksDbFilterShape& shape)
    : policy_(policy),
      shape_(shape),
      options_(OptionsFor(shape)),
      builder_(policy.NewBuilder(options_)) {}

// A search for a prefix may look where the key that it starts from would be: at
// the end of the partition before, or at the start of the one after.  So the
// prefixes of the keys on either side are in both partitions.
Status RocksDbFilterMaker::AddBlock(std::span<const Slice> keys,
                                    Slice separator) {
  if (IsFull()) {
    AddPrefix(keys.front());
    if (Status finished = FinishPart(); !finished.ok()) return finished;
    AddPrefix(last_key_);
  }
  for (const Slice key : keys) AddKey(key);
  separator_ = std::string(separator);
  return Status::Ok();
}

// As RocksDB up to 9.5: the key, then its prefix, each unless it is that of the
// key before.
void RocksDbFilterMaker::AddKey(Slice key) {
  const bool is_repeat = has_last_key_ && key == last_key_;
  if (shape_.has_whole_keys && !is_repeat) {
    builder_->Add(key);
    ++added_;
  }
  AddPrefix(key);
  if (is_repeat) return;
  last_key_ = std::string(key);
  has_last_key_ = true;
}

void RocksDbFilterMaker::AddPrefix(Slice key) {
  if (!shape_.prefix.has_value()) return;
  const std::optional<Slice> prefix = shape_.prefix->Of(key);
  if (!prefix.has_value() || last_prefix_ == *prefix) return;
  builder_->Add(*prefix);
  ++added_;
  last_prefix_ = std::string(*prefix);
}

bool RocksDbFilterMaker::IsFull() const {
  return shape_.partition_bytes != 0 && added_ != 0 &&
         policy_.Predict(added_).bytes >= shape_.partition_bytes;
}

Status RocksDbFilterMaker::FinishPart() {
  if (added_ == 0) return Status::Ok();
  Part& part = parts_.emplace_back();
  part.separator = separator_;
  if (Status built = builder_->Finish(&part.bytes); !built.ok()) return built;
  entries_ += builder_->counted_keys().value_or(added_);
  builder_ = policy_.NewBuilder(options_);
  added_ = 0;
  has_last_key_ = false;
  last_prefix_.reset();
  return Status::Ok();
}

Status RocksDbFilterMaker::Finish(std::vector<Part>* parts) {
  if (Status finished = FinishPart(); !finished.ok()) return finished;
  *parts = std::exchange(parts_, {});
  return Status::Ok();
}

}  // namespace tamis
