// SPDX-License-Identifier: Apache-2.0
// Bytes as operations on a store and on a std::map, whose answers must be the
// same.

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "fuzz/fuzz_support.h"
#include "tamis/store.h"
#include "tests/support/memory_env.h"

namespace tamis::fuzz {
namespace {

constexpr int kMaxOperations = 300;

using Model = std::map<std::string, std::string>;

class Pair {
 public:
  explicit Pair(Input* input) : input_(input) {
    const unsigned choices = input_->TakeByte();
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.write_buffer_bytes = choices % 2 == 0 ? 1024 : 16384;
    options_.table_bytes = 1024;
    options_.block_bytes = 64u << (choices / 2 % 4);
    options_.restart_interval = 1 + choices / 8 % 4;
    options_.level0_compact_at = 2;
    options_.level1_bytes = 4096;
    options_.automatic_compaction = choices / 32 % 2 == 0;
    options_.compression =
        choices / 64 % 2 == 0 ? Compression::kNone : Compression::kSnappy;
    options_.filter = choices / 128 == 0 ? "bloom:10" : "";
    Reopen();
  }

  void Step() {
    switch (input_->TakeByte() % 16) {
      case 0:
        return Reopen();
      case 1:
        return Check(store_->Flush().ok(), "a flush works");
      case 2:
        return Compact();
      case 3:
        return Batch();
      case 4:
        return TakeSnapshot();
      case 5:
      case 6:
        return Seek();
      case 7:
      case 8:
        return Get();
      case 9:
      case 10:
        return Delete();
      case 11:
        return SetFilterMemory();
      default:
        return Put();
    }
  }
  void SetFilterMemory() {
    const std::uint64_t bytes = input_->TakeByte() * 16;
    Check(store_->SetFilterMemory(bytes).ok() &&
              store_->Stats().filter_memory_held <= bytes,
          "filters give memory back");
  }
  void CompareAll() {
    auto it = store_->NewIterator();
    auto expected = model_.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      Check(expected != model_.end() && it->key() == expected->first &&
                it->value() == expected->second,
            "a scan gives what the map has");
    }
    Check(it->status().ok() && expected == model_.end(),
          "a scan gives all that the map has");
  }

 private:
  std::string Key() {
    const unsigned byte = input_->TakeByte();
    return std::string(byte % 5, static_cast<char>('a' + byte / 5 % 3)) +
           static_cast<char>(byte / 15);
  }
  std::string Value() {
    const std::size_t size = input_->TakeByte();
    std::string value(size % 16 == 0 ? size * 8 : size % 16, 'v');
    return value + std::to_string(++written_);
  }

  void Reopen() {
    snapshot_.reset();
    store_.reset();
    Result<std::unique_ptr<Store>> opened = Store::Open("/db", options_);
    Check(opened.ok(), "a store opens again");
    store_ = *std::move(opened);
  }
  void Compact() {
    const std::string from = Key();
    const std::string to = Key();
    const Status done = store_->Compact(from < to ? KeyRange::Between(from, to)
                                                  : KeyRange::All());
    Check(done.ok(), "a compaction works");
  }
  void Put() {
    const std::string key = Key();
    const std::string value = Value();
    Check(store_->Put({}, key, value).ok(), "a write works");
    model_[key] = value;
  }
  void Delete() {
    const std::string key = Key();
    Check(store_->Delete({}, key).ok(), "a deletion works");
    model_.erase(key);
  }
  void Batch() {
    WriteBatch batch;
    for (unsigned left = input_->TakeByte() % 8; left > 0; --left) {
      const std::string key = Key();
      if (left % 3 == 0) {
        batch.Delete(key);
        model_.erase(key);
      } else {
        model_[key] = Value();
        batch.Put(key, model_[key]);
      }
    }
    Check(store_->Write({.sync = true}, batch).ok(), "a batch works");
  }
  void TakeSnapshot() {
    snapshot_ = store_->GetSnapshot();
    old_model_ = model_;
  }
  void Get() {
    const bool is_old = snapshot_ != nullptr && input_->TakeByte() % 2 == 0;
    const Model& model = is_old ? old_model_ : model_;
    const std::string key = Key();
    std::string value;
    const Status got = store_->Get(
        {.snapshot = is_old ? snapshot_.get() : nullptr}, key, &value);
    const auto found = model.find(key);
    Check(found == model.end() ? got.code() == StatusCode::kNotFound
                               : got.ok() && value == found->second,
          "a lookup gives what the map has");
  }
  void Seek() {
    const std::string key = Key();
    const auto it = store_->NewIterator();
    it->Seek(key);
    auto at = model_.lower_bound(key);
    for (int i = 0; i < 4; ++i) {
      Check(it->Valid() == (at != model_.end()), "the ends are the same");
      if (!it->Valid()) return;
      Check(it->key() == at->first && it->value() == at->second,
            "a walk gives what the map has");
      if (input_->TakeByte() % 3 == 0) {
        it->Prev();
        at = at == model_.begin() ? model_.end() : std::prev(at);
      } else {
        it->Next();
        ++at;
      }
    }
  }

  Input* input_;
  testing::MemoryEnv env_;
  StoreOptions options_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<const Snapshot> snapshot_;
  Model model_;
  Model old_model_;
  unsigned written_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Input input(AsSlice(data, size));
  Pair pair(&input);
  for (int i = 0; i < kMaxOperations && !input.empty(); ++i) pair.Step();
  pair.CompareAll();
  return 0;
}

}  // namespace tamis::fuzz
