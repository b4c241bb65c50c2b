// SPDX-License-Identifier: Apache-2.0
#include "store/level_filters.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/tamis/block_filter.h"
#include "policy/table_policy.h"
#include "table/table_range_filter.h"

namespace tamis {
namespace {

Status Named(const std::string& option, Status status) {
  if (status.ok()) return status;
  return status.WithMessage(option + ": " + status.message());
}

Status CheckText(const std::string& option, const std::string& text,
                 bool will_write) {
  if (text.empty()) return Status::Ok();
  const Result<std::unique_ptr<const FilterPolicy>> made = MakePolicy(text);
  if (!made.ok()) return made.status();
  if (!will_write) return Status::Ok();
  Status fits = CheckFitsTables(text);
  if (fits.ok()) fits = TryPolicy(**made);
  return Named(option + " \"" + text + "\"", std::move(fits));
}

}  // namespace

const std::string& FilterTextOf(const StoreOptions& options,
                                int level) noexcept {
  const std::vector<std::string>& list = options.filter_per_level;
  if (list.empty()) return options.filter;
  return list[std::min(static_cast<std::size_t>(level), list.size() - 1)];
}

Status LevelFilters::Check(const StoreOptions& options) {
  const bool will_write = !options.read_only;
  const std::vector<std::string>& list = options.filter_per_level;
  if (options.block_filter_bits > kMaxBlockFilterBits) {
    return Status::InvalidArgument("block_filter_bits: at most " +
                                   std::to_string(kMaxBlockFilterBits) +
                                   " bits per key");
  }
  if (!IsRangeFilterBits(options.range_filter_bits)) {
    return Status::InvalidArgument(
        "range_filter_bits: 0 for none, or from " +
        std::to_string(kMinRangeFilterBits) + " to " +
        std::to_string(kMaxRangeFilterBits) + " bits per key");
  }
  if (options.filter_policy != nullptr) {
    if (!list.empty()) {
      return Status::InvalidArgument(
          "filter_policy and filter_per_level exclude each other: a custom "
          "policy is for all levels");
    }
    if (!will_write) return Status::Ok();
    return Named("filter_policy", TryPolicy(*options.filter_policy));
  }
  if (list.size() > kStoreLevels) {
    return Status::InvalidArgument(
        "filter_per_level has " + std::to_string(list.size()) +
        " items; a store has " + std::to_string(kStoreLevels) + " levels");
  }
  if (list.empty()) return CheckText("filter", options.filter, will_write);
  for (const std::string& text : list) {
    Status fine = CheckText("filter_per_level", text, will_write);
    if (!fine.ok()) return fine;
  }
  return Status::Ok();
}

Status LevelFilters::Choose(const StoreOptions& options, bool filters_fit,
                            std::uint64_t seed) {
  seed_ = seed;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const auto level = static_cast<int>(i);
    const std::string& text = FilterTextOf(options, level);
    if (i > 0 && (options.filter_policy != nullptr ||
                  text == FilterTextOf(options, level - 1))) {
      chosen_[i] = chosen_[i - 1];
      continue;
    }
    auto choice = std::make_shared<Choice>();
    choice->policy = filters_fit ? options.filter_policy : nullptr;
    if (filters_fit && choice->policy == nullptr && !text.empty()) {
      Result<std::unique_ptr<const FilterPolicy>> made =
          MakeSeededPolicy(text, seed);
      if (!made.ok()) return made.status();
      choice->policy = *std::move(made);
    }
    choice->wanted =
        WantedShape::Of(options, {choice->policy, text}, filters_fit, seed);
    chosen_[i] = std::move(choice);
  }
  return Status::Ok();
}

Status LevelFilters::Plan(const StoreOptions& options,
                          const std::array<std::string, kStoreLevels>& specs) {
  Choices planned;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (i > 0 && specs[i] == specs[i - 1]) {
      planned[i] = planned[i - 1];
      continue;
    }
    auto choice = std::make_shared<Choice>();
    if (!specs[i].empty()) {
      Result<std::unique_ptr<const FilterPolicy>> made =
          MakeSeededPolicy(specs[i], seed_);
      if (!made.ok()) return made.status();
      choice->policy = *std::move(made);
    }
    choice->wanted =
        WantedShape::Of(options, {choice->policy, specs[i]}, true, seed_);
    choice->wanted.AcceptNearSizes();
    planned[i] = std::move(choice);
  }
  const MutexLock lock(mutex_);
  planned_ = std::move(planned);
  return Status::Ok();
}

void LevelFilters::Forget() noexcept {
  const MutexLock lock(mutex_);
  planned_ = {};
}

std::shared_ptr<const LevelFilters::Choice> LevelFilters::at(int level) const {
  const auto i = static_cast<std::size_t>(level);
  const MutexLock lock(mutex_);
  return planned_[i] != nullptr ? planned_[i] : chosen_[i];
}

const FilterPolicy* LevelFilters::first() const noexcept {
  for (const std::shared_ptr<const Choice>& choice : chosen_) {
    if (choice->policy != nullptr) return choice->policy.get();
  }
  return nullptr;
}

}  // namespace tamis
