// SPDX-License-Identifier: Apache-2.0
// store/table_outputs.h -- writes sorted entries to tables, one after the
// other, and keeps their metadata for the manifest.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/version_edit.h"
#include "table/table_builder.h"
#include "tamis/env.h"

namespace tamis {

// Calls must match: (Add* Cut?)* Finish.  Not thread-safe.  Tables that are
// not taken by Finish() are removed with this object.
class TableOutputs {
 public:
  // `new_number` gives each table its number; `filter_not_built`, if not empty,
  // is called for every table that is written without a filter it should have.
  // `filter` is what options.filter points to, if that need not outlive this
  // otherwise.  REQUIRES: env outlives this
  TableOutputs(
      Env& env, std::string dir, const TableWriteOptions& options,
      std::function<std::uint64_t()> new_number,
      std::function<void(const std::string& what)> filter_not_built = {},
      std::shared_ptr<const FilterPolicy> filter = nullptr);
  ~TableOutputs();
  TableOutputs(const TableOutputs&) = delete;
  TableOutputs& operator=(const TableOutputs&) = delete;

  // Corruption: the internal key does not come after the one before.
  Status Add(Slice internal_key, Slice value);
  // Bytes of the table that is being written; 0: none is.
  std::uint64_t table_bytes() const noexcept;
  // Ends the table that is being written, if there is one: it is then complete
  // and durable.
  Status Cut();

  // Returns the tables, which the caller owns from now on.
  Result<std::vector<FileMetadata>> Finish();

  std::uint64_t bytes() const noexcept { return bytes_; }  // of those cut
  const std::vector<FileMetadata>& tables() const noexcept { return tables_; }

 private:
  Status Begin();

  Env* env_;
  std::string dir_;
  TableWriteOptions options_;
  std::shared_ptr<const FilterPolicy> filter_;  // of options_
  std::function<std::uint64_t()> new_number_;
  std::function<void(const std::string&)> filter_not_built_;
  std::vector<FileMetadata> tables_;  // the last may be incomplete
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<TableBuilder> builder_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tamis
