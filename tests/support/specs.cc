// SPDX-License-Identifier: Apache-2.0
#include "tests/support/specs.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace tamis::testing {
namespace {

bool IsRocksDbRibbon(const std::string& spec) {
  return spec.starts_with("rocksdb-ribbon");
}

// The kinds of the .tamis format whose keys do not just set bits.
bool IsOfTheFamily(const std::string& spec) {
  constexpr std::string_view kNames[] = {
      "ribbon", "fuse", "counting", "cuckoo", "scalable", "rotating", "range"};
  return std::any_of(
      std::begin(kNames), std::end(kNames),
      [&](std::string_view name) { return spec.starts_with(name); });
}

}  // namespace

const std::vector<std::string>& EverySpec() {
  static const std::vector<std::string> specs = {
      "bloom:10",
      "bloom:fpr=0.01",
      "fpr:0.001",
      "bloom:0.1",
      "bloom:100",
      "tamis:m=1,k=1",
      "tamis:m=513,k=3,seed=9",
      "bloom:m=70000,k=32",
      "splitblock:10",
      "splitblock:fpr=0.01",
      "splitblock:m=1,k=8",
      "splitblock:20,seed=18446744073709551615",
      "classic:10",
      "classic:1",
      "classic:fpr=0.0001",
      "classic:m=1,k=1",
      "classic:m=513,k=3,seed=9",
      "ribbon:8",
      "ribbon:1",
      "ribbon:fpr=0.01,seed=9",
      "ribbon:32",
      "fuse8",
      "fuse16:arity=4,seed=7",
      "fuse32",
      "fuse:fpr=0.001",
      "counting:fpr=0.01",
      "counting:20,seed=3",
      "cuckoo:fpr=0.01",
      "cuckoo:20,seed=3",
      "scalable:fpr=0.01",
      "rotating:fpr=0.01",
      "rotating:10,generations=2,seed=5",
      "leveldb:10",
      "leveldb:1",
      "leveldb:fpr=0.01",
      "leveldb:m=8,k=30",
      "rocksdb:10",
      "rocksdb:0.5",
      "rocksdb:fpr=0.001",
      "rocksdb:m=5000,k=30",
      "rocksdb-legacy:10",
      "rocksdb-legacy:fpr=0.05",
      "rocksdb-legacy:m=1024,k=31",
      "rocksdb-ribbon:10",
      "rocksdb-ribbon:1",
      "rocksdb-ribbon:fpr=0.0001",
      "cassandra:hf",
      "cassandra:ka",
      "cassandra:me",
      "cassandra:oa,fpr=0.1",
      "cassandra:da",
      "cassandra:nb,sizing=textbook,fpr=0.00001",
      "cassandra:jb,m=64,k=1",
      "parquet:10",
      "parquet:1000",
      "parquet:fpr=0.01",
      "parquet:m=5000,k=8",
      "lab:fpr=0.01",
      "lab:3",
      "lab:m=9,k=2",
      "md5:fpr=0.01",
      "md5:20"};
  return specs;
}

std::vector<std::string> BloomSpecs() {
  std::vector<std::string> specs;
  std::copy_if(EverySpec().begin(), EverySpec().end(),
               std::back_inserter(specs), [](const std::string& spec) {
                 return !IsRocksDbRibbon(spec) && !IsOfTheFamily(spec);
               });
  return specs;
}

bool IsBlockedSpec(const std::string& spec) {
  constexpr std::string_view kNames[] = {"bloom",      "fpr",     "tamis",
                                         "splitblock", "rocksdb", "parquet"};
  return std::find(std::begin(kNames), std::end(kNames),
                   spec.substr(0, spec.find(':'))) != std::end(kNames);
}

bool NeedsAllKeysAtOnce(const std::string& spec) {
  return IsRocksDbRibbon(spec) || spec.starts_with("ribbon") ||
         spec.starts_with("fuse") || spec.starts_with("range");
}

bool GrowsToWhatABuilderWrites(const std::string& spec) {
  return !NeedsAllKeysAtOnce(spec) && !spec.starts_with("cuckoo") &&
         !spec.starts_with("scalable") && !spec.starts_with("rotating");
}

bool IsKnownWithoutKeys(const std::string& spec) {
  return !spec.starts_with("rocksdb") || IsRocksDbRibbon(spec) ||
         spec.find("m=") != std::string::npos;
}

std::string TestNameOf(const std::string& spec) {
  std::string name;
  for (const char c : spec) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

}  // namespace tamis::testing
