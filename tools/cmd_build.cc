// SPDX-License-Identifier: Apache-2.0
// tamis build: keys in, one filter out.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "build_options.h"
#include "build_parts.h"
#include "commands.h"
#include "filter_output.h"
#include "json.h"
#include "key_files.h"
#include "numbers.h"
#include "progress.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

// What to build with.
struct Recipe {
  std::unique_ptr<const FilterPolicy> policy;
  BuildOptions options;
  std::uint64_t planned_keys = 0;  // 0: the actual number
  double planned_rate = 0;         // with that many
};

// What was built, for the last line.
struct Summary {
  std::uint64_t lines = 0;  // of the input, one key on each
  std::uint64_t keys = 0;   // distinct
  std::uint64_t bytes = 0;
  FilterInfo info;
  double rate_by_keys = 0;

  double bits_per_key() const {
    return keys == 0
               ? 0
               : static_cast<double>(info.bits) / static_cast<double>(keys);
  }
  // The worse of two estimates: from the keys; and from the bits set, though
  // filters with correlated probes (LevelDB's) have a higher rate than these
  // suggest.
  double rate() const { return std::max(rate_by_keys, VerdictOf(info).rate); }
};

// A mutable filter that is filled instead of built: for kinds whose size does
// not follow from the plan.  Such a filter mistakes new keys that are false
// positives for repeats, so the keys are counted by a small one that is built
// beside it.
class FillingBuilder final : public FilterBuilder {
 public:
  FillingBuilder(std::unique_ptr<MutableFilter> filter,
                 std::unique_ptr<const FilterPolicy> counting)
      : filter_(std::move(filter)),
        counting_(std::move(counting)),
        counter_(counting_->NewBuilder()) {}

  void Add(Slice key) override { AddMany({&key, 1}); }
  void AddMany(std::span<const Slice> keys) override {
    if (status_.ok()) status_ = filter_->InsertMany(keys);
    counter_->AddMany(keys);
  }
  Status Finish(std::string* dst) override {
    std::string ignored;
    if (status_.ok()) status_ = counter_->Finish(&ignored);
    return status_.ok() ? filter_->Save(dst) : status_;
  }
  std::optional<std::uint64_t> counted_keys() const override {
    return counter_->counted_keys();
  }

 private:
  std::unique_ptr<MutableFilter> filter_;
  Status status_;
  std::unique_ptr<const FilterPolicy> counting_;
  std::unique_ptr<FilterBuilder> counter_;
};

// Returns whether the kind keeps its rate beyond the planned keys.
bool KeepsItsRate(const BuildArgs& args) {
  const KindEntry* kind = FindKind(args.filter.kind);
  return kind != nullptr && kind->unbounded;
}

// Fixes the size to that of a filter of so many keys.
Status FixSize(const BuildArgs& args, const FilterArgs& filter,
               Recipe* recipe) {
  auto keys = CountOf("--plan-keys", args.plan_keys);
  if (!keys.ok()) return keys.status();
  const Estimate size = recipe->policy->Predict(*keys);
  Status status = size.status;
  if (!status.ok()) return status;
  recipe->planned_keys = *keys;
  recipe->planned_rate = size.false_positive_rate;
  if (KeepsItsRate(args)) return Status::Ok();
  auto settings = FixedSettings(filter, size);
  if (!settings.ok()) return settings.status();
  auto fixed = MakePolicy(*settings);
  if (!fixed.ok()) return fixed.status();
  recipe->policy = *std::move(fixed);
  return Status::Ok();
}

Status MakeRecipe(const BuildArgs& args, Recipe* recipe) {
  auto filter = Sorted(args.filter);
  if (!filter.ok()) return filter.status();
  auto settings = SettingsFrom(*filter);
  if (!settings.ok()) return settings.status();
  auto policy = MakePolicy(*settings);
  if (!policy.ok()) return policy.status();
  recipe->policy = *std::move(policy);
  Status status = ReadBuildOptions(args, &recipe->options);
  if (!status.ok() || args.plan_keys.empty()) return status;
  return FixSize(args, *filter, recipe);
}

// REQUIRES: the recipe outlives it
Result<std::unique_ptr<FilterBuilder>> NewBuilder(const BuildArgs& args,
                                                  const Recipe& recipe,
                                                  Progress* progress) {
  if (recipe.planned_keys > 0 && KeepsItsRate(args)) {
    auto filter = recipe.policy->NewMutable(recipe.planned_keys);
    if (!filter.ok()) return filter.status();
    auto counting = MakePolicy("bloom:m=512,k=1");
    if (!counting.ok()) return counting.status();
    return std::unique_ptr<FilterBuilder>(std::make_unique<FillingBuilder>(
        *std::move(filter), *std::move(counting)));
  }
  BuildOptions options = recipe.options;
  options.repeats = RepeatedKeys::kOnce;
  options.progress = [progress](double part) {
    progress->UpdatePart(part, "making the filter");
  };
  return recipe.policy->NewBuilder(options);
}

Status AddKeys(const BuildArgs& args, const Console& console,
               Progress* progress, FilterBuilder* builder,
               std::uint64_t* lines) {
  const KeyFiles files = {.paths = args.key_files, .syntax = args.syntax};
  return ReadKeyFiles(files, "build", console, progress,
                      [builder, lines](const KeyReader& batch) {
                        builder->AddMany(batch.keys());
                        *lines += batch.keys().size();
                        return Status::Ok();
                      });
}

