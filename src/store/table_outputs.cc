// SPDX-License-Identifier: Apache-2.0
#include "store/table_outputs.h"

#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"

namespace tamis {

TableOutputs::TableOutputs(Env& env, std::string dir,
                           const TableWriteOptions& options,
                           std::function<std::uint64_t()> new_number,
                           std::function<void(const std::string&)> not_built,
                           std::shared_ptr<const FilterPolicy> filter)
    : env_(&env),
      dir_(std::move(dir)),
      options_(options),
      filter_(std::move(filter)),
      new_number_(std::move(new_number)),
      filter_not_built_(std::move(not_built)) {}

TableOutputs::~TableOutputs() {
  builder_.reset();
  file_.reset();
  for (const FileMetadata& table : tables_) {
    // Files that stay are removed when the store is opened next.
    (void)NoThrow(
        [&] { return env_->Remove(TableFileName(dir_, table.number)); });
  }
}

Status TableOutputs::Begin() {
  FileMetadata metadata;
  metadata.number = new_number_();
  // First, so that a file is known as soon as it exists.
  tables_.push_back(std::move(metadata));
  Result<std::unique_ptr<WritableFile>> file = env_->Create(
      TableFileName(dir_, tables_.back().number), WriteKind::kTable);
  if (!file.ok()) {
    tables_.pop_back();
    return file.status();
  }
  file_ = *std::move(file);
  builder_ = std::make_unique<TableBuilder>(options_, file_.get());
  return Status::Ok();
}

Status TableOutputs::Add(Slice internal_key, Slice value) {
  if (builder_ == nullptr) {
    if (Status begun = Begin(); !begun.ok()) return begun;
    tables_.back().smallest = internal_key;
  }
  tables_.back().largest.assign(internal_key);
  return builder_->Add(internal_key, value);
}

std::uint64_t TableOutputs::table_bytes() const noexcept {
  return builder_ == nullptr ? 0 : builder_->bytes();
}

Status TableOutputs::Cut() {
  if (builder_ == nullptr) return Status::Ok();
  Status done = builder_->Finish();
  if (done.ok()) done = file_->Sync();
  if (done.ok()) done = file_->Close();
  if (!done.ok()) return done;
  const std::string problem = builder_->filter_problem();
  if (!problem.empty() && filter_not_built_) {
    filter_not_built_(TableFileName(dir_, tables_.back().number) + ": " +
                      problem);
  }
  tables_.back().bytes = builder_->bytes();
  bytes_ += tables_.back().bytes;
  builder_.reset();
  file_.reset();
  return Status::Ok();
}

Result<std::vector<FileMetadata>> TableOutputs::Finish() {
  if (Status cut = Cut(); !cut.ok()) return cut;
  if (!tables_.empty()) {
    // The manifest must not name a file whose directory entry is not durable.
    if (Status synced = env_->SyncDirectory(dir_); !synced.ok()) return synced;
  }
  return std::exchange(tables_, {});
}

}  // namespace tamis
