// SPDX-License-Identifier: Apache-2.0
// tamis/c.h: stores, how they are read, and their directories.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "c/calls.h"
#include "c/objects.h"
#include "c/options.h"

namespace tamis {
namespace {

struct ReadSettings {
  bool verify_checksums = false;
  bool expect_hit = false;
  std::optional<std::string> lower_bound;
  std::optional<std::string> upper_bound;
  std::optional<std::string> prefix;
};

constexpr NamedSetting<ReadSettings> kReadSettings[] = {
    SettingOf<ReadSettings, &ReadSettings::verify_checksums>(
        "verify_checksums"),
    SettingOf<ReadSettings, &ReadSettings::expect_hit>("expect_hit"),
    SettingOf<ReadSettings, &ReadSettings::lower_bound>("lower_bound"),
    SettingOf<ReadSettings, &ReadSettings::upper_bound>("upper_bound"),
    SettingOf<ReadSettings, &ReadSettings::prefix>("prefix"),
};

const ReadOptions& OptionsOf(const tamis_read* read) noexcept {
  static const ReadOptions kDefaults;
  return read == nullptr ? kDefaults : read->options;
}

WriteOptions WriteOptionsOf(int sync) noexcept { return {.sync = sync != 0}; }

Status StoreOptionsOf(const tamis_options* options, StoreOptions* result) {
  return SetFrom<StoreOptions>(options, StoreSettingNames(), result);
}

// Null: the range has no such end.
std::optional<Slice> EndOf(const char* key, std::size_t length) noexcept {
  if (key == nullptr) return std::nullopt;
  return Slice(key, length);
}

std::string AsJson(const RepairReport& report) {
  JsonObject object;
  object.Add("was_clean", report.was_clean ? "true" : "false");
  object.Add("tables", report.tables);
  object.Add("entries", report.entries);
  object.Add("logs", report.logs);
  object.Add("lost", JsonQuoted(report.lost));
  object.Add("may_come_back", JsonQuoted(report.may_come_back));
  object.Add("actions", JsonQuoted(report.actions));
  return object.Finish();
}

std::string AsJson(const CheckReport& report) {
  JsonObject object;
  object.Add("tables", report.tables);
  object.Add("entries", report.entries);
  object.Add("blocks", report.blocks);
  object.Add("bytes", report.bytes);
  object.Add("filtered_tables", report.filtered_tables);
  object.Add("filters", report.filters);
  object.Add("logs", report.logs);
  object.Add("log_records", report.log_records);
  object.Add("table_bytes", report.table_bytes);
  object.Add("log_bytes", report.log_bytes);
  object.Add("problems", JsonQuoted(report.problems));
  object.Add("notes", JsonQuoted(report.notes));
  return object.Finish();
}

// Copies out what MultiGet() found.  If there is no memory for all values, none
// is left behind.
Status CopyValues(const std::vector<std::string>& found,
                  const std::vector<Status>& statuses, char** values,
                  std::size_t* lengths, int* codes) noexcept {
  for (std::size_t i = 0; i < found.size(); ++i) {
    values[i] = nullptr;
    lengths[i] = 0;
    codes[i] = static_cast<int>(statuses[i].code());
    if (!statuses[i].ok()) continue;
    if (Status copied = CopyOut(found[i], &values[i], &lengths[i]);
        !copied.ok()) {
      for (std::size_t j = 0; j < i; ++j) {
        tamis_free(values[j]);
        values[j] = nullptr;
      }
      return copied;
    }
  }
  return Status::Ok();
}

}  // namespace
}  // namespace tamis

extern "C" {

int tamis_store_open(const char* directory, const tamis_options* options,
                     tamis_store** store, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::StoreOptions how;
    tamis::Status set = tamis::StoreOptionsOf(options, &how);
    if (!set.ok()) return set;
    auto result = std::make_unique<tamis_store>();
    auto opened = tamis::Store::Open(directory, how);
    if (!opened.ok()) return opened.status();
    result->store = *std::move(opened);
    *store = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_store_close(tamis_store* store) { delete store; }

int tamis_store_put(tamis_store* store, const char* key, size_t key_length,
                    const char* value, size_t value_length, int sync,
                    char** message) {
  return tamis::Call(message, [&] {
    return store->store->Put(tamis::WriteOptionsOf(sync),
                             tamis::SliceOf(key, key_length),
                             tamis::SliceOf(value, value_length));
  });
}

int tamis_store_delete(tamis_store* store, const char* key, size_t key_length,
                       int sync, char** message) {
  return tamis::Call(message, [&] {
    return store->store->Delete(tamis::WriteOptionsOf(sync),
                                tamis::SliceOf(key, key_length));
  });
}

int tamis_store_write(tamis_store* store, const tamis_batch* batch, int sync,
                      char** message) {
  return tamis::Call(message, [&] {
    return store->store->Write(tamis::WriteOptionsOf(sync), batch->batch);
  });
}

int tamis_store_get(tamis_store* store, const tamis_read* read, const char* key,
                    size_t key_length, char** value, size_t* value_length,
                    char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    const auto found = store->store->Get(tamis::OptionsOf(read),
                                         tamis::SliceOf(key, key_length));
    if (!found.ok()) return found.status();
    return tamis::CopyOut(*found, value, value_length);
  });
}

