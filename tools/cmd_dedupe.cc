// tamis dedupe: each line once, in memory that does not grow with the stream.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "interrupt.h"
#include "json_text.h"
#include "numbers.h"
#include "progress.h"
#include "tamis/filter.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct Counts {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  double expected_losses = 0;  // new lines dropped as if seen before
};

// Lets each line through at its first sighting.
class Sieve {
 public:
  Sieve(const DedupeArgs& args, const Console& console,
        std::uint64_t planned_keys)
      : args_(args), console_(console), planned_keys_(planned_keys) {}

  Status Open() {
    auto rate = ParseRate(args_.fpr);
    if (!rate.ok()) {
      return Status::InvalidArgument("--fpr: " + rate.status().message());
    }
    auto policy = MakePolicy(fmt::format("fpr:{}", *rate));
    if (!policy.ok()) return policy.status();
    policy_ = *std::move(policy);
    estimate_ = policy_->Predict(planned_keys_);
    if (!CheckEstimate(estimate_).ok()) {
      return Status::InvalidArgument(
          fmt::format("no filter can be large enough for {} lines; use a "
                      "smaller --keys or a larger --fpr",
                      Grouped(planned_keys_)));
    }
    auto filter = policy_->NewMutable(planned_keys_);
    if (filter.status().code() == StatusCode::kResourceExhausted) {
      return Status::ResourceExhausted(
          fmt::format("not enough memory for a filter of {}; use a smaller "
                      "--keys or a larger --fpr",
                      SizeText(estimate_.bytes)));
    }
    if (!filter.ok()) return filter.status();
    filter_ = *std::move(filter);
    return Status::Ok();
  }

  // Writes those lines that are new.
  Status Pass(const std::vector<Slice>& lines, char terminator) {
    counts_.in += lines.size();
    for (const Slice line : lines) {
      if (filter_->MayContain(line)) continue;
      Status status = filter_->Insert(line);
      if (!status.ok()) return status;
      // Lines must not steer a terminal; tabs only move in it.
      if (console_.out_is_terminal) {
        console_.out->Write(PrintableLine(line));
      } else {
        console_.out->Write(line);
      }
      console_.out->Write(terminator);
      ++counts_.out;
      if (counts_.out == charge_at_) ChargeLosses();
    }
    ChargeLosses();
    return Status::Ok();
  }

  bool IsBeyondPlan() const { return counts_.out > planned_keys_; }
  // A new line that is lost finds all its bits set, so the filter is as if it
  // had been added: its bits tell of all distinct lines, not of those out.
  double RateNow() const {
    const double distinct =
        static_cast<double>(counts_.out) + counts_.expected_losses;
    return policy_->RateAt(planned_keys_, static_cast<std::uint64_t>(distinct));
  }
  const Counts& counts() const { return counts_; }
  const Estimate& estimate() const { return estimate_; }
  // Share of the filter's bits that are set; looks at all of them.
  double Fill() const {
    const FilterInfo info = filter_->Describe();
    return static_cast<double>(info.set_bits) / static_cast<double>(info.bits);
  }

 private:
  // Few enough that the rate hardly moves between them, and not more often
  // than that: to know the rate takes as long as some thousand lines.
  static constexpr std::uint64_t kChargedAtOnce = 64;
  static constexpr std::uint64_t kShareChargedAtOnce = 256;

  // For each new line that passed at rate r, r / (1 - r) did not; yet never
  // more than were dropped at all.
  void ChargeLosses() {
    const double rate = RateNow();
    if (rate < 1) {
      counts_.expected_losses +=
          static_cast<double>(counts_.out - charged_) * rate / (1 - rate);
    }
    counts_.expected_losses = std::min(
        counts_.expected_losses, static_cast<double>(counts_.in - counts_.out));
    charged_ = counts_.out;
    // Where hardly any line passes, many are lost for each that does.
    const double step =
        (1 - rate) * static_cast<double>(std::max(
                         kChargedAtOnce, charged_ / kShareChargedAtOnce));
    charge_at_ =
        charged_ + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(step));
  }

  const DedupeArgs& args_;
  const Console& console_;
  const std::uint64_t planned_keys_;
  std::unique_ptr<const FilterPolicy> policy_;
  std::unique_ptr<MutableFilter> filter_;
  Estimate estimate_;
  Counts counts_;
  std::uint64_t charged_ = 0;  // lines out that losses were reckoned for
  std::uint64_t charge_at_ = kChargedAtOnce;  // lines out to do so again
};

Status PassFile(const std::string& path, const DedupeArgs& args,
                const Console& console, Sieve* sieve) {
  auto source = FileSource::Open(path, console.in);
  if (!source.ok()) return source.status();
  if (path == "-" && console.in_is_terminal) {
    Note(console, "dedupe",
         "reading lines from the terminal; Ctrl-D on an empty line ends them");
  }
  // Lines that scroll by are progress enough.
  Console quiet = console;
  quiet.err_is_terminal &= !console.out_is_terminal && !args.quiet;
  Progress progress(quiet, (*source)->total_bytes());
  (*source)->FlushBeforeWaiting(console.out);
  const KeySyntax syntax = {.nul = args.nul};
  KeyReader reader(source.value().get(), syntax);
  std::uint64_t lines = 0;
  for (;;) {
    Status status = reader.Next();
    if (!status.ok()) return status;
    if (reader.keys().empty()) return Status::Ok();
    const bool was_beyond = sieve->IsBeyondPlan();
    status = sieve->Pass(reader.keys(), syntax.terminator());
    if (!status.ok()) return status;
    if (console.out->error() != 0) return Status::Ok();  // Finish() tells
    if (sieve->IsBeyondPlan() && !was_beyond) {
      progress.Clear();
      Note(console, "dedupe",
           fmt::format("more distinct lines than --keys {}: from here on more "
                       "new lines are lost than --fpr {} allows",
                       args.keys, args.fpr));
    }
    lines += reader.keys().size();
    progress.Update(lines, reader.bytes_read());
  }
}

