// SPDX-License-Identifier: Apache-2.0
// The engines whose sstables can be read, and what does not depend on them.

#include <algorithm>
#include <memory>
#include <utility>

#include "base/no_throw.h"
#include "sstable/cassandra/engine.h"
#include "sstable/engine.h"
#include "sstable/filter_sum.h"
#include "sstable/leveldb/engine.h"
#include "sstable/parquet/engine.h"
#include "sstable/rocksdb/engine.h"
#include "tamis/env.h"

namespace tamis {
namespace {

class UnreadableSstable final : public Sstable {
 public:
  explicit UnreadableSstable(SstableInfo info) : info_(std::move(info)) {}

  const SstableInfo& info() const noexcept override { return info_; }
  bool MayContain(Slice /*user_key*/) const override { return true; }
  Result<SstableWalk> Walk(SstableVisitor& /*visitor*/) const override {
    return Status::NotSupported(info_.why_not_verifiable);
  }
  Result<StoredEntry> Find(Slice /*user_key*/) const override {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }

 private:
  SstableInfo info_;
};

constexpr std::pair<FilterVerdict, std::string_view> kVerdicts[] = {
    {FilterVerdict::kOk, "ok"},
    {FilterVerdict::kSaturated, "saturated"},
    {FilterVerdict::kOversized, "oversized"},
    {FilterVerdict::kMissing, "missing"},
    {FilterVerdict::kDamaged, "damaged"},
    {FilterVerdict::kLegacyHash, "legacy-hash"},
    {FilterVerdict::kNotUsed, "not-used"},
    {FilterVerdict::kUnreadable, "unreadable"},
};

}  // namespace

std::string_view NameOfVerdict(FilterVerdict verdict) noexcept {
  for (const auto& [known, name] : kVerdicts) {
    if (known == verdict) return name;
  }
  return "";
}

std::optional<FilterVerdict> VerdictNamed(std::string_view name) noexcept {
  for (const auto& [verdict, known] : kVerdicts) {
    if (known == name) return verdict;
  }
  return std::nullopt;
}

std::vector<SstableEngineRow> SstableEngines() {
  return {LevelDbEngine(), RocksDbEngine(), CassandraEngine(), ParquetEngine()};
}

bool DirectoryFiles::Has(std::string_view name) const noexcept {
  return std::binary_search(names.begin(), names.end(), name);
}

Result<std::string> ReadTail(Env& env, const std::string& path) {
  const auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const std::uint64_t size = (*file)->size();
  const std::size_t bytes = static_cast<std::size_t>(
      std::min<std::uint64_t>(size, SstableEngineRow::kTailBytes));
  std::string scratch;
  const Result<Slice> tail = (*file)->Read(size - bytes, bytes, &scratch);
  if (!tail.ok()) return tail.status();
  return std::string(*tail);
}

SstableInfo InfoOf(const FoundSstable& found) {
  SstableInfo info;
  info.path = found.path;
  info.engine = found.engine;
  info.group = found.group;
  info.level = found.level;
  info.bytes = found.bytes;
  info.comparator = found.comparator;
  if (found.recorded_bytes != 0 && found.recorded_bytes != found.bytes) {
    info.remarks.push_back(
        "the manifest records " + std::to_string(found.recorded_bytes) +
        " bytes, and the file has " + std::to_string(found.bytes));
  }
  return info;
}

std::unique_ptr<const Sstable> NewUnreadableSstable(const FoundSstable& found,
                                                    const std::string& why) {
  SstableInfo info = InfoOf(found);
  // The reports already have the path.
  const std::string prefix = found.path + ": ";
  MarkUnreadable(why.starts_with(prefix) ? why.substr(prefix.size()) : why,
                 &info);
  return std::make_unique<UnreadableSstable>(std::move(info));
}

Result<std::unique_ptr<const Sstable>> OpenSstableIn(
    Env& env, const FoundSstable& found) {
  return NoThrow([&]() -> Result<std::unique_ptr<const Sstable>> {
    for (const SstableEngineRow& engine : SstableEngines()) {
      if (engine.name == found.engine) return engine.open(env, found);
    }
    return NewUnreadableSstable(
        found, "its last bytes are not those of a table of LevelDB or RocksDB");
  });
}

Result<std::unique_ptr<const Sstable>> OpenSstable(const FoundSstable& found) {
  return OpenSstableIn(DefaultEnv(), found);
}

}  // namespace tamis
