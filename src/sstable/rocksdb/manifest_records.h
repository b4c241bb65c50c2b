// SPDX-License-Identifier: Apache-2.0
// sstable/rocksdb/manifest_records.h -- the records of a manifest of RocksDB,
// tag by tag, for one who copies them and has to know all that they say.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis {

// Fields of a table, each with a value of stated length.
inline constexpr std::uint32_t kFileChecksumField = 7;
inline constexpr std::uint32_t kChecksumFunctionField = 8;
inline constexpr std::uint32_t kTailSizeField = 15;
inline constexpr std::uint32_t kOpenMetadataField = 17;

struct ManifestField {
  std::uint32_t tag = 0;
  Slice value;
};

// A table that is added, as the record has it.
struct AddedManifestTable {
  std::uint32_t tag = 0;  // one of the kNewFile...Tag
  std::uint32_t level = 0;
  std::uint64_t number = 0;
  std::uint32_t path_id = 0;  // of kNewFile3Tag
  std::uint64_t bytes = 0;
  Slice keys_and_sequences;           // the rest, as it is
  std::vector<ManifestField> fields;  // of kNewFile4Tag
};

struct RemovedManifestTable {
  std::uint32_t level = 0;
  std::uint64_t number = 0;
};

// Takes what the records say, in order.
class ManifestVisitor {
 public:
  virtual ~ManifestVisitor() = default;
  virtual void OnAdded(const AddedManifestTable& table) = 0;
  virtual void OnRemoved(const RemovedManifestTable& table) = 0;
  // Any other tag with its value, as they are.
  virtual void OnOther(Slice bytes) = 0;
  virtual void OnEndOfRecord() {}
};

// Corruption: a record is damaged, or the end or a group of records is not
// whole.  NotSupported: something that may not be copied unread, by name: blob
// files, user-defined timestamps, an unknown tag.  Messages name the offset.
Status ReadManifestRecords(Slice manifest, ManifestVisitor& visitor);

}  // namespace tamis
