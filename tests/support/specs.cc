#include "tests/support/specs.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace tamis::testing {
namespace {

bool IsRibbon(const std::string& spec) {
  return spec.starts_with("rocksdb-ribbon");
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
               std::back_inserter(specs),
               [](const std::string& spec) { return !IsRibbon(spec); });
  return specs;
}

bool IsBlockedSpec(const std::string& spec) {
  constexpr std::string_view kNames[] = {"bloom",      "fpr",     "tamis",
                                         "splitblock", "rocksdb", "parquet"};
  return std::find(std::begin(kNames), std::end(kNames),
                   spec.substr(0, spec.find(':'))) != std::end(kNames);
}

bool OpensWithoutKeys(const std::string& spec) {
  return !spec.starts_with("rocksdb") || IsRibbon(spec) ||
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
