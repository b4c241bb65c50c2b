// SPDX-License-Identifier: Apache-2.0
#include "store/filter_file_build.h"

#include <memory>
#include <utility>

#include "store/check_files.h"
#include "store/file_names.h"
#include "store/table_filter_file.h"
#include "table/block_file.h"
#include "table/internal_iterator.h"
#include "table/table_filter_builder.h"

namespace tamis {
namespace {

TableReadContext ReadContextOf(const FilterFileJob& job) {
  TableReadContext context;
  context.order = job.order;
  context.unpack = job.unpack;
  return context;
}

// Passes the user keys of the table to the builder.  Returns how many.
Result<std::uint64_t> AddKeys(const FilterFileJob& job, const Table& table,
                              TableFilterBuilder* builder) {
  constexpr std::uint64_t kPiece = 1024;  // entries between reports
  const std::unique_ptr<InternalIterator> entries = table.NewIterator(
      {.verify_checksums = true, .fill_cache = false, .reads_once = true});
  std::string last;
  std::uint64_t keys = 0;
  std::uint64_t count = 0;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = UserKeyOf(entries->key());
    const bool is_repeat = keys > 0 && key == last;
    builder->Add(key, is_repeat);
    if (!is_repeat) {
      last.assign(key);
      ++keys;
    }
    if (++count % kPiece != 0 || !job.progress) continue;
    Status told = job.progress(table.ApproximateOffsetOf(entries->key()));
    if (!told.ok()) return told;
  }
  if (!entries->status().ok()) return entries->status();
  return keys;
}

// What lookups will see of it.
Status Judge(const FilterFileJob& job, Slice filter, BuiltFilterFile* built) {
  const auto opened = TableFilter::OpenWhole(filter, FilterOpener(job.policy));
  if (!opened->damage().ok()) return opened->damage();
  if (!opened->MayContain(UserKeyOf(job.table.smallest)) ||
      !opened->MayContain(UserKeyOf(job.table.largest))) {
    return Status::InvalidArgument("its policy denies a key that was added");
  }
  built->kind = opened->kind_name();
  built->rate = opened->expected_rate();
  built->filter_bytes = opened->bytes();
  return Status::Ok();
}

}  // namespace

Result<BuiltFilterFile> BuildFilterFile(const FilterFileJob& job) {
  std::string path;
  Result<std::unique_ptr<ReadableFile>> file =
      OpenTableFile(job.env, job.dir, job.table.number, &path);
  if (!file.ok()) return file.status();
  if (file->size() != job.table.bytes) {
    return Status::Corruption(path + ": its length is not what the manifest " +
                              "says");
  }
  const Result<std::unique_ptr<Table>> table = Table::Open(
      ReadContextOf(job), *std::move(file), path,
      {.smallest = job.table.smallest, .largest = job.table.largest});
  if (!table.ok()) return table.status();
  FilterOwner owner{.number = job.table.number,
                    .bytes = job.table.bytes,
                    .modified = table->modified()};
  const Result<std::uint32_t> quick = table->ReadBinding(BoundBlocks::kSome);
  if (!quick.ok()) return AboutFile(path, quick.status());
  owner.quick_binding = *quick;
  TableFilterBuilder builder(&job.policy, 0);
  if (job.prefixes != nullptr) builder.AddPrefixesBy(*job.prefixes);
  const Result<std::uint64_t> keys = AddKeys(job, **table, &builder);
  if (!keys.ok()) return AboutFile(path, keys.status());
  const Result<std::uint32_t> binding = table->ReadBinding(BoundBlocks::kAll);
  if (!binding.ok()) return AboutFile(path, binding.status());
  owner.binding = *binding;
  BuiltFilterFile built;
  built.keys = *keys;
  std::string filter;
  if (!builder.FinishWhole(&filter)) {
    return Status::ResourceExhausted(
        path + ": its filter cannot be built: " + builder.whole_problem());
  }
  if (Status fine = Judge(job, filter, &built); !fine.ok()) {
    return AboutFile(path, fine);
  }
  built.bytes = FilterFileBytes(
      owner, job.policy.name(), filter,
      builder.has_prefixes() ? job.prefixes->name() : std::string_view());
  return built;
}

Status WriteFilterFileOf(const FilterFileJob& job,
                         const BuiltFilterFile& built) {
  const std::string path = FilterFileName(job.dir, job.table.number);
  if (job.env.Exists(path) && !IsOurFilterFile(job.env, path)) {
    return Status::AlreadyExists(
        path + ": a file of this name is not ours, and stays as it is");
  }
  return ReplaceFile(job.env, job.dir, job.table.number, path, built.bytes);
}

}  // namespace tamis
