// tamis add, remove and rotate: filters that live in a file.  The file is
// replaced as a whole, and only once all has gone well.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "filter_input.h"
#include "filter_output.h"
#include "json_text.h"
#include "progress.h"
#include "tamis/living_filter.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string OutputOf(const LivingArgs& args) {
  return args.output.empty() ? args.file : args.output;
}

Status Named(const LivingArgs& args, const Status& status) {
  return Status(status.code(), InputName(args.file) + ": " + status.message());
}

// Ok if what shall be done makes sense before any file is read.
Status CheckUse(const LivingArgs& args, bool reads_keys,
                const Console& console) {
  if (args.file == "-" && args.output.empty()) {
    return Status::InvalidArgument(
        "a filter from standard input cannot be replaced; name a file with "
        "-o");
  }
  if (args.json && args.output == "-") {
    return Status::InvalidArgument(
        "--json and '-o -' both want standard output; name a file");
  }
  const bool keys_from_input =
      args.keys == "-" || (args.keys.empty() && args.listed_keys.empty());
  if (args.file == "-" && reads_keys && keys_from_input) {
    return Status::InvalidArgument(
        "the filter and the keys cannot both come from standard input; name "
        "a file of keys, or use -k");
  }
  if (reads_keys && !args.keys.empty() &&
      IsSameFile(args.keys, OutputOf(args), console.in)) {
    return Status::InvalidArgument(fmt::format(
        "{} holds the keys; name another file for the filter", args.keys));
  }
  if (args.output.empty()) return Status::Ok();
  return CheckFilterOutput(console, args.output, args.force);
}

// From before the filter is read until it is written, be it to another file.
Status Lock(const LivingArgs& args, std::string_view command,
            const Console& console, std::unique_ptr<FilterFileLock>* lock) {
  return LockOutput(console, command, OutputOf(args), lock);
}

// The bytes of a .tamis filter, and of which kind it is.
struct Opened {
  FilterInput input;
  FilterInfo info;
};

// `able` says which kinds can do it: "keys can be added to bloom, ...".
Status Open(const LivingArgs& args, const Console& console,
            std::string_view able, Opened* opened) {
  Status status = OpenFilterInput(
      {.path = args.file, .format = {}, .standard_input = console.in},
      &opened->input);
  if (!status.ok()) return status;
  const std::string& format = opened->input.recognised.spec;
  if (format != "tamis") {
    return Status::InvalidArgument(
        fmt::format("{}: is in {} format; of the tamis format {}",
                    InputName(args.file), format, able));
  }
  opened->info = opened->input.reader->Describe();
  return Status::Ok();
}

// Why a filter could not be loaded: in most cases, it is of another kind.
Status Refusal(const LivingArgs& args, const Opened& opened,
               std::string_view able, const Status& status) {
  if (status.code() != StatusCode::kNotSupported ||
      !opened.info.always_maybe.empty()) {
    return Named(args, status);
  }
  return Status::InvalidArgument(fmt::format(
      "{}: is a {} filter; {}", InputName(args.file), opened.info.kind, able));
}

using UseKeys = std::function<Status(const std::vector<Slice>& keys)>;

Status UseListed(const LivingArgs& args, const UseKeys& use) {
  std::vector<std::string> decoded(args.listed_keys.size());
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    const std::string& text = args.listed_keys[i];
    if (!DecodeKey(args.syntax, text, &decoded[i])) {
      return BadListedKey(args.syntax, text);
    }
  }
  return use(std::vector<Slice>(decoded.begin(), decoded.end()));
}

