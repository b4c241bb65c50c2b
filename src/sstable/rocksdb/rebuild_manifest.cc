// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/rebuild_manifest.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/coding.h"
#include "base/no_throw.h"
#include "sstable/manifest_tags.h"
#include "sstable/rocksdb/manifest_records.h"
#include "store/log_writer.h"

namespace tamis {
namespace {

constexpr std::string_view kCrc32cFunction = "FileChecksumCrc32c";
// What RocksDB has of ingested tables without a checksum.
constexpr std::string_view kNoFunction = "Unknown";

// As RocksDB does: a fragment fills its block where the record continues.
void AppendRecord(Slice record, std::string* log) {
  bool is_first = true;
  do {
    std::size_t left = kLogBlockBytes - log->size() % kLogBlockBytes;
    if (left < kLogHeaderBytes) {
      log->append(left, '\0');
      left = kLogBlockBytes;
    }
    const Slice part = record.substr(0, left - kLogHeaderBytes);
    record.remove_prefix(part.size());
    const bool is_last = record.empty();
    const FragmentType type =
        is_first ? (is_last ? FragmentType::kFull : FragmentType::kFirst)
                 : (is_last ? FragmentType::kLast : FragmentType::kMiddle);
    const FragmentHeader header = HeaderOf(type, part);
    log->append(header.data(), header.size());
    log->append(part);
    is_first = false;
  } while (!record.empty());
}

class RecordCollector final : public ManifestVisitor {
 public:
  void OnAdded(const AddedManifestTable& table) override {
    RocksDbTableRecord record;
    record.bytes = table.bytes;
    for (ManifestField field : table.fields) {
      if (field.tag == kFileChecksumField) record.checksum = field.value;
      if (field.tag == kChecksumFunctionField) {
        record.checksum_function = field.value;
      }
      std::uint64_t tail;
      if (field.tag == kTailSizeField && ReadVarint64(&field.value, &tail)) {
        record.tail_bytes = tail;
      }
    }
    records[table.number] = std::move(record);
  }
  void OnRemoved(const RemovedManifestTable& /*table*/) override {}
  void OnOther(Slice /*bytes*/) override {}

  std::map<std::uint64_t, RocksDbTableRecord> records;
};

// Writes each record again, with what has changed.
class RecordMender final : public ManifestVisitor {
 public:
  RecordMender(const RocksDbManifestChange& change, std::string* log)
      : change_(change), log_(*log) {}

  void OnAdded(const AddedManifestTable& table) override;
  void OnRemoved(const RemovedManifestTable& table) override {
    AppendVarint32(&record_, kDeletedFileTag);
    AppendVarint32(&record_, table.level);
    const auto found = change_.tables.find(table.number);
    AppendVarint64(&record_, found == change_.tables.end()
                                 ? table.number
                                 : found->second.number);
  }
  void OnOther(Slice bytes) override { record_.append(bytes); }

  void OnEndOfRecord() override {
    AppendRecord(record_, &log_);
    record_.clear();
  }

 private:
  void AppendField(std::uint32_t tag, Slice value) {
    AppendVarint32(&record_, tag);
    AppendLengthPrefixed(&record_, value);
  }
  void AppendMended(const ManifestField& field, const RocksDbRebuiltTable& now);

  const RocksDbManifestChange& change_;
  std::string& log_;
  std::string record_;  // so far
};

void RecordMender::OnAdded(const AddedManifestTable& table) {
  const auto found = change_.tables.find(table.number);
  const bool has_number = found != change_.tables.end();
  const bool is_mended = has_number && !found->second.is_copy;
  AppendVarint32(&record_, table.tag);
  AppendVarint32(&record_, table.level);
  AppendVarint64(&record_, has_number ? found->second.number : table.number);
  if (table.tag == kNewFile3Tag) AppendVarint32(&record_, table.path_id);
  AppendVarint64(&record_, is_mended ? found->second.bytes : table.bytes);
  record_.append(table.keys_and_sequences);
  if (table.tag != kNewFile4Tag) return;
  const bool has_checksum =
      std::ranges::any_of(table.fields, [](const ManifestField& field) {
        return field.tag == kChecksumFunctionField &&
               field.value == kCrc32cFunction;
      });
  for (const ManifestField& field : table.fields) {
    const bool is_placeholder =
        field.tag == kFileChecksumField && !has_checksum;
    if (is_mended && !is_placeholder) {
      AppendMended(field, found->second);
    } else {
      AppendField(field.tag, field.value);
    }
  }
  AppendVarint32(&record_, kLastFieldTag);
}

void RecordMender::AppendMended(const ManifestField& field,
                                const RocksDbRebuiltTable& now) {
  switch (field.tag) {
    case kFileChecksumField:
      return AppendField(field.tag, RocksDbFileChecksum(now.crc32c));
    case kTailSizeField: {
      std::string tail;
      AppendVarint64(&tail, now.tail_bytes);
      return AppendField(field.tag, tail);
    }
    case kOpenMetadataField:
      return;
    default:
      return AppendField(field.tag, field.value);
  }
}

Status CheckTables(Slice manifest, const RocksDbManifestChange& change) {
  const auto records = ReadRocksDbTableRecords(manifest);
  if (!records.ok()) return records.status();
  for (const auto& [number, table] : change.tables) {
    const auto found = records->find(number);
    if (found == records->end()) {
      return Status::NotFound("table " + std::to_string(number) +
                              " is not in the manifest");
    }
    if (!IsKnownFileChecksum(found->second)) {
      return Status::NotSupported(
          "the checksum of table " + std::to_string(number) + " is by \"" +
          found->second.checksum_function + "\", which is not known");
    }
  }
  return Status::Ok();
}

}  // namespace

bool IsKnownFileChecksum(const RocksDbTableRecord& table) noexcept {
  return table.checksum.empty() || table.checksum_function == kNoFunction ||
         table.checksum_function == kCrc32cFunction;
}

std::string RocksDbFileChecksum(std::uint32_t crc32c) {
  std::string bytes(sizeof(crc32c), '\0');
  StoreBig(bytes.data(), crc32c);
  return bytes;
}

Result<std::map<std::uint64_t, RocksDbTableRecord>> ReadRocksDbTableRecords(
    Slice manifest) {
  using Records = std::map<std::uint64_t, RocksDbTableRecord>;
  return NoThrow([&]() -> Result<Records> {
    RecordCollector collector;
    Status read = ReadManifestRecords(manifest, collector);
    if (!read.ok()) return read;
    return std::move(collector.records);
  });
}

Result<std::string> RebuildRocksDbManifest(
    Slice manifest, const RocksDbManifestChange& change) {
  return NoThrow([&]() -> Result<std::string> {
    if (Status can = CheckTables(manifest, change); !can.ok()) return can;
    std::string log;
    RecordMender mender(change, &log);
    Status mended = ReadManifestRecords(manifest, mender);
    if (!mended.ok()) return mended;
    if (change.next_file != 0) {
      std::string record;
      AppendVarint32(&record, kNextFileTag);
      AppendVarint64(&record, change.next_file);
      AppendRecord(record, &log);
    }
    return log;
  });
}

}  // namespace tamis
