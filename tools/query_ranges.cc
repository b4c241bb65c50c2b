// SPDX-License-Identifier: Apache-2.0
#include "query_ranges.h"

#include <string>

#include <fmt/core.h>

#include "json.h"
#include "key_files.h"
#include "pair_text.h"
#include "progress.h"
#include "tamis/formats.h"
#include "text.h"

namespace tamis::tools {
namespace {

class RangeAnswerer {
 public:
  RangeAnswerer(const QueryArgs& args, const Console& console,
                const FilterReader& filter, const std::function<Status()>& read)
      : args_(args), console_(console), filter_(filter), read_(read) {}

  Status Answer(const std::string& lo_text, const std::string& hi_text) {
    std::string lo;
    std::string hi;
    if (!DecodeKey(args_.syntax, lo_text, &lo)) {
      return BadListedKey(args_.syntax, lo_text);
    }
    if (!DecodeKey(args_.syntax, hi_text, &hi)) {
      return BadListedKey(args_.syntax, hi_text);
    }
    const bool maybe = filter_.MayContainRange(lo, hi);
    if (Status read = read_(); !read.ok()) return read;
    any_maybe_ |= maybe;
    if (args_.only == (maybe ? "no" : "maybe")) return Status::Ok();
    if (args_.json) {
      Json object;
      SetBytes(&object, "lo", lo, args_.syntax.hex);
      SetBytes(&object, "hi", hi, args_.syntax.hex);
      object["answer"] = maybe ? "maybe" : "no";
      console_.out->Write(object.Text() + "\n");
      return Status::Ok();
    }
    const bool shown = console_.out_is_terminal;
    console_.out->Write(maybe ? "maybe\t" : "no\t");
    console_.out->Write(shown ? Escaped(lo_text) : lo_text);
    console_.out->Write('\t');
    console_.out->Write(shown ? Escaped(hi_text) : hi_text);
    console_.out->Write(args_.syntax.terminator());
    return Status::Ok();
  }

  Status AnswerLine(Slice line) {
    const std::size_t tab = line.find('\t');
    if (tab == Slice::npos) {
      return Status::InvalidArgument(
          fmt::format("a range has a tab between its ends; there is none in "
                      "'{}'",
                      Escaped(line)));
    }
    return Answer(std::string(line.substr(0, tab)),
                  std::string(line.substr(tab + 1)));
  }

  bool any_maybe() const { return any_maybe_; }

 private:
  const QueryArgs& args_;
  const Console& console_;
  const FilterReader& filter_;
  const std::function<Status()>& read_;
  bool any_maybe_ = false;
};

// Lines are taken as bytes: each has two keys.
Status AnswerLines(const QueryArgs& args, const Console& console,
                   RangeAnswerer* answerer) {
  KeyFiles files{.paths = args.key_files, .syntax = {}, .what = "ranges"};
  files.syntax.nul = args.syntax.nul;
  Progress progress(console);
  return ReadKeyFiles(files, "query", console, &progress,
                      [&](const KeyReader& batch) {
                        for (const Slice line : batch.records()) {
                          Status answered = answerer->AnswerLine(line);
                          if (!answered.ok()) return answered;
                        }
                        return Status::Ok();
                      });
}

}  // namespace

Status AnswerRanges(const QueryArgs& args, const Console& console,
                    const FilterReader& filter,
                    const std::function<Status()>& read, bool* any_maybe) {
  if (args.key_files.empty() || args.key_files.size() > 2) {
    return Status::InvalidArgument(
        "--range takes two keys, or one file of ranges ('-': standard input)");
  }
  const FilterInfo info = filter.Describe();
  const std::string& kind = info.kind;
  const KindEntry* entry = FindKind(kind);
  const bool has_ranges = entry != nullptr && entry->ranges;
  if (!has_ranges && info.prefixes.empty()) {
    Warn(console, "query",
         fmt::format("{}: every range is a maybe: it is a {} filter", args.file,
                     kind));
  }
  RangeAnswerer answerer(args, console, filter, read);
  const Status status =
      args.key_files.size() == 2
          ? answerer.Answer(args.key_files[0], args.key_files[1])
          : AnswerLines(args, console, &answerer);
  *any_maybe = answerer.any_maybe();
  return status;
}

}  // namespace tamis::tools