// use() for all keys that were named, be it by -k or in a file.
Status UseAllKeys(const LivingArgs& args, std::string_view command,
                  const Console& console, const UseKeys& use) {
  Status status = UseListed(args, use);
  if (!status.ok()) return status;
  if (args.keys.empty() && !args.listed_keys.empty()) return Status::Ok();
  const std::string path = args.keys.empty() ? "-" : args.keys;
  auto source = FileSource::Open(path, console.in);
  if (!source.ok()) return source.status();
  if (path == "-" && console.in_is_terminal) {
    Note(console, command,
         "reading keys from the terminal; Ctrl-D on an empty line ends them");
  }
  Progress progress(console, (*source)->total_bytes());
  KeyReader reader(source.value().get(), args.syntax);
  std::uint64_t count = 0;
  for (;;) {
    status = reader.Next();
    if (!status.ok()) return status;
    if (reader.keys().empty()) return Status::Ok();
    status = use(reader.keys());
    if (!status.ok()) return status;
    count += reader.keys().size();
    progress.Update(count, reader.bytes_read());
  }
}

// What was done, for the last line.
struct Summary {
  std::uint64_t keys = 0;       // that were named
  std::uint64_t known = 0;      // of them, maybe in before, so not added
  std::uint64_t strangers = 0;  // of them, certainly not in
  std::uint64_t bytes = 0;
  FilterInfo info;

  double rate() const { return VerdictOf(info).rate; }
};

Status Store(const LivingArgs& args, const Console& console,
             const MutableFilter& filter, Summary* summary) {
  std::string bytes;
  Status status = filter.Save(&bytes);
  if (!status.ok()) return Named(args, status);
  summary->bytes = bytes.size();
  summary->info = filter.Describe();
  return WriteFilterOutput(console, OutputOf(args), bytes,
                           args.force || args.output.empty());
}

// The part of the summary that is the same for all.
Json JsonOf(const LivingArgs& args, const Summary& summary) {
  Json object;
  object["file"] = OutputOf(args);
  object["kind"] = summary.info.kind;
  object["bytes"] = summary.bytes;
  if (summary.info.keys.has_value()) object["keys"] = *summary.info.keys;
  object["false_positive_rate"] = summary.rate();
  object["verdict"] = VerdictOf(summary.info).word;
  return object;
}

// "; 1,003 keys, 1.31 KiB (1,344 bytes), expected rate 0.9 %".
std::string StateText(const Summary& summary) {
  std::string text;
  if (summary.info.keys.has_value()) {
    text = fmt::format("{} {} in it, ", Grouped(*summary.info.keys),
                       Plural(*summary.info.keys, "key", "keys"));
  }
  text += fmt::format("{}, expected rate {}", SizeText(summary.bytes),
                      Percent(summary.rate()));
  if (VerdictOf(summary.info).word == "saturated") {
    text += "; saturated: too many keys for its size";
  }
  return text;
}

void Print(const Json& object, const Console& console) {
  console.out->Write(JsonText(object, 2) + "\n");
}

constexpr std::string_view kCanAdd =
    "keys can be added to bloom, splitblock, classic, counting, cuckoo, "
    "scalable and rotating";
constexpr std::string_view kCanRemove =
    "keys can be removed from counting and cuckoo";
constexpr std::string_view kCanRotate = "only rotating has generations";

// A Bloom filter counts a key each time it is inserted, and one that is maybe
// in changes none of its bits: such a one is left out.  The other kinds know
// best what to do with a key that comes again.
bool CountsRepeats(const FilterInfo& info) {
  return info.kind == "bloom" || info.kind == "splitblock" ||
         info.kind == "classic";
}

