// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the journal of a rebuild, with a right checksum, too; and
// as a Scylla.db.

#include <string>

#include "base/crc32c.h"
#include "fuzz/fuzz_support.h"
#include "sstable/cassandra/scylla_metadata.h"
#include "sstable/rebuild_journal.h"

namespace tamis::fuzz {
namespace {

void CheckJournal(Slice text) {
  const auto journal = ParseRebuildJournal(text);
  if (!journal.ok()) return;
  for (const RebuildUnit& unit : journal->units) {
    for (const RebuildMove& move : unit.moves) {
      Check(move.name.find('/') == std::string::npos && move.name != "..",
            "no name leads out of the directory");
    }
  }
  const auto again = ParseRebuildJournal(FormatRebuildJournal(*journal));
  Check(again.ok() &&
            FormatRebuildJournal(*again) == FormatRebuildJournal(*journal),
        "what was read is written as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckJournal(bytes);
  std::string sealed(bytes);
  sealed += "end " + std::to_string(Crc32c(bytes)) + "\n";
  CheckJournal(sealed);
  static_cast<void>(WhyFilterIsBound(bytes));
  return 0;
}

}  // namespace tamis::fuzz
