// SPDX-License-Identifier: Apache-2.0
// Explains one lookup step by step: the steps of get.cc, without its
// optimisations.

#include <utility>

#include "store/lookup.h"
#include "store/store_impl.h"

namespace tamis {
namespace {

using Outcome = LookupStep::Outcome;

Outcome OutcomeOf(const LookupResult& result) noexcept {
  switch (result.state) {
    case LookupResult::State::kValue:
      return Outcome::kFound;
    case LookupResult::State::kDeletion:
      return Outcome::kFoundDeleted;
    case LookupResult::State::kAbsent:
      break;
  }
  if (result.block_layer_absent && result.blocks_read == 0) {
    return Outcome::kFilterAbsent;
  }
  return result.blocks_read > 0 ? Outcome::kReadAndAbsent
                                : Outcome::kIndexAbsent;
}

LookupStep::Layer LayerOf(const LookupResult& result) noexcept {
  using BlockLayer = LookupResult::BlockLayer;
  return result.block_layer == BlockLayer::kOwn
             ? LookupStep::Layer::kBlockFilter
             : LookupStep::Layer::kLevelDbBlockFilter;
}

class Explainer {
 public:
  Explainer(const ReadOptions& options, FilterUse use, const Lookup& lookup)
      : options_(options), use_(use), lookup_(lookup) {}

  void Ask(const LoggedMemtable& memtable, LookupStep::Place place) {
    LookupStep step;
    step.place = place;
    step.file_number = memtable.log_number;
    step.file_bytes = memtable.table->bytes();
    if (memtable.table->has_filter()) {
      step.filter = "bloom";
      step.filter_rate = memtable.table->filter_rate();
    }
    if (memtable.table->empty()) {
      step.outcome = Outcome::kOutOfRange;
      step.note = "empty";
    } else if (memtable.table->has_filter() &&
               !memtable.table->MayContain(lookup_.hash)) {
      step.outcome = Outcome::kFilterAbsent;
      step.ruled_out_by = LookupStep::Layer::kWholeFilter;
    } else {
      LookupResult result;
      memtable.table->Get(lookup_.key, &told_.value, &result);
      step.outcome = OutcomeOf(result);
    }
    Push(std::move(step));
  }

  // `is_ruled_out`: by the router.
  void Ask(const TableFile& file, int level, bool spans, bool is_ruled_out) {
    LookupStep step;
    step.level = level;
    step.file_number = file.number();
    step.file_bytes = file.bytes();
    step.smallest = UserKeyOf(file.smallest());
    step.largest = UserKeyOf(file.largest());
    if (spans) {
      if (Status read = Read(file, &step); !read.ok()) {
        step.outcome = Outcome::kFailed;
        step.note = read.message();
        told_.status = read;
        is_done_ = true;
      }
      if (is_ruled_out && step.note.empty()) {
        step.note = "the router rules it out";
      }
    }
    Push(std::move(step));
  }

  bool is_done() const noexcept { return is_done_; }
  Explanation Finish() {
    if (!is_done_) told_.status = NoSuchKey();
    return std::move(told_);
  }

