// SPDX-License-Identifier: Apache-2.0
// tamis rebuild: new filters for the sstables of databases, data untouched.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "json.h"
#include "numbers.h"
#include "progress.h"
#include "sstable_report.h"
#include "tamis/sstable_rebuild.h"
#include "text.h"

namespace tamis::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "rebuild";

// What was done to one directory.
struct Outcome {
  std::string directory;
  Status status;
  RebuildReport report;
  UndoReport undone;
};

std::string_view WordFor(const RebuiltSstable& row) {
  if (!row.why_skipped.empty()) return "skipped";
  if (row.is_copied) return "copied";
  if (row.is_unchanged) return "unchanged";
  return row.after.has_value() ? "rebuilt" : "to be rebuilt";
}

// 0 all was done, 1 refused in whole or in part, 2 wrong use, 3 not readable.
int CodeOf(const Outcome& outcome) {
  switch (outcome.status.code()) {
    case StatusCode::kOk:
      break;
    case StatusCode::kInvalidArgument:
      return kExitError;
    case StatusCode::kNotSupported:
    case StatusCode::kAlreadyExists:
    case StatusCode::kResourceExhausted:
      return kExitNegative;
    default:
      return kExitUnreadable;
  }
  const auto& rows = outcome.report.sstables;
  const bool has_skipped = std::any_of(
      rows.begin(), rows.end(),
      [](const RebuiltSstable& row) { return !row.why_skipped.empty(); });
  return has_skipped ? kExitNegative : kExitOk;
}

// ---- text ----

std::string RateText(const SstableInfo& info) {
  return info.filter.kind.empty() ? "-" : Percent(info.filter.rate);
}

std::string RowsText(const RebuildReport& report) {
  Table table({"file", "new file", "keys", "bytes", "new bytes", "rate",
               "new rate", "result"});
  std::string remarks;
  for (const RebuiltSstable& row : report.sstables) {
    const std::string name = FileNameOf(row.before.path);
    table.AddRow(
        {Printable(name), row.new_file.empty() ? "-" : Printable(row.new_file),
         row.keys == 0 ? "-" : Grouped(row.keys),
         Grouped(row.before.filter.bytes),
         row.after.has_value() ? Grouped(row.after->filter.bytes) : "-",
         RateText(row.before),
         row.after.has_value() ? RateText(*row.after) : "-",
         std::string(WordFor(row))});
    if (row.why_skipped.empty()) continue;
    remarks += fmt::format("{}: skipped, because {}\n", Printable(name),
                           Printable(row.why_skipped));
  }
  return table.ToString() + remarks;
}

std::string Conclusion(const Outcome& outcome, bool is_dry) {
  const RebuildReport& report = outcome.report;
  std::size_t rebuilt = 0;
  for (const RebuiltSstable& row : report.sstables) {
    rebuilt += row.after.has_value() ? 1u : 0u;
  }
  std::string text;
  if (is_dry) {
    text = fmt::format("nothing was written; it may take {}\n",
                       HumanBytes(report.bytes_to_write));
  } else {
    text = fmt::format("{} {} rebuilt, and each admits every key\n", rebuilt,
                       Plural(rebuilt, "filter was", "filters were"));
  }
  if (!report.kept_in.empty()) {
    text += fmt::format(
        "the old files are in {}: remove it when all is well, or bring them "
        "back by tamis rebuild --undo\n",
        Printable(report.kept_in));
  }
  return text;
}

std::string ToText(const Outcome& outcome, bool is_dry) {
  std::string text = Printable(outcome.directory) + ":\n";
  if (outcome.report.sstables.empty()) {
    return text + "no filter needs to be rebuilt\n";
  }
  return text + RowsText(outcome.report) + Conclusion(outcome, is_dry);
}

std::string UndoText(const Outcome& outcome) {
  return fmt::format(
      "{}: {} {} back\n", Printable(outcome.directory),
      Grouped(outcome.undone.files.size()),
      Plural(outcome.undone.files.size(), "old file is", "old files are"));
}

// ---- values with commas ----

std::string CsvHeader() {
  return CsvLine({"file", "new_file", "result", "keys", "filter_bytes",
                  "new_filter_bytes", "expected_rate", "new_expected_rate",
                  "verdict", "why_skipped"});
}

