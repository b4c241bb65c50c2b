// CheckStore(): reads everything, believes nothing.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/no_throw.h"
#include "store/file_names.h"
#include "store/log_replay.h"
#include "store/manifest.h"
#include "store/read_whole.h"
#include "store/store_checks.h"
#include "store/version.h"
#include "tamis/store.h"

namespace tamis {
namespace {

class StoreCheck {
 public:
  StoreCheck(Env& env, std::string dir, const StoreOptions& options)
      : env_(env),
        dir_(std::move(dir)),
        order_(*options.comparator),
        most_log_bytes_(MostLogBytes(options)) {
    context_.order = order_;
    context_.unpack = UnpackLimitsOf(options);
  }

  Status ReadState() {
    Result<ManifestState> state = ReadManifest(env_, dir_);
    if (!state.ok()) return state.status();
    state_ = *std::move(state);
    if (!state_.comparator.empty() &&
        state_.comparator != order_.user().name()) {
      return Status::InvalidArgument(dir_ + ": its keys are ordered by " +
                                     state_.comparator +
                                     ", which is not the comparator given");
    }
    for (const auto& level : state_.files) {
      for (const FileFacts& facts : level) all_bytes_ += facts.bytes;
    }
    return Status::Ok();
  }

  CheckReport Run(CheckProgress progress, void* context) {
    CheckLevels();
    for (const auto& level : state_.files) {
      for (const FileFacts& facts : level) {
        CheckOneTable(facts);
        report_.bytes += facts.bytes;
        if (progress != nullptr) progress(context, report_.bytes, all_bytes_);
      }
    }
    CheckLogs();
    return std::move(report_);
  }

 private:
  void Problem(const std::string& file, const std::string& what) {
    report_.problems.push_back(file + ": " + what);
  }

  void CheckLevels() {
    VersionEdit edit;
    for (int i = 0; i < kStoreLevels; ++i) {
      for (const FileFacts& facts : state_.files[static_cast<std::size_t>(i)]) {
        edit.added.emplace_back(i, facts);
      }
    }
    const TableFileContext context{.env = &env_, .dir = dir_, .read = context_};
    Result<std::shared_ptr<const Version>> version =
        Version(order_).Apply(edit, context);
    if (!version.ok()) {
      Problem(ManifestFileName(dir_, state_.number),
              version.status().message());
    }
  }

  Result<std::unique_ptr<ReadableFile>> OpenTable(std::uint64_t number,
                                                  std::string* path) {
    *path = TableFileName(dir_, number);
    Result<std::unique_ptr<ReadableFile>> file =
        env_.OpenReadable(*path, false);
    if (file.status().code() != StatusCode::kNotFound) return file;
    const std::string old = OldTableFileName(dir_, number);
    Result<std::unique_ptr<ReadableFile>> old_file =
        env_.OpenReadable(old, false);
    if (old_file.ok()) *path = old;
    return old_file.ok() ? std::move(old_file) : std::move(file);
  }

  void CheckOneTable(const FileFacts& facts) {
    std::string path;
    Result<std::unique_ptr<ReadableFile>> file = OpenTable(facts.number, &path);
    if (!file.ok()) {
      report_.problems.push_back(file.status().message());
      return;
    }
    ++report_.tables;
    if ((*file)->size() != facts.bytes) {
      Problem(path, "it has " + std::to_string((*file)->size()) +
                        " bytes, the manifest says " +
                        std::to_string(facts.bytes));
      return;
    }
    const TableCheck check = CheckTable(context_, **file);
    report_.entries += check.entries;
    report_.blocks += check.blocks;
    report_.filters += check.filters;
    for (const std::string& problem : check.problems) Problem(path, problem);
    if (!check.problems.empty()) return;
    if (check.smallest != facts.smallest || check.largest != facts.largest) {
      Problem(path, "its first or last key is not what the manifest says");
    }
  }

  void CheckLogs() {
    Result<std::vector<ReplayLog>> logs =
        ReadLogs(env_, dir_, state_, most_log_bytes_);
    if (!logs.ok()) {
      report_.problems.push_back(logs.status().message());
      return;
    }
    PlanReplay(state_, &*logs);
    for (const ReplayLog& log : *logs) {
      ++report_.logs;
      report_.bytes += log.contents.size();
      report_.log_records += log.records;
      report_.entries += log.changes;
      for (const std::string& what : log.damage) Problem(log.path, what);
      for (const std::string& what : log.notes) {
        report_.notes.push_back(log.path + ": " + what);
      }
    }
  }

  Env& env_;
  std::string dir_;
  KeyOrder order_;
  std::uint64_t most_log_bytes_;
  TableReadContext context_;
  ManifestState state_;
  std::uint64_t all_bytes_ = 0;
  CheckReport report_;
};

}  // namespace

Result<CheckReport> CheckStore(const std::string& dir,
                               const StoreOptions& options,
                               CheckProgress progress, void* context) {
  return NoThrow([&]() -> Result<CheckReport> {
    Env& env = options.env != nullptr ? *options.env : DefaultEnv();
    StoreCheck check(env, dir, options);
    Status read = CheckIsStore(dir, options);
    if (read.ok()) read = check.ReadState();
    if (read.code() == StatusCode::kCorruption) {
      CheckReport report;
      report.problems.push_back(read.message());
      return report;
    }
    if (!read.ok()) return read;
    return check.Run(progress, context);
  });
}

}  // namespace tamis
