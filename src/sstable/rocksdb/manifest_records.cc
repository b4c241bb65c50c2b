// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/manifest_records.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/coding.h"
#include "sstable/manifest_tags.h"
#include "store/log_reader.h"

namespace tamis {
namespace {

// Fields that tell of what is not understood.
constexpr std::uint32_t kOldestBlobFile = 4;
constexpr std::uint32_t kMinTimestamp = 10;
constexpr std::uint32_t kMaxTimestamp = 11;

// Skippable by their numbers, and of importance here.
constexpr std::uint32_t kOldBlobFileAddition = kSkippableTag + 2;
constexpr std::uint32_t kOldBlobFileGarbage = kSkippableTag + 3;
constexpr std::uint32_t kOldWalAddition = kSkippableTag + 4;  // has no length
constexpr std::uint32_t kOldWalDeletion = kSkippableTag + 5;
constexpr std::uint32_t kFullHistoryLow = kSkippableTag + 6;

// Reads the tags of one record, and refuses what it does not know.
class RecordReader {
 public:
  explicit RecordReader(Slice record) : in_(record) {}

  Status Read(ManifestVisitor& visitor);
  // How many records of its group follow; nothing: it is in none.
  std::optional<std::uint32_t> left_in_group() const noexcept {
    return left_in_group_;
  }

 private:
  Status ReadOne(ManifestVisitor& visitor);
  bool SkipOther(std::uint32_t tag);
  Status ReadAdded(std::uint32_t tag, ManifestVisitor& visitor);
  Status ReadFields(AddedManifestTable* table);
  bool SkipNumber() noexcept {
    std::uint64_t ignored;
    return ReadVarint64(&in_, &ignored);
  }
  bool SkipText() noexcept {
    Slice ignored;
    return ReadLengthPrefixed(&in_, &ignored);
  }
  static Status Malformed(std::uint32_t tag) {
    return Status::Corruption("tag " + std::to_string(tag) + " is cut off");
  }

