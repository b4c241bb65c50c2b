// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a record of a manifest, and as a whole manifest.

#include "fuzz/fuzz_support.h"
#include "store/log_reader.h"
#include "store/version_edit.h"

namespace tamis::fuzz {
namespace {

std::string Encode(const VersionEdit& edit) {
  std::string bytes;
  edit.AppendTo(&bytes);
  return bytes;
}

void CheckLevel(int level) {
  Check(level >= 0 && level < kStoreLevels, "a level is one of a store's");
}

void CheckItems(const VersionEdit& edit) {
  Check(edit.last_sequence.value_or(0) <= kMaxSequence,
        "a sequence number fits a key's trailer");
  for (const auto& [level, key] : edit.compact_pointers) {
    CheckLevel(level);
    Check(IsInternalKey(key), "a compaction pointer is an internal key");
  }
  for (const auto& [level, number] : edit.removed) CheckLevel(level);
  for (const auto& [level, file] : edit.added) {
    CheckLevel(level);
    Check(IsInternalKey(file.smallest) && IsInternalKey(file.largest),
          "a table's limits are internal keys");
  }
}

void CheckRecord(Slice record) {
  const auto edit = VersionEdit::Parse(record);
  if (!edit.ok()) {
    Check(edit.status().code() == StatusCode::kCorruption &&
              !edit.status().message().empty(),
          "a refusal has a reason");
    return;
  }
  CheckItems(*edit);
  const std::string encoded = Encode(*edit);
  Check(encoded.size() <= record.size(), "no item is invented");
  const auto again = VersionEdit::Parse(encoded);
  Check(again.ok() && again->ToText() == edit->ToText() &&
            Encode(*again) == encoded,
        "an edit that is written is read as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckRecord(bytes);
  LogReader reader(bytes);
  for (Slice record; reader.Next(&record);) CheckRecord(record);
  return 0;
}

}  // namespace tamis::fuzz
