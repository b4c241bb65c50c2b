// SPDX-License-Identifier: Apache-2.0
// tamis fold: makes a filter smaller without its keys.

#include <memory>
#include <string>

#include <fmt/core.h>

#include "commands.h"
#include "filter_input.h"
#include "filter_output.h"
#include "json.h"
#include "numbers.h"
#include "tamis/fold.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct Folded {
  std::uint64_t divisor = 1;
  std::uint64_t bytes_before = 0;
  std::string bytes;
  FoldResult result;
};

Status Named(const FoldArgs& args, const Status& status) {
  return Status(status.code(), InputName(args.file) + ": " + status.message());
}

// Returns the given divisor, or the largest that keeps the rate.
Result<std::uint64_t> DivisorFor(const FoldArgs& args, Slice filter) {
  if (!args.divisor.empty()) {
    auto divisor = ParseCount(args.divisor);
    if (divisor.ok() && *divisor > 0) return divisor;
    return Status::InvalidArgument(
        "--divisor: " +
        (divisor.ok() ? "must be at least 1" : divisor.status().message()));
  }
  auto rate = ParseRate(args.fpr);
  if (!rate.ok()) {
    return Status::InvalidArgument("--fpr: " + rate.status().message());
  }
  auto divisor = LargestDivisorFor(filter, *rate);
  if (!divisor.ok()) return Named(args, divisor.status());
  return divisor;
}

Status Fold(const FoldArgs& args, const Console& console, Folded* folded) {
  FilterInput input;
  Status status = OpenFilterInput(
      {.path = args.file, .format = {}, .standard_input = console.in}, &input);
  if (!status.ok()) return status;
  if (input.recognised.spec != "tamis") {
    return Status::InvalidArgument(
        fmt::format("{}: is in {} format; only filters of the tamis format "
                    "can be folded",
                    InputName(args.file), input.recognised.spec));
  }
  const Slice bytes = input.file->bytes();
  folded->bytes_before = bytes.size();
  auto divisor = DivisorFor(args, bytes);
  if (!divisor.ok()) return divisor.status();
  folded->divisor = *divisor;
  auto result = FoldFilter(bytes, *divisor, &folded->bytes);
  if (!result.ok()) return Named(args, result.status());
  folded->result = *result;
  return input.file->status();
}

std::string ToJson(const FoldArgs& args, const Folded& folded) {
  Json object;
  object["file"] = args.output;
  object["input"] = args.file;
  object["divisor"] = folded.divisor;
  object["bytes_before"] = folded.bytes_before;
  object["bytes"] = folded.bytes.size();
  object["false_positive_rate_before"] = folded.result.rate_before;
  object["false_positive_rate"] = folded.result.rate_after;
  return object.Text(2) + "\n";
}

Status CheckUse(const FoldArgs& args, const Console& console) {
  if (args.json && args.output == "-") {
    return Status::InvalidArgument(
        "--json and '-o -' both want standard output; name a file");
  }
  if (args.divisor.empty() == args.fpr.empty()) {
    return Status::InvalidArgument("give one of --divisor and --fpr");
  }
  return CheckFilterOutput(console, args.output, args.force);
}

}  // namespace

int RunFold(const FoldArgs& args, const Console& console) {
  std::unique_ptr<FilterFileLock> lock;
  Folded folded;
  Status status = CheckUse(args, console);
  if (status.ok()) status = LockOutput(console, "fold", args.output, &lock);
  if (status.ok()) status = Fold(args, console, &folded);
  if (!status.ok()) return Fail(console, "fold", status.message());
  if (!args.fpr.empty() && folded.divisor == 1) {
    Note(console, "fold",
         fmt::format(
             "{}: has a rate of {}, and any fold would exceed {}; nothing "
             "was written",
             InputName(args.file), Percent(folded.result.rate_before),
             args.fpr));
    return Finish(console, "fold", kExitNegative);
  }
  status = WriteFilterOutput(console, args.output, folded.bytes, args.force);
  if (!status.ok()) return Fail(console, "fold", status.message());
  if (args.json) {
    console.out->Write(ToJson(args, folded));
  } else {
    Note(console, "fold",
         fmt::format("divided by {}: {} instead of {}, expected rate {} "
                     "instead of {}",
                     Grouped(folded.divisor), SizeText(folded.bytes.size()),
                     SizeText(folded.bytes_before),
                     Percent(folded.result.rate_after),
                     Percent(folded.result.rate_before)));
  }
  return Finish(console, "fold", kExitOk);
}

}  // namespace tamis::tools