 private:
  Status Read(const TableFile& file, LookupStep* step) {
    Result<const Table*> table = file.Open();
    if (!table.ok()) return table.status();
    const TableFilter* filter = nullptr;
    if (use_ != FilterUse::kOff) {
      Result<const TableFilter*> loaded = file.Filter();
      if (!loaded.ok()) return loaded.status();
      filter = *loaded;
      step->filter = filter->kind_name();
      step->filter_rate = filter->expected_rate();
      step->filter_bytes = filter->bytes();
      if (filter->stored().keys > 0) {
        step->filter_bits_per_key = 8 * static_cast<double>(filter->bytes()) /
                                    static_cast<double>(filter->stored().keys);
      }
      if (filter->kind() == TableFilter::Kind::kNone &&
          filter->stored().bytes > 0) {
        step->note = "its filter is not in memory, for lack of it";
      } else if (filter->kind() == TableFilter::Kind::kParts) {
        step->note = "the parts of its filter are read as they are asked for";
      } else if (filter->divisor() > TableFilter::kWholly) {
        step->note = "1/" + std::to_string(filter->divisor()) +
                     " of its filter is in memory";
      }
      if (!filter->damage().ok()) step->note = filter->damage().message();
      if (!filter->MayContain(lookup_.key.user())) {
        if (use_ == FilterUse::kOn) {
          step->outcome = Outcome::kFilterAbsent;
          step->ruled_out_by = LookupStep::Layer::kWholeFilter;
          return Status::Ok();
        }
        step->note = "the filter rules it out";
      }
    }
    BlockReadOptions options{.verify_checksums = options_.verify_checksums};
    AddBlockFilter(file, step, &options);
    LookupResult result;
    const Status read = (*table)->Get(lookup_.key, options,
                                      use_ == FilterUse::kOn ? filter : nullptr,
                                      &told_.value, &result);
    step->blocks_read = result.blocks_read;
    step->outcome = OutcomeOf(result);
    if (step->outcome == Outcome::kFilterAbsent) {
      step->ruled_out_by = LayerOf(result);
    } else if (result.block_layer_absent && step->note.empty()) {
      step->note = "the filter of its block rules it out";
    }
    return read;
  }

  void AddBlockFilter(const TableFile& file, LookupStep* step,
                      BlockReadOptions* options) const {
    const HeldBlockFilter* const filter =
        use_ != FilterUse::kOff ? file.block_filter() : nullptr;
    if (filter == nullptr) return;
    step->block_filter_bytes = filter->bytes();
    step->block_filter_rate = filter->expected_rate();
    options->block_filter = filter;
    options->block_filter_hash = lookup_.HashWith(filter->seed());
    options->only_counts_block_filter = use_ != FilterUse::kOn;
  }

  void Push(LookupStep step) {
    if (step.outcome == Outcome::kFound) {
      told_.status = Status::Ok();
      is_done_ = true;
    } else if (step.outcome == Outcome::kFoundDeleted) {
      told_.status = NoSuchKey();
      is_done_ = true;
    }
    told_.steps.push_back(std::move(step));
  }

  const ReadOptions& options_;
  FilterUse use_;
  const Lookup& lookup_;
  Explanation told_;
  bool is_done_ = false;
};

}  // namespace

Explanation StoreImpl::Explain(const ReadOptions& options, Slice key) {
  const ReaderSlots::Guard guard(views_.slots());
  const ReadView& view = views_.visible();
  const Lookup lookup(key, SequenceFor(options), context_.tables.seeds);
  Explainer explainer(options, context_.options.filter_use, lookup);
  explainer.Ask(view.memtable, LookupStep::Place::kMemtable);
  for (const LoggedMemtable& immutable : view.immutable) {
    if (explainer.is_done()) break;
    explainer.Ask(immutable, LookupStep::Place::kImmutableMemtable);
  }
  const Routes* const routes = view.version->level(0).routes();
  Routes::Tables routed;
  routed.are_all = true;
  if (routes != nullptr) routes->Find(lookup.hash, &routed);
  for (int i = 0; i < kStoreLevels && !explainer.is_done(); ++i) {
    const Level& level = view.version->level(i);
    const std::size_t holder =
        i > 0 ? level.FindHolder(lookup.key.internal()) : 0;
    for (std::size_t at = 0; at < level.size() && !explainer.is_done(); ++at) {
      const TableFile& file = *level.files()[at];
      const bool spans = i > 0 ? at == holder
                               : context_.order.CompareUser(
                                     UserKeyOf(file.smallest()), key) <= 0 &&
                                     context_.order.CompareUser(
                                         key, UserKeyOf(file.largest())) <= 0;
      const bool is_ruled_out = i == 0 && !routed.Have(at);
      explainer.Ask(file, i, spans, is_ruled_out);
    }
  }
  return explainer.Finish();
}

}  // namespace tamis
