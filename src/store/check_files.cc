// SPDX-License-Identifier: Apache-2.0
#include "store/check_files.h"

#include <algorithm>
#include <utility>

#include "base/damage.h"
#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/table_filter_file.h"
#include "table/block_file.h"

namespace tamis {

Result<std::unique_ptr<ReadableFile>> OpenTableFile(Env& env,
                                                    const std::string& dir,
                                                    std::uint64_t number,
                                                    std::string* path) {
  *path = TableFileName(dir, number);
  Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(*path, false);
  if (file.status().code() != StatusCode::kNotFound) return file;
  const std::string old = OldTableFileName(dir, number);
  Result<std::unique_ptr<ReadableFile>> old_file = env.OpenReadable(old, false);
  if (old_file.status().code() == StatusCode::kNotFound) return file;
  *path = old;
  return old_file;
}

namespace {

// Reads the filter beside a table, and notes what is wrong with it.
class FilterBesideCheck {
 public:
  FilterBesideCheck(const FilterFileQuery& query, TableFileCheck* check)
      : query_(query), check_(*check) {}

  std::shared_ptr<const TableFilter> Find(std::uint32_t binding) {
    query_.binding = [binding](BoundBlocks /*all*/) {
      return Result<std::uint32_t>(binding);
    };
    FilterFileLook look = ReadFilterFile(query_);
    if (IsUseless(look.state)) {
      check_.filter_problem = look.problem;
    } else {
      check_.filter_note = look.problem;
    }
    return look.filter;
  }
  void SayWhatItHides() {
    if (check_.table.hidden_beside == 0) return;
    check_.filter_problem = FilterFileName(query_.dir, query_.number) +
                            ": it hides " +
                            std::to_string(check_.table.hidden_beside) +
                            " keys that are in the table";
  }

 private:
  FilterFileQuery query_;
  TableFileCheck& check_;
};

}  // namespace

TableFileCheck CheckUnknownTableFile(Env& env, const std::string& dir,
                                     const TableReadContext& context,
                                     std::uint64_t number) {
  TableFileCheck check;
  Result<std::unique_ptr<ReadableFile>> file =
      OpenTableFile(env, dir, number, &check.path);
  check.opened = file.status();
  if (!file.ok()) {
    check.unread = UnlessDamage(file.status());
    check.problems.push_back(file.status().message());
    return check;
  }
  check.bytes = file->size();
  FilterBesideCheck beside({.env = env,
                            .dir = dir,
                            .number = number,
                            .table_bytes = check.bytes,
                            .binding = {},
                            .read = context},
                           &check);
  Result<TableCheck> table = NoThrow([&]() -> Result<TableCheck> {
    return CheckTable(context, **file, [&](std::uint32_t binding) {
      return beside.Find(binding);
    });
  });
  check.unread =
      AboutFile(check.path, table.ok() ? table->unread : table.status());
  if (!check.unread.ok()) return check;
  check.table = *std::move(table);
  check.is_whole = check.table.problems.empty();
  beside.SayWhatItHides();
  for (const std::string& problem : check.table.problems) {
    check.problems.push_back(check.path + ": " + problem);
  }
  return check;
}

TableFileCheck CheckTableFile(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              const FileMetadata& metadata) {
  TableFileCheck check =
      CheckUnknownTableFile(env, dir, context, metadata.number);
  if (!check.opened.ok()) return check;
  if (check.bytes != metadata.bytes) {
    check.problems.insert(
        check.problems.begin(),
        check.path + ": it has " + std::to_string(check.bytes) +
            " bytes, the manifest says " + std::to_string(metadata.bytes));
  }
  if (check.is_whole && (check.table.smallest != metadata.smallest ||
                         check.table.largest != metadata.largest)) {
    check.problems.push_back(
        check.path + ": its first or last key is not what the manifest says");
  }
  return check;
}

}  // namespace tamis
