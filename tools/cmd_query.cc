// SPDX-License-Identifier: Apache-2.0
// tamis query: which of these keys may be in the filter?

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_input.h"
#include "json.h"
#include "key_files.h"
#include "numbers.h"
#include "pair_text.h"
#include "progress.h"
#include "query_ranges.h"
#include "tamis/key_parts.h"
#include "tamis/prefix_filter.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Needs no escape in JSON.
bool IsPlain(Slice key) {
  return std::all_of(key.begin(), key.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
}

// Writes one object on one line.  JSON has no byte strings, so a key that is
// not UTF-8 is written in hex.  Most keys are plain, and written directly.
void WriteJsonLine(Slice key, bool hex, bool maybe, Output* out) {
  if (hex || !IsUtf8(key)) {
    out->Write("{\"key_hex\":\"");
    out->Write(ToHex(key));
    out->Write('"');
  } else if (IsPlain(key)) {
    out->Write("{\"key\":\"");
    out->Write(key);
    out->Write('"');
  } else {
    out->Write("{\"key\":");
    out->Write(Json(key).Text());
  }
  out->Write(maybe ? ",\"answer\":\"maybe\"}\n" : ",\"answer\":\"no\"}\n");
}

// Queries keys and writes the requested answers.
class Answerer {
 public:
  // `read` tells whether the filter could be read; see Question.
  Answerer(const QueryArgs& args, const Console& console,
           const FilterReader& filter, std::function<Status()> read)
      : args_(args),
        console_(console),
        filter_(filter),
        read_(std::move(read)),
        maybe_(Painted(console, Colour::kBold, "maybe")),
        no_(Painted(console, Colour::kDim, "no")) {}

  // `records` are the keys as given in the input.  IoError: the filter cannot
  // be read, and nothing was written.
  Status Answer(const std::vector<Slice>& keys,
                const std::vector<Slice>& records) {
    if (keys.size() > capacity_) {
      capacity_ = keys.size();
      answers_ = std::make_unique<bool[]>(capacity_);
    }
    Ask(keys);
    if (Status read = read_(); !read.ok()) return read;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      any_maybe_ |= answers_[i];
      if (args_.only == (answers_[i] ? "no" : "maybe")) continue;
      if (args_.json) {
        WriteJsonLine(args_.syntax.hex ? keys[i] : records[i], args_.syntax.hex,
                      answers_[i], console_.out);
      } else {
        console_.out->Write(answers_[i] ? maybe_ : no_);
        console_.out->Write('\t');
        WriteKey(records[i]);
        console_.out->Write(args_.syntax.terminator());
      }
    }
    return Status::Ok();
  }
  bool any_maybe() const { return any_maybe_; }

 private:
  void Ask(const std::vector<Slice>& keys) {
    if (!args_.prefixes) {
      return filter_.MayContainMany(keys,
                                    std::span(answers_.get(), keys.size()));
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers_[i] = filter_.MayContainPrefix(keys[i]);
    }
  }

  // Writes its bytes, unless these could control a terminal.
  void WriteKey(Slice record) {
    if (!console_.out_is_terminal) return console_.out->Write(record);
    escaped_.clear();
    AppendEscaped(record, &escaped_);
    console_.out->Write(escaped_);
  }

  const QueryArgs& args_;
  const Console& console_;
  const FilterReader& filter_;
  const std::function<Status()> read_;
  const std::string maybe_;
  const std::string no_;
  std::size_t capacity_ = 0;
  std::unique_ptr<bool[]> answers_;
  bool any_maybe_ = false;
  std::string escaped_;
};

Status AnswerListed(const QueryArgs& args, Answerer* answerer) {
  std::vector<std::string> decoded(args.listed_keys.size());
  std::vector<Slice> keys;
  std::vector<Slice> records;
  for (std::size_t i = 0; i < args.listed_keys.size(); ++i) {
    const std::string& text = args.listed_keys[i];
    if (!DecodeKey(args.syntax, text, &decoded[i])) {
      return BadListedKey(args.syntax, text);
    }
    keys.push_back(decoded[i]);
    records.push_back(text);
  }
  return answerer->Answer(keys, records);
}

