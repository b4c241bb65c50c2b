// tamis merge: one filter out of several with equal parameters.

#include <sys/stat.h>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "filter_input.h"
#include "filter_output.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

struct Merged {
  std::string bytes;
  FilterInfo info;
  Verdict verdict;
};

// The input that is the same file as `path`, or "".
std::string InputThatIs(const std::string& path,
                        const std::vector<std::string>& inputs) {
  struct stat output;
  if (::stat(path.c_str(), &output) != 0) return "";
  for (const std::string& input : inputs) {
    struct stat info;
    if (::stat(input.c_str(), &info) == 0 && info.st_dev == output.st_dev &&
        info.st_ino == output.st_ino) {
      return input;
    }
  }
  return "";
}

Status Combine(const MergeArgs& args, Merged* merged) {
  std::vector<FilterInput> inputs(args.files.size());
  std::vector<Slice> bytes;
  for (std::size_t i = 0; i < args.files.size(); ++i) {
    Status status = OpenFilterInput(args.files[i], args.format,
                                    Guesses::kRefuse, &inputs[i]);
    if (!status.ok()) return status;
    if (inputs[i].policy->name() != inputs[0].policy->name()) {
      return Status::InvalidArgument(
          fmt::format("{} is {} but {} is {}; only filters of one format can "
                      "be merged",
                      args.files[0], inputs[0].recognised.spec, args.files[i],
                      inputs[i].recognised.spec));
    }
    bytes.push_back(inputs[i].file->bytes());
  }
  const FilterPolicy& policy = *inputs[0].policy;
  Status status = policy.Combine(
      bytes,
      args.intersect ? SetOperation::kIntersection : SetOperation::kUnion,
      &merged->bytes);
  if (!status.ok()) return status;
  auto reader = policy.Open(merged->bytes);
  if (!reader.ok()) return reader.status();
  merged->info = (*reader)->Describe();
  merged->verdict = VerdictOf(merged->info);
  return Status::Ok();
}

std::string ToJson(const MergeArgs& args, const Merged& merged) {
  nlohmann::ordered_json object;
  object["file"] = args.output;
  object["inputs"] = args.files;
  object["operation"] = args.intersect ? "intersection" : "union";
  object["format"] = merged.info.format;
  object["bytes"] = merged.bytes.size();
  object["fill"] = merged.verdict.fill;
  object["false_positive_rate"] = merged.verdict.rate;
  object["verdict"] = merged.verdict.word;
  return object.dump(2, ' ', false,
                     nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace

int RunMerge(const MergeArgs& args, const Console& console) {
  if (args.json && args.output == "-") {
    return Fail(console, "merge",
                "--json and '-o -' both want standard output; name a file");
  }
  if (args.files.size() < 2) {
    return Fail(console, "merge", "needs two filters or more");
  }
  Status status = CheckFilterOutput(console, args.output, args.force);
  if (!status.ok()) return Fail(console, "merge", status.message());
  const std::string replaced = InputThatIs(args.output, args.files);

  Merged merged;
  status = Combine(args, &merged);
  if (status.ok()) {
    status = WriteFilterOutput(console, args.output, merged.bytes, args.force);
  }
  if (!status.ok()) return Fail(console, "merge", status.message());

  if (!replaced.empty()) {
    Note(console, "merge",
         fmt::format("the input {} was replaced by the result", replaced));
  }
  if (args.json) {
    console.out->Write(ToJson(args, merged));
  } else {
    Note(console, "merge",
         fmt::format("{} of {} filters, {}, {} of the bits set, "
                     "expected rate {}",
                     args.intersect ? "intersection" : "union",
                     args.files.size(), SizeText(merged.bytes.size()),
                     Percent(merged.verdict.fill),
                     Percent(merged.verdict.rate)));
  }
  return Finish(console, "merge", kExitOk);
}

void AddMerge(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<MergeArgs>();
  CLI::App* command = app->add_subcommand(
      "merge", "Combine filters of equal parameters into one");
  command->add_option("FILE", args->files, "Filters, two or more")->required();
  command
      ->add_option("-o,--output", args->output,
                   "File to write; '-' is standard output")
      ->required();
  command->add_flag("--intersect", args->intersect,
                    "Keys of all inputs, approximately, instead of any");
  command->add_option("--format", args->format,
                      "Read every FILE in this format");
  command->add_flag("-f,--force", args->force, "Overwrite an existing file");
  command->add_flag("--json", args->json, "Print the summary as JSON");
  command->footer(
      "Example:\n  tamis merge monday.tamis tuesday.tamis -o week.tamis");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunMerge(*args, console); });
}

}  // namespace tamis::tools
