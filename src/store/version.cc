// SPDX-License-Identifier: Apache-2.0
#include "store/version.h"

#include <algorithm>
#include <map>
#include <utility>

#include "table/shared_prefix.h"

namespace tamis {
namespace {

Slice Beyond(Slice key, std::size_t skip) noexcept {
  return key.substr(std::min(skip, key.size()));
}

}  // namespace

Level::Level(const KeyOrder& order, int number, std::vector<TableFileRef> files)
    : order_(order), files_(std::move(files)) {
  if (files_.empty()) return;
  slots_ = std::make_unique<FilterSlot[]>(files_.size());
  if (number == 0) routes_ = std::make_unique<RouteSlot>();
  const Slice example = UserKeyOf(files_.front()->smallest());
  std::size_t common = example.size();
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const TableFile& file = *files_[i];
    bytes_ += file.bytes();
    common =
        std::min({common, SharedPrefix(example, UserKeyOf(file.smallest())),
                  SharedPrefix(example, UserKeyOf(file.largest()))});
    const TableFilter* filter = file.loaded_filter();
    if (filter != nullptr) slots_[i].Publish(*filter, file.seeds());
  }
  if (!order_.is_bytewise()) return;
  // Common to the first and the last key, and so to all between them.
  common_ = std::string(example.substr(0, common));
  for (const TableFileRef& file : files_) {
    first_.push_back(PrefixOf(Beyond(UserKeyOf(file->smallest()), common)));
    last_.push_back(PrefixOf(Beyond(UserKeyOf(file->largest()), common)));
  }
  if (number > 0) last_tree_ = PrefixTree(last_);
}

void Level::InheritRoutes(const Level& before) const {
  const Routes* const routes = before.routes();
  if (routes == nullptr || empty()) return;
  std::map<const TableFile*, Routes::Label> known;
  for (std::size_t i = 0; i < before.size(); ++i) {
    known.emplace(before.files()[i].get(), routes->label(i));
  }
  std::vector<Routes::Label> labels;
  for (const TableFileRef& file : files_) {
    const auto found = known.find(file.get());
    labels.push_back(found == known.end() ? Routes::kNotRouted : found->second);
  }
  ExchangeRoutes(Routes::Make(routes->router(), std::move(labels)));
}

std::size_t Level::FindTable(Slice internal_key) const noexcept {
  if (files_.empty()) return 0;
  if (!order_.is_bytewise()) {
    const auto found = std::partition_point(
        files_.begin(), files_.end(), [&](const TableFileRef& file) {
          return order_.Compare(file->largest(), internal_key) < 0;
        });
    return static_cast<std::size_t>(found - files_.begin());
  }
  const Slice user_key = UserKeyOf(internal_key);
  if (!user_key.starts_with(common_)) {
    return user_key < Slice(common_) ? 0 : files_.size();
  }
  const std::uint64_t prefix = PrefixOf(user_key.substr(common_.size()));
  std::size_t at = last_tree_.LowerBound(prefix);
  // Equal prefixes decide nothing; they are rare enough for a linear search.
  if (at < last_.size() && last_[at] == prefix) {
    const auto end = std::upper_bound(
        last_.begin() + static_cast<std::ptrdiff_t>(at), last_.end(), prefix);
    const auto first = files_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto found = std::partition_point(
        first, files_.begin() + (end - last_.begin()),
        [&](const TableFileRef& file) {
          return order_.Compare(file->largest(), internal_key) < 0;
        });
    at += static_cast<std::size_t>(found - first);
  }
  return at;
}

std::size_t Level::FindHolder(Slice internal_key) const noexcept {
  if (order_.is_bytewise() && !files_.empty()) {
    const Probe probe = ProbeOf(UserKeyOf(internal_key));
    if (probe.outside) return files_.size();
    const std::size_t at = last_tree_.LowerBound(probe.prefix);
    if (at == files_.size() || first_[at] > probe.prefix) return files_.size();
    if (first_[at] < probe.prefix && probe.prefix < last_[at]) return at;
    // Equal prefixes decide nothing.
  }
  const std::size_t at = FindTable(internal_key);
  if (at == files_.size()) return at;
  const bool begins_after =
      order_.CompareUser(UserKeyOf(files_[at]->smallest()),
                         UserKeyOf(internal_key)) > 0;
  return begins_after ? files_.size() : at;
}

Version::Version(const KeyOrder& order,
                 std::array<std::vector<TableFileRef>, kStoreLevels> files,
                 CompactPointers pointers)
    : order_(order), compact_pointers_(std::move(pointers)) {
  for (int i = 0; i < kStoreLevels; ++i) {
    const auto at = static_cast<std::size_t>(i);
    levels_[at] = Level(order, i, std::move(files[at]));
    if (i > 0 && !levels_[at].empty()) filled_levels_.push_back(i);
  }
}

