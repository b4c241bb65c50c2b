// CheckStore(): reads everything, believes nothing.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/no_throw.h"
#include "store/batch_access.h"
#include "store/file_names.h"
#include "store/log_reader.h"
#include "store/manifest.h"
#include "store/version.h"
#include "tamis/store.h"

namespace tamis {
namespace {

class StoreCheck {
 public:
  StoreCheck(Env& env, std::string dir, const StoreOptions& options)
      : env_(env), dir_(std::move(dir)), order_(*options.comparator) {
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
    Result<std::unique_ptr<ReadableFile>> file = env_.OpenReadable(*path, true);
    if (file.status().code() != StatusCode::kNotFound) return file;
    const std::string old = OldTableFileName(dir_, number);
    Result<std::unique_ptr<ReadableFile>> old_file =
        env_.OpenReadable(old, true);
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
    Result<std::vector<std::string>> names = env_.List(dir_);
    if (!names.ok()) {
      report_.problems.push_back(names.status().message());
      return;
    }
    for (const std::string& name : *names) {
      const std::optional<FileName> parsed = ParseFileName(name);
      if (!parsed || parsed->type != FileType::kLog) continue;
      if (parsed->number >= state_.log_number) CheckLog(dir_ + "/" + name);
    }
  }

  void CheckLog(const std::string& path) {
    Result<std::unique_ptr<ReadableFile>> file = env_.OpenReadable(path, true);
    std::string scratch;
    Result<Slice> contents =
        file.ok() ? (*file)->Read(0, static_cast<std::size_t>((*file)->size()),
                                  &scratch)
                  : Result<Slice>(file.status());
    if (!contents.ok()) {
      report_.problems.push_back(contents.status().message());
      return;
    }
    ++report_.logs;
    report_.bytes += contents->size();
    LogReader reader(*contents);
    Slice record;
    while (reader.Next(&record)) {
      ++report_.log_records;
      const Status fine = ForEachChange(
          record, [&](ValueType, Slice, Slice) { ++report_.entries; });
      if (!fine.ok()) Problem(path, fine.message());
    }
    if (!reader.damage().empty()) Problem(path, reader.damage());
  }

  Env& env_;
  std::string dir_;
  KeyOrder order_;
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
    Status read = check.ReadState();
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