std::string ToCsv(const RebuildReport& report) {
  const auto rate = [](const SstableInfo& info) {
    return info.filter.kind.empty() ? "" : fmt::format("{}", info.filter.rate);
  };
  std::string out;
  for (const RebuiltSstable& row : report.sstables) {
    const bool is_new = row.after.has_value();
    out += CsvLine({row.before.path, row.new_file, std::string(WordFor(row)),
                    fmt::format("{}", row.keys),
                    fmt::format("{}", row.before.filter.bytes),
                    is_new ? fmt::format("{}", row.after->filter.bytes) : "",
                    rate(row.before), is_new ? rate(*row.after) : "",
                    std::string(NameOfVerdict(row.before.verdict)),
                    row.why_skipped});
  }
  return out;
}

// ---- JSON ----

Json LineOf(std::string_view type, const Outcome& outcome) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = type;
  object["directory"] = outcome.directory;
  return object;
}

std::string ToJsonLines(const Outcome& outcome) {
  std::string out;
  for (const RebuiltSstable& row : outcome.report.sstables) {
    Json object = LineOf("rebuild", outcome);
    object["result"] = WordFor(row);
    object["keys"] = row.keys;
    if (!row.new_file.empty()) object["new_file"] = row.new_file;
    if (!row.why_skipped.empty()) object["why_skipped"] = row.why_skipped;
    object["before"] = ToJson(row.before);
    if (row.after.has_value()) object["after"] = ToJson(*row.after);
    out += object.Text() + "\n";
  }
  Json summary = LineOf(outcome.status.ok() ? "directory" : "problem", outcome);
  if (!outcome.status.ok()) {
    summary["problem"] = outcome.status.message();
  } else {
    summary["engine"] = outcome.report.engine;
    summary["bytes_to_write"] = outcome.report.bytes_to_write;
    summary["kept_in"] = outcome.report.kept_in;
    summary["files_back"] = outcome.undone.files;
    std::vector<std::string> notes = outcome.report.notes;
    notes.insert(notes.end(), outcome.undone.notes.begin(),
                 outcome.undone.notes.end());
    summary["notes"] = notes;
  }
  return out + summary.Text() + "\n";
}

// ---- directories ----

// True: below `root` it is a copy that the engine made.
bool IsEngineCopy(const fs::path& root, const fs::path& directory) {
  for (const fs::path& part : directory.lexically_relative(root)) {
    if (part == "snapshots" || part == "backups") return true;
  }
  return false;
}

// With files under `path`, by directory.
Status FindDirectories(const std::string& path,
                       std::vector<std::string>* directories,
                       std::uint64_t* bytes) {
  const Result<SstableListing> listing = FindSstables(path);
  if (!listing.ok()) return listing.status();
  std::set<std::string> seen;
  for (const FoundSstable& found : listing->sstables) {
    const std::string directory = DirectoryOf(found.path);
    if (found.engine.empty() || IsEngineCopy(path, directory)) continue;
    *bytes += found.bytes;
    if (seen.insert(directory).second) directories->push_back(directory);
  }
  return Status::Ok();
}

// Those that keep old files.
Status FindKept(const std::string& path,
                std::vector<std::string>* directories) {
  std::error_code error;
  fs::path start(path);
  if (!fs::is_directory(start, error)) start = DirectoryOf(path);
  if (fs::is_directory(start / kRebuildDirectory, error)) {
    directories->push_back(start.string());
  }
  fs::recursive_directory_iterator below(start, error);
  if (error) return Status::IoError(path + ": " + error.message());
  for (; !error && below != fs::recursive_directory_iterator();
       below.increment(error)) {
    std::error_code ignored;
    if (below->path().parent_path() == start || !below->is_directory(ignored) ||
        below->path().filename() != kRebuildDirectory) {
      continue;
    }
    directories->push_back(below->path().parent_path().string());
  }
  if (error) return Status::IoError(path + ": " + error.message());
  if (!directories->empty()) return Status::Ok();
  return Status::NotFound(path + ": no old files of a rebuild are kept there");
}

// ---- the command ----