std::uint64_t Version::table_count() const noexcept {
  std::uint64_t count = 0;
  for (const Level& level : levels_) count += level.size();
  return count;
}

std::vector<TableFileRef> Version::Overlapping(int level, const Slice* from,
                                               const Slice* to) const {
  const auto is_before = [&](const TableFileRef& file) {
    return from != nullptr &&
           order_.CompareUser(UserKeyOf(file->largest()), *from) < 0;
  };
  const auto is_not_after = [&](const TableFileRef& file) {
    return to == nullptr ||
           order_.CompareUser(UserKeyOf(file->smallest()), *to) <= 0;
  };
  const std::vector<TableFileRef>& files = this->level(level).files();
  std::vector<TableFileRef> found;
  if (level == 0) {
    for (const TableFileRef& file : files) {
      if (!is_before(file) && is_not_after(file)) found.push_back(file);
    }
    return found;
  }
  const auto first =
      std::partition_point(files.begin(), files.end(), is_before);
  const auto last = std::partition_point(first, files.end(), is_not_after);
  found.assign(first, last);
  return found;
}

bool Version::MayBeBelow(int level, Slice user_key) const {
  const LookupKey newest(user_key, kMaxSequence);
  for (int i = level + 1; i < kStoreLevels; ++i) {
    const Level& below = this->level(i);
    if (below.FindHolder(newest.internal()) < below.size()) return true;
  }
  return false;
}

namespace {

Status CheckOrder(const KeyOrder& order, int level,
                  const std::vector<TableFileRef>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (order.Compare(files[i]->smallest(), files[i]->largest()) > 0) {
      return Status::Corruption("table " + std::to_string(files[i]->number()) +
                                " ends before it begins");
    }
    if (level > 0 && i > 0 &&
        order.Compare(files[i - 1]->largest(), files[i]->smallest()) >= 0) {
      return Status::Corruption(
          "tables " + std::to_string(files[i - 1]->number()) + " and " +
          std::to_string(files[i]->number()) + " of level " +
          std::to_string(level) + " overlap");
    }
  }
  return Status::Ok();
}

void SortLevel(const KeyOrder& order, int level,
               std::vector<TableFileRef>* files) {
  std::sort(files->begin(), files->end(),
            [&](const TableFileRef& a, const TableFileRef& b) {
              if (level == 0) return a->number() > b->number();
              const int c = order.Compare(a->smallest(), b->smallest());
              return c != 0 ? c < 0 : a->number() < b->number();
            });
}

}  // namespace

Result<std::shared_ptr<const Version>> Version::Apply(
    const VersionEdit& edit, const TableFileContext& context) const {
  std::array<std::vector<TableFileRef>, kStoreLevels> files;
  for (int i = 0; i < kStoreLevels; ++i) {
    files[static_cast<std::size_t>(i)] = level(i).files();
  }
  // A table that is moved down is removed from one level and added to another;
  // its object is reused.
  std::vector<TableFileRef> removed;
  for (const auto& [at, number] : edit.removed) {
    std::vector<TableFileRef>& from = files[static_cast<std::size_t>(at)];
    const std::uint64_t wanted = number;
    const auto found = std::find_if(
        from.begin(), from.end(),
        [wanted](const auto& file) { return file->number() == wanted; });
    if (found == from.end()) {
      return Status::Corruption("table " + std::to_string(number) +
                                " is removed from level " + std::to_string(at) +
                                ", where it is not");
    }
    removed.push_back(*found);
    from.erase(found);
  }
  for (const auto& [at, metadata] : edit.added) {
    const std::uint64_t wanted = metadata.number;
    const auto moved =
        std::find_if(removed.begin(), removed.end(),
                     [wanted](const auto& f) { return f->number() == wanted; });
    files[static_cast<std::size_t>(at)].push_back(
        moved != removed.end()
            ? *moved
            : std::make_shared<const TableFile>(context, metadata));
  }
  for (int i = 0; i < kStoreLevels; ++i) {
    std::vector<TableFileRef>& sorted = files[static_cast<std::size_t>(i)];
    SortLevel(order_, i, &sorted);
    if (Status fits = CheckOrder(order_, i, sorted); !fits.ok()) return fits;
  }
  CompactPointers pointers = compact_pointers_;
  for (const auto& [at, key] : edit.compact_pointers) {
    pointers[static_cast<std::size_t>(at)] = key;
  }
  return std::shared_ptr<const Version>(std::make_shared<const Version>(
      order_, std::move(files), std::move(pointers)));
}

}  // namespace tamis
