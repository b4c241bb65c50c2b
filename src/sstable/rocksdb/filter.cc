// SPDX-License-Identifier: Apache-2.0
#include "sstable/rocksdb/filter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/rocksdb/bloom.h"

namespace tamis {
namespace {

constexpr std::string_view kFull = "fullfilter.";
constexpr std::string_view kPartitioned = "partitionedfilter.";
constexpr std::string_view kObsolete = "filter.";

// How the table names its filter.
struct NamedFilter {
  std::string_view form;  // one of those above; empty: there is none
  std::string policy;
  BlockHandle handle;
};

NamedFilter FindFilter(const RocksDbTable& table) {
  for (const std::string_view form : {kFull, kPartitioned, kObsolete}) {
    for (const auto& [name, handle] : table.blocks()) {
      if (!name.starts_with(form)) continue;
      return {
          .form = form, .policy = name.substr(form.size()), .handle = handle};
    }
  }
  return {};
}

bool IsOn(Slice property) noexcept { return property != "0"; }

}  // namespace

std::optional<Slice> RocksDbPrefix::Of(Slice key) const noexcept {
  if (key.size() >= bytes) return key.substr(0, bytes);
  return is_capped ? std::optional<Slice>(key) : std::nullopt;
}

std::optional<RocksDbPrefix> RocksDbPrefix::Named(
    std::string_view name) noexcept {
  constexpr std::string_view kFixed = "rocksdb.FixedPrefix.";
  constexpr std::string_view kCapped = "rocksdb.CappedPrefix.";
  RocksDbPrefix prefix;
  prefix.is_capped = name.starts_with(kCapped);
  if (!prefix.is_capped && !name.starts_with(kFixed)) return std::nullopt;
  name.remove_prefix(prefix.is_capped ? kCapped.size() : kFixed.size());
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, prefix.bytes);
  if (error != std::errc() || stop != end) return std::nullopt;
  return prefix;
}

void RocksDbTableFilter::ReadPart(const RocksDbTable& table,
                                  const ReadableFile& file,
                                  const BlockHandle& handle, Slice last_key,
                                  FilterSum* sum) {
  Part& part = parts_.emplace_back();
  part.last_key = std::string(last_key);
  const auto weight =
      static_cast<double>(std::max<std::uint64_t>(handle.size, 1));
  RocksDbBuffer buffer;
  Slice contents;
  if (const Status read =
          table.ReadBlock(file, handle, false, &buffer, &contents);
      !read.ok()) {
    sum->AddUnusable(handle.size, weight, true, "is at " + read.message());
    return;
  }
  part.bytes = std::string(contents);
  auto reader = OpenRocksDbFilter(part.bytes);
  if (!reader.ok()) {
    sum->AddUnusable(handle.size, weight, true,
                     "at offset " + std::to_string(handle.offset) +
                         " does not open: " + reader.status().message());
    return;
  }
  sum->Add((*reader)->Describe(), handle.size, weight);
  part.reader = *std::move(reader);
}

void RocksDbTableFilter::ReadParts(const RocksDbTable& table,
                                   const ReadableFile& file,
                                   const BlockHandle& top, FilterSum* sum) {
  RocksDbBuffer buffer;
  RocksDbBlockParts parts;
  const Status read = table.ReadParts(file, top, false, &buffer, &parts);
  RocksDbIndexCoding coding = table.index_coding();
  coding.has_first_keys = false;
  RocksDbIndexEntries entries(read.ok() ? parts : RocksDbBlockParts(), coding);
  // Partitions do not overlap, and are not compressed; what names the same
  // bytes often would take more memory than the file has.
  std::uint64_t left = file.size();
  bool fits = true;
  while (fits && entries.Next()) {
    const std::uint64_t start = entries.handle().size;
    fits = start <= left && entries.user_key().size() <= left - start;
    if (!fits) break;
    ReadPart(table, file, entries.handle(), entries.user_key(), sum);
    const Part& part = parts_.back();
    const std::uint64_t taken = part.bytes.size() + part.last_key.size();
    fits = taken <= left;
    left -= std::min(left, std::max(taken, start));
  }
  if (read.ok() && fits && !entries.damaged()) return;
  // Which partition is a key's is not known.
  parts_.clear();
  sum->AddUnusable(top.size, 1, true,
                   "is in partitions, whose index cannot be read: " +
                       (read.ok() ? "offset " + std::to_string(top.offset)
                                  : read.message()));
}

