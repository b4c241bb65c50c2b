// SPDX-License-Identifier: Apache-2.0
// tamis add, remove and rotate: mutable filters in a file.  The file is
// replaced as a whole, and only on success.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_args.h"
#include "filter_input.h"
#include "filter_output.h"
#include "json.h"
#include "key_files.h"
#include "progress.h"
#include "tamis/formats.h"
#include "tamis/mutable_filter.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

std::string OutputOf(const MutableArgs& args) {
  return args.output.empty() ? args.file : args.output;
}

Status Named(const MutableArgs& args, const Status& status) {
  return Status(status.code(), InputName(args.file) + ": " + status.message());
}

KeyFiles KeyFilesOf(const MutableArgs& args) {
  return {.paths = args.key_files, .syntax = args.syntax};
}

bool ReadsKeyFiles(const MutableArgs& args) {
  return !args.key_files.empty() || args.listed_keys.empty();
}

// Checks the arguments, before any file is read.
Status CheckUse(const MutableArgs& args, bool reads_keys,
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
  if (args.file == "-" && reads_keys && ReadsKeyFiles(args) &&
      KeyFilesOf(args).reads_standard_input()) {
    return Status::InvalidArgument(
        "the filter and the keys cannot both come from standard input; name "
        "a file of keys, or use -k");
  }
  for (const std::string& keys : args.key_files) {
    if (!IsSameFile(keys, OutputOf(args), console.in)) continue;
    return Status::InvalidArgument(fmt::format(
        "{} holds the keys; name another file for the filter", keys));
  }
  if (args.output.empty()) return Status::Ok();
  return CheckFilterOutput(console, args.output, args.force);
}

// Locks the file from before the filter is read until it is written, even to
// another file.
Status Lock(const MutableArgs& args, std::string_view command,
            const Console& console, std::unique_ptr<FilterFileLock>* lock) {
  return LockOutput(console, command, OutputOf(args), lock);
}

// The bytes of a .tamis filter, and of which kind it is.
struct Opened {
  FilterInput input;
  FilterInfo info;
};

// `able` names the kinds that can do it: "keys can be added to bloom, ...".
Status Open(const MutableArgs& args, const Console& console,
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

// Returns why a filter could not be loaded: usually, it is of another kind.
Status Refusal(const MutableArgs& args, const Opened& opened,
               std::string_view able, const Status& status) {
  if (status.code() != StatusCode::kNotSupported ||
      !opened.info.always_maybe.empty()) {
    return Named(args, status);
  }
  return Status::InvalidArgument(fmt::format(
      "{}: is a {} filter; {}", InputName(args.file), opened.info.kind, able));
}

using UseSlices = std::function<Status(const std::vector<Slice>& keys)>;

Status UseListed(const MutableArgs& args, const UseSlices& use) {
  std::vector<std::string> decoded(args.listed_keys.size());
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    const std::string& text = args.listed_keys[i];
    if (!DecodeKey(args.syntax, text, &decoded[i])) {
      return BadListedKey(args.syntax, text);
    }
  }
  return use(std::vector<Slice>(decoded.begin(), decoded.end()));
}

// Calls use() for all keys, given by -k or in a file.
Status UseAllKeys(const MutableArgs& args, std::string_view command,
                  const Console& console, const UseSlices& use) {
  Status status = UseListed(args, use);
  if (!status.ok() || !ReadsKeyFiles(args)) return status;
  Progress progress(console);
  return ReadKeyFiles(
      KeyFilesOf(args), command, console, &progress,
      [&use](const KeyReader& batch) { return use(batch.keys()); });
}

// What was done, for the last line.
struct Summary {
  std::uint64_t keys = 0;         // given
  std::uint64_t known = 0;        // of them, maybe present before, so not added
  std::uint64_t never_added = 0;  // of them, certainly absent
  std::uint64_t bytes = 0;
  FilterInfo info;

  double rate() const { return VerdictOf(info).rate; }
};

