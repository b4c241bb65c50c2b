// SPDX-License-Identifier: Apache-2.0
// tamis verify: proves that no filter hides a stored key.

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/worker_threads.h"
#include "commands.h"
#include "json.h"
#include "progress.h"
#include "sstable_report.h"
#include "text.h"
#include "verification.h"

namespace tamis::tools {
namespace {

// True: every stored key was read.
bool IsWhole(const Verification& one) {
  return one.walk.problems == 0 && one.why_not_verified.empty();
}

// "hidden" if a key is, "unreadable" if some were not asked about.
std::string_view WordFor(const Verification& one) {
  if (one.hidden > 0) return "hidden";
  if (!one.why_not_verified.empty()) return "not verified";
  return one.walk.problems > 0 ? "unreadable" : "ok";
}

std::string RateText(const Verification& one) {
  return one.absent == 0 ? "unmeasured"
                         : Percent(static_cast<double>(one.absent_passed) /
                                   static_cast<double>(one.absent));
}

// A key that is no text is shown in hexadecimal digits.
std::string KeyText(const std::string& key) {
  const std::string printable = Printable(key);
  return printable == key && IsUtf8(key) ? "'" + key + "'" : "0x" + ToHex(key);
}

// What there is to say about one sstable below the table.
std::string RemarksOf(const Verification& one) {
  const std::string file = Printable(one.info.path);
  std::string out;
  for (const HiddenKey& hidden : one.first_hidden) {
    out += fmt::format(
        "{}: its filter hides the key {}, which is in the block "
        "at offset {}\n",
        file, KeyText(hidden.key), hidden.offset);
  }
  if (one.hidden > one.first_hidden.size()) {
    out += fmt::format("{}: and {} more\n", file,
                       Grouped(one.hidden - one.first_hidden.size()));
  }
  for (const std::string& problem : one.problems) {
    out += Printable(problem) + "\n";
  }
  if (one.walk.problems > one.problems.size()) {
    out += fmt::format("{}: and {} more problems\n", file,
                       Grouped(one.walk.problems - one.problems.size()));
  }
  if (!one.why_not_verified.empty()) {
    out += fmt::format("{}: not verified, because {}\n", file,
                       Printable(one.why_not_verified));
  } else if (one.absent == 0) {
    out += fmt::format("{}: the rate is unmeasured, because {}\n", file,
                       one.why_unmeasured);
  }
  return out;
}

std::string Conclusion(const std::vector<Verification>& all) {
  std::uint64_t keys = 0;
  std::uint64_t hidden = 0;
  std::uint64_t blocks = 0;
  std::uint64_t not_all = 0;
  for (const Verification& one : all) {
    keys += one.walk.keys;
    hidden += one.hidden;
    blocks += one.walk.blocks;
    if (!IsWhole(one)) ++not_all;
  }
  std::string text =
      hidden > 0 ? fmt::format("{} of {} keys {} hidden", Grouped(hidden),
                               Grouped(keys), Plural(hidden, "is", "are"))
                 : fmt::format("no key is hidden, of {} that were read",
                               Grouped(keys));
  text += fmt::format(" from {} {} of {} {}\n", Grouped(blocks),
                      Plural(blocks, "block", "blocks"), Grouped(all.size()),
                      Plural(all.size(), "file", "files"));
  if (not_all > 0) {
    text += fmt::format("{} {} not verified, or not wholly\n", Grouped(not_all),
                        Plural(not_all, "file was", "files were"));
  }
  return text;
}

std::string ToText(const std::vector<Verification>& all) {
  if (all.empty()) return "no sstables\n";
  Table table({"file", "keys", "hidden", "absent keys", "passed", "rate",
               "expected", "verdict"});
  std::string remarks;
  for (const Verification& one : all) {
    table.AddRow(
        {Printable(one.info.path), Grouped(one.walk.keys), Grouped(one.hidden),
         Grouped(one.absent), Grouped(one.absent_passed), RateText(one),
         one.info.filter.kind.empty() ? "-" : Percent(one.info.filter.rate),
         std::string(WordFor(one))});
    remarks += RemarksOf(one);
  }
  return table.ToString() + remarks + "\n" + Conclusion(all);
}

Json ToJson(const Verification& one) {
  Json object;
  object["schema_version"] = kSchemaVersion;
  object["type"] = "verification";
  object["file"] = one.info.path;
  object["engine"] = one.info.engine;
  object["group"] = one.info.group;
  object["keys"] = one.walk.keys;
  object["blocks"] = one.walk.blocks;
  object["hidden"] = one.hidden;
  object["hidden_keys"] = Json::Array();
  for (const HiddenKey& hidden : one.first_hidden) {
    Json key;
    key["key_hex"] = ToHex(hidden.key);
    key["offset"] = hidden.offset;
    object["hidden_keys"].Add(std::move(key));
  }
  object["absent_keys"] = one.absent;
  object["absent_passed"] = one.absent_passed;
  if (one.absent > 0) {
    object["measured_rate"] = static_cast<double>(one.absent_passed) /
                              static_cast<double>(one.absent);
  } else {
    object["why_unmeasured"] = one.why_unmeasured;
  }
  if (!one.info.filter.kind.empty()) {
    object["expected_rate"] = one.info.filter.rate;
  }
  object["problems"] = one.problems;
  if (!one.why_not_verified.empty()) {
    object["why_not_verified"] = one.why_not_verified;
  }
  object["verdict"] = WordFor(one);
  return object;
}

std::string ToCsv(const std::vector<Verification>& all) {
  std::string out =
      "file,engine,keys,hidden,absent_keys,absent_passed,expected_rate,"
      "verdict\n";
  for (const Verification& one : all) {
    out +=
        CsvLine({one.info.path, std::string(one.info.engine),
                 std::to_string(one.walk.keys), std::to_string(one.hidden),
                 std::to_string(one.absent), std::to_string(one.absent_passed),
                 fmt::format("{:.6g}", one.info.filter.rate),
                 std::string(WordFor(one))});
  }
  return out;
}

std::string OutputOf(const VerifyArgs& args,
                     const std::vector<Verification>& all) {
  if (args.csv) return ToCsv(all);
  if (!args.json) return ToText(all);
  std::string out;
  for (const Verification& one : all) out += ToJson(one).Text() + "\n";
  return out;
}

// The longest files are verified first, so that no thread is left with one.
std::vector<std::size_t> LongestFirst(const std::vector<FoundSstable>& found) {
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return found[a].bytes > found[b].bytes;
  });
  return order;
}

