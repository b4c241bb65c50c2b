// SPDX-License-Identifier: Apache-2.0
// RebuildFilters() and UndoRebuild(), for directories of any engine.

#include "sstable/rebuild.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/no_throw.h"
#include "sstable/open_files.h"
#include "sstable/rebuild_transaction.h"
#include "sstable/rebuild_undo.h"
#include "store/file_names.h"

namespace tamis {
namespace {

class KeySeer final : public SstableVisitor {
 public:
  bool OnKeys(const StoredKeys& keys) override {
    for (std::size_t i = 0; i < keys.keys.size(); ++i) {
      char size[sizeof(std::uint64_t)];
      StoreLittle(size, std::uint64_t{keys.keys[i].size()});
      seen_.crc = Crc32c(Slice(size, sizeof size), seen_.crc);
      seen_.crc = Crc32c(keys.keys[i], seen_.crc);
      seen_.all_admitted = seen_.all_admitted && keys.admitted[i];
    }
    seen_.keys += keys.keys.size();
    return true;
  }
  void OnProblem(const std::string& problem) override {
    if (problem_.empty()) problem_ = problem;
  }

  const SeenKeys& seen() const noexcept { return seen_; }
  const std::string& problem() const noexcept { return problem_; }

 private:
  SeenKeys seen_;
  std::string problem_;
};

Status CheckOptions(const RebuildOptions& options) {
  const RebuildChoice& choice = options.choice;
  if (choice.rate.has_value() && choice.bits_per_key.has_value()) {
    return Status::InvalidArgument("a rate, or bits per key, but not both");
  }
  if (choice.rate.has_value() && !(*choice.rate > 0 && *choice.rate < 1)) {
    return Status::InvalidArgument("a rate is between 0 and 1");
  }
  if (choice.bits_per_key.has_value() &&
      !(*choice.bits_per_key >= 1 && *choice.bits_per_key <= 1000)) {
    return Status::InvalidArgument("bits per key are from 1 to 1000");
  }
  return Status::Ok();
}

// The engine of all sstables there.
Result<std::string_view> EngineOf(const std::string& dir,
                                  const SstableListing& listing) {
  std::set<std::string_view> engines;
  for (const FoundSstable& found : listing.sstables) {
    if (!found.engine.empty()) engines.insert(found.engine);
  }
  if (engines.empty()) {
    return Status::NotFound(dir +
                            ": it has no sstables; directories below "
                            "it are not gone into");
  }
  if (engines.size() > 1) {
    return Status::NotSupported(dir + ": it has sstables of several engines, " +
                                std::string(*engines.begin()) + " and " +
                                std::string(*engines.rbegin()));
  }
  if (engines.contains("parquet")) {
    return Status::NotSupported(
        dir +
        ": filters of Parquet files are only read: their places are in the "
        "file's metadata, and readers may have that in caches or catalogues");
  }
  return *engines.begin();
}

std::string WithoutSlash(std::string dir) {
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
  return dir;
}

}  // namespace

Result<DirectoryFiles> FilesOf(Env& env, const std::string& dir) {
  Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  std::sort(names->begin(), names->end());
  DirectoryFiles files{.path = dir, .names = *std::move(names)};
  files.env = &env;
  return files;
}

SstableListing ListingOf(const DirectoryFiles& files) {
  SstableListing listing;
  for (const SstableEngineRow& engine : SstableEngines()) {
    engine.list(files, &listing);
  }
  return listing;
}

bool IsChosen(const RebuildOptions& options, const SstableInfo& info) {
  const FilterVerdict verdict = info.verdict;
  if (verdict == FilterVerdict::kUnreadable) return false;
  if (!options.files.empty()) {
    const std::string name = info.path.substr(info.path.rfind('/') + 1);
    const auto& files = options.files;
    if (std::find(files.begin(), files.end(), name) == files.end()) {
      return false;
    }
  }
  if (!options.only.empty()) {
    return std::find(options.only.begin(), options.only.end(), verdict) !=
           options.only.end();
  }
  return options.choice.has_size() || !options.choice.kind.empty() ||
         verdict != FilterVerdict::kOk;
}

Result<SeenKeys> SeeKeys(const Sstable& sstable) {
  KeySeer seer;
  const Result<SstableWalk> walk = sstable.Walk(seer);
  if (!walk.ok()) return walk.status();
  if (walk->problems > 0) return Status::Corruption(seer.problem());
  return seer.seen();
}

Status MakeOutDirectory(Env& env, const std::string& dir) {
  if (Status made = env.CreateDirectory(dir); !made.ok()) return made;
  const auto names = env.List(dir);
  if (!names.ok()) return names.status();
  if (names->empty()) return env.SyncDirectory(ParentDirectory(dir));
  return Status::AlreadyExists(
      dir + ": it is not empty; name a directory that is, or a new one");
}

Status CheckNotOpen(Env& env, const std::string& dir) {
  if (&env != &DefaultEnv()) return Status::Ok();
  const std::string open = DescribeOpenFile(dir);
  if (open.empty()) return Status::Ok();
  return Status::NotSupported(dir + ": " + open + "; stop it, and try again");
}

Result<RebuildReport> RebuildFilters(const std::string& dir,
                                     const RebuildOptions& options) {
  return NoThrow([&]() -> Result<RebuildReport> {
    if (Status fine = CheckOptions(options); !fine.ok()) return fine;
    const auto files = FilesOf(*options.env, WithoutSlash(dir));
    if (!files.ok()) return files.status();
    const auto engine = EngineOf(files->path, ListingOf(*files));
    if (!engine.ok()) return engine.status();
    RebuildRun run{.env = *options.env,
                   .dir = files->path,
                   .options = options,
                   .engine = *engine};
    run.report.engine = std::string(*engine);
    const Status done =
        *engine == "cassandra" ? RebuildCassandra(&run) : RebuildLevels(&run);
    if (!done.ok()) return done;
    return std::move(run.report);
  });
}

Result<UndoReport> UndoRebuild(const std::string& dir, Env* env) {
  return NoThrow([&]() -> Result<UndoReport> {
    const std::string path = WithoutSlash(dir);
    const std::string own_dir = path + "/" + std::string(kRebuildDirectory);
    const Result<RebuildJournal> journal = ReadJournal(*env, own_dir);
    if (journal.status().code() == StatusCode::kNotFound) {
      return Status::NotFound(path + ": no old files of a rebuild are kept");
    }
    if (!journal.ok()) return journal.status();
    if (journal->engine == "cassandra") {
      Status closed = CheckNotOpen(*env, path);
      if (!closed.ok()) return closed;
    }
    const auto lock = LockForRebuild(*env, path);
    if (!lock.ok()) return lock.status();
    UndoReport report;
    bool is_whole;
    Status undone = UndoMoves(*env, path, *journal, &report, &is_whole);
    if (!undone.ok()) return undone;
    if (is_whole) {
      undone = RemoveRebuildDirectory(*env, path);
    } else if (report.files.empty()) {
      return Status::NotSupported(
          report.notes.front() +
          ": bringing the old files back would lose what was written; if all "
          "is well, remove " +
          own_dir);
    }
    if (!undone.ok()) return undone;
    return report;
  });
}

}  // namespace tamis
