#include "store/check_files.h"

#include <algorithm>
#include <utility>

#include "base/partial_read.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"

namespace tamis {
namespace {

// Ok: opening the store would replay the batch.
Status CheckBatch(Slice record, std::uint64_t* changes) {
  *changes = 0;
  Status fine =
      ForEachChange(record, [&](ValueType, Slice, Slice) { ++*changes; });
  if (!fine.ok()) return fine;
  if (BatchAccess::SequenceOfContents(record) >
      kMaxSequence - BatchAccess::CountOfContents(record)) {
    return Status::Corruption("write batch: its sequence number is too large");
  }
  return Status::Ok();
}

}  // namespace

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
    check.problems.push_back(file.status().message());
    return check;
  }
  check.bytes = (*file)->size();
  check.table = CheckTable(context, **file);
  check.is_whole = check.table.problems.empty();
  for (const std::string& problem : check.table.problems) {
    check.problems.push_back(check.path + ": " + problem);
  }
  return check;
}

TableFileCheck CheckTableFile(Env& env, const std::string& dir,
                              const TableReadContext& context,
                              const FileFacts& facts) {
  TableFileCheck check = CheckUnknownTableFile(env, dir, context, facts.number);
  if (!check.opened.ok()) return check;
  if (check.bytes != facts.bytes) {
    check.problems.insert(
        check.problems.begin(),
        check.path + ": it has " + std::to_string(check.bytes) +
            " bytes, the manifest says " + std::to_string(facts.bytes));
  }
  if (check.is_whole && (check.table.smallest != facts.smallest ||
                         check.table.largest != facts.largest)) {
    check.problems.push_back(
        check.path + ": its first or last key is not what the manifest says");
  }
  return check;
}

Result<LogWalk> WalkLog(Env& env, const std::string& path,
                        const VisitBatch& visit) {
  Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  LogWalk walk;
  walk.bytes = (*file)->size();
  std::string contents;
  UnreadableRanges unreadable;
  ReadWhatCanBeRead(**file, 0, static_cast<std::size_t>(walk.bytes), &contents,
                    &unreadable);
  for (const std::string& sentence : unreadable.ToSentences()) {
    walk.problems.push_back(path + ": " + sentence);
  }
  LogReader reader(contents);
  Slice record;
  while (reader.Next(&record)) {
    ++walk.records;
    std::uint64_t changes = 0;
    if (Status fine = CheckBatch(record, &changes); !fine.ok()) {
      walk.problems.push_back(path + ": " + fine.message());
      continue;
    }
    const Sequence first = BatchAccess::SequenceOfContents(record);
    walk.entries += changes;
    if (changes > 0) {
      walk.last_sequence = std::max(walk.last_sequence, first + changes - 1);
    }
    if (!visit) continue;
    if (Status visited = visit(first, record); !visited.ok()) return visited;
  }
  if (!reader.damage().empty()) {
    walk.problems.push_back(path + ": " + reader.damage());
  }
  return walk;
}

}  // namespace tamis