struct VerifyTask {
  unsigned threads = 1;
  std::optional<FilterVerdict> only = {};
};

Status VerifyAll(const std::vector<FoundSstable>& found, const VerifyTask& task,
                 const Console& console, std::vector<Verification>* all) {
  std::uint64_t total = 0;
  for (const FoundSstable& one : found) total += one.bytes;
  Progress progress(console, total);
  std::atomic<std::uint64_t> keys = 0;
  std::atomic<std::uint64_t> bytes = 0;
  const std::vector<std::size_t> order = LongestFirst(found);
  all->resize(found.size());
  const auto run = [&](std::size_t i, unsigned worker) {
    const FoundSstable& one = found[order[i]];
    const auto tell = [&](std::uint64_t read) {
      const std::uint64_t sum = keys += read;
      // Progress is of one thread, that of the caller.
      if (worker == 0) progress.Update(sum, bytes);
    };
    Result<Verification> verified = Verify(one, task.only, tell);
    if (!verified.ok()) return verified.status();
    bytes += one.bytes;
    (*all)[order[i]] = *std::move(verified);
    return Status::Ok();
  };
  Status done = RunTasks(task.threads, order.size(), run);
  std::erase_if(*all, [](const Verification& one) { return one.is_left_out; });
  return done;
}

int CodeOf(const std::vector<Verification>& all) {
  bool is_hidden = false;
  bool is_unread = false;
  for (const Verification& one : all) {
    is_hidden = is_hidden || one.hidden > 0;
    is_unread = is_unread || !IsWhole(one);
  }
  if (is_hidden) return kExitNegative;
  return is_unread ? kExitUnreadable : kExitOk;
}

}  // namespace

int RunVerify(const VerifyArgs& args, const Console& console) {
  const Result<unsigned> threads = ParseThreads(args.threads);
  if (!threads.ok()) return Fail(console, "verify", threads.status().message());
  VerifyTask task = {.threads = *threads};
  if (!args.only.empty()) task.only = VerdictNamed(args.only);
  ScanReport report;
  std::vector<FoundSstable> found;
  std::vector<Verification> all;
  Status status = FindAll(args.paths, &found, &report);
  if (status.ok()) status = VerifyAll(found, task, console, &all);
  if (!status.ok()) {
    Fail(console, "verify", status.message());
    return status.code() == StatusCode::kInvalidArgument ? kExitError
                                                         : kExitUnreadable;
  }
  console.out->Write(OutputOf(args, all));
  console.out->Flush();
  for (const std::string& problem : report.problems) {
    Warn(console, "verify", problem);
  }
  int code = CodeOf(all);
  if (code == kExitOk && !report.problems.empty()) code = kExitUnreadable;
  return Finish(console, "verify", code);
}

}  // namespace tamis::tools
