// SPDX-License-Identifier: Apache-2.0
#include "build_parts.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "build_options.h"
#include "filter_output.h"
#include "json.h"
#include "key_files.h"
#include "numbers.h"
#include "progress.h"
#include "tamis/key_parts.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Which parts to make of which division.
struct Task {
  KeyParts parts;
  std::uint64_t first = 0;  // `count` parts from this one on
  std::uint64_t count = 0;
};

// One part while it is made.
struct Part {
  std::string path;
  std::unique_ptr<const FilterPolicy> policy;
  std::unique_ptr<FilterBuilder> builder;
  std::vector<Slice> batch;  // its keys of those that were read last
  std::uint64_t lines = 0;
};

struct Totals {
  std::uint64_t lines = 0;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
};

Status CheckCount(std::string_view option, std::uint64_t count) {
  if (count <= KeyParts::kMaxCount) return Status::Ok();
  return Status::InvalidArgument(fmt::format(
      "{}: there are at most {} parts", option, Grouped(KeyParts::kMaxCount)));
}

Result<Task> ReadTask(const BuildArgs& args) {
  Task task;
  if (!args.parts.empty()) {
    const auto count = CountOf("--parts", args.parts);
    if (!count.ok()) return count.status();
    if (Status status = CheckCount("--parts", *count); !status.ok()) {
      return status;
    }
    task.parts.count = task.count = *count;
    return task;
  }
  const std::size_t slash = args.part.find('/');
  const auto part = ParseCount(args.part.substr(0, slash));
  const auto count =
      ParseCount(slash == std::string::npos ? "" : args.part.substr(slash + 1));
  if (!part.ok() || !count.ok() || *part >= *count) {
    return Status::InvalidArgument(
        fmt::format("--part: '{}' is not I/N with I less than N, such as 0/16",
                    Printable(args.part)));
  }
  if (Status status = CheckCount("--part", *count); !status.ok()) return status;
  task.parts.count = *count;
  task.first = *part;
  task.count = 1;
  return task;
}

// Returns the policy of one part: as requested, with the part's seed.
Result<std::unique_ptr<const FilterPolicy>> PolicyOf(
    const PolicySettings& requested, const Task& task, std::uint64_t part) {
  PolicySettings settings = requested;
  settings.seed = task.parts.SeedOf(part);
  auto policy = MakePolicy(settings);
  const std::string problem =
      "the parts need a kind of filter that hashes its "
      "keys with a seed, such as bloom or ribbon";
  if (!policy.ok()) {
    return Status(policy.status().code(),
                  problem + ": " + policy.status().message());
  }
  // Others would have to be asked all together: ranges, say.
  if (policy->NewBuilder()->hash_seed() != settings.seed) {
    return Status::InvalidArgument(problem);
  }
  return policy;
}

Result<PolicySettings> Requested(const BuildArgs& args) {
  auto filter = Sorted(args.filter);
  if (!filter.ok()) return filter.status();
  auto settings = SettingsFrom(*filter);
  if (settings.ok() && settings->seed.has_value()) {
    return Status::InvalidArgument(
        "the policy has a seed, but each part must have its own; leave it out");
  }
  return settings;
}

