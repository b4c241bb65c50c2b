// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_bits.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

namespace rocksdb {

// The order of the methods is the order in the library's tables of virtual
// functions, seen there by the names that its dynamic relocations give.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const Slice& key) = 0;
  virtual std::size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* owner) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* owner,
                       Status* status) = 0;
  virtual Status MaybePostVerify(const Slice& filter) = 0;
  virtual std::size_t ApproximateNumEntries(std::size_t bytes) = 0;
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const Slice& key) = 0;
  virtual void MayMatch(int count, Slice** keys, bool* answers) = 0;
};

}  // namespace rocksdb

namespace tamis::testing {
namespace {

constexpr int kMajor = 7;
constexpr int kMinor = 8;
constexpr int kPatch = 3;
constexpr std::size_t kBatch = 32;
// A line of a Bloom filter, and then some.
constexpr std::size_t kPadding = 256;

rocksdb::Slice ToRocksDb(Slice bytes) { return {bytes.data(), bytes.size()}; }

std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderWith(
    const rocksdb::FilterPolicy& policy, int format_version,
    std::span<const std::string> keys) {
  rocksdb::BlockBasedTableOptions options;
  options.format_version = static_cast<std::uint32_t>(format_version);
  const rocksdb::FilterBuildingContext context(options);
  std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  for (const std::string& key : keys) builder->AddKey(ToRocksDb(key));
  return builder;
}

std::string AnswersInBatches(rocksdb::FilterBitsReader* reader,
                             std::span<const std::string> keys) {
  std::vector<rocksdb::Slice> slices;
  for (const std::string& key : keys) slices.push_back(ToRocksDb(key));
  std::string answers;
  for (std::size_t first = 0; first < keys.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, keys.size() - first);
    rocksdb::Slice* asked[kBatch];
    bool maybe[kBatch] = {};
    for (std::size_t i = 0; i < count; ++i) asked[i] = &slices[first + i];
    reader->MayMatch(static_cast<int>(count), asked, maybe);
    for (std::size_t i = 0; i < count; ++i) answers += maybe[i] ? '1' : '0';
  }
  return answers;
}

}  // namespace

std::optional<std::string> WhyNotThisRocksDb() {
  const std::string wanted = std::to_string(kMajor) + "." +
                             std::to_string(kMinor) + "." +
                             std::to_string(kPatch);
  const std::string headers = std::to_string(ROCKSDB_MAJOR) + "." +
                              std::to_string(ROCKSDB_MINOR) + "." +
                              std::to_string(ROCKSDB_PATCH);
  const std::string library = rocksdb::GetRocksVersionAsString();
  if (headers == wanted && library == wanted) return std::nullopt;
  return "the classes declared here are those of RocksDB " + wanted +
         "; the headers are of " + headers + ", the library is " + library;
}

PeerSpec PeerSpecOf(std::string_view spec) {
  PeerSpec peer;
  const std::size_t colon = std::min(spec.find(':'), spec.size());
  const std::string_view name = spec.substr(0, colon);
  if (name == "rocksdb-legacy") {
    peer.format_version = 4;
  } else if (name == "rocksdb-ribbon") {
    peer.is_ribbon = true;
  } else if (name != "rocksdb") {
    ADD_FAILURE() << "RocksDB has no policy for " << spec;
  }
  if (colon == spec.size()) return peer;
  const std::string_view number = spec.substr(colon + 1);
  const auto [end, error] = std::from_chars(
      number.data(), number.data() + number.size(), peer.bits_per_key);
  if (error != std::errc() || end != number.data() + number.size()) {
    ADD_FAILURE() << "no bits per key in " << spec;
  }
  return peer;
}

std::shared_ptr<const rocksdb::FilterPolicy> RocksDbPolicy(
    const PeerSpec& peer) {
  constexpr int kNeverBloom = -1;
  return std::shared_ptr<const rocksdb::FilterPolicy>(
      peer.is_ribbon
          ? rocksdb::NewRibbonFilterPolicy(peer.bits_per_key, kNeverBloom)
          : rocksdb::NewBloomFilterPolicy(peer.bits_per_key));
}

std::string BuildWithRocksDb(std::string_view spec,
                             std::span<const std::string> keys) {
  const PeerSpec peer = PeerSpecOf(spec);
  const auto policy = RocksDbPolicy(peer);
  const auto builder = BuilderWith(*policy, peer.format_version, keys);
  std::unique_ptr<const char[]> owner;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&owner, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  const rocksdb::Status verified = builder->MaybePostVerify(filter);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  return filter.ToString();
}

std::uint64_t RocksDbEntryCount(std::string_view spec,
                                std::span<const std::string> keys) {
  const PeerSpec peer = PeerSpecOf(spec);
  const auto policy = RocksDbPolicy(peer);
  return BuilderWith(*policy, peer.format_version, keys)
      ->EstimateEntriesAdded();
}

std::string RocksDbAnswers(Slice filter, std::span<const std::string> keys) {
  const std::string padded = std::string(filter) + std::string(kPadding, '\0');
  const auto policy = RocksDbPolicy({});
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy->GetFilterBitsReader({padded.data(), filter.size()}));
  std::string answers;
  for (const std::string& key : keys) {
    answers += reader->MayMatch(ToRocksDb(key)) ? '1' : '0';
  }
  EXPECT_EQ(AnswersInBatches(reader.get(), keys), answers)
      << "RocksDB's batches answer differently";
  return answers;
}

}  // namespace tamis::testing
