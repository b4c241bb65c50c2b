// SPDX-License-Identifier: Apache-2.0
// tamis dedupe: prints each line once, in memory that does not grow with the
// stream.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "interrupt.h"
#include "json.h"
#include "key_files.h"
#include "numbers.h"
#include "progress.h"
#include "tamis/filter.h"
#include "tamis/policy_settings.h"
#include "text.h"

namespace tamis::tools {
namespace {

struct Counts {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  double expected_losses = 0;  // new lines dropped as if seen before
};

// Passes each line the first time it is seen.
class Sieve {
 public:
  Sieve(const DedupeArgs& args, const Console& console,
        std::uint64_t planned_keys)
      : args_(args), console_(console), planned_keys_(planned_keys) {}

  Status Open() {
    auto policy = Policy();
    if (!policy.ok()) return policy.status();
    policy_ = *std::move(policy);
    estimate_ = policy_->Predict(planned_keys_);
    if (!estimate_.status.ok()) {
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
    if (filter.status().code() == StatusCode::kNotSupported) {
      return Status::InvalidArgument(fmt::format(
          "--policy {}: keys cannot be added to such a filter", args_.policy));
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
      // Lines must not control a terminal; tabs are harmless.
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
  // A new line that is lost has all its bits set already, so the filter is the
  // same as if it had been added: its bits reflect all distinct lines, not only
  // those that passed.
  double RateNow() const {
    const double distinct =
        static_cast<double>(counts_.out) + counts_.expected_losses;
    return policy_->RateAt(planned_keys_, static_cast<std::uint64_t>(distinct));
  }
  const Counts& counts() const { return counts_; }
  const Estimate& estimate() const { return estimate_; }
  // Returns the share of the filter's bits that are set; reads all of them.
  double Fill() const {
    const FilterInfo info = filter_->Describe();
    return static_cast<double>(info.set_bits) / static_cast<double>(info.bits);
  }

 private:
  Result<std::unique_ptr<const FilterPolicy>> Policy() const {
    if (!args_.policy.empty()) {
      auto given = MakePolicy(args_.policy);
      if (given.ok()) return given;
      return Status::InvalidArgument("--policy: " + given.status().message());
    }
    auto rate = ParseRate(args_.fpr);
    if (rate.ok()) return MakePolicy({.name = "fpr", .rate = *rate});
    return Status::InvalidArgument("--fpr: " + rate.status().message());
  }

  // Few enough that the rate hardly changes in between, and not fewer:
  // computing the rate takes as long as some thousand lines.
  static constexpr std::uint64_t kChargedAtOnce = 64;
  static constexpr std::uint64_t kShareChargedAtOnce = 256;

  // For each new line that passed at rate r, r / (1 - r) did not; but never
  // more than were dropped in total.
  void ChargeLosses() {
    const double rate = RateNow();
    if (rate < 1) {
      counts_.expected_losses +=
          static_cast<double>(counts_.out - charged_) * rate / (1 - rate);
    }
    counts_.expected_losses = std::min(
        counts_.expected_losses, static_cast<double>(counts_.in - counts_.out));
    charged_ = counts_.out;
    // If hardly any line passes, many are lost for each that does.
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
  std::uint64_t charged_ = 0;  // lines out for which losses were computed
  std::uint64_t charge_at_ = kChargedAtOnce;  // lines out to do so again
};

Status PassAll(const DedupeArgs& args, const Console& console, Sieve* sieve) {
  const KeyFiles files = {
      .paths = args.files, .syntax = {.nul = args.nul}, .what = "lines"};
  // Lines that scroll by are progress enough.
  Console shown = console;
  shown.err_is_terminal &= !console.out_is_terminal;
  Progress progress(shown);
  const auto pass = [&](const KeyReader& batch) {
    const bool was_beyond = sieve->IsBeyondPlan();
    Status status = sieve->Pass(batch.keys(), files.syntax.terminator());
    if (!status.ok()) return status;
    // The reader is gone, and Finish() reports why.
    if (console.out->error() != 0) return Status::IoError("");
    if (sieve->IsBeyondPlan() && !was_beyond) {
      progress.Clear();
      Warn(console, "dedupe",
           fmt::format("more distinct lines than --keys {}: from here on more "
                       "new lines are lost than {} {} allows",
                       args.keys, args.policy.empty() ? "--fpr" : "--policy",
                       args.policy.empty() ? args.fpr : args.policy));
    }
    return Status::Ok();
  };
  Status status = ReadKeyFiles(files, "dedupe", console, &progress, pass);
  return console.out->error() != 0 ? Status::Ok() : status;
}

std::string ToJson(const Sieve& sieve, std::uint64_t planned_keys) {
  const Counts& counts = sieve.counts();
  Json object;
  object["lines_in"] = counts.in;
  object["lines_out"] = counts.out;
  object["lines_dropped"] = counts.in - counts.out;
  object["planned_keys"] = planned_keys;
  object["false_positive_rate"] = sieve.RateNow();
  object["expected_lost_lines"] = counts.expected_losses;
  object["filter_bits"] = sieve.estimate().bits;
  object["probes"] = sieve.estimate().probes;
  return object.Text() + "\n";
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
  if (console.quiet) return;
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
  if (status.ok()) status = PassAll(args, console, &sieve);
  if (!status.ok() && interrupts.signal() == 0) {
    console.out->Flush();
    return Fail(console, "dedupe", status.message());
  }
  const int code = Finish(console, "dedupe", kExitOk);
  if (code != kExitOk) return code;
  Report(args, console, sieve, *keys);
  return interrupts.signal() == 0 ? kExitOk : kExitSignal + interrupts.signal();
}

}  // namespace tamis::tools
