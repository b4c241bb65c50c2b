// SPDX-License-Identifier: Apache-2.0
#include "store/compact_range.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/thread_priority.h"
#include "store/level_iterator.h"
#include "store/merging_iterator.h"
#include "store/obsolete_entries.h"

namespace tamis {
namespace {

// An output table that overlaps more of the next level would make its own
// compaction long.
constexpr std::uint64_t kMaxOverlapTables = 10;

std::unique_ptr<InternalIterator> OpenInputs(const CompactRange& range) {
  const BlockReadOptions options{
      .verify_checksums = true, .fill_cache = false, .reads_once = true};
  std::vector<std::unique_ptr<InternalIterator>> inputs;
  const CompactionJob& job = *range.job;
  const KeyOrder& order = range.version->order();
  if (job.level == 0) {
    for (const TableFileRef& file : job.upper) {
      inputs.push_back(NewTableIterator(*file, options));
    }
  } else {
    inputs.push_back(NewLevelIterator(order, job.upper, options));
  }
  if (!job.lower.empty()) {
    inputs.push_back(NewLevelIterator(order, job.lower, options));
  }
  return NewMergingIterator(order, std::move(inputs));
}

// Decides where to cut an output so that it does not overlap too much of the
// level below.
class OverlapGuard {
 public:
  OverlapGuard(const KeyOrder& order, const Level* below, std::uint64_t most)
      : order_(order), below_(below), most_(most) {}

  bool ShouldCutBefore(Slice internal_key) {
    if (below_ == nullptr) return false;
    const std::vector<TableFileRef>& files = below_->files();
    while (at_ < files.size() &&
           order_.Compare(files[at_]->largest(), internal_key) < 0) {
      if (is_counting_) overlap_ += files[at_]->bytes();
      ++at_;
    }
    is_counting_ = true;
    return overlap_ > most_;
  }
  void Cut() noexcept { overlap_ = 0; }

 private:
  const KeyOrder& order_;
  const Level* below_;
  std::uint64_t most_;
  std::size_t at_ = 0;
  std::uint64_t overlap_ = 0;
  bool is_counting_ = false;  // the tables before the first key do not count
};

// Merges one range, in pieces.
class RangeMerge {
 public:
  // REQUIRES: both outlive this
  RangeMerge(const CompactRange& range, TableOutputs* outputs)
      : range_(range),
        outputs_(outputs),
        entries_(OpenInputs(range)),
        overlap_(range.version->order(), Below(range),
                 kMaxOverlapTables * range.table_bytes),
        obsolete_(range.version->order(), range.snapshots,
                  [&range](Slice user_key) {
                    return range.version->MayBeBelow(range.job->output_level,
                                                     user_key);
                  }) {}

  // Merges some entries; true: these were the last, and their table is ended.
  Result<bool> MergeSome() {
    if (!has_begun_) SeekToFirst();
    has_begun_ = true;
    for (int i = 0; i < kEntriesOfPiece; ++i, entries_->Next()) {
      if (IsAtEnd()) return End();
      if (Status added = AddEntry(); !added.ok()) return added;
    }
    turns_.EndPiece();
    if (range_.stop->load(std::memory_order_relaxed)) {
      return Status::IoError("the store is being closed");
    }
    return false;
  }

 private:
  // Takes some 20 us.
  static constexpr int kEntriesOfPiece = 64;

  // Null: there is no level below that of the outputs.
  static const Level* Below(const CompactRange& range) {
    const int below = range.job->output_level + 1;
    return below < kStoreLevels ? &range.version->level(below) : nullptr;
  }

  void SeekToFirst() {
    if (!range_.from) return entries_->SeekToFirst();
    const LookupKey first(*range_.from, kMaxSequence);
    entries_->Seek(first.internal());
  }

  bool IsAtEnd() const {
    if (!entries_->Valid()) return true;
    return range_.to && range_.version->order().CompareUser(
                            UserKeyOf(entries_->key()), *range_.to) >= 0;
  }

  Status AddEntry() {
    const Slice key = entries_->key();
    if (obsolete_.MayDrop(key)) return Status::Ok();
    // All versions of a key stay in one table.
    if (obsolete_.is_new_key() && outputs_->table_bytes() > 0 &&
        (overlap_.ShouldCutBefore(key) ||
         outputs_->table_bytes() >= range_.table_bytes)) {
      if (Status cut = outputs_->Cut(); !cut.ok()) return cut;
      overlap_.Cut();
    }
    return outputs_->Add(key, entries_->value());
  }

  Result<bool> End() {
    if (Status status = entries_->status(); !status.ok()) return status;
    if (Status cut = outputs_->Cut(); !cut.ok()) return cut;
    return true;
  }

  const CompactRange& range_;
  TableOutputs* outputs_;
  const std::unique_ptr<InternalIterator> entries_;
  OverlapGuard overlap_;
  ObsoleteEntries obsolete_;
  ShortTurns turns_;
  bool has_begun_ = false;
};

}  // namespace

Status MergeRange(const CompactRange& range, TableOutputs* outputs) {
  RangeMerge merge(range, outputs);
  return RunInPieces(range.give_way, [&] { return merge.MergeSome(); });
}

std::vector<std::string> CutsOf(const CompactionJob& job, const KeyOrder& order,
                                std::uint64_t parts) {
  std::vector<std::string> cuts;
  if (parts < 2) return cuts;
  // Sampled keys, with about equally many bytes between them.
  std::vector<std::string> samples;
  const auto sample = [&](const std::vector<TableFileRef>& files) {
    for (const TableFileRef& file : files) {
      Result<const Table*> table = file->Open();
      if (!table.ok()) continue;  // the merge will report it
      const std::uint64_t count =
          std::max<std::uint64_t>(1, file->bytes() * 16 * parts / job.bytes());
      for (std::string& key : (*table)->SampleKeys(count)) {
        samples.push_back(std::move(key));
      }
    }
  };
  sample(job.upper);
  sample(job.lower);
  std::sort(samples.begin(), samples.end(),
            [&](const std::string& a, const std::string& b) {
              return order.CompareUser(a, b) < 0;
            });
  for (std::uint64_t i = 1; i < parts; ++i) {
    if (samples.empty()) break;
    std::string& cut = samples[samples.size() * i / parts];
    if (cuts.empty() || order.CompareUser(cuts.back(), cut) < 0) {
      cuts.push_back(cut);
    }
  }
  return cuts;
}

std::string LargestKey(const CompactionJob& job, const KeyOrder& order) {
  std::string largest(job.upper.front()->largest());
  for (const TableFileRef& file : job.upper) {
    if (order.Compare(file->largest(), largest) > 0) {
      largest = file->largest();
    }
  }
  return largest;
}

}  // namespace tamis
