// SPDX-License-Identifier: Apache-2.0
// DumpStoreFile(): lists the contents of one file of a store.

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
#include "store/dump_filter_file.h"
#include "store/dump_items.h"
#include "store/dump_store.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/read_whole.h"
#include "store/version_edit.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/store_dump.h"

namespace tamis {
namespace {

using Kind = DumpItem::Kind;

DumpItem EditItem(std::string text) {
  DumpItem item;
  item.kind = Kind::kEdit;
  item.text = std::move(text);
  return item;
}

DumpItem Change(ValueType type, Sequence sequence, Slice key, Slice value) {
  DumpItem item;
  item.kind = type == ValueType::kValue ? Kind::kPut : Kind::kDelete;
  item.sequence = sequence;
  item.key = key;
  item.value = value;
  return item;
}

// Reports a problem, if there is one.  Lack of memory is not a problem of the
// file, but an error.
Status TellProblem(const Status& status, const DumpVisitor& visit) {
  if (status.code() == StatusCode::kResourceExhausted) return status;
  if (!status.ok()) visit(ProblemItem(status.message()));
  return Status::Ok();
}

// Reports what the table says about itself.  False: stop.
bool TellAbout(const Table& table, const DumpVisitor& visit) {
  if (!visit(AboutItem("filter block", FilterText(*table.ReadFilter()))))
    return false;
  const auto traits = table.ReadTraits();
  if (!traits.ok()) {
    return visit(ProblemItem(traits.status().message()));
  }
  for (const NamedLine& line : traits->properties) {
    if (!visit(AboutItem(std::string(line.name), std::string(line.value)))) {
      return false;
    }
  }
  return true;
}

Status DumpTable(Env& env, const std::string& path, const StoreOptions& options,
                 const DumpVisitor& visit) {
  auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  if (!visit(AboutItem("table", std::to_string(file->size()) + " bytes"))) {
    return Status::Ok();
  }
  TableReadContext context;
  context.unpack = UnpackLimitsOf(options);
  auto table = Table::Open(context, *std::move(file), path);
  if (!table.ok()) return TellProblem(table.status(), visit);
  if (!TellAbout(**table, visit)) return Status::Ok();
  const auto it = table->NewIterator(
      {.verify_checksums = true, .fill_cache = false, .check_order = false});
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const bool goes_on =
        IsInternalKey(it->key())
            ? visit(Change(TypeOf(it->key()), SequenceOf(it->key()),
                           UserKeyOf(it->key()), it->value()))
            : visit(ProblemItem("an entry without a type"));
    if (!goes_on) return Status::Ok();
  }
  return TellProblem(it->status(), visit);
}

// Reports what the reader skipped before its current record.
bool TellGap(const LogReader& reader, const DumpVisitor& visit) {
  if (reader.gap() != LogGap::kDamaged && reader.gap() != LogGap::kTorn) {
    return true;
  }
  std::uint64_t bytes = 0;
  for (const LogReader::Range& range : reader.passed_over()) {
    bytes += range.end - range.start;
  }
  const std::string_view what = reader.gap() == LogGap::kTorn
                                    ? " bytes of a record that was not written "
                                      "to its end"
                                    : " bytes that are damaged";
  return visit(ProblemItem(std::to_string(bytes) + std::string(what)));
}

// True: go on.
bool DumpBatch(Slice record, const DumpVisitor& visit) {
  Sequence sequence = BatchAccess::SequenceOfContents(record);
  bool goes_on = true;
  const Status read =
      ForEachChange(record, [&](ValueType type, Slice key, Slice value) {
        if (goes_on) goes_on = visit(Change(type, sequence, key, value));
        ++sequence;
      });
  if (!goes_on || read.ok()) return goes_on;
  return visit(ProblemItem(read.message()));
}

bool DumpEdit(Slice record, const DumpVisitor& visit) {
  const auto edit = VersionEdit::Parse(record);
  if (!edit.ok()) {
    return visit(ProblemItem(edit.status().message()));
  }
  const std::string text = edit->ToText();
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!visit(EditItem(std::string(rest.substr(0, end))))) {
      return false;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

Status DumpRecords(const std::string& contents, const std::string& what,
                   bool (*dump)(Slice record, const DumpVisitor& visit),
                   const DumpVisitor& visit) {
  if (!visit(AboutItem(what, std::to_string(contents.size()) + " bytes"))) {
    return Status::Ok();
  }
  LogReader reader(contents);
  Slice record;
  while (reader.Next(&record)) {
    if (!TellGap(reader, visit) || !dump(record, visit)) return Status::Ok();
  }
  TellGap(reader, visit);
  return Status::Ok();
}

Status DumpRecordFile(Env& env, const std::string& path, bool is_log,
                      const StoreOptions& options, const DumpVisitor& visit) {
  const auto contents = ReadWholeFile(
      env, path, is_log ? MostLogBytes(options) : kMaxManifestBytes);
  if (!contents.ok()) return contents.status();
  return DumpRecords(*contents, is_log ? "log" : "manifest",
                     is_log ? DumpBatch : DumpEdit, visit);
}

Status Dump(const std::string& path, const DumpVisitor& visit,
            const StoreOptions& options) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  const std::size_t slash = path.rfind('/');
  const bool has_dir = slash != std::string::npos;
  const std::string last = has_dir ? path.substr(slash + 1) : path;
  const auto name = ParseFileName(last);
  if (name && name->type == FileType::kTable) {
    return DumpTable(env, path, options, visit);
  }
  if (name &&
      (name->type == FileType::kLog || name->type == FileType::kManifest)) {
    return DumpRecordFile(env, path, name->type == FileType::kLog, options,
                          visit);
  }
  if (const auto number = ParseFilterFileName(last)) {
    const std::string dir = has_dir ? path.substr(0, slash) : ".";
    return DumpFilterFile(env, dir, *number, options, visit);
  }
  if (env.Exists(CurrentFileName(path))) {
    return DumpStoreDirectory(env, path, options, visit);
  }
  return Status::InvalidArgument(path +
                                 ": by its name this is not a table, log, "
                                 "manifest or filter of a store, such as "
                                 "000005.ldb, 000007.log, MANIFEST-000004 or "
                                 "000005.filter, nor is it the directory of "
                                 "one");
}

}  // namespace

Status DumpStoreFile(const std::string& path, const DumpVisitor& visit,
                     const StoreOptions& options) {
  return NoThrow([&] { return Dump(path, visit, options); });
}

}  // namespace tamis
