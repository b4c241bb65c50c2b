// SPDX-License-Identifier: Apache-2.0
// DumpStoreFile(): lists the contents of one file of a store.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
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

DumpItem About(std::string name, std::string text) {
  DumpItem item;
  item.name = std::move(name);
  item.text = std::move(text);
  return item;
}

DumpItem TextItem(Kind kind, std::string text) {
  DumpItem item;
  item.kind = kind;
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
  if (!status.ok()) visit(TextItem(Kind::kProblem, status.message()));
  return Status::Ok();
}

std::string FilterText(const TableFilter& filter) {
  if (!filter.damage().ok()) return "damaged: " + filter.damage().message();
  if (filter.kind() == TableFilter::Kind::kNone) return "none";
  std::array<char, 32> rate{};
  std::snprintf(rate.data(), rate.size(), "%.3g", filter.expected_rate());
  return filter.kind_name() + ", " + std::to_string(filter.bytes()) +
         " bytes, expected rate " + rate.data();
}

// Reports what the table says about itself.  False: stop.
bool TellAbout(const Table& table, const DumpVisitor& visit) {
  if (!visit(About("filter block", FilterText(*table.ReadFilter()))))
    return false;
  const auto traits = table.ReadTraits();
  if (!traits.ok()) {
    return visit(TextItem(Kind::kProblem, traits.status().message()));
  }
  for (const NamedLine& line : traits->properties) {
    if (!visit(About(std::string(line.name), std::string(line.value)))) {
      return false;
    }
  }
  return true;
}

Status DumpTable(Env& env, const std::string& path, const StoreOptions& options,
                 const DumpVisitor& visit) {
  auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  if (!visit(About("table", std::to_string(file->size()) + " bytes"))) {
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
            : visit(TextItem(Kind::kProblem, "an entry without a type"));
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
  return visit(
      TextItem(Kind::kProblem, std::to_string(bytes) + std::string(what)));
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
  return visit(TextItem(Kind::kProblem, read.message()));
}

bool DumpEdit(Slice record, const DumpVisitor& visit) {
  const auto edit = VersionEdit::Parse(record);
  if (!edit.ok()) {
    return visit(TextItem(Kind::kProblem, edit.status().message()));
  }
  const std::string text = edit->ToText();
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!visit(TextItem(Kind::kEdit, std::string(rest.substr(0, end))))) {
      return false;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

Status DumpRecords(const std::string& contents, const std::string& what,
                   bool (*dump)(Slice record, const DumpVisitor& visit),
                   const DumpVisitor& visit) {
  if (!visit(About(what, std::to_string(contents.size()) + " bytes"))) {
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

Status Dump(const std::string& path, const DumpVisitor& visit,
            const StoreOptions& options) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  const std::size_t slash = path.rfind('/');
  const auto name =
      ParseFileName(slash == std::string::npos ? path : path.substr(slash + 1));
  if (name && name->type == FileType::kTable) {
    return DumpTable(env, path, options, visit);
  }
  if (!name ||
      (name->type != FileType::kLog && name->type != FileType::kManifest)) {
    return Status::InvalidArgument(path +
                                   ": by its name this is not a table, log or "
                                   "manifest of a store, such as "
                                   "000005.ldb, 000007.log or MANIFEST-000004");
  }
  const bool is_log = name->type == FileType::kLog;
  const auto contents = ReadWholeFile(
      env, path, is_log ? MostLogBytes(options) : kMaxManifestBytes);
  if (!contents.ok()) return contents.status();
  return DumpRecords(*contents, is_log ? "log" : "manifest",
                     is_log ? DumpBatch : DumpEdit, visit);
}

}  // namespace

Status DumpStoreFile(const std::string& path, const DumpVisitor& visit,
                     const StoreOptions& options) {
  return NoThrow([&] { return Dump(path, visit, options); });
}

}  // namespace tamis
