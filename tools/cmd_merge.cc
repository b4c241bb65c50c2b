// SPDX-License-Identifier: Apache-2.0
// tamis merge: merges several filters with equal parameters into one.

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_input.h"
#include "filter_output.h"
#include "json.h"
#include "text.h"
#include "verdict.h"

namespace tamis::tools {
namespace {

struct Merged {
  std::string bytes;
  FilterInfo info;
  Verdict verdict;
};

// The input that is the same file as the output, or "".
std::string InputThatIs(const MergeArgs& args, int standard_input) {
  for (const std::string& input : args.files) {
    if (IsSameFile(input, args.output, standard_input)) return input;
  }
  return "";
}

// Returns how `other` differs from `first` so that they cannot be merged, and
// what to do; "" if that is not the reason.
std::string DifferenceOf(const FilterInfo& first, const FilterInfo& other) {
  if (first.kind != other.kind || first.hash != other.hash) {
    return fmt::format("their kind ({}, {} and {}, {})", first.kind, first.hash,
                       other.kind, other.hash);
  }
  if (first.bits != other.bits) {
    return fmt::format(
        "the number of bits ({} and {}); build both with the "
        "same --plan-keys",
        Grouped(first.bits), Grouped(other.bits));
  }
  if (first.probes != other.probes) {
    return fmt::format(
        "probes per key ({} and {}); give both the same --fpr "
        "or --bits-per-key, and build both with the same "
        "--plan-keys",
        first.probes, other.probes);
  }
  if (first.seed != other.seed) {
    return fmt::format("the seed ({} and {}); build both with the same --seed",
                       first.seed.value_or(0), other.seed.value_or(0));
  }
  return "";
}

// Returns the error with the names of the files.
Status Refusal(const MergeArgs& args, const std::vector<FilterInput>& inputs,
               const Status& status) {
  const FilterInfo first = inputs[0].reader->Describe();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const FilterInfo info = inputs[i].reader->Describe();
    const std::string name = InputName(args.files[i]);
    if (!info.always_maybe.empty()) {
      return Status::InvalidArgument(
          fmt::format("{}: cannot be merged: {}", name, info.always_maybe));
    }
    if (IsSolution(info)) {
      return Status::InvalidArgument(
          fmt::format("{}: is a {} filter, which cannot be merged; build "
                      "one filter from all the keys",
                      name, info.kind == "ribbon" ? "Ribbon" : info.kind));
    }
    if (info.bits == 0) {
      return Status::InvalidArgument(fmt::format(
          "{}: has no bits to merge, for it has no keys; leave it out", name));
    }
    const std::string difference = DifferenceOf(first, info);
    if (!difference.empty()) {
      return Status::InvalidArgument(
          fmt::format("{} and {} differ in {}", InputName(args.files[0]),
                      InputName(args.files[i]), difference));
    }
  }
  return status;
}

Status OpenInputs(const MergeArgs& args, int standard_input,
                  std::vector<FilterInput>* inputs) {
  inputs->resize(args.files.size());
  for (std::size_t i = 0; i < args.files.size(); ++i) {
    FilterInput& input = (*inputs)[i];
    const FilterInput& first = inputs->front();
    Status status = OpenFilterInput({.path = args.files[i],
                                     .format = args.format,
                                     .standard_input = standard_input},
                                    &input);
    if (!status.ok()) return status;
    if (input.policy->name() != first.policy->name()) {
      return Status::InvalidArgument(
          fmt::format("{} is {} but {} is {}; only filters of one format can "
                      "be merged",
                      InputName(args.files[0]), first.recognised.spec,
                      InputName(args.files[i]), input.recognised.spec));
    }
  }
  return Status::Ok();
}

Status Combine(const MergeArgs& args, int standard_input, Merged* merged) {
  std::vector<FilterInput> inputs;
  Status status = OpenInputs(args, standard_input, &inputs);
  if (!status.ok()) return status;
  std::vector<Slice> bytes;
  for (const FilterInput& input : inputs) bytes.push_back(input.file->bytes());
  const FilterPolicy& policy = *inputs[0].policy;
  status = policy.Combine(
      bytes,
      args.intersect ? SetOperation::kIntersection : SetOperation::kUnion,
      &merged->bytes);
  for (const FilterInput& input : inputs) {
    if (Status read = input.file->status(); !read.ok()) return read;
  }
  if (status.code() == StatusCode::kResourceExhausted) {
    return Status::ResourceExhausted(
        fmt::format("not enough memory for a result of {}",
                    SizeText(inputs[0].file->bytes().size())));
  }
  if (!status.ok()) return Refusal(args, inputs, status);
  auto reader = policy.Open(merged->bytes);
  if (!reader.ok()) return reader.status();
  merged->info = reader->Describe();
  merged->verdict = VerdictOf(merged->info);
  return Status::Ok();
}

std::string ToJson(const MergeArgs& args, const Merged& merged) {
  Json object;
  object["file"] = args.output;
  object["inputs"] = args.files;
  object["operation"] = args.intersect ? "intersection" : "union";
  object["format"] = merged.info.format;
  object["bytes"] = merged.bytes.size();
  object["fill"] = merged.verdict.fill;
  object["false_positive_rate"] = merged.verdict.rate;
  object["verdict"] = merged.verdict.word;
  return object.Text(2) + "\n";
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
  const std::string replaced = InputThatIs(args, console.in);

  std::unique_ptr<FilterFileLock> lock;
  Merged merged;
  status = LockOutput(console, "merge", args.output, &lock);
  if (status.ok()) status = Combine(args, console.in, &merged);
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
                     "expected rate {}{}",
                     args.intersect ? "intersection" : "union",
                     args.files.size(), SizeText(merged.bytes.size()),
                     Percent(merged.verdict.fill), Percent(merged.verdict.rate),
                     merged.verdict.word == "saturated"
                         ? "; saturated: too many keys for its size"
                         : ""));
  }
  return Finish(console, "merge", kExitOk);
}

}  // namespace tamis::tools
