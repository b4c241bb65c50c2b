// SPDX-License-Identifier: Apache-2.0
// leveldb::WriteBatch: the sequence number (8 bytes), the count (4), then of
// each change its type, its key and, of a put, its value.

#include "tamis/write_batch.h"

#include <leveldb/slice.h>
#include <leveldb/write_batch.h>

#include "base/coding.h"
#include "batch.h"
#include "convert.h"

namespace leveldb {
namespace {

constexpr std::size_t kHeadBytes = 12;
constexpr std::size_t kCountAt = 8;
constexpr char kDeletion = 0;
constexpr char kValue = 1;

void AddToCount(std::string* rep, std::uint32_t changes) {
  tamis::StoreLittle(rep->data() + kCountAt,
                     tamis::LoadLittle32(rep->data() + kCountAt) + changes);
}

void AppendBytes(std::string* rep, const Slice& bytes) {
  tamis::AppendVarint64(rep, bytes.size());
  rep->append(bytes.data(), bytes.size());
}

// Passes each change on.
class Relay final : public tamis::WriteBatch::Handler {
 public:
  explicit Relay(WriteBatch::Handler* handler) : handler_(handler) {}
  void Put(tamis::Slice key, tamis::Slice value) override {
    handler_->Put(tamis::dropin::Theirs(key), tamis::dropin::Theirs(value));
  }
  void Delete(tamis::Slice key) override {
    handler_->Delete(tamis::dropin::Theirs(key));
  }

 private:
  WriteBatch::Handler* handler_;
};

}  // namespace

WriteBatch::WriteBatch() { Clear(); }
WriteBatch::~WriteBatch() = default;
void WriteBatch::Clear() { rep_.assign(kHeadBytes, '\0'); }
size_t WriteBatch::ApproximateSize() const { return rep_.size(); }

void WriteBatch::Put(const Slice& key, const Slice& value) {
  rep_.push_back(kValue);
  AppendBytes(&rep_, key);
  AppendBytes(&rep_, value);
  AddToCount(&rep_, 1);
}

void WriteBatch::Delete(const Slice& key) {
  rep_.push_back(kDeletion);
  AppendBytes(&rep_, key);
  AddToCount(&rep_, 1);
}

void WriteBatch::Append(const WriteBatch& source) {
  const std::uint32_t changes =
      tamis::LoadLittle32(source.rep_.data() + kCountAt);
  rep_.append(source.rep_, kHeadBytes);
  AddToCount(&rep_, changes);
}

Status WriteBatch::Iterate(Handler* handler) const {
  const auto batch = tamis::WriteBatch::FromContents(rep_);
  if (!batch.ok()) return tamis::dropin::Theirs(batch.status());
  Relay relay(handler);
  return tamis::dropin::Theirs(batch->ForEach(&relay));
}

}  // namespace leveldb