Status InsertNew(const std::vector<Slice>& keys, MutableFilter* filter,
                 Summary* summary) {
  const auto maybe = std::make_unique<bool[]>(keys.size());
  filter->MayContainMany(keys, {maybe.get(), keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Once more: it may have come with this very call.
    if (maybe[i] || filter->MayContain(keys[i])) {
      ++summary->known;
      continue;
    }
    if (Status inserted = filter->Insert(keys[i]); !inserted.ok()) {
      return inserted;
    }
  }
  return Status::Ok();
}

Status Add(const LivingArgs& args, const Console& console, Summary* summary) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "add", console, &lock);
  if (status.ok()) status = Open(args, console, kCanAdd, &opened);
  if (!status.ok()) return status;
  auto filter = LoadMutable(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, kCanAdd, filter.status());
  const bool only_new = CountsRepeats(opened.info);
  status =
      UseAllKeys(args, "add", console, [&](const std::vector<Slice>& keys) {
        summary->keys += keys.size();
        Status inserted = only_new
                              ? InsertNew(keys, filter.value().get(), summary)
                              : (*filter)->InsertMany(keys);
        if (inserted.ok()) return inserted;
        return Status(inserted.code(),
                      fmt::format("{}: {}; the file is as it was",
                                  InputName(args.file), inserted.message()));
      });
  if (!status.ok()) return status;
  return Store(args, console, **filter, summary);
}

Status Remove(const LivingArgs& args, const Console& console,
              Summary* summary) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "remove", console, &lock);
  if (status.ok()) status = Open(args, console, kCanRemove, &opened);
  if (!status.ok()) return status;
  auto filter = LoadErasable(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, kCanRemove, filter.status());
  status =
      UseAllKeys(args, "remove", console, [&](const std::vector<Slice>& keys) {
        summary->keys += keys.size();
        for (const Slice key : keys) {
          Status erased = (*filter)->Erase(key);
          if (erased.code() == StatusCode::kNotFound) {
            ++summary->strangers;
          } else if (!erased.ok()) {
            return Named(args, erased);
          }
        }
        return Status::Ok();
      });
  if (!status.ok()) return status;
  return Store(args, console, **filter, summary);
}

struct Rotation {
  Summary summary;
  unsigned generations = 0;
  std::uint64_t rotations = 0;
};

Status Rotate(const LivingArgs& args, const Console& console,
              Rotation* rotation) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "rotate", console, &lock);
  if (status.ok()) status = Open(args, console, kCanRotate, &opened);
  if (!status.ok()) return status;
  auto filter = LoadRotating(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, kCanRotate, filter.status());
  status = (*filter)->Rotate();
  if (!status.ok()) return Named(args, status);
  rotation->generations = (*filter)->generations();
  rotation->rotations = (*filter)->rotations();
  return Store(args, console, **filter, &rotation->summary);
}

}  // namespace

int RunAdd(const LivingArgs& args, const Console& console) {
  Summary summary;
  Status status = CheckUse(args, true, console);
  if (status.ok()) status = Add(args, console, &summary);
  if (!status.ok()) return Fail(console, "add", status.message());
  const std::uint64_t added = summary.keys - summary.known;
  if (args.json) {
    Json object = JsonOf(args, summary);
    object["lines"] = summary.keys;
    object["added"] = added;
    object["known"] = summary.known;
    Print(object, console);
  } else {
    std::string known;
    if (summary.known > 0) {
      known = fmt::format(", {} maybe in it before", Grouped(summary.known));
    }
    Note(console, "add",
         fmt::format("{} {} added{}; {}", Grouped(added),
                     Plural(added, "key", "keys"), known, StateText(summary)));
  }
  return Finish(console, "add", kExitOk);
}

int RunRemove(const LivingArgs& args, const Console& console) {
  Summary summary;
  Status status = CheckUse(args, true, console);
  if (status.ok()) status = Remove(args, console, &summary);
  if (!status.ok()) return Fail(console, "remove", status.message());
  const std::uint64_t removed = summary.keys - summary.strangers;
  if (args.json) {
    Json object = JsonOf(args, summary);
    object["removed"] = removed;
    object["strangers"] = summary.strangers;
    Print(object, console);
  } else {
    std::string strangers;
    if (summary.strangers > 0) {
      strangers =
          fmt::format(", {} certainly not in", Grouped(summary.strangers));
    }
    Note(console, "remove",
         fmt::format("{} {} removed{}; {}", Grouped(removed),
                     Plural(removed, "key", "keys"), strangers,
                     StateText(summary)));
  }
  return Finish(console, "remove",
                summary.strangers > 0 ? kExitNegative : kExitOk);
}