KeyFiles KeyFilesOf(const QueryArgs& args) {
  return {.paths = args.key_files, .syntax = args.syntax};
}

Status AnswerFiles(const QueryArgs& args, const Console& console,
                   Answerer* answerer) {
  // Answers that scroll by are progress enough.
  Console shown = console;
  shown.err_is_terminal &= !console.out_is_terminal;
  Progress progress(shown);
  Status status = ReadKeyFiles(
      KeyFilesOf(args), "query", console, &progress,
      [&](const KeyReader& batch) {
        Status answered = answerer->Answer(batch.keys(), batch.records());
        // The reader is gone, and Finish() reports why.
        if (answered.ok() && console.out->error() != 0) {
          answered = Status::IoError("");
        }
        return answered;
      });
  return console.out->error() != 0 ? Status::Ok() : status;
}

// The filter, and the syntax of its keys.
struct Question {
  FilterInput input;
  ColumnInput column;
  std::unique_ptr<const FilterFolder> folder;  // null: it is a file
  QueryArgs args;
  std::unique_ptr<const FilterReader> prefixes;  // null: as the filter says

  const FilterReader& filter() const {
    if (folder != nullptr) return *folder;
    if (prefixes != nullptr) return *prefixes;
    return column.filter != nullptr ? *column.filter : *input.reader;
  }
  // IoError: what was asked could not be read, and the answers mean nothing.
  Status read() const {
    if (folder != nullptr) return folder->status();
    return column.filter != nullptr ? column.file->status()
                                    : input.file->status();
  }
};

// Chooses numbers for a column of numbers, unless the user says otherwise.
// InvalidArgument: keys of that syntax cannot be in a column of that type, and
// would all be "no".
Status ChooseType(const std::string& physical_type, KeySyntax* syntax) {
  if (syntax->hex) return Status::Ok();
  const auto type = ValueTypeOf(physical_type);
  if (!type.has_value() && !syntax->type_is_given) {
    return Status::InvalidArgument(
        fmt::format("its type is {}: write the bytes of its values with --hex",
                    physical_type));
  }
  if (!syntax->type_is_given) {
    syntax->type = *type;
  } else if (type.has_value() && *type != ValueType::kBytes &&
             *type != syntax->type) {
    return Status::InvalidArgument(
        fmt::format("its type is {}, which has no values of type {}",
                    physical_type, NameOf(syntax->type)));
  }
  return Status::Ok();
}

Status OpenColumn(const Console& console, const FilterInputArgs& file,
                  Question* question) {
  QueryArgs* args = &question->args;
  if (args->column.empty()) {
    return Status::InvalidArgument("--row-group needs --column beside it");
  }
  ColumnChoice choice{.column = args->column, .row_group = std::nullopt};
  if (!args->row_group.empty()) {
    auto number = ParseCount(args->row_group);
    if (!number.ok()) {
      return Status::InvalidArgument("--row-group: " +
                                     number.status().message());
    }
    choice.row_group = *number;
  }
  Status status = OpenColumnInput(file, choice, &question->column);
  if (!status.ok()) return status;
  const ColumnFilter& filter = *question->column.filter;
  const std::string name = fmt::format("{}: column '{}'", InputName(file.path),
                                       Printable(args->column));
  if (!filter.always_maybe().empty()) {
    Warn(console, "query",
         fmt::format("{}: every key is a maybe: {}", name,
                     filter.always_maybe()));
  }
  status = ChooseType(filter.physical_type(), &args->syntax);
  if (status.ok()) return status;
  return Status(status.code(), name + ": " + status.message());
}

