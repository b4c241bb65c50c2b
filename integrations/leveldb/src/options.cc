// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <algorithm>
#include <cstdarg>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/env.h>

#include "cache.h"
#include "env_adapter.h"
#include "policy.h"

namespace leveldb {

Options::Options() : comparator(BytewiseComparator()), env(Env::Default()) {}

}  // namespace leveldb

namespace tamis::dropin {
namespace {

constexpr std::size_t kKiB = std::size_t{1} << 10;
constexpr std::size_t kMiB = kKiB << 10;
// LevelDB's bounds, to which it clips what a program says.
constexpr std::size_t kMinWriteBuffer = 64 * kKiB;
constexpr std::size_t kMaxWriteBuffer = 1024 * kMiB;
constexpr std::size_t kMinTable = kMiB;
constexpr std::size_t kMaxTable = 1024 * kMiB;
constexpr std::size_t kMinBlock = kKiB;
constexpr std::size_t kMaxBlock = 4 * kMiB;
// LevelDB's cache where a program gives none.
constexpr std::size_t kOwnCache = 8 * kMiB;
// Of our own filters where a program wants none of LevelDB's.
constexpr int kUsualBits = 10;
constexpr int kMinBits = 2;
constexpr int kMaxBits = 32;

[[gnu::format(printf, 2, 3)]] void LogTo(leveldb::Logger* logger,
                                         const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  logger->Logv(format, arguments);
  va_end(arguments);
}

}  // namespace

AdaptedOptions::AdaptedOptions(const leveldb::Options& theirs)
    : env_(AdaptEnv(theirs.env)) {
  ours_.create_if_missing = theirs.create_if_missing;
  ours_.error_if_exists = theirs.error_if_exists;
  ours_.skip_damaged_log_records = !theirs.paranoid_checks;
  ours_.env = env_.get();
  if (leveldb::Logger* const logger = theirs.info_log; logger != nullptr) {
    ours_.info_log = [logger](std::string_view line) {
      LogTo(logger, "%.*s", static_cast<int>(line.size()), line.data());
    };
  }
  ours_.compression = theirs.compression == leveldb::kNoCompression
                          ? Compression::kNone
                          : Compression::kSnappy;
  TakeSizes(theirs);
  TakeComparator(theirs);
  TakeFilter(theirs);
}

void AdaptedOptions::TakeSizes(const leveldb::Options& theirs) {
  ours_.write_buffer_bytes =
      std::clamp(theirs.write_buffer_size, kMinWriteBuffer, kMaxWriteBuffer);
  ours_.table_bytes = std::clamp(theirs.max_file_size, kMinTable, kMaxTable);
  ours_.block_bytes = std::clamp(theirs.block_size, kMinBlock, kMaxBlock);
  ours_.restart_interval =
      static_cast<unsigned>(std::max(theirs.block_restart_interval, 1));
  // In the proportions of our own defaults.
  ours_.level1_bytes = std::max(std::uint64_t{8} * ours_.write_buffer_bytes,
                                std::uint64_t{4} * ours_.table_bytes);
  ours_.block_cache_bytes = kOwnCache;
  if (theirs.block_cache != nullptr) {
    ours_.block_cache = AdaptCache(theirs.block_cache);
  }
}

// LevelDB's own policy tells keys apart by their bytes, and is said to be wrong
// for a comparator that does not: a program that uses both says that its keys
// are equal only if they are identical.
void AdaptedOptions::TakeComparator(const leveldb::Options& theirs) {
  if (theirs.comparator == leveldb::BytewiseComparator()) return;
  comparator_.emplace(*theirs.comparator,
                      BuiltInBits(theirs.filter_policy).has_value());
  ours_.comparator = &*comparator_;
}

void AdaptedOptions::TakeFilter(const leveldb::Options& theirs) {
  const std::optional<int> bits = BuiltInBits(theirs.filter_policy);
  ours_.leveldb_filter_bits = 0;
  if (theirs.filter_policy != nullptr && !bits) {
    // The program's own filters are the only ones.
    ours_.filter.clear();
    ours_.leveldb_filter_policy = AdaptPolicy(*theirs.filter_policy);
    // So that they are queried from the first lookup on.
    ours_.filter_loading = FilterLoading::kWhenFirstAsked;
    return;
  }
  const int wanted = std::clamp(bits.value_or(kUsualBits), kMinBits, kMaxBits);
  ours_.filter = "bloom:" + std::to_string(wanted);
  if (bits) ours_.leveldb_filter_bits = static_cast<unsigned>(wanted);
}

}  // namespace tamis::dropin
