// tamis query: which of these keys may be in the filter?

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "filter_input.h"
#include "progress.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Needs no escape in JSON.
bool IsPlain(Slice key) {
  return std::all_of(key.begin(), key.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
}

// One object on one line.  JSON knows no bytes, so a key that is not UTF-8
// is given in hex.  Most keys are plain, and written without a detour.
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
    out->Write(nlohmann::json(key).dump());
  }
  out->Write(maybe ? ",\"answer\":\"maybe\"}\n" : ",\"answer\":\"no\"}\n");
}

// Asks about keys and writes the answers that are wanted.
class Answerer {
 public:
  Answerer(const QueryArgs& args, const Console& console,
           const FilterReader& filter)
      : args_(args),
        console_(console),
        filter_(filter),
        maybe_(Painted(console, Colour::kBold, "maybe")),
        no_(Painted(console, Colour::kDim, "no")) {}

  // `records` are the keys as they were written.
  void Answer(const std::vector<Slice>& keys,
              const std::vector<Slice>& records) {
    if (keys.size() > capacity_) {
      capacity_ = keys.size();
      answers_ = std::make_unique<bool[]>(capacity_);
    }
    filter_.MayContainMany(keys, std::span(answers_.get(), keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      any_maybe_ |= answers_[i];
      if (args_.only == (answers_[i] ? "no" : "maybe")) continue;
      if (args_.json) {
        WriteJsonLine(keys[i], args_.syntax.hex, answers_[i], console_.out);
      } else {
        console_.out->Write(answers_[i] ? maybe_ : no_);
        console_.out->Write('\t');
        console_.out->Write(records[i]);
        console_.out->Write(args_.syntax.terminator());
      }
    }
  }
  bool any_maybe() const { return any_maybe_; }

 private:
  const QueryArgs& args_;
  const Console& console_;
  const FilterReader& filter_;
  const std::string maybe_;
  const std::string no_;
  std::size_t capacity_ = 0;
  std::unique_ptr<bool[]> answers_;
  bool any_maybe_ = false;
};

Status AnswerListed(const QueryArgs& args, Answerer* answerer) {
  std::vector<std::string> decoded(args.listed_keys.size());
  std::vector<Slice> keys;
  std::vector<Slice> records;
  for (std::size_t i = 0; i < args.listed_keys.size(); ++i) {
    const std::string& text = args.listed_keys[i];
    if (args.syntax.hex && !DecodeHex(text, &decoded[i])) {
      return Status::InvalidArgument(
          fmt::format("--key '{}': {}", text, HexProblem(text)));
    }
    keys.push_back(args.syntax.hex ? decoded[i] : text);
    records.push_back(text);
  }
  answerer->Answer(keys, records);
  return Status::Ok();
}

Status AnswerStream(const QueryArgs& args, const Console& console,
                    Answerer* answerer) {
  const std::string path = args.keys.empty() ? "-" : args.keys;
  auto source = FileSource::Open(path, console.in);
  if (!source.ok()) return source.status();
  if (path == "-" && console.in_is_terminal) {
    Note(console, "query",
         "reading keys from the terminal; Ctrl-D on an empty line ends them");
  }
  // Answers that scroll by are progress enough.
  Console quiet = console;
  quiet.err_is_terminal &= !console.out_is_terminal;
  Progress progress(quiet, (*source)->total_bytes());
  (*source)->FlushBeforeWaiting(console.out);
  KeyReader reader(source->get(), args.syntax);
  std::uint64_t keys = 0;
  for (;;) {
    Status status = reader.Next();
    if (!status.ok()) return status;
    if (reader.keys().empty()) return Status::Ok();
    answerer->Answer(reader.keys(), reader.records());
    if (console.out->error() != 0) return Status::Ok();  // Finish() tells
    keys += reader.keys().size();
    progress.Update(keys, reader.bytes_read());
  }
}

}  // namespace

int RunQuery(const QueryArgs& args, const Console& console) {
  const bool reads_keys = !args.keys.empty() || args.listed_keys.empty();
  if (args.file == "-" && reads_keys &&
      (args.keys.empty() || args.keys == "-")) {
    return Fail(console, "query",
                "the filter and the keys cannot both come from standard input; "
                "name a file of keys, or use -k");
  }
  FilterInput input;
  Status status = OpenFilterInput(
      {.path = args.file, .format = args.format, .standard_input = console.in},
      &input);
  if (!status.ok()) return Fail(console, "query", status.message());

  Answerer answerer(args, console, *input.reader);
  status = AnswerListed(args, &answerer);
  if (status.ok() && reads_keys) {
    status = AnswerStream(args, console, &answerer);
  }
  if (!status.ok()) {
    console.out->Flush();
    return Fail(console, "query", status.message());
  }
  return Finish(console, "query",
                answerer.any_maybe() ? kExitOk : kExitNegative);
}

void AddQuery(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<QueryArgs>();
  CLI::App* command =
      app->add_subcommand("query", "Ask a filter about keys, one per line");
  command->add_option("FILE", args->file, "The filter; '-' is standard input")
      ->required();
  command
      ->add_option("KEYS", args->keys,
                   "File of keys; '-' or nothing is standard input")
      ->check([](const std::string& name) {
        return std::string(name.empty() ? "no file name" : "");
      });
  command
      ->add_option("-k,--key", args->listed_keys,
                   "A key to ask about; may be repeated")
      ->allow_extra_args(false);
  AddText(command, "--format", &args->format,
          "Read FILE in this format instead of recognising it");
  command->add_flag("--hex", args->syntax.hex, "Keys are written in hex");
  command->add_flag("-0,--null", args->syntax.nul,
                    "Keys and answers end in a NUL byte");
  command->add_option("--only", args->only, "Print only these answers")
      ->check(CLI::IsMember({"maybe", "no"}));
  command->add_flag("--json", args->json, "Print one JSON object per key");
  command->footer(
      "Prints 'maybe' or 'no' (certainly absent), a tab and the key.\n"
      "Exit code: 0 if any key is a maybe, 1 if none is, 2 on errors.\n\n"
      "Example:\n  tamis query words.tamis -k apple -k pear");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunQuery(*args, console); });
}

}  // namespace tamis::tools
