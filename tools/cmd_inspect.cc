// SPDX-License-Identifier: Apache-2.0
// tamis inspect: describes a filter file, and whether it is intact.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_input.h"
#include "json.h"
#include "parquet_listing.h"
#include "sstable_report.h"
#include "sstable_text.h"
#include "tamis/formats.h"
#include "tamis/mutable_filter.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

struct Report {
  std::string path;
  std::uint64_t bytes = 0;
  RecognisedFormat recognised;
  FilterInfo info;
  Verdict verdict;
  std::string remark;  // why damaged, or why unknown
  // Of a rotating filter; 0 for all others.
  unsigned generations = 0;
  std::uint64_t rotations = 0;

  bool is_guess() const { return recognised.certainty == Certainty::kGuess; }
  bool is_damaged() const { return verdict.word == "damaged"; }
};

// Ok, and the report is complete; a damaged file has one, too.
// `input` is what OpenFilterInput() made of the file, with this `status`.
Status Inspect(const FilterInputArgs& args, const Status& status,
               FilterInput input, Report* report) {
  report->path = InputName(args.path);
  report->recognised = std::move(input.recognised);
  if (input.file.has_value()) report->bytes = input.file->bytes().size();
  if (status.code() == StatusCode::kCorruption) {
    report->verdict.word = "damaged";
    // The report already has the path.
    report->remark = input.damage.message();
    return Status::Ok();
  }
  if (!status.ok()) return status;
  report->info = input.reader->Describe();
  report->verdict = VerdictOf(report->info);
  report->remark = report->info.always_maybe;
  const KindEntry* kind = FindKind(report->info.kind);
  if (kind != nullptr && kind->expires) {
    if (auto filter = LoadRotating(input.file->bytes()); filter.ok()) {
      report->generations = filter->generations();
      report->rotations = filter->rotations();
    }
  }
  return input.file->status();
}

std::string FormatText(const Report& report) {
  const RecognisedFormat& found = report.recognised;
  const std::string& name =
      report.info.format.empty() ? found.spec : report.info.format;
  if (!report.is_guess()) return fmt::format("{} ({})", name, found.reason);
  std::string text = fmt::format("{} (a guess: {}", name, found.reason);
  if (!found.alternatives.empty()) text += "; it may as well be ";
  for (std::size_t i = 0; i < found.alternatives.size(); ++i) {
    text += (i > 0 ? ", " : "") + found.alternatives[i];
  }
  return text + ")";
}

std::string VerdictText(const Console& console, const Report& report) {
  const std::string_view word = report.verdict.word;
  Colour colour = Colour::kYellow;
  if (word == "ok" && !report.is_guess()) colour = Colour::kGreen;
  if (word == "damaged" || word == "saturated") colour = Colour::kRed;
  std::string text = Painted(console, colour, word);
  if (report.is_guess()) text += ", if it is " + report.recognised.spec;
  if (!report.remark.empty()) text += ": " + report.remark;
  return text;
}

std::string KeysText(const Report& report) {
  if (report.info.keys.has_value()) {
    return Grouped(*report.info.keys) + " (stored)";
  }
  // Beyond 2^63 the estimate has no meaningful digits.
  if (report.verdict.keys <= 0) return "unknown";
  const double keys = std::min(std::round(report.verdict.keys), 9e18);
  return fmt::format("about {} (estimated from the fill)",
                     Grouped(static_cast<std::uint64_t>(keys)));
}

void AddLine(std::string* out, std::string_view name, std::string_view value) {
  *out += fmt::format("{:<15}{}\n", fmt::format("{}:", name), value);
}

std::string FillText(const Report& report) {
  std::string_view of;
  const KindEntry* kind = FindKind(report.info.kind);
  const KindStorage storage =
      kind == nullptr ? KindStorage::kBits : kind->storage;
  if (storage == KindStorage::kCounters) of = " of the counters";
  if (storage == KindStorage::kSlots) of = " of the slots";
  return fmt::format("{}{}", Percent(report.verdict.fill), of);
}

// Adds lines about the bits of a filter that has some and can be queried.
void AddBitLines(const Report& report, std::string* out) {
  const FilterInfo& info = report.info;
  const KindEntry* kind = FindKind(info.kind);
  const bool in_bits = kind != nullptr && kind->storage == KindStorage::kSlots;
  AddLine(out, ProbesNameOf(info).text,
          fmt::format("{}{}", info.probes, in_bits ? " bits" : ""));
  AddLine(out, "bits", Grouped(info.bits));
  AddLine(out, "keys", KeysText(report));
  if (report.verdict.bits_per_key > 0) {
    AddLine(out, "bits per key",
            fmt::format("{:.2f}", report.verdict.bits_per_key));
  }
  if (!IsSolution(info)) AddLine(out, "fill", FillText(report));
  if (report.generations > 0) {
    AddLine(out, "generations",
            fmt::format("{}, rotated {} {}", report.generations,
                        Grouped(report.rotations),
                        Plural(report.rotations, "time", "times")));
  }
}