Status CheckOutput(const BuildArgs& args, const Console& console) {
  const std::vector<std::string> standard_input = {"-"};
  for (const std::string& keys :
       args.key_files.empty() ? standard_input : args.key_files) {
    if (args.output != "-" && IsSameFile(keys, args.output, console.in)) {
      return Status::InvalidArgument(fmt::format(
          "{} holds the keys; name another file for the filter", args.output));
    }
  }
  return CheckFilterOutput(console, args.output, args.force);
}

Status NoMemory(const FilterPolicy& policy, std::uint64_t keys) {
  constexpr std::uint64_t kMaxBytesPerKey = 16;
  return Status::ResourceExhausted(fmt::format(
      "not enough memory: {} {} up to {} while collected, and the filter {}; "
      "ask for fewer --bits-per-key or a larger --fpr, build "
      "from parts of the keys with one --plan-keys and merge, or give --memory "
      "to --kind ribbon or fuse8",
      Grouped(keys), Plural(keys, "key takes", "keys take"),
      HumanBytes(keys * kMaxBytesPerKey),
      SizeText(policy.Predict(keys).bytes)));
}

Status Build(const BuildArgs& args, const Console& console,
             const Recipe& recipe, Summary* summary) {
  Status status = CheckOutput(args, console);
  if (!status.ok()) return status;
  const FilterPolicy& policy = *recipe.policy;
  Progress progress(console);
  auto builder = NewBuilder(args, recipe, &progress);
  if (!builder.ok()) return builder.status();
  status =
      AddKeys(args, console, &progress, builder.value().get(), &summary->lines);
  if (!status.ok()) return status;

  progress.Say("making the filter");
  std::string bytes;
  status = builder->Finish(&bytes);
  if (status.code() == StatusCode::kResourceExhausted) {
    return NoMemory(policy, summary->lines);
  }
  if (!status.ok()) return status;
  summary->bytes = bytes.size();
  auto reader = policy.Open(bytes);
  if (!reader.ok()) return reader.status();
  summary->info = reader->Describe();
  summary->keys = builder->counted_keys().value_or(summary->lines);
  if (summary->keys > 0) {
    summary->rate_by_keys = policy.Predict(summary->keys).false_positive_rate;
  }
  progress.Say("writing " + HumanBytes(bytes.size()));
  std::unique_ptr<FilterFileLock> lock;
  status = LockOutput(console, "build", args.output, &lock);
  if (!status.ok()) return status;
  return WriteFilterOutput(console, args.output, bytes, args.force);
}

// Returns "1,000 keys" if no key was repeated, else "5,000 lines, 1,000
// distinct keys".
std::string KeysText(const BuildArgs& args, const Summary& summary) {
  const std::uint64_t keys = summary.keys;
  if (summary.lines == keys) {
    return fmt::format("{} {}", Grouped(keys), Plural(keys, "key", "keys"));
  }
  const std::string_view lines =
      args.syntax.nul ? Plural(summary.lines, "record", "records")
                      : Plural(summary.lines, "line", "lines");
  return fmt::format("{} {}, {} distinct {}", Grouped(summary.lines), lines,
                     Grouped(keys), Plural(keys, "key", "keys"));
}

std::string ToJson(const BuildArgs& args, const Recipe& recipe,
                   const Summary& summary) {
  Json object;
  object["file"] = args.output;
  object["format"] = summary.info.format;
  object["kind"] = summary.info.kind;
  object["lines"] = summary.lines;
  object["keys"] = summary.keys;
  if (recipe.planned_keys > 0) object["planned_keys"] = recipe.planned_keys;
  object["bytes"] = summary.bytes;
  object["bits"] = summary.info.bits;
  object["bits_per_key"] = summary.bits_per_key();
  object["probes"] = summary.info.probes;
  if (summary.info.seed.has_value()) object["seed"] = *summary.info.seed;
  object["false_positive_rate"] = summary.rate();
  return object.Text(2) + "\n";
}

}  // namespace

int RunBuild(const BuildArgs& args, const Console& console) {
  if (args.json && args.output == "-") {
    return Fail(console, "build",
                "--json and '-o -' both want standard output; name a file");
  }
  if (!args.parts.empty() || !args.part.empty()) {
    return RunBuildParts(args, console);
  }
  Recipe recipe;
  Summary summary;
  Status status = MakeRecipe(args, &recipe);
  if (status.ok()) status = Build(args, console, recipe, &summary);
  if (!status.ok()) return Fail(console, "build", status.message());
  if (recipe.planned_keys > 0 && summary.keys > recipe.planned_keys &&
      !KeepsItsRate(args)) {
    Warn(console, "build",
         fmt::format("{} keys came where {} were planned: the expected rate "
                     "is {} instead of {}; use a larger --plan-keys",
                     Grouped(summary.keys), Grouped(recipe.planned_keys),
                     Percent(summary.rate()), Percent(recipe.planned_rate)));
  }
  if (args.json) {
    console.out->Write(ToJson(args, recipe, summary));
  } else {
    Note(console, "build",
         fmt::format("{}, {}, {:.2f} bits per key, expected rate {}",
                     KeysText(args, summary), SizeText(summary.bytes),
                     summary.bits_per_key(), Percent(summary.rate())));
  }
  return Finish(console, "build", kExitOk);
}

}  // namespace tamis::tools