// Finds out which prefixes the filter has.
Status OpenPrefixes(const Console& console, Question* question) {
  const QueryArgs& args = question->args;
  const std::string& text = args.prefix_extractor;
  if (!args.prefixes) {
    return text.empty() ? Status::Ok()
                        : Status::InvalidArgument(
                              "--prefix-extractor needs --prefix beside it");
  }
  const FilterInfo info = question->input.reader->Describe();
  if (text.empty()) {
    if (info.prefixes.empty()) {
      Warn(console, "query",
           fmt::format("{}: every prefix is a maybe: the filter has none",
                       args.file));
    }
    return Status::Ok();
  }
  // A filter without prefixes would deny all of them.
  if (!info.format.starts_with("rocksdb")) {
    return Status::InvalidArgument(fmt::format(
        "{}: --prefix-extractor is for filters of RocksDB; a .tamis "
        "filter says itself which prefixes it has",
        args.file));
  }
  auto extractor = MakePrefixExtractor(text);
  if (!extractor.ok()) {
    return Status::InvalidArgument("--prefix-extractor: " +
                                   extractor.status().message());
  }
  question->prefixes =
      AskForPrefixes(*question->input.reader, *std::move(extractor));
  return Status::Ok();
}

// Opens a directory of parts; those that are missing are named.  NotFound: it
// has none.
Status OpenFolder(const Console& console, Question* question) {
  const QueryArgs& args = question->args;
  auto folder = FilterFolder::Open(args.file);
  if (!folder.ok()) return folder.status();
  if (args.ranges || args.prefixes || !args.column.empty() ||
      !args.row_group.empty() || !args.format.empty()) {
    return Status::InvalidArgument(
        args.file +
        ": is a directory of parts, which can be asked for keys "
        "only: without --format, --range, --prefix and --column");
  }
  question->folder = *std::move(folder);
  for (const MissingPart& part : question->folder->missing()) {
    Warn(console, "query",
         fmt::format("part {}: every key of it is a maybe: {}", part.part,
                     part.status.message()));
  }
  return Status::Ok();
}

Status Open(const Console& console, Question* question) {
  const QueryArgs& args = question->args;
  std::error_code error;
  if (std::filesystem::is_directory(args.file, error)) {
    Status opened = OpenFolder(console, question);
    // What else a directory may be is told below.
    if (opened.code() != StatusCode::kNotFound) return opened;
  }
  const FilterInputArgs file = {
      .path = args.file, .format = args.format, .standard_input = console.in};
  if (!args.column.empty() || !args.row_group.empty()) {
    return OpenColumn(console, file, question);
  }
  Status opened = OpenFilterInput(file, &question->input);
  return opened.ok() ? OpenPrefixes(console, question) : opened;
}

}  // namespace

int RunQuery(const QueryArgs& args, const Console& console) {
  const bool names_ends = args.ranges && args.key_files.size() != 1;
  const bool reads_keys =
      !names_ends && (!args.key_files.empty() || args.listed_keys.empty());
  if (args.file == "-" && reads_keys &&
      KeyFilesOf(args).reads_standard_input()) {
    return Fail(console, "query",
                "the filter and the keys cannot both come from standard input; "
                "name a file of keys, or use -k");
  }
  Question question;
  question.args = args;
  Status status = Open(console, &question);
  if (!status.ok()) return Fail(console, "query", status.message());

  if (args.ranges) {
    bool any_maybe = false;
    status = AnswerRanges(
        question.args, console, question.filter(),
        [&question] { return question.read(); }, &any_maybe);
    if (status.ok()) {
      return Finish(console, "query", any_maybe ? kExitOk : kExitNegative);
    }
    console.out->Flush();
    return Fail(console, "query", status.message());
  }
  Answerer answerer(question.args, console, question.filter(),
                    [&question] { return question.read(); });
  status = AnswerListed(question.args, &answerer);
  if (status.ok() && reads_keys) {
    status = AnswerFiles(question.args, console, &answerer);
  }
  if (!status.ok()) {
    console.out->Flush();
    return Fail(console, "query", status.message());
  }
  return Finish(console, "query",
                answerer.any_maybe() ? kExitOk : kExitNegative);
}

}  // namespace tamis::tools
