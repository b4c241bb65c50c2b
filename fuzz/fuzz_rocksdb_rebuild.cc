// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table of RocksDB whose filter is rebuilt, and as a
// manifest that tells of such tables.

#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzz_support.h"
#include "sstable/manifest.h"
#include "sstable/rocksdb/filter.h"
#include "sstable/rocksdb/rebuild_manifest.h"
#include "sstable/rocksdb/rebuild_table.h"
#include "sstable/rocksdb/table_keys.h"

namespace tamis::fuzz {
namespace {

using Form = RocksDbNewFilter::Form;

class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(Slice bytes) : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* /*scratch*/) const override {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset) {
      return Status::IoError("the file ends too early");
    }
    return bytes_.substr(static_cast<std::size_t>(offset), bytes);
  }

 private:
  Slice bytes_;
};

class NewFile final : public WritableFile {
 public:
  Status Append(Slice bytes) override {
    contents.append(bytes);
    return Status::Ok();
  }
  Status Flush() override { return Status::Ok(); }
  Status Sync() override { return Status::Ok(); }
  Status Close() override { return Status::Ok(); }

  std::string contents;
};

std::vector<std::string> KeysOf(const RocksDbTable& table,
                                const ReadableFile& file) {
  std::vector<std::string> all;
  RocksDbTableKeys keys;
  const auto collect = [&](std::span<const Slice> some, Slice /*separator*/) {
    all.insert(all.end(), some.begin(), some.end());
    return Status::Ok();
  };
  const Status walked = WalkTableKeys(table, file, collect, &keys);
  Check(walked.ok(), "what is rebuilt can be read");
  return all;
}

void CheckTable(Slice bytes, Form form, RocksDbKind kind) {
  const BytesFile old(bytes);
  RocksDbNewFilter filter;
  filter.form = form;
  filter.kind = kind;
  filter.sizing.bits_per_key = 10;
  filter.partition_bytes = 64;
  const auto plan = RocksDbTableRebuild::Plan(old, filter);
  if (!plan.ok()) {
    Check(!plan.status().message().empty(), "a refusal has a reason");
    return;
  }
  NewFile written;
  std::uint32_t crc32c = 0;
  Check(plan->Write(&written, &crc32c).ok(), "it can be written");
  Check(written.contents.size() == plan->bytes(), "its length is known before");
  const BytesFile now(written.contents);
  const auto table = RocksDbTable::Open(now);
  Check(table.ok(), "the new table opens");
  const std::vector<std::string> keys = KeysOf(*table, now);
  Check(keys == KeysOf(*RocksDbTable::Open(old), old), "it has the same keys");
  FilterSum sum;
  SstableInfo info;
  const bool is_reverse =
      table->Property("rocksdb.comparator") != "leveldb.BytewiseComparator";
  const auto reader = RocksDbTableFilter::Read(
      *table, now,
      is_reverse ? RocksDbOrder::kReverse : RocksDbOrder::kBytewise, &sum,
      &info);
  for (const std::string& key : keys) {
    Check(reader->MayContain(key), "no key is hidden");
  }
}

void CheckManifest(Slice bytes) {
  const auto records = ReadRocksDbTableRecords(bytes);
  const auto same = RebuildRocksDbManifest(bytes, {});
  Check(records.ok() == same.ok(), "what can be read can be written");
  if (!same.ok()) return;
  const LevelManifest before = ParseLevelManifest(bytes);
  const LevelManifest after = ParseLevelManifest(*same);
  Check(before.tables.size() == after.tables.size(), "no table is lost");
  RocksDbManifestChange change;
  for (const auto& [number, record] : *records) {
    if (!IsKnownFileChecksum(record)) continue;
    change.tables[number] = {.number = number, .bytes = 12, .tail_bytes = 3};
  }
  const auto mended = RebuildRocksDbManifest(bytes, change);
  Check(mended.ok(), "what can be copied can be mended");
  for (const auto& [number, table] : ParseLevelManifest(*mended).tables) {
    Check(!change.tables.contains(number) || table.bytes == 12,
          "the length of a rebuilt table is mended");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckTable(bytes, Form::kFull, RocksDbKind::kBloom);
  CheckTable(bytes, Form::kPartitioned, RocksDbKind::kRibbon);
  CheckTable(bytes, Form::kNone, RocksDbKind::kBloom);
  CheckManifest(bytes);
  return 0;
}

}  // namespace tamis::fuzz