int tamis_store_multi_get(tamis_store* store, const tamis_read* read,
                          const char* const* keys, const size_t* key_lengths,
                          size_t count, char** values, size_t* value_lengths,
                          int* codes, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    std::vector<tamis::Slice> slices;
    slices.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      slices.push_back(tamis::SliceOf(keys[i], key_lengths[i]));
    }
    std::vector<std::string> found(count);
    std::vector<tamis::Status> statuses(count);
    store->store->MultiGet(tamis::OptionsOf(read), slices, found, statuses);
    tamis::Status copied =
        tamis::CopyValues(found, statuses, values, value_lengths, codes);
    if (!copied.ok()) return copied;
    for (tamis::Status& status : statuses) {
      if (!status.ok() && status.code() != tamis::StatusCode::kNotFound) {
        return std::move(status);
      }
    }
    return tamis::Status::Ok();
  });
}

int tamis_store_flush(tamis_store* store, char** message) {
  return tamis::Call(message, [&] { return store->store->Flush(); });
}

int tamis_store_compact(tamis_store* store, const char* start,
                        size_t start_length, const char* end, size_t end_length,
                        char** message) {
  return tamis::Call(message, [&] {
    return store->store->Compact({.start = tamis::EndOf(start, start_length),
                                  .end = tamis::EndOf(end, end_length)});
  });
}

int tamis_store_wait_for_quiet(tamis_store* store, char** message) {
  return tamis::Call(message, [&] { return store->store->WaitForQuiet(); });
}

int tamis_store_set_filter_memory(tamis_store* store, uint64_t bytes,
                                  char** message) {
  return tamis::Call(message, [&] {
    const bool unlimited = bytes == std::numeric_limits<std::uint64_t>::max();
    return store->store->SetFilterMemory(
        unlimited ? std::nullopt : std::optional<std::uint64_t>(bytes));
  });
}

int tamis_store_property(tamis_store* store, const char* name, char** value,
                         size_t* length, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    const auto property = store->store->Property(name);
    if (!property.ok()) return property.status();
    return tamis::CopyOut(*property, value, length);
  });
}

int tamis_store_sizes(tamis_store* store, const char* const* starts,
                      const size_t* start_lengths, const char* const* ends,
                      const size_t* end_lengths, size_t count, uint64_t* sizes,
                      char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    std::vector<tamis::KeyRange> ranges;
    ranges.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      ranges.push_back({.start = tamis::EndOf(starts[i], start_lengths[i]),
                        .end = tamis::EndOf(ends[i], end_lengths[i])});
    }
    const std::vector<std::uint64_t> found =
        store->store->ApproximateSizes(ranges);
    if (found.size() != count) return tamis::OutOfMemory();
    std::copy(found.begin(), found.end(), sizes);
    return tamis::Status::Ok();
  });
}

int tamis_snapshot_create(tamis_store* store, tamis_snapshot** snapshot,
                          char** message) {
  return tamis::Call(message, [&] {
    auto result = std::make_unique<tamis_snapshot>();
    result->store = store->store;
    result->snapshot = store->store->GetSnapshot();
    *snapshot = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_snapshot_destroy(tamis_snapshot* snapshot) { delete snapshot; }

int tamis_read_create(const tamis_options* options,
                      const tamis_snapshot* snapshot, tamis_read** read,
                      char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::ReadSettings settings;
    tamis::Status set = tamis::SetFrom<tamis::ReadSettings>(
        options, tamis::kReadSettings, &settings);
    if (!set.ok()) return set;
    auto result = std::make_unique<tamis_read>();
    result->lower_bound = std::move(settings.lower_bound);
    result->upper_bound = std::move(settings.upper_bound);
    result->prefix = std::move(settings.prefix);
    tamis::ReadOptions& how = result->options;
    how.verify_checksums = settings.verify_checksums;
    how.expect_hit = settings.expect_hit;
    how.lower_bound = result->lower_bound;
    how.upper_bound = result->upper_bound;
    how.prefix = result->prefix;
    if (snapshot != nullptr) {
      result->store = snapshot->store;
      result->snapshot = snapshot->snapshot;
      how.snapshot = result->snapshot.get();
    }
    *read = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_read_destroy(tamis_read* read) { delete read; }

int tamis_repair_store(const char* directory, const tamis_options* options,
                       int dry_run, char** report, size_t* length,
                       char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::StoreOptions how;
    tamis::Status set = tamis::StoreOptionsOf(options, &how);
    if (!set.ok()) return set;
    const auto repaired = tamis::RepairStore(
        directory, how,
        dry_run != 0 ? tamis::RepairMode::kDryRun : tamis::RepairMode::kWrite);
    if (!repaired.ok()) return repaired.status();
    return tamis::CopyOut(tamis::AsJson(*repaired), report, length);
  });
}

int tamis_check_store(const char* directory, const tamis_options* options,
                      char** report, size_t* length, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::StoreOptions how;
    tamis::Status set = tamis::StoreOptionsOf(options, &how);
    if (!set.ok()) return set;
    const auto checked = tamis::CheckStore(directory, how);
    if (!checked.ok()) return checked.status();
    return tamis::CopyOut(tamis::AsJson(*checked), report, length);
  });
}

int tamis_destroy_store(const char* directory, const tamis_options* options,
                        char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::StoreOptions how;
    tamis::Status set = tamis::StoreOptionsOf(options, &how);
    if (!set.ok()) return set;
    return tamis::DestroyStore(directory, how);
  });
}

}  // extern "C"
