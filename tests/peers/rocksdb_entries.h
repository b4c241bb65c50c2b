// SPDX-License-Identifier: Apache-2.0
// peers/rocksdb_entries.h -- which entries RocksDB puts into its filters, and
// in what order, up to version 9.5 (later ones differ where whole keys and
// prefixes share a filter, and in prefix-only filters).

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tamis/filter.h"
#include "tests/peers/rocksdb_sst.h"

namespace tamis::testing {

struct EntriesRule {
  bool has_whole_keys = true;
  // The first so many bytes of every key that has as many (rocksdb's "fixed
  // prefix") are entries too.  0: no prefixes.
  std::size_t prefix_length = 0;

  // Nothing if `key` has none.
  std::optional<Slice> PrefixOf(Slice key) const;
};

// Takes the user keys of a table in order, and gives the entries of one
// filter after the other.  Repeats that RocksDB's builder drops by their hash
// may still be among them.
class EntriesRecorder {
 public:
  explicit EntriesRecorder(const EntriesRule& rule) : rule_(rule) {}

  void Add(Slice key);

  // The entries of the filter that ends before `next_key`, and starts the
  // next filter.
  std::vector<std::string> EndPartition(Slice next_key);

  // The entries of the last filter.
  std::vector<std::string> Finish() { return std::move(entries_); }

 private:
  void AddWholeKey(Slice key, bool has_prefix);
  void AddPrefix(Slice prefix);

  EntriesRule rule_;
  std::vector<std::string> entries_;
  std::string last_whole_key_;
  // Stays empty for ever in filters of prefixes alone: RocksDB only keeps it
  // where it keeps whole keys.
  std::string last_prefix_;
  bool whole_key_is_recorded_ = false;  // in this filter
  bool prefix_is_recorded_ = false;     // in this filter
  bool last_key_had_prefix_ = false;
};

// One list per filter of the table, whose boundaries are its separators.
// REQUIRES: table.has_all_rows
std::vector<std::vector<std::string>> FilterEntries(const SstTable& table,
                                                    const EntriesRule& rule);

}  // namespace tamis::testing
