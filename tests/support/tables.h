// SPDX-License-Identifier: Apache-2.0
// support/tables.h -- tables in memory, and what they must answer.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/table_builder.h"
#include "table/table_reader.h"

namespace tamis::testing {

class StringSink final : public WritableFile {
 public:
  Status Append(Slice bytes) override {
    bytes_.append(bytes);
    return Status::Ok();
  }
  Status Flush() override { return Status::Ok(); }
  Status Sync() override { return Status::Ok(); }
  Status Close() override { return Status::Ok(); }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Bytes as a file: mapped, or copied by every read.
class StringSource final : public ReadableFile {
 public:
  explicit StringSource(std::string bytes, bool mapped = true)
      : bytes_(std::move(bytes)), is_mapped_(mapped) {}

  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override;
  Slice mapped() const noexcept override {
    return is_mapped_ ? Slice(bytes_) : Slice();
  }

 private:
  const std::string bytes_;
  const bool is_mapped_;
};

struct Entry {
  std::string user_key;
  Sequence sequence = 1;
  ValueType type = ValueType::kValue;
  std::string value;

  std::string internal() const {
    std::string key;
    AppendInternalKey(&key, user_key, sequence, type);
    return key;
  }
};
using Entries = std::vector<Entry>;

// In the order of a table.
void Sort(const KeyOrder& order, Entries* entries);

// REQUIRES: sorted.  A failure fails the running test.
std::string BuildTable(const TableWriteOptions& options,
                       const Entries& entries);

// The table must open, or the running test fails and the result is null.
std::unique_ptr<Table> OpenTable(const std::string& bytes, bool mapped = true,
                                 const TableReadContext& context = {});

// What a lookup in `entries` gives: "value ...", "deletion" or "absent".
std::string Expected(const KeyOrder& order, const Entries& entries,
                     Slice user_key, Sequence sequence);
// What the table says; an error as its text.
std::string Lookup(const Table& table, Slice user_key, Sequence sequence,
                   const TableFilter* filter = nullptr,
                   const BlockReadOptions& options = {});

// Walks over all of it both ways, seeks to every key and between them, and
// looks every version up; whatever differs fails the running test.
void ExpectTableHolds(const Table& table, const KeyOrder& order,
                      const Entries& entries);

}  // namespace tamis::testing
