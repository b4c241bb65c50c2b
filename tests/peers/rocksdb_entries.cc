// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/rocksdb_entries.h"

#include <utility>

namespace tamis::testing {

std::optional<Slice> EntriesRule::PrefixOf(Slice key) const {
  if (prefix_length == 0 || key.size() < prefix_length) return std::nullopt;
  return key.substr(0, prefix_length);
}

void EntriesRecorder::Add(Slice key) {
  const std::optional<Slice> prefix = rule_.PrefixOf(key);
  // Meant for the first key of a partition, so that a search backwards finds
  // the prefix of the key before it.  In filters of prefixes alone it strikes
  // at the second key of the first filter as well, and adds the empty string.
  if (!prefix_is_recorded_ && last_key_had_prefix_) {
    entries_.push_back(last_prefix_);
    prefix_is_recorded_ = true;
  }
  if (rule_.has_whole_keys) AddWholeKey(key, prefix.has_value());
  if (prefix) AddPrefix(*prefix);
  last_key_had_prefix_ = prefix.has_value();
}

void EntriesRecorder::AddWholeKey(Slice key, bool has_prefix) {
  if (!has_prefix) {
    entries_.emplace_back(key);
    return;
  }
  if (whole_key_is_recorded_ && last_whole_key_ == key) return;
  entries_.emplace_back(key);
  last_whole_key_ = key;
  whole_key_is_recorded_ = true;
}

void EntriesRecorder::AddPrefix(Slice prefix) {
  if (!rule_.has_whole_keys) {
    entries_.emplace_back(prefix);
    return;
  }
  if (prefix_is_recorded_ && last_prefix_ == prefix) return;
  entries_.emplace_back(prefix);
  last_prefix_ = prefix;
  prefix_is_recorded_ = true;
}

std::vector<std::string> EntriesRecorder::EndPartition(Slice next_key) {
  const std::optional<Slice> prefix = rule_.PrefixOf(next_key);
  if (prefix && *prefix != last_prefix_) entries_.emplace_back(*prefix);
  whole_key_is_recorded_ = false;
  prefix_is_recorded_ = false;
  return std::exchange(entries_, {});
}

std::vector<std::vector<std::string>> FilterEntries(const SstTable& table,
                                                    const EntriesRule& rule) {
  const auto is_above = [&table](Slice internal_key, Slice separator) {
    return table.has_user_key_separators
               ? UserKeyOf(internal_key) > separator
               : IsInternalKeyAbove(internal_key, separator);
  };
  std::vector<std::vector<std::string>> filters;
  EntriesRecorder recorder(rule);
  for (const std::string& key : table.internal_keys) {
    while (filters.size() + 1 < table.filters.size() &&
           is_above(key, table.filters[filters.size()].separator)) {
      filters.push_back(recorder.EndPartition(UserKeyOf(key)));
    }
    recorder.Add(UserKeyOf(key));
  }
  filters.push_back(recorder.Finish());
  return filters;
}

}  // namespace tamis::testing
