// SPDX-License-Identifier: Apache-2.0
// New Filter.db files for sstables of Cassandra and ScyllaDB.
//
// Each sstable is a unit of its own: renaming its Filter.db switches it.  Where
// there was none, TOC.txt gets a line for it afterwards; until then the engine
// does not look for the file.

#include "sstable/rebuild.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "formats/cassandra/filter.h"
#include "formats/cassandra/version.h"
#include "sstable/cassandra/scylla_metadata.h"
#include "sstable/filter_sum.h"
#include "sstable/rebuild_transaction.h"
#include "store/read_whole.h"

namespace tamis {
namespace {

using Kind = RebuildMove::Kind;

constexpr std::string_view kFilterDb = "Filter.db";
constexpr std::string_view kTocTxt = "TOC.txt";
constexpr std::string_view kScyllaDb = "Scylla.db";
// In this order: what shows that the sstable is still there.
constexpr std::string_view kAnchors[] = {"Data.db", "Index.db",
                                         "Partitions.db"};
constexpr double kUsualRate = 0.01;  // Cassandra's bloom_filter_fp_chance
constexpr std::uint64_t kMaxSmallFile = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxFilter = std::uint64_t{17} << 30;
constexpr std::size_t kFilterHeadBytes = 8;

// Passes keys on, or asks a filter about them.
class KeyTaker final : public SstableVisitor {
 public:
  explicit KeyTaker(FilterBuilder* builder) : builder_(builder) {}
  explicit KeyTaker(const FilterReader* reader) : reader_(reader) {}

  bool OnKeys(const StoredKeys& keys) override {
    if (builder_ != nullptr) builder_->AddMany(keys.keys);
    if (reader_ == nullptr) return true;
    for (const Slice key : keys.keys) {
      all_admitted_ = all_admitted_ && reader_->MayContain(key);
    }
    return all_admitted_;
  }
  void OnProblem(const std::string& problem) override {
    if (problem_.empty()) problem_ = problem;
  }

  bool all_admitted() const noexcept { return all_admitted_; }
  const std::string& problem() const noexcept { return problem_; }

