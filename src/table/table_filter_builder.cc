// SPDX-License-Identifier: Apache-2.0
#include "table/table_filter_builder.h"

#include <exception>
#include <new>
#include <utility>

#include "formats/leveldb/bloom.h"
#include "formats/tamis/line_view.h"
#include "table/footer.h"

namespace tamis {
namespace {

// REQUIRES: called while an exception is handled
std::string WhatWasThrown() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "no memory";
  } catch (const std::exception& thrown) {
    return std::string("it threw: ") + thrown.what();
  } catch (...) {
    return "it threw";
  }
}

// Runs a step of the build.  Returns "", or why it failed.
template <typename Step>
std::string Try(const Step& step) {
  try {
    const Status done = step();
    if (done.ok()) return {};
    return done.message().empty() ? "it gave no reason" : done.message();
  } catch (...) {
    return WhatWasThrown();
  }
}

Status CheckSize(const std::string& filter) {
  if (filter.size() <= kMaxBlockBytes) return Status::Ok();
  return Status::ResourceExhausted("it takes more than 4 GiB");
}

}  // namespace

TableFilterBuilder::TableFilterBuilder(const FilterPolicy* whole,
                                       unsigned leveldb_bits,
                                       unsigned block_bits,
                                       std::uint64_t block_seed,
                                       const FilterPolicy* leveldb) {
  if (block_bits != 0) blocks_.emplace(block_bits, block_seed);
  if (whole != nullptr) {
    whole_problem_ = Try([&] {
      // Keys arrive in order, and repeats are skipped below.
      BuildOptions options;
      options.repeats = RepeatedKeys::kNeighbours;
      whole_ = whole->NewBuilder(options);
      return whole_ != nullptr ? Status::Ok()
                               : Status::InvalidArgument("there is no builder");
    });
  }
  if (leveldb != nullptr) leveldb_.emplace(*leveldb);
  if (leveldb != nullptr || leveldb_bits == 0) return;
  leveldb_policy_ = NewLevelDbBloomPolicy(
      {.bits_per_key = static_cast<double>(leveldb_bits)});
  leveldb_.emplace(*leveldb_policy_);
}

void TableFilterBuilder::GiveUpWhole(std::string why) {
  whole_problem_ = std::move(why);
  whole_.reset();
}

void TableFilterBuilder::GiveUpLevelDb(std::string why) {
  leveldb_problem_ = std::move(why);
  leveldb_.reset();
}

void TableFilterBuilder::GiveUpBlocks(std::string why) {
  blocks_problem_ = std::move(why);
  blocks_.reset();
}

void TableFilterBuilder::EndBlock() noexcept {
  if (blocks_.has_value()) blocks_->EndBlock();
  block_has_keys_ = false;
}

void TableFilterBuilder::Add(Slice user_key, bool is_repeat) {
  // A key whose versions are in several blocks is in each.
  if (blocks_.has_value() && !(is_repeat && block_has_keys_)) {
    try {
      blocks_->AddHash(LineHash(user_key, blocks_->seed()));
    } catch (...) {
      GiveUpBlocks(WhatWasThrown());
    }
  }
  block_has_keys_ = true;
  // LevelDB counts every version when it sizes a filter; ours does not.
  if (leveldb_.has_value()) {
    try {
      leveldb_->AddKey(user_key);
    } catch (...) {
      GiveUpLevelDb(WhatWasThrown());
    }
  }
  if (whole_ == nullptr || is_repeat) return;
  const std::optional<Slice> prefix = NewPrefixOf(user_key);
  try {
    if (prefix) AddToWhole(*prefix);
    AddToWhole(user_key);
  } catch (...) {
    GiveUpWhole(WhatWasThrown());
  }
}

void TableFilterBuilder::AddPrefixesBy(const PrefixExtractor& extractor) {
  prefixes_.emplace(extractor);
}

// Without prefixes the filter is still good for lookups.
std::optional<Slice> TableFilterBuilder::NewPrefixOf(Slice user_key) {
  if (!prefixes_.has_value()) return std::nullopt;
  try {
    const std::optional<Slice> prefix = prefixes_->Next(user_key);
    if (prefixes_->is_valid()) return prefix;
    prefixes_problem_ = "the extractor gives keys of one prefix different ones";
  } catch (...) {
    prefixes_problem_ = "the extractor: " + WhatWasThrown();
  }
  prefixes_.reset();
  return std::nullopt;
}

void TableFilterBuilder::AddToWhole(Slice key) {
  keys_.append(key);
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

void TableFilterBuilder::StartBlock(std::uint64_t offset) {
  if (!leveldb_.has_value()) return;
  std::string why = Try([&] { return leveldb_->StartBlock(offset); });
  if (!why.empty()) GiveUpLevelDb(std::move(why));
}

bool TableFilterBuilder::FinishLevelDb(std::string* dst) {
  if (!leveldb_.has_value()) return false;
  dst->clear();
  std::string why = Try([&] {
    const Status done = leveldb_->Finish(dst);
    return done.ok() ? CheckSize(*dst) : done;
  });
  if (!why.empty()) GiveUpLevelDb(std::move(why));
  return leveldb_.has_value();
}

bool TableFilterBuilder::FinishBlocks(std::string* dst) {
  if (!blocks_.has_value()) return false;
  dst->clear();
  std::string why = Try([&] {
    const Status done = blocks_->Finish(dst);
    return done.ok() ? CheckSize(*dst) : done;
  });
  if (!why.empty()) GiveUpBlocks(std::move(why));
  return blocks_.has_value();
}

bool TableFilterBuilder::FinishWhole(std::string* dst) {
  if (whole_ == nullptr) return false;
  dst->clear();
  std::string why = Try([&] {
    AddGroup();
    const Status done = whole_->Finish(dst);
    return done.ok() ? CheckSize(*dst) : done;
  });
  if (!why.empty()) GiveUpWhole(std::move(why));
  return whole_ != nullptr;
}

}  // namespace tamis