Status ParseChoice(const RebuildArgs& args, RebuildOptions* options) {
  if (!args.fpr.empty()) {
    const Result<double> rate = ParseRate(args.fpr);
    if (!rate.ok())
      return rate.status().WithMessage("--fpr: " + rate.status().message());
    options->choice.rate = *rate;
  }
  if (!args.bits.empty()) {
    const Result<double> bits = ParsePositive(args.bits);
    if (!bits.ok())
      return bits.status().WithMessage("--bits: " + bits.status().message());
    options->choice.bits_per_key = *bits;
  }
  options->choice.kind = args.kind;
  for (const std::string& name : args.only) {
    options->only.push_back(*VerdictNamed(name));
  }
  const int ways = (args.in_place ? 1 : 0) + (args.out.empty() ? 0 : 1);
  if (args.undo || args.dry_run || ways == 1) return Status::Ok();
  return Status::InvalidArgument(
      "say where the new files go: --in-place, or --out DIRECTORY; --dry-run "
      "shows what would be done");
}

// Where the files of a directory below `path` go.
std::string OutFor(const RebuildArgs& args, const std::string& directory) {
  if (args.out.empty()) return "";
  std::error_code error;
  const fs::path relative = fs::path(directory).lexically_relative(args.path);
  fs::path out(args.out);
  if (fs::is_directory(args.path, error) && relative != ".") out /= relative;
  fs::create_directories(out.parent_path(), error);
  return out.string();
}

Outcome RebuildOne(const RebuildArgs& args, const std::string& directory,
                   RebuildOptions options) {
  Outcome outcome;
  outcome.directory = directory;
  options.dry_run = args.dry_run;
  if (!args.dry_run) options.out_directory = OutFor(args, directory);
  std::error_code error;
  if (!fs::is_directory(args.path, error)) {
    options.files = {FileNameOf(args.path)};
  }
  Result<RebuildReport> report = RebuildFilters(directory, options);
  outcome.status = report.status();
  if (report.ok()) outcome.report = *std::move(report);
  return outcome;
}

Outcome UndoOne(const std::string& directory) {
  Outcome outcome;
  outcome.directory = directory;
  Result<UndoReport> undone = UndoRebuild(directory);
  outcome.status = undone.status();
  if (undone.ok()) outcome.undone = *std::move(undone);
  return outcome;
}

void Show(const RebuildArgs& args, const Console& console,
          const Outcome& outcome) {
  for (const std::string& note : outcome.report.notes) {
    Note(console, kName, note);
  }
  for (const std::string& note : outcome.undone.notes) {
    Warn(console, kName, note);
  }
  if (args.json) {
    console.out->Write(ToJsonLines(outcome));
  } else if (args.csv) {
    console.out->Write(ToCsv(outcome.report));
  } else if (outcome.status.ok()) {
    console.out->Write(args.undo ? UndoText(outcome)
                                 : ToText(outcome, args.dry_run));
  }
  console.out->Flush();
  if (!outcome.status.ok()) Warn(console, kName, outcome.status.message());
}

}  // namespace

int RunRebuild(const RebuildArgs& given, const Console& console) {
  RebuildArgs args = given;
  while (args.path.size() > 1 && args.path.ends_with('/')) args.path.pop_back();
  RebuildOptions options;
  if (Status parsed = ParseChoice(args, &options); !parsed.ok()) {
    return Fail(console, kName, parsed.message());
  }
  std::vector<std::string> directories;
  std::uint64_t total = 0;
  const Status found = args.undo
                           ? FindKept(args.path, &directories)
                           : FindDirectories(args.path, &directories, &total);
  if (!found.ok()) {
    Fail(console, kName, found.message());
    return found.code() == StatusCode::kInvalidArgument ? kExitError
                                                        : kExitUnreadable;
  }
  if (directories.empty()) {
    Fail(console, kName, args.path + ": it has no sstables");
    return kExitUnreadable;
  }
  Progress progress(console, total);
  std::uint64_t done = 0;
  options.on_progress = [&](std::uint64_t bytes) {
    done += bytes;
    progress.Update(0, done);
  };
  if (args.csv) console.out->Write(CsvHeader());
  int code = kExitOk;
  for (const std::string& directory : directories) {
    const Outcome outcome =
        args.undo ? UndoOne(directory) : RebuildOne(args, directory, options);
    progress.Clear();
    Show(args, console, outcome);
    code = std::max(code, CodeOf(outcome));
  }
  return Finish(console, kName, code);
}

}  // namespace tamis::tools