std::string ToJson(const Sieve& sieve, std::uint64_t planned_keys) {
  const Counts& counts = sieve.counts();
  nlohmann::ordered_json object;
  object["lines_in"] = counts.in;
  object["lines_out"] = counts.out;
  object["lines_dropped"] = counts.in - counts.out;
  object["planned_keys"] = planned_keys;
  object["false_positive_rate"] = sieve.RateNow();
  object["expected_lost_lines"] = counts.expected_losses;
  object["filter_bits"] = sieve.estimate().bits;
  object["probes"] = sieve.estimate().probes;
  return JsonText(object) + "\n";
}

// "3", "about 3", "fewer than 1": a number of lines that is only expected.
std::string ExpectedLines(double lines) {
  if (lines < 0.5) return "fewer than 1";
  return "about " + Grouped(static_cast<std::uint64_t>(std::round(lines)));
}

void Report(const DedupeArgs& args, const Console& console, const Sieve& sieve,
            std::uint64_t planned_keys) {
  if (args.json) {
    console.err->Write(ToJson(sieve, planned_keys));
    return;
  }
  if (args.quiet) return;
  const Counts& counts = sieve.counts();
  const std::uint64_t dropped = counts.in - counts.out;
  Note(console, "dedupe",
       fmt::format("{} {} in, {} out, {} dropped{} (planned: {} lines at rate "
                   "{})",
                   Grouped(counts.in), Plural(counts.in, "line", "lines"),
                   Grouped(counts.out), Grouped(dropped),
                   dropped == 0 ? ""
                                : "; " + ExpectedLines(counts.expected_losses) +
                                      " of them expected to be new",
                   Grouped(planned_keys),
                   Percent(sieve.estimate().false_positive_rate)));
  if (sieve.IsBeyondPlan()) {
    Note(console, "dedupe",
         fmt::format("the rate climbed to {}, for more lines passed than were "
                     "planned; use a larger --keys",
                     Percent(sieve.RateNow())));
  }
  if (args.stats) {
    Note(console, "dedupe",
         fmt::format("filter: {}, k {}, {} of the bits set",
                     HumanBytes(sieve.estimate().bytes),
                     sieve.estimate().probes, Percent(sieve.Fill())));
  }
}

}  // namespace

int RunDedupe(const DedupeArgs& args, const Console& console) {
  auto keys = ParseCount(args.keys);
  if (!keys.ok()) {
    return Fail(console, "dedupe", "--keys: " + keys.status().message());
  }
  if (*keys == 0) return Fail(console, "dedupe", "--keys must be at least 1");
  InterruptsEndInput interrupts;
  Sieve sieve(args, console, *keys);
  Status status = sieve.Open();
  const std::vector<std::string> standard_input = {"-"};
  for (const std::string& path :
       args.files.empty() ? standard_input : args.files) {
    if (!status.ok() || interrupts.signal() != 0) break;
    status = PassFile(path, args, console, &sieve);
  }
  if (!status.ok() && interrupts.signal() == 0) {
    console.out->Flush();
    return Fail(console, "dedupe", status.message());
  }
  const int code = Finish(console, "dedupe", kExitOk);
  if (code != kExitOk) return code;
  Report(args, console, sieve, *keys);
  return interrupts.signal() == 0 ? kExitOk : kExitSignal + interrupts.signal();
}

void AddDedupe(CLI::App* app, const Console& console, int* exit_code) {
  auto args = std::make_shared<DedupeArgs>();
  CLI::App* command = app->add_subcommand(
      "dedupe", "Pass each line on at its first sighting only");
  command->add_option("FILE", args->files,
                      "Files of lines; '-' or nothing is standard input");
  AddText(command, "--keys", &args->keys,
          "Distinct lines to plan for (default 1,000,000)");
  AddText(command, "--fpr", &args->fpr,
          "Share of new lines that may be lost (default 0.001)");
  command->add_flag("-0,--null", args->nul,
                    "Lines end in a NUL byte instead of a newline");
  auto* quiet =
      command->add_flag("-q,--quiet", args->quiet, "No count at the end");
  command->add_flag("--stats", args->stats, "Tell about the filter, too")
      ->excludes(quiet);
  command->add_flag("--json", args->json,
                    "The count at the end as JSON, on standard error");
  command->footer(
      "A line that looks as if seen before is dropped; so are a few new ones,\n"
      "at the rate --fpr.\n\nExample:\n"
      "  tail -f urls.log | tamis dedupe --keys 10M > new-urls.txt");
  command->callback(
      [args, &console, exit_code] { *exit_code = RunDedupe(*args, console); });
}

}  // namespace tamis::tools