std::string ToText(const Console& console, const Report& report) {
  std::string out;
  AddLine(&out, "file", Printable(report.path));
  AddLine(&out, "format", FormatText(report));
  AddLine(&out, "size", SizeText(report.bytes));
  if (!report.is_damaged()) {
    AddLine(&out, "kind", report.info.kind);
    if (!report.info.hash.empty()) AddLine(&out, "hash", report.info.hash);
  }
  if (report.info.bits > 0 && report.info.always_maybe.empty()) {
    AddBitLines(report, &out);
  }
  if (!report.info.prefixes.empty()) {
    AddLine(&out, "prefixes", Printable(report.info.prefixes));
  }
  if (report.info.seed.has_value()) {
    AddLine(&out, "seed", std::to_string(*report.info.seed));
  }
  if (!report.is_damaged()) {
    AddLine(&out, "expected rate", Percent(report.verdict.rate));
  }
  AddLine(&out, "verdict", VerdictText(console, report));
  return out;
}

Json ToJson(const Report& report) {
  Json object;
  object["file"] = report.path;
  object["format"] =
      report.info.format.empty() ? report.recognised.spec : report.info.format;
  object["certain"] = !report.is_guess();
  object["recognised_by"] = report.recognised.reason;
  if (report.is_guess()) {
    object["alternatives"] = report.recognised.alternatives;
  }
  object["bytes"] = report.bytes;
  if (!report.is_damaged()) {
    object["kind"] = report.info.kind;
    object["hash"] = report.info.hash;
    object[std::string(ProbesNameOf(report.info).json)] = report.info.probes;
    object["bits"] = report.info.bits;
    object["set_bits"] = report.info.set_bits;
    object["keys"] = report.verdict.keys;
    object["keys_are_estimated"] = !report.info.keys.has_value();
    if (report.info.keys.has_value()) object["keys"] = *report.info.keys;
    object["bits_per_key"] = report.verdict.bits_per_key;
    if (!IsSolution(report.info)) object["fill"] = report.verdict.fill;
    if (report.generations > 0) {
      object["generations"] = report.generations;
      object["rotations"] = report.rotations;
    }
    object["false_positive_rate"] = report.verdict.rate;
    if (report.info.seed.has_value()) object["seed"] = *report.info.seed;
    if (!report.info.prefixes.empty()) {
      object["prefixes"] = report.info.prefixes;
    }
  }
  object["verdict"] = report.verdict.word;
  if (!report.remark.empty()) object["remark"] = report.remark;
  return object;
}

// The output for one file, and its exit code.
struct Said {
  Json json;
  std::string text;
  int code = kExitOk;
};

// Tables of engines, and directories of them.
bool HoldsSstables(const FilterInputArgs& args) {
  std::error_code error;
  return args.format.empty() && args.path != "-" &&
         (args.path.ends_with(".ldb") || args.path.ends_with(".sst") ||
          std::filesystem::is_directory(args.path, error));
}

Status SayWhatSstablesHold(const std::string& path, Said* said) {
  ScanReport report;
  std::vector<FoundSstable> found;
  Status status = FindAll({path}, &found, &report);
  if (status.ok()) status = ScanAll(found, 1, &report);
  if (!status.ok()) return status;
  AddTotals(&report);
  said->json = Json::Array();
  for (const SstableInfo& info : report.sstables)
    said->json.Add(tools::ToJson(info));
  said->text = ScanText(report);
  for (const std::string& problem : report.problems) {
    said->text += Printable(problem) + "\n";
  }
  const int code = ExitCodeOf(report);
  said->code = code == kExitUnreadable ? kExitError : code;
  return Status::Ok();
}

Status SayWhatIsIn(const FilterInputArgs& args, const Console& console,
                   Said* said) {
  if (HoldsSstables(args)) return SayWhatSstablesHold(args.path, said);
  FilterInput input;
  const Status status = OpenFilterInput(args, &input);
  bool is_bad = false;
  if (input.file.has_value() && HoldsFilters(args, input.file->bytes())) {
    ParquetListing listing;
    Status listed =
        ListParquet(InputName(args.path), input.file->bytes(), &listing);
    if (Status read = input.file->status(); !read.ok()) return read;
    if (!listed.ok()) return listed;
    said->json = ToJson(listing);
    said->text = ToText(listing);
    is_bad = listing.is_bad();
  } else {
    Report report;
    Status inspected = Inspect(args, status, std::move(input), &report);
    if (!inspected.ok()) return inspected;
    said->json = ToJson(report);
    said->text = ToText(console, report);
    is_bad = report.is_damaged() || report.verdict.word == "saturated";
  }
  said->code = is_bad ? kExitNegative : kExitOk;
  return Status::Ok();
}

}  // namespace

int RunInspect(const InspectArgs& args, const Console& console) {
  int code = kExitOk;
  bool first = true;
  Json list = Json::Array();
  for (const std::string& path : args.files) {
    Said said;
    Status status = SayWhatIsIn({.path = path,
                                 .format = args.format,
                                 .guesses = Guesses::kAccept,
                                 .standard_input = console.in},
                                console, &said);
    if (!status.ok()) {
      console.out->Flush();  // the error belongs after the output so far
      code = Fail(console, "inspect", status.message());
      continue;
    }
    code = std::max(code, said.code);
    if (args.json) {
      list.Add(std::move(said.json));
    } else {
      console.out->Write((first ? "" : "\n") + said.text);
    }
    first = false;
  }
  if (args.json) {
    console.out->Write(list.Text(2) + "\n");
  }
  return Finish(console, "inspect", code);
}

}  // namespace tamis::tools
