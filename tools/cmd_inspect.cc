// tamis inspect: what a filter file holds, and whether it is well.

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "filter_input.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Report {
  std::string path;
  std::uint64_t bytes = 0;
  RecognisedFormat recognised;
  FilterInfo info;
  Verdict verdict;
  std::string remark;  // why damaged, or why unknown

  bool is_guess() const { return recognised.certainty == Certainty::kGuess; }
  bool is_damaged() const { return verdict.word == "damaged"; }
};

// Ok, and the report is complete; a damaged file has one, too.
Status Inspect(const FilterInputArgs& args, Report* report) {
  FilterInput input;
  Status status = OpenFilterInput(args, &input);
  report->path = InputName(args.path);
  report->recognised = std::move(input.recognised);
  if (input.file.has_value()) report->bytes = input.file->bytes().size();
  if (status.code() == StatusCode::kCorruption) {
    report->verdict.word = "damaged";
    // The path stands in the report already.
    report->remark = status.message().substr(report->path.size() + 2);
    return Status::Ok();
  }
  if (!status.ok()) return status;
  report->info = input.reader->Describe();
  report->verdict = VerdictOf(report->info);
  report->remark = report->info.always_maybe;
  return Status::Ok();
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
  // Beyond 2^63 the estimate has nothing to say in digits.
  const double keys = std::min(std::round(report.verdict.keys), 9e18);
  return fmt::format("about {} (estimated from the fill)",
                     Grouped(static_cast<std::uint64_t>(keys)));
}

void AddLine(std::string* out, std::string_view name, std::string_view value) {
  *out += fmt::format("{:<15}{}\n", fmt::format("{}:", name), value);
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
    AddLine(&out, "k", std::to_string(report.info.probes));
    AddLine(&out, "bits", Grouped(report.info.bits));
    AddLine(&out, "keys", KeysText(report));
    if (report.verdict.bits_per_key > 0) {
      AddLine(&out, "bits per key",
              fmt::format("{:.2f}", report.verdict.bits_per_key));
    }
    AddLine(&out, "fill", Percent(report.verdict.fill));
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
    object["probes"] = report.info.probes;
    object["bits"] = report.info.bits;
    object["set_bits"] = report.info.set_bits;
    object["keys"] = report.verdict.keys;
    object["keys_are_estimated"] = !report.info.keys.has_value();
    if (report.info.keys.has_value()) object["keys"] = *report.info.keys;
    object["bits_per_key"] = report.verdict.bits_per_key;
    object["fill"] = report.verdict.fill;
    object["false_positive_rate"] = report.verdict.rate;
    if (report.info.seed.has_value()) object["seed"] = *report.info.seed;
  }
  object["verdict"] = report.verdict.word;
  if (!report.remark.empty()) object["remark"] = report.remark;
  return object;
}

}  // namespace

int RunInspect(const InspectArgs& args, const Console& console) {
  int code = kExitOk;
  bool first = true;
  Json list = Json::array();
  for (const std::string& path : args.files) {
    Report report;
    Status status = Inspect({.path = path,
                             .format = args.format,
                             .guesses = Guesses::kAccept,
                             .standard_input = console.in},
                            &report);
    if (!status.ok()) {
      console.out->Flush();  // the complaint belongs behind what came before
      code = Fail(console, "inspect", status.message());
      continue;
    }
    if (report.is_damaged() || report.verdict.word == "saturated") {
      code = std::max<int>(code, kExitNegative);
    }
    if (args.json) {
      list.push_back(ToJson(report));
    } else {
      console.out->Write((first ? "" : "\n") + ToText(console, report));
    }
    first = false;
  }
  if (args.json) {
    console.out->Write(
        list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return Finish(console, "inspect", code);
}

void AddInspect(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* command = app->add_subcommand(
      "inspect", "Show what filter files hold and whether they are well");
  command->add_option("FILE", args->files, "Filters; '-' is standard input")
      ->required();
  AddText(command, "--format", &args->format, "Read every FILE in this format");
  command->add_flag("--json", args->json, "Print a JSON array");
  command->footer(
      "Verdicts: ok, saturated, oversized, empty, damaged, unknown.\n"
      "Exit code: 1 if a file is damaged or saturated, 2 if one cannot be\n"
      "read or recognised.\n\nExample:\n  tamis inspect words.tamis");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunInspect(*args, console); });
}

}  // namespace tamis::tools