std::unique_ptr<const RocksDbTableFilter> RocksDbTableFilter::Read(
    const RocksDbTable& table, const ReadableFile& file, RocksDbOrder order,
    FilterSum* sum, SstableInfo* info) {
  auto filter = std::make_unique<RocksDbTableFilter>();
  filter->order_ = order;
  const NamedFilter named = FindFilter(table);
  if (named.form.empty()) return filter;
  info->filter.name = named.policy;
  if (named.policy != kRocksDbFilterName || named.form == kObsolete) {
    sum->AddUnusable(named.handle.size, 1, false,
                     named.form == kObsolete
                         ? "is of the form per block, which RocksDB no longer "
                           "reads"
                         : "is of the custom policy \"" + named.policy + "\"");
    return filter;
  }
  filter->has_whole_keys_ =
      IsOn(table.Property("rocksdb.block.based.table.whole.key.filtering"));
  const bool has_prefixes =
      table.Property("rocksdb.block.based.table.prefix.filtering") == "1";
  const Slice extractor = table.Property("rocksdb.prefix.extractor.name");
  if (has_prefixes) filter->prefix_ = RocksDbPrefix::Named(extractor);
  info->filter.has_whole_keys = filter->has_whole_keys_;
  if (has_prefixes) info->filter.prefix_extractor = std::string(extractor);
  info->filter.is_partitioned = named.form == kPartitioned;
  if (named.form == kPartitioned) {
    filter->ReadParts(table, file, named.handle, sum);
  } else {
    filter->ReadPart(table, file, named.handle, {}, sum);
  }
  return filter;
}

// The first partition whose separator is at or after the key; else the last.
const RocksDbTableFilter::Part& RocksDbTableFilter::PartOf(
    Slice user_key) const noexcept {
  const auto found = std::partition_point(
      parts_.begin(), parts_.end() - 1,
      [&](const Part& part) { return ComesBefore(part.last_key, user_key); });
  return *found;
}

bool RocksDbTableFilter::MayContain(Slice user_key) const noexcept {
  if (parts_.empty()) return true;
  const Part& part = PartOf(user_key);
  if (part.reader == nullptr) return true;
  if (has_whole_keys_) return part.reader->MayContain(user_key);
  const auto prefix =
      prefix_.has_value() ? prefix_->Of(user_key) : std::nullopt;
  return !prefix.has_value() || part.reader->MayContain(*prefix);
}

void RocksDbTableFilter::CheckStored(std::span<const Slice> keys,
                                     std::span<bool> out) const {
  std::fill(out.begin(), out.end(), true);
  if (parts_.empty()) return;
  std::size_t start = 0;
  while (start < keys.size()) {
    const Part& part = PartOf(keys[start]);
    const bool is_last = &part == &parts_.back();
    std::size_t end = start + 1;
    while (end < keys.size() &&
           (is_last || !ComesBefore(part.last_key, keys[end]))) {
      ++end;
    }
    const auto some = keys.subspan(start, end - start);
    const auto answers = out.subspan(start, end - start);
    start = end;
    if (part.reader == nullptr) continue;
    if (has_whole_keys_) part.reader->MayContainMany(some, answers);
    if (!prefix_.has_value()) continue;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto prefix = prefix_->Of(some[i]);
      answers[i] = answers[i] &&
                   (!prefix.has_value() || part.reader->MayContain(*prefix));
    }
  }
}

}  // namespace tamis