  Slice in_;
  std::optional<std::uint32_t> left_in_group_;
};

Status RecordReader::Read(ManifestVisitor& visitor) {
  while (!in_.empty()) {
    if (Status read = ReadOne(visitor); !read.ok()) return read;
  }
  return Status::Ok();
}

// Why a manifest with that tag is refused; empty: it is not.
std::string WhyNotTag(std::uint32_t tag) {
  switch (tag) {
    case kBlobFileAdditionTag:
    case kBlobFileGarbageTag:
    case kOldBlobFileAddition:
    case kOldBlobFileGarbage:
      return "the database has blob files";
    case kFullHistoryLow:
      return "the database has user-defined timestamps";
    case kOldWalAddition:
    case kOldWalDeletion:
      return "tag " + std::to_string(tag) +
             " is of an early release that tracked its logs";
    default:
      return "";
  }
}

bool RecordReader::SkipOther(std::uint32_t tag) {
  std::uint32_t ignored;
  switch (tag) {
    case kComparatorTag:
    case kFamilyAddTag:
      return SkipText();
    case kLogNumberTag:
    case kNextFileTag:
    case kLastSequenceTag:
    case kPreviousLogTag:
    case kMinLogToKeepTag:
      return SkipNumber();
    case kFamilyTag:
    case kMaxFamilyTag:
      return ReadVarint32(&in_, &ignored);
    case kAtomicGroupTag:
      return ReadVarint32(&in_, &left_in_group_.emplace());
    case kCompactPointerTag:
      return ReadVarint32(&in_, &ignored) && SkipText();
    case kFamilyDropTag:
      return true;
    default:
      return SkipText();
  }
}

bool IsKnownTag(std::uint32_t tag) noexcept {
  constexpr std::uint32_t kKnown[] = {
      kComparatorTag,  kLogNumberTag,      kNextFileTag,     kLastSequenceTag,
      kPreviousLogTag, kCompactPointerTag, kMinLogToKeepTag, kFamilyTag,
      kFamilyAddTag,   kFamilyDropTag,     kMaxFamilyTag,    kAtomicGroupTag,
  };
  return (tag & kSkippableTag) != 0 ||
         std::ranges::find(kKnown, tag) != std::end(kKnown);
}

Status RecordReader::ReadOne(ManifestVisitor& visitor) {
  const Slice start = in_;
  std::uint32_t tag;
  if (!ReadVarint32(&in_, &tag)) {
    return Status::Corruption("a tag is cut off");
  }
  if (std::string why = WhyNotTag(tag); !why.empty()) {
    return Status::NotSupported(std::move(why));
  }
  switch (tag) {
    case kNewFileTag:
    case kNewFile2Tag:
    case kNewFile3Tag:
    case kNewFile4Tag:
      return ReadAdded(tag, visitor);
    case kDeletedFileTag: {
      RemovedManifestTable table;
      if (!ReadVarint32(&in_, &table.level) ||
          !ReadVarint64(&in_, &table.number)) {
        return Malformed(tag);
      }
      visitor.OnRemoved(table);
      return Status::Ok();
    }
    default:
      break;
  }
  if (!IsKnownTag(tag)) {
    return Status::NotSupported("tag " + std::to_string(tag) + " is unknown");
  }
  if (!SkipOther(tag)) return Malformed(tag);
  visitor.OnOther(start.substr(0, start.size() - in_.size()));
  return Status::Ok();
}

Status RecordReader::ReadAdded(std::uint32_t tag, ManifestVisitor& visitor) {
  AddedManifestTable table;
  table.tag = tag;
  if (!ReadVarint32(&in_, &table.level) || !ReadVarint64(&in_, &table.number) ||
      (tag == kNewFile3Tag && !ReadVarint32(&in_, &table.path_id)) ||
      !ReadVarint64(&in_, &table.bytes)) {
    return Malformed(tag);
  }
  const Slice start = in_;
  if (!SkipText() || !SkipText() ||
      (tag != kNewFileTag && (!SkipNumber() || !SkipNumber()))) {
    return Malformed(tag);
  }
  table.keys_and_sequences = start.substr(0, start.size() - in_.size());
  if (tag == kNewFile4Tag) {
    if (Status read = ReadFields(&table); !read.ok()) return read;
  }
  visitor.OnAdded(table);
  return Status::Ok();
}

Status RecordReader::ReadFields(AddedManifestTable* table) {
  ManifestField field;
  while (ReadVarint32(&in_, &field.tag)) {
    if (field.tag == kLastFieldTag) return Status::Ok();
    if (!ReadLengthPrefixed(&in_, &field.value)) break;
    const std::string name = "field " + std::to_string(field.tag) +
                             " of table " + std::to_string(table->number);
    if (field.tag == kOldestBlobFile) {
      return Status::NotSupported("table " + std::to_string(table->number) +
                                  " refers to blob files");
    }
    if (field.tag == kMinTimestamp || field.tag == kMaxTimestamp) {
      return Status::NotSupported("table " + std::to_string(table->number) +
                                  " has user-defined timestamps");
    }
    if ((field.tag & kUnskippableField) != 0 && field.tag != kPathIdField) {
      return Status::NotSupported(name + " is unknown");
    }
    table->fields.push_back(field);
  }
  return Malformed(table->tag);
}

// Calls `visit` for every record of the manifest, which must be whole.
Status ForEachRecord(Slice manifest,
                     const std::function<Status(Slice record)>& visit) {
  LogReader reader(manifest);
  Slice record;
  while (reader.Next(&record)) {
    Status status = reader.gap() == LogGap::kNone
                        ? visit(record)
                        : Status::Corruption(
                              "something is before it that is "
                              "no record");
    if (!status.ok()) {
      return status.WithMessage("the record that ends at offset " +
                                std::to_string(reader.end_of_record()) + ": " +
                                status.message());
    }
  }
  if (reader.ended_clean() && reader.gap() == LogGap::kNone) {
    return Status::Ok();
  }
  return Status::Corruption(
      "offset " + std::to_string(reader.end_of_record()) +
      ": the end of the manifest is damaged; let RocksDB open the database "
      "once, which writes another");
}

}  // namespace

Status ReadManifestRecords(Slice manifest, ManifestVisitor& visitor) {
  std::uint32_t expected = 0;  // records that a group still lacks
  Status read = ForEachRecord(manifest, [&](Slice record) {
    RecordReader reader(record);
    Status status = reader.Read(visitor);
    if (!status.ok()) return status;
    const auto left = reader.left_in_group();
    if (expected != 0 && left != expected - 1) {
      return Status::Corruption("a group of records is not whole");
    }
    expected = left.value_or(0);
    visitor.OnEndOfRecord();
    return Status::Ok();
  });
  if (!read.ok() || expected == 0) return read;
  return Status::Corruption("offset " + std::to_string(manifest.size()) +
                            ": the last group of records is not whole");
}

}  // namespace tamis