 private:
  FilterBuilder* builder_ = nullptr;
  const FilterReader* reader_ = nullptr;
  bool all_admitted_ = true;
  std::string problem_;
};

// Takes the keys, of which there are so many.
Status TakeKeys(const Sstable& sstable, std::uint64_t keys, KeyTaker* taker) {
  const auto walk = sstable.Walk(*taker);
  if (!walk.ok()) return walk.status();
  if (walk->problems > 0) return Status::Corruption(taker->problem());
  return walk->keys == keys || !taker->all_admitted()
             ? Status::Ok()
             : Status::Corruption("its keys change while they are read");
}

bool HasLine(Slice text, std::string_view line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view found = text.substr(0, end);
    if (found.ends_with('\r')) found.remove_suffix(1);
    if (found == line) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// The engine is at work on them, or was killed.
bool IsUnfinished(std::string_view name) {
  return (name.find("_txn_") != std::string_view::npos &&
          name.ends_with(".log")) ||
         name.ends_with("TemporaryTOC.txt") || name.ends_with("TOC.txt.tmp") ||
         name.find("-tmp-") != std::string_view::npos ||
         name.find("-tmplink-") != std::string_view::npos;
}

class CassandraRun {
 public:
  explicit CassandraRun(RebuildRun* run) : run_(*run), env_(run->env) {}

  Status Run();

 private:
  struct Job {
    FoundSstable found;
    std::size_t row = 0;
    std::string stem;  // "nb-1-big-"
  };

  Status Begin();
  Status CheckDirectory() const;
  Status Plan();
  Status PlanOne(const FoundSstable& found);
  // Returns why it has to stay as it is, or "".
  std::string WhySkipped(const SstableInfo& info,
                         const std::string& stem) const;
  Result<std::string> ReadFile(const std::string& name) const {
    return ReadWholeFile(env_, files_.PathOf(name), kMaxSmallFile);
  }
  BloomSizing SizingOf(const Job& job, const SstableInfo& info) const;
  Status WriteOne(const Job& job);
  Result<std::string> BuildFilter(const Job& job, const Sstable& sstable,
                                  std::uint64_t keys) const;
  Status WriteNew(const std::string& name, Slice bytes);
  Status Verify(const Job& job, const Sstable& sstable, std::uint64_t keys);
  Status AddUnit(const Job& job);
  Status AddMove(Kind kind, const std::string& name, RebuildUnit* unit) const;
  std::string NewPath(const std::string& name) const {
    return run_.is_in_place() ? transaction_->StagedPath(name)
                              : run_.options.out_directory + "/" + name;
  }
  RebuiltSstable& RowOf(const Job& job) {
    return run_.report.sstables[job.row];
  }

  RebuildRun& run_;
  Env& env_;
  std::optional<RebuildTransaction> transaction_;
  DirectoryFiles files_;
  std::vector<Job> jobs_;
  RebuildJournal journal_;
};

Status CassandraRun::CheckDirectory() const {
  for (const std::string& name : files_.names) {
    if (!IsUnfinished(name)) continue;
    return Status::NotSupported(
        files_.PathOf(name) +
        ": the engine is writing sstables here, or was killed while it did; "
        "start it, let it finish, and stop it");
  }
  return CheckNotOpen(env_, run_.dir);
}

Status CassandraRun::Begin() {
  const std::string& kind = run_.options.choice.kind;
  if (!kind.empty() && kind != "bloom" && kind != "classic" &&
      kind != "cassandra") {
    return Status::InvalidArgument("Cassandra has no filters of the kind " +
                                   kind);
  }
  auto files = FilesOf(env_, run_.dir);
  if (!files.ok()) return files.status();
  files_ = *std::move(files);
  if (Status fine = CheckDirectory(); !fine.ok()) return fine;
  if (run_.options.dry_run) return CheckRebuildable(env_, run_.dir);
  if (!run_.is_in_place()) {
    return MakeOutDirectory(env_, run_.options.out_directory);
  }
  auto transaction =
      RebuildTransaction::Begin(env_, run_.dir, &run_.report.notes);
  if (!transaction.ok()) return transaction.status();
  transaction_.emplace(*std::move(transaction));
  // An earlier attempt may have been undone.
  files = FilesOf(env_, run_.dir);
  if (!files.ok()) return files.status();
  files_ = *std::move(files);
  return Status::Ok();
}

std::string CassandraRun::WhySkipped(const SstableInfo& info,
                                     const std::string& stem) const {
  if (!info.why_not_verifiable.empty()) return info.why_not_verifiable;
  if (info.filter.target_rate == 1.0) {
    return "its table is configured to have no filter "
           "(bloom_filter_fp_chance = 1)";
  }
  const std::string scylla = stem + std::string(kScyllaDb);
  if (!files_.Has(scylla)) return "";
  const auto bytes = ReadFile(scylla);
  return bytes.ok() ? WhyFilterIsBound(*bytes) : bytes.status().message();
}

Status CassandraRun::PlanOne(const FoundSstable& found) {
  const auto sstable = OpenSstableIn(env_, found);
  if (!sstable.ok()) return sstable.status();
  const SstableInfo& info = (*sstable)->info();
  if (!IsChosen(run_.options, info)) return Status::Ok();
  Job job;
  job.found = found;
  job.row = run_.report.sstables.size();
  const std::string name = found.path.substr(found.path.rfind('/') + 1);
  job.stem = name.substr(0, name.size() - kFilterDb.size());
  RebuiltSstable row;
  row.before = info;
  row.why_skipped = WhySkipped(info, job.stem);
  // A filter of 20 bits per key, the most that Cassandra has, or the old size.
  run_.report.bytes_to_write += 2 * info.filter.bytes + info.entries * 3;
  if (row.why_skipped.empty()) jobs_.push_back(std::move(job));
  run_.report.sstables.push_back(std::move(row));
  return Status::Ok();
}

Status CassandraRun::Plan() {
  for (const FoundSstable& found : ListingOf(files_).sstables) {
    if (Status planned = PlanOne(found); !planned.ok()) return planned;
  }
  return Status::Ok();
}

// Without a choice: the size that the sstable has, if its filter is as good as
// filters of that size are, or else the one that its table is configured for.
BloomSizing CassandraRun::SizingOf(const Job& job,
                                   const SstableInfo& info) const {
  const RebuildChoice& choice = run_.options.choice;
  if (choice.rate.has_value()) return {.rate = *choice.rate};
  if (choice.bits_per_key.has_value()) {
    return {.bits_per_key = *choice.bits_per_key};
  }
  const std::string name = job.stem + std::string(kFilterDb);
  if (info.verdict == FilterVerdict::kOk && files_.Has(name)) {
    const auto file = env_.OpenReadable(files_.PathOf(name), false);
    std::string scratch;
    if (file.ok()) {
      const auto head = (*file)->Read(0, kFilterHeadBytes, &scratch);
      if (head.ok()) {
        return {.bits = std::uint64_t{64} *
                        LoadBig<std::uint32_t>(head->data() + 4),
                .probes = LoadBig<std::uint32_t>(head->data())};
      }
    }
  }
  return {.rate = info.filter.target_rate.value_or(kUsualRate)};
}

Result<std::string> CassandraRun::BuildFilter(const Job& job,
                                              const Sstable& sstable,
                                              std::uint64_t keys) const {
  const auto policy =
      NewCassandraPolicy({.version = sstable.info().version,
                          .sizing = SizingOf(job, sstable.info())});
  if (!policy.ok()) return policy.status();
  // The keys of an sstable are distinct.
  BuildOptions options;
  options.repeats = RepeatedKeys::kNeighbours;
  options.exact_keys = keys;
  const auto builder = (*policy)->NewBuilder(options);
  KeyTaker taker(builder.get());
  if (Status taken = TakeKeys(sstable, keys, &taker); !taken.ok()) return taken;
  std::string bytes;
  if (Status built = builder->Finish(&bytes); !built.ok()) return built;
  return bytes;
}

Status CassandraRun::WriteNew(const std::string& name, Slice bytes) {
  return WriteFileIn(env_, NewPath(name), bytes);
}

// What was written is read back, and asked about every key.
Status CassandraRun::Verify(const Job& job, const Sstable& sstable,
                            std::uint64_t keys) {
  const std::string name = job.stem + std::string(kFilterDb);
  const auto bytes = ReadWholeFile(env_, NewPath(name), kMaxFilter);
  if (!bytes.ok()) return bytes.status();
  const auto reader =
      OpenCassandraFilter(*CassandraEraOf(sstable.info().version), *bytes);
  if (!reader.ok()) return reader.status();
  KeyTaker taker((*reader).get());
  if (Status taken = TakeKeys(sstable, keys, &taker); !taken.ok()) return taken;
  if (!taker.all_admitted()) {
    return Status::IoError(NewPath(name) +
                           ": what was written is not what is read back; "
                           "check the disk and the memory");
  }
  RebuiltSstable& row = RowOf(job);
  row.keys = keys;
  row.new_file = name;
  SstableInfo info = row.before;
  info.filter = {};
  info.filter.target_rate = row.before.filter.target_rate;
  info.remarks.clear();
  info.wasted_bytes = 0;
  FilterSum sum;
  sum.Add((*reader)->Describe(), bytes->size(), 1);
  sum.Finish(&info.filter);
  Judge(sum, {}, &info);
  if (!run_.is_in_place()) info.path = run_.options.out_directory + "/" + name;
  row.after = std::move(info);
  return Status::Ok();
}

Status CassandraRun::AddMove(Kind kind, const std::string& name,
                             RebuildUnit* unit) const {
  RebuildMove move{.kind = kind, .name = name};
  const auto made = transaction_->MarkOfStaged(name, true);
  if (!made.ok()) return made.status();
  move.new_mark = *made;
  if (kind == Kind::kReplace) {
    const auto old = transaction_->MarkOf(name, true);
    if (!old.ok()) return old.status();
    move.old_mark = *old;
  }
  unit->moves.push_back(std::move(move));
  return Status::Ok();
}

Status CassandraRun::AddUnit(const Job& job) {
  const std::string filter = job.stem + std::string(kFilterDb);
  const std::string toc = job.stem + std::string(kTocTxt);
  const bool is_new = !files_.Has(filter);
  RebuildUnit unit;
  for (const std::string_view anchor : kAnchors) {
    const std::string name = job.stem + std::string(anchor);
    if (unit.anchor.empty() && files_.Has(name)) unit.anchor = name;
  }
  std::string contents;
  if (is_new && files_.Has(toc)) {
    auto read = ReadFile(toc);
    if (!read.ok()) return read.status();
    if (!HasLine(*read, kFilterDb)) contents = *std::move(read);
  }
  if (!contents.empty()) {
    if (!contents.ends_with('\n')) contents += '\n';
    contents += std::string(kFilterDb) + "\n";
    Status written = WriteNew(toc, contents);
    if (!written.ok()) return written;
    CopyOwner(env_, files_.PathOf(toc), NewPath(toc));
  }
  CopyOwner(env_, files_.PathOf(is_new ? unit.anchor : filter),
            NewPath(filter));
  if (!run_.is_in_place()) return Status::Ok();
  Status added = AddMove(is_new ? Kind::kAdd : Kind::kReplace, filter, &unit);
  if (added.ok() && !contents.empty()) {
    added = AddMove(Kind::kReplace, toc, &unit);
  }
  journal_.units.push_back(std::move(unit));
  return added;
}

Status CassandraRun::WriteOne(const Job& job) {
  const auto sstable = OpenSstableIn(env_, job.found);
  if (!sstable.ok()) return sstable.status();
  const auto skip = [&](const Status& why) {
    if (!IsAboutOneSstable(why.code())) return why;
    RowOf(job).why_skipped = why.message();
    return Status::Ok();
  };
  const auto seen = SeeKeys(**sstable);
  if (!seen.ok()) return skip(seen.status());
  const auto bytes = BuildFilter(job, **sstable, seen->keys);
  if (!bytes.ok()) return skip(bytes.status());
  const std::string name = job.stem + std::string(kFilterDb);
  if (files_.Has(name)) {
    const auto old = ReadWholeFile(env_, files_.PathOf(name), kMaxFilter);
    if (old.ok() && *old == *bytes) {
      RowOf(job).keys = seen->keys;
      RowOf(job).is_unchanged = true;
      return Status::Ok();
    }
  }
  Status status = WriteNew(name, *bytes);
  if (status.ok()) status = Verify(job, **sstable, seen->keys);
  return status.ok() ? AddUnit(job) : status;
}

Status CassandraRun::Run() {
  Status status = Begin();
  if (status.ok()) status = Plan();
  if (!status.ok() || jobs_.empty()) return status;
  status = CheckSpace(
      env_, run_.is_in_place() ? run_.dir : run_.options.out_directory,
      run_.report.bytes_to_write);
  if (!status.ok() || run_.options.dry_run) return status;
  for (const Job& job : jobs_) {
    if (status.ok()) status = WriteOne(job);
    if (status.ok() && run_.options.on_progress) {
      run_.options.on_progress(job.found.bytes);
    }
  }
  if (!status.ok()) return status;
  if (!run_.is_in_place()) {
    return env_.SyncDirectory(run_.options.out_directory);
  }
  if (journal_.units.empty()) return status;
  journal_.engine = "cassandra";
  status = transaction_->Commit(std::move(journal_));
  if (status.ok()) {
    run_.report.kept_in = run_.dir + "/" + std::string(kRebuildDirectory);
  }
  return status;
}

}  // namespace

Status RebuildCassandra(RebuildRun* run) { return CassandraRun(run).Run(); }

}  // namespace tamis