Status Store(const MutableArgs& args, const Console& console,
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
Json JsonOf(const MutableArgs& args, const Summary& summary) {
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
  console.out->Write(object.Text(2) + "\n");
}

std::string CanAdd() {
  return "keys can be added to " + KindsThat(&KindEntry::grows);
}
std::string CanRemove() {
  return "keys can be removed from " + KindsThat(&KindEntry::erases);
}
std::string CanRotate() {
  return fmt::format("only {} has generations", KindsThat(&KindEntry::expires));
}

// A Bloom filter counts a key each time it is inserted, and a key that is
// already "maybe" changes none of its bits: such a key is skipped.  The other
// kinds handle repeated keys themselves.
bool CountsRepeats(const FilterInfo& info) {
  const KindEntry* kind = FindKind(info.kind);
  return kind != nullptr && kind->storage == KindStorage::kBits &&
         kind->grows && !kind->unbounded && !kind->expires;
}

Status InsertNew(const std::vector<Slice>& keys, MutableFilter* filter,
                 Summary* summary) {
  const auto maybe = std::make_unique<bool[]>(keys.size());
  filter->MayContainMany(keys, {maybe.get(), keys.size()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // Again: it may have been added by this very call.
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

Status Add(const MutableArgs& args, const Console& console, Summary* summary) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "add", console, &lock);
  if (status.ok()) status = Open(args, console, CanAdd(), &opened);
  if (!status.ok()) return status;
  auto filter = LoadMutable(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, CanAdd(), filter.status());
  const bool only_new = CountsRepeats(opened.info);
  status =
      UseAllKeys(args, "add", console, [&](const std::vector<Slice>& keys) {
        summary->keys += keys.size();
        Status inserted = only_new
                              ? InsertNew(keys, filter.value().get(), summary)
                              : filter->InsertMany(keys);
        if (inserted.ok()) return inserted;
        return Status(inserted.code(),
                      fmt::format("{}: {}; the file is as it was",
                                  InputName(args.file), inserted.message()));
      });
  if (!status.ok()) return status;
  return Store(args, console, **filter, summary);
}

Status Remove(const MutableArgs& args, const Console& console,
              Summary* summary) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "remove", console, &lock);
  if (status.ok()) status = Open(args, console, CanRemove(), &opened);
  if (!status.ok()) return status;
  auto filter = LoadErasable(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, CanRemove(), filter.status());
  status =
      UseAllKeys(args, "remove", console, [&](const std::vector<Slice>& keys) {
        summary->keys += keys.size();
        for (const Slice key : keys) {
          Status erased = filter->Erase(key);
          if (erased.code() == StatusCode::kNotFound) {
            ++summary->never_added;
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

Status Rotate(const MutableArgs& args, const Console& console,
              Rotation* rotation) {
  std::unique_ptr<FilterFileLock> lock;
  Opened opened;
  Status status = Lock(args, "rotate", console, &lock);
  if (status.ok()) status = Open(args, console, CanRotate(), &opened);
  if (!status.ok()) return status;
  auto filter = LoadRotating(opened.input.file->bytes());
  status = opened.input.file->status();
  if (!status.ok()) return status;
  if (!filter.ok()) return Refusal(args, opened, CanRotate(), filter.status());
  status = filter->Rotate();
  if (!status.ok()) return Named(args, status);
  rotation->generations = filter->generations();
  rotation->rotations = filter->rotations();
  return Store(args, console, **filter, &rotation->summary);
}

}  // namespace

int RunAdd(const MutableArgs& args, const Console& console) {
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

int RunRemove(const MutableArgs& args, const Console& console) {
  Summary summary;
  Status status = CheckUse(args, true, console);
  if (status.ok()) status = Remove(args, console, &summary);
  if (!status.ok()) return Fail(console, "remove", status.message());
  const std::uint64_t removed = summary.keys - summary.never_added;
  if (args.json) {
    Json object = JsonOf(args, summary);
    object["removed"] = removed;
    object["absent"] = summary.never_added;
    Print(object, console);
  } else {
    std::string absent;
    if (summary.never_added > 0) {
      absent =
          fmt::format(", {} certainly not in", Grouped(summary.never_added));
    }
    Note(console, "remove",
         fmt::format("{} {} removed{}; {}", Grouped(removed),
                     Plural(removed, "key", "keys"), absent,
                     StateText(summary)));
  }
  return Finish(console, "remove",
                summary.never_added > 0 ? kExitNegative : kExitOk);
}

int RunRotate(const MutableArgs& args, const Console& console) {
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

}  // namespace tamis::tools
