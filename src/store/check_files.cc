// SPDX-License-Identifier: Apache-2.0
#include "store/check_files.h"

#include <algorithm>
#include <utility>

#include "base/damage.h"
#include "base/no_throw.h"
#include "store/file_names.h"
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
  Result<TableCheck> table = NoThrow(
      [&]() -> Result<TableCheck> { return CheckTable(context, **file); });
  check.unread =
      AboutFile(check.path, table.ok() ? table->unread : table.status());
  if (!check.unread.ok()) return check;
  check.table = *std::move(table);
  check.is_whole = check.table.problems.empty();
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