// Makes the folder unless it is there, and refuses what is already in it.
Status PrepareFolder(const BuildArgs& args, const Task& task,
                     const Console& console) {
  if (args.output.empty() || args.output == "-") {
    return Status::InvalidArgument(
        "parts are files; name their directory with --output");
  }
  std::error_code error;
  std::filesystem::create_directory(args.output, error);
  if (error) {
    return Status::IoError(fmt::format("{}: {}", args.output, error.message()));
  }
  auto there = FilterFolder::Open(args.output);
  if (there.ok() && (*there)->parts().count != task.parts.count) {
    return Status::InvalidArgument(
        fmt::format("{}: it has parts of {}, not of {}; name another directory",
                    args.output, (*there)->parts().count, task.parts.count));
  }
  if (there.status().code() == StatusCode::kInvalidArgument) {
    return there.status();
  }
  for (std::uint64_t i = 0; i < task.count; ++i) {
    const std::string path =
        args.output + "/" + task.parts.FileName(task.first + i);
    Status status = CheckFilterOutput(console, path, args.force);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status MakeParts(const BuildArgs& args, const Task& task,
                 std::vector<Part>* parts) {
  const auto requested = Requested(args);
  if (!requested.ok()) return requested.status();
  BuildOptions options;
  if (Status status = ReadBuildOptions(args, &options); !status.ok()) {
    return status;
  }
  options.memory_bytes /= task.count;
  options.repeats = RepeatedKeys::kOnce;
  for (std::uint64_t i = 0; i < task.count; ++i) {
    Part part;
    part.path = args.output + "/" + task.parts.FileName(task.first + i);
    auto policy = PolicyOf(*requested, task, task.first + i);
    if (!policy.ok()) return policy.status();
    part.policy = *std::move(policy);
    part.builder = part.policy->NewBuilder(options);
    parts->push_back(std::move(part));
  }
  return Status::Ok();
}

// Passes each key to its part, if that is made here.
void Divide(const Task& task, const std::vector<Slice>& keys,
            std::vector<Part>* parts) {
  for (const Slice key : keys) {
    const std::uint64_t part = task.parts.PartOf(key) - task.first;
    if (part < task.count) (*parts)[part].batch.push_back(key);
  }
  for (Part& part : *parts) {
    part.builder->AddMany(part.batch);
    part.lines += part.batch.size();
    part.batch.clear();
  }
}

Status FinishPart(const BuildArgs& args, const Console& console, Part* part,
                  Totals* totals) {
  std::string bytes;
  Status status = part->builder->Finish(&bytes);
  if (!status.ok()) {
    return Status(status.code(), part->path + ": " + status.message());
  }
  totals->lines += part->lines;
  totals->keys += part->builder->counted_keys().value_or(part->lines);
  totals->bytes += bytes.size();
  part->builder.reset();
  return WriteFilterOutput(console, part->path, bytes, args.force);
}

Status BuildAll(const BuildArgs& args, const Task& task, const Console& console,
                Totals* totals) {
  std::vector<Part> parts;
  Status status = MakeParts(args, task, &parts);
  if (status.ok()) status = PrepareFolder(args, task, console);
  if (!status.ok()) return status;
  Progress progress(console);
  const KeyFiles files = {.paths = args.key_files, .syntax = args.syntax};
  status = ReadKeyFiles(files, "build", console, &progress,
                        [&](const KeyReader& batch) {
                          Divide(task, batch.keys(), &parts);
                          return Status::Ok();
                        });
  for (std::size_t i = 0; status.ok() && i < parts.size(); ++i) {
    progress.Say(fmt::format("part {} of {}", i + 1, parts.size()));
    status = FinishPart(args, console, &parts[i], totals);
  }
  return status;
}

void Tell(const BuildArgs& args, const Task& task, const Totals& totals,
          const Console& console) {
  if (args.json) {
    Json object;
    object["directory"] = args.output;
    object["parts"] = task.parts.count;
    if (!args.part.empty()) object["part"] = task.first;
    object["lines"] = totals.lines;
    object["keys"] = totals.keys;
    object["bytes"] = totals.bytes;
    console.out->Write(object.Text(2) + "\n");
    return;
  }
  const std::string made =
      args.part.empty()
          ? fmt::format("{} {}", Grouped(task.parts.count),
                        Plural(task.parts.count, "part", "parts"))
          : fmt::format("part {} of {}", task.first, task.parts.count);
  Note(console, "build",
       fmt::format("{}, {} {}, {}", made, Grouped(totals.keys),
                   Plural(totals.keys, "key", "keys"), SizeText(totals.bytes)));
}

}  // namespace

int RunBuildParts(const BuildArgs& args, const Console& console) {
  const auto task = ReadTask(args);
  if (!task.ok()) return Fail(console, "build", task.status().message());
  Totals totals;
  const Status status = BuildAll(args, *task, console, &totals);
  if (!status.ok()) return Fail(console, "build", status.message());
  Tell(args, *task, totals, console);
  return Finish(console, "build", kExitOk);
}

}  // namespace tamis::tools