int RunRotate(const LivingArgs& args, const Console& console) {
  Rotation rotation;
  Status status = CheckUse(args, false, console);
  if (status.ok()) status = Rotate(args, console, &rotation);
  if (!status.ok()) return Fail(console, "rotate", status.message());
  if (args.json) {
    Json object = JsonOf(args, rotation.summary);
    object["generations"] = rotation.generations;
    object["rotations"] = rotation.rotations;
    Print(object, console);
  } else {
    Note(console, "rotate",
         fmt::format("rotation {} ({} generations); {}",
                     Grouped(rotation.rotations), rotation.generations,
                     StateText(rotation.summary)));
  }
  return Finish(console, "rotate", kExitOk);
}

namespace {

using Run = int (*)(const LivingArgs& args, const Console& console);

CLI::App* Declare(CLI::App* command, std::shared_ptr<LivingArgs> args) {
  command->add_option("FILE", args->file, "The filter, of the tamis format")
      ->required();
  command->add_option("-o,--output", args->output,
                      "File to write instead of FILE; '-' is standard output");
  command->add_flag("-f,--force", args->force, "Overwrite what -o names");
  command->add_flag("--json", args->json, "Print the summary as JSON");
  return command;
}

void DeclareKeys(CLI::App* command, std::shared_ptr<LivingArgs> args) {
  command
      ->add_option("KEYS", args->keys,
                   "File of keys; '-' or nothing is standard input")
      ->check([](const std::string& name) {
        return std::string(name.empty() ? "no file name" : "");
      });
  command->add_option("-k,--key", args->listed_keys, "A key; may be repeated")
      ->allow_extra_args(false);
  AddKeySyntaxOptions(command, &args->syntax);
}

void RunBy(CLI::App* command, std::shared_ptr<LivingArgs> args, Run run,
           const Console& console, int* exit_code) {
  command->callback(
      [args, run, &console, exit_code] { *exit_code = run(*args, console); });
}

}  // namespace

void AddAdd(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<LivingArgs>();
  CLI::App* command = Declare(
      app->add_subcommand("add", "Add keys to a filter that is there"), args);
  DeclareKeys(command, args);
  command->footer(
      "Ribbon and fuse filters need all their keys at once and take no more.\n"
      "A key that is maybe in a bloom, splitblock or classic filter already\n"
      "needs no adding: it is counted apart, and not as one more key of it.\n"
      "On any error the file stays as it was.  Commands that change one file\n"
      "at once wait for each other.\n\n"
      "Example:\n  tamis add words.tamis new.txt");
  RunBy(command, args, RunAdd, console, exit_code);
}

void AddRemove(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<LivingArgs>();
  CLI::App* command =
      Declare(app->add_subcommand("remove", "Remove keys from a filter"), args);
  DeclareKeys(command, args);
  command->footer(
      "For counting and cuckoo filters.  Remove only what was added: a\n"
      "stranger that looks like a key may take that key with it.\n"
      "Exit code: 1 if some keys were certainly not in (the others are\n"
      "removed), 2 on errors, and the file is then as it was.\n\n"
      "Example:\n  tamis remove words.tamis -k apple");
  RunBy(command, args, RunRemove, console, exit_code);
}

void AddRotate(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<LivingArgs>();
  CLI::App* command = Declare(
      app->add_subcommand("rotate", "Let the oldest keys of a filter expire"),
      args);
  command->footer(
      "For rotating filters: begins a new generation and drops the oldest.\n\n"
      "Example:\n  tamis rotate last-hours.tamis");
  RunBy(command, args, RunRotate, console, exit_code);
}

}  // namespace tamis::tools
