// SPDX-License-Identifier: Apache-2.0
// leveldb::DumpFile(): the contents of one file as text, in LevelDB's words.

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include <leveldb/dumpfile.h>

#include "convert.h"
#include "env_adapter.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/read_whole.h"
#include "store/version_edit.h"
#include "table/table_reader.h"

namespace tamis::dropin {
namespace {

// Of a log: pieces of records have a head, and do not cross blocks.
constexpr std::uint64_t kLogBlockBytes = 32768;
constexpr std::uint64_t kLogHeadBytes = 7;

std::string Escaped(Slice bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~') {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
  }
  return text;
}

std::string Quoted(Slice bytes) { return "'" + Escaped(bytes) + "'"; }

// Collects text, and passes it on in large pieces.
class Output {
 public:
  explicit Output(leveldb::WritableFile* to) : to_(to) {}

  Status Write(const std::string& text) {
    pending_ += text;
    return pending_.size() < kPieceBytes ? Status::Ok() : Flush();
  }
  Status Flush() {
    const leveldb::Status written = to_->Append(pending_);
    pending_.clear();
    return Ours(written);
  }

 private:
  static constexpr std::size_t kPieceBytes = 65536;
  leveldb::WritableFile* const to_;
  std::string pending_;
};

std::string BatchText(Slice record) {
  if (record.size() < kBatchHeaderBytes) {
    return "log record length " + std::to_string(record.size()) +
           " is too small\n";
  }
  std::string text = "sequence " +
                     std::to_string(BatchAccess::SequenceOfContents(record)) +
                     "\n";
  const Status read =
      ForEachChange(record, [&](ValueType type, Slice key, Slice value) {
        text += type == ValueType::kValue
                    ? "  put " + Quoted(key) + " " + Quoted(value) + "\n"
                    : "  del " + Quoted(key) + "\n";
      });
  if (!read.ok()) text += "  error: " + read.message() + "\n";
  return text;
}

std::string KeyText(Slice internal) {
  if (!IsInternalKey(internal)) return "(bad)" + Escaped(internal);
  return Quoted(UserKeyOf(internal)) + " @ " +
         std::to_string(SequenceOf(internal)) + " : " +
         std::to_string(static_cast<int>(TypeOf(internal)));
}

void AddNumber(std::string* text, const char* name,
               const std::optional<std::uint64_t>& number) {
  if (number) *text += "\n  " + std::string(name) + std::to_string(*number);
}

std::string EditText(Slice record) {
  auto edit = VersionEdit::Parse(record);
  if (!edit.ok()) return edit.status().message() + "\n";
  std::string text = "VersionEdit {";
  if (edit->comparator) text += "\n  Comparator: " + *edit->comparator;
  AddNumber(&text, "LogNumber: ", edit->log_number);
  AddNumber(&text, "PrevLogNumber: ", edit->previous_log_number);
  AddNumber(&text, "NextFile: ", edit->next_file_number);
  AddNumber(&text, "LastSeq: ", edit->last_sequence);
  for (const auto& [level, key] : edit->compact_pointers) {
    text += "\n  CompactPointer: " + std::to_string(level) + " " + KeyText(key);
  }
  std::sort(edit->removed.begin(), edit->removed.end());
  for (const auto& [level, number] : edit->removed) {
    text += "\n  RemoveFile: " + std::to_string(level) + " " +
            std::to_string(number);
  }
  for (const auto& [level, file] : edit->added) {
    text += "\n  AddFile: " + std::to_string(level) + " " +
            std::to_string(file.number) + " " + std::to_string(file.bytes) +
            " " + KeyText(file.smallest) + " .. " + KeyText(file.largest);
  }
  return text + "\n}\n";
}

Status DumpRecords(Env& env, const std::string& path,
                   std::string (*text_of)(Slice record), Output* output) {
  const auto contents = ReadWholeFile(env, path, kMaxManifestBytes);
  if (!contents.ok()) return contents.status();
  LogReader reader(*contents);
  Slice record;
  std::uint64_t start = 0;
  while (reader.Next(&record)) {
    if (kLogBlockBytes - start % kLogBlockBytes < kLogHeadBytes) {
      start += kLogBlockBytes - start % kLogBlockBytes;
    }
    Status written = output->Write("--- offset " + std::to_string(start) +
                                   "; " + text_of(record));
    if (!written.ok()) return written;
    start = reader.end_of_record();
  }
  if (reader.damaged_bytes() == 0) return Status::Ok();
  return output->Write("corruption: " + std::to_string(reader.damaged_bytes()) +
                       " bytes; " + reader.damage() + "\n");
}

Status DumpTable(Env& env, const std::string& path, Output* output) {
  auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const TableReadContext context;
  const auto table = Table::Open(context, *std::move(file), path);
  if (!table.ok()) return table.status();
  const auto entries =
      (*table)->NewIterator({.fill_cache = false, .check_order = false});
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = entries->key();
    std::string line;
    if (IsInternalKey(key)) {
      line = Quoted(UserKeyOf(key)) + " @ " + std::to_string(SequenceOf(key)) +
             (TypeOf(key) == ValueType::kValue ? " : val" : " : del");
    } else {
      line = "badkey " + Quoted(key);
    }
    Status written =
        output->Write(line + " => " + Quoted(entries->value()) + "\n");
    if (!written.ok()) return written;
  }
  if (entries->status().ok()) return Status::Ok();
  return output->Write("iterator error: " + entries->status().message() + "\n");
}

}  // namespace

leveldb::Status Dump(leveldb::Env* theirs, const std::string& path,
                     leveldb::WritableFile* to) {
  const std::unique_ptr<Env> adapted = AdaptEnv(theirs);
  Env& env = adapted != nullptr ? *adapted : DefaultEnv();
  const auto name = ParseFileName(path.substr(path.rfind('/') + 1));
  if (!name) {
    return leveldb::Status::InvalidArgument(path, "unknown file type");
  }
  const bool dumps = name->type == FileType::kTable ||
                     name->type == FileType::kLog ||
                     name->type == FileType::kManifest;
  if (!dumps) {
    return leveldb::Status::InvalidArgument(path, "not a dump-able file type");
  }
  if (!env.Exists(path)) return SystemError(path, ENOENT);
  Output output(to);
  const Status dumped =
      name->type == FileType::kTable
          ? DumpTable(env, path, &output)
          : DumpRecords(env, path,
                        name->type == FileType::kLog ? BatchText : EditText,
                        &output);
  const Status flushed = output.Flush();
  return Theirs(dumped.ok() ? flushed : dumped);
}

}  // namespace tamis::dropin

namespace leveldb {

Status DumpFile(Env* env, const std::string& fname, WritableFile* dst) {
  return tamis::dropin::Dump(env, fname, dst);
}

}  // namespace leveldb
