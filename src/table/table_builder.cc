// SPDX-License-Identifier: Apache-2.0
#include "table/table_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/named_lines.h"
#include "formats/leveldb/filter_block.h"
#include "formats/tamis/container.h"
#include "formats/tamis/line_view.h"
#include "table/block_builder.h"
#include "table/block_file.h"
#include "table/compression.h"
#include "table/filter_parts.h"
#include "table/footer.h"
#include "table/page_layout.h"
#include "table/shared_prefix.h"
#include "table/table_filter_builder.h"
#include "table/table_meta.h"
#include "table/table_range_filter.h"

namespace tamis {

class TableBuilder::Impl {
 public:
  Impl(const TableWriteOptions& options, WritableFile* file)
      : options_(options),
        file_(file),
        data_(options.restart_interval),
        compressor_(options.compression, options.zstd_level, options.limits),
        filters_(options.filter, options.leveldb_filter_bits,
                 options.block_filter_bits, options.block_filter_seed,
                 options.leveldb_filter),
        range_filter_(options.range_filter_bits) {
    if (options.prefixes != nullptr) filters_.AddPrefixesBy(*options.prefixes);
  }

  Status Add(Slice key, Slice value);
  Status Finish();
  std::uint64_t entries() const noexcept { return entries_; }
  std::uint64_t bytes() const noexcept { return offset_; }
  std::string filter_problem() const;

 private:
  bool ComesNext(Slice key, std::size_t shared) const noexcept;
  // Writes an index entry, once the key after its block is known.
  void AddIndexEntry(std::string key);
  std::string KeyBetween(Slice last, Slice next) const;
  std::string KeyAfter(Slice last) const;
  std::string Shortened(std::string user_key, Slice last) const;
  bool ShouldEndBefore(Slice key, Slice value,
                       std::size_t shared) const noexcept;
  Status FlushBlock();
  Status BeginBlock();
  Status WriteBlock(std::string* contents, BlockHandle* handle);
  Status WriteRaw(std::string* contents, Compression how, BlockHandle* handle);
  Status WriteMeta(std::string_view name, std::string* contents);
  Status WriteMetaBlocks();
  Status WriteProperties();
  void AppendPrefixLines(std::string* lines) const;
  Status WriteWholeFilter(std::string* filter);
  Status WriteFilterParts(const LineView& lines);
  Status PadTo(std::uint64_t alignment);

  const TableWriteOptions options_;
  // Blocks are to begin and end with pages, or with parts of them.
  const bool is_laid_in_pages_ =
      options_.in_pages && (options_.block_bytes % kPageBytes == 0 ||
                            kPageBytes % options_.block_bytes == 0);
  // A block that is compressed may grow a little to fill its part of a page.
  const std::size_t max_raw_bytes_ =
      is_laid_in_pages_ && options_.compression != Compression::kNone
          ? options_.block_bytes + options_.block_bytes / 2
          : options_.block_bytes;
  WritableFile* const file_;
  StoredShare share_{options_.block_bytes};  // of data blocks
  std::uint64_t space_ = 0;  // that the current data block should take
  BlockBuilder data_;
  BlockBuilder index_{1};
  BlockBuilder metaindex_{1};
  Compressor compressor_;
  TableFilterBuilder filters_;
  TableRangeFilterBuilder range_filter_;
  std::string compressed_;
  std::string last_key_;
  BlockHandle last_block_;
  bool index_entry_due_ = false;  // for last_block_
  std::uint64_t offset_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t keys_ = 0;  // distinct user keys
  Status status_;
};

Status TableBuilder::Impl::Add(Slice key, Slice value) {
  if (!status_.ok()) return status_;
  if (key.size() > kMaxUserKeyBytes + kTrailerBytes ||
      value.size() > kMaxValueBytes) {
    return Status::InvalidArgument(
        "a key of more than 1 GiB, or a value of more than 2 GiB");
  }
  const std::size_t shared = SharedPrefix(last_key_, key);
  if (!ComesNext(key, shared)) {
    return status_ = Status::Corruption(
               "an entry to be written does not come after the one before: "
               "what it was read from is not sorted");
  }
  if (ShouldEndBefore(key, value, shared)) {
    if (Status flushed = FlushBlock(); !flushed.ok()) return flushed;
  }
  if (index_entry_due_) AddIndexEntry(KeyBetween(last_key_, key));
  if (data_.empty()) {
    if (Status begun = BeginBlock(); !begun.ok()) return begun;
  }
  const Slice user_key = UserKeyOf(key);
  const bool is_repeat = entries_ != 0 && last_key_.size() == key.size() &&
                         shared >= user_key.size();
  filters_.Add(user_key, is_repeat);
  if (!is_repeat) range_filter_.Add(user_key);
  data_.Add(key, value, shared);
  ++entries_;
  keys_ += is_repeat ? 0u : 1u;
  last_key_.replace(shared, std::string::npos, key.substr(shared));
  if (data_.bytes() >= max_raw_bytes_) return FlushBlock();
  return Status::Ok();
}

// `shared` is the length of the prefix that the key shares with the one before.
bool TableBuilder::Impl::ComesNext(Slice key,
                                   std::size_t shared) const noexcept {
  if (!IsInternalKey(key)) return false;
  if (entries_ == 0) return true;
  const std::size_t shorter = std::min(last_key_.size(), key.size());
  if (options_.order.is_bytewise() && shared + kTrailerBytes < shorter) {
    return static_cast<unsigned char>(last_key_[shared]) <
           static_cast<unsigned char>(key[shared]);
  }
  return options_.order.Compare(last_key_, key) < 0;
}

std::string TableBuilder::Impl::Shortened(std::string user_key,
                                          Slice last) const {
  const Slice old = UserKeyOf(last);
  if (user_key.size() >= old.size() ||
      options_.order.CompareUser(old, user_key) >= 0) {
    return std::string(last);
  }
  // The first possible entry of this user key.
  char trailer[kTrailerBytes];
  StoreLittle(trailer, PackTrailer(kMaxSequence, kTypeForSeek));
  return std::move(user_key.append(trailer, kTrailerBytes));
}

std::string TableBuilder::Impl::KeyBetween(Slice last, Slice next) const {
  std::string user_key(UserKeyOf(last));
  options_.order.user().ShortenBetween(&user_key, UserKeyOf(next));
  return Shortened(std::move(user_key), last);
}

std::string TableBuilder::Impl::KeyAfter(Slice last) const {
  std::string user_key(UserKeyOf(last));
  options_.order.user().ShortenAfter(&user_key);
  return Shortened(std::move(user_key), last);
}

void TableBuilder::Impl::AddIndexEntry(std::string key) {
  std::string handle;
  AppendHandle(&handle, last_block_);
  index_.Add(key, handle, 0);
  index_entry_due_ = false;
}

// True: the block should end before that entry, because it then ends near the
// end of its part of a page, and with the entry it would not.
bool TableBuilder::Impl::ShouldEndBefore(Slice key, Slice value,
                                         std::size_t shared) const noexcept {
  if (!is_laid_in_pages_ || data_.empty()) return false;
  return share_.Most(data_.bytes()) + kBlockTrailerBytes + kMaxPadding >=
             space_ &&
         share_.Most(data_.BytesWith(key, value, shared)) + kBlockTrailerBytes >
             space_;
}

// Before a block is begun: zeros up to the next page, where they are few.  The
// block then begins a page, and is in no more pages than it must be.  Blocks
// are found by their handles, so nobody reads what is between them.
Status TableBuilder::Impl::BeginBlock() {
  if (!is_laid_in_pages_) return Status::Ok();
  const std::uint64_t rest = kPageBytes - offset_ % kPageBytes;
  if (rest <= kMaxPadding) {
    constexpr char kZeros[kMaxPadding] = {};
    status_ = file_->Append(Slice(kZeros, static_cast<std::size_t>(rest)));
    if (!status_.ok()) return status_;
    offset_ += rest;
    filters_.StartBlock(offset_);  // LevelDB's filter depends on where it is
  }
  const std::uint64_t usual = share_.Average(options_.block_bytes);
  space_ = SpaceForBlock(offset_, std::max<std::uint64_t>(1, usual));
  return Status::Ok();
}

Status TableBuilder::Impl::FlushBlock() {
  if (data_.empty()) return Status::Ok();
  const std::size_t raw_bytes = data_.bytes();
  status_ = WriteBlock(&data_.Finish(), &last_block_);
  filters_.EndBlock();
  if (status_.ok()) filters_.StartBlock(offset_);
  share_.Add(raw_bytes, last_block_.size);
  index_entry_due_ = status_.ok();
  return status_;
}

Status TableBuilder::Impl::WriteBlock(std::string* contents,
                                      BlockHandle* handle) {
  if (contents->size() > kMaxBlockBytes) {
    return Status::InvalidArgument("a block of more than 4 GiB");
  }
  const Compression how = compressor_.Compress(*contents, &compressed_);
  return WriteRaw(how == Compression::kNone ? contents : &compressed_, how,
                  handle);
}

Status TableBuilder::Impl::WriteRaw(std::string* contents, Compression how,
                                    BlockHandle* handle) {
  *handle = {offset_, contents->size()};
  AppendBlockTrailer(contents, how);
  Status appended = file_->Append(*contents);
  if (appended.ok()) offset_ += contents->size();
  return appended;
}

Status TableBuilder::Impl::WriteMeta(std::string_view name,
                                     std::string* contents) {
  BlockHandle handle;
  Status written = WriteRaw(contents, Compression::kNone, &handle);
  std::string value;
  AppendHandle(&value, handle);
  metaindex_.Add(name, value, 0);
  return written;
}

// LevelDB requires the names in order, and ours come after its own.
Status TableBuilder::Impl::WriteMetaBlocks() {
  static_assert(kLevelDbFilterMeta < kBlockFilterMeta);
  static_assert(kBlockFilterMeta < kWholeFilterMeta);
  static_assert(kWholeFilterMeta < kFilterPartsMeta);
  static_assert(kFilterPartsMeta < kPropertiesMeta);
  static_assert(kPropertiesMeta < kRangeFilterMeta);
  Status written;
  std::string bytes;
  if (filters_.FinishLevelDb(&bytes)) {
    written = WriteMeta(LevelDbFilterMeta(options_.leveldb_filter), &bytes);
  }
  if (written.ok() && filters_.FinishBlocks(&bytes)) {
    written = WriteMeta(kBlockFilterMeta, &bytes);
  }
  if (written.ok() && filters_.FinishWhole(&bytes)) {
    written = WriteWholeFilter(&bytes);
  }
  if (!written.ok()) return written;
  const bool has_range = range_filter_.Finish(&bytes);
  written = WriteProperties();
  if (!written.ok() || !has_range) return written;
  return WriteMeta(kRangeFilterMeta, &bytes);
}

// REQUIRES: the filters are finished
Status TableBuilder::Impl::WriteProperties() {
  if (options_.properties.empty()) return Status::Ok();
  std::string bytes = options_.properties;
  AppendNamedLine(&bytes, kKeysProperty, std::to_string(keys_));
  if (!filters_.whole_problem().empty()) {
    AppendNamedLine(&bytes, kFilterNotBuiltProperty,
                    FitForALine(filters_.whole_problem()));
  }
  if (!filters_.leveldb_problem().empty()) {
    AppendNamedLine(&bytes, kLevelDbFilterNotBuiltProperty,
                    FitForALine(filters_.leveldb_problem()));
  }
  if (!filters_.blocks_problem().empty()) {
    AppendNamedLine(&bytes, kBlockFilterNotBuiltProperty,
                    FitForALine(filters_.blocks_problem()));
  }
  if (!range_filter_.problem().empty()) {
    AppendNamedLine(&bytes, kRangeFilterNotBuiltProperty,
                    FitForALine(range_filter_.problem()));
  }
  AppendPrefixLines(&bytes);
  return WriteMeta(kPropertiesMeta, &bytes);
}

// The table has the name only if its filter has the prefixes of all keys.
void TableBuilder::Impl::AppendPrefixLines(std::string* lines) const {
  if (options_.prefixes == nullptr) return;
  if (filters_.has_prefixes()) {
    AppendNamedLine(lines, kPrefixesProperty, options_.prefixes->name());
  } else if (!filters_.prefixes_problem().empty()) {
    AppendNamedLine(lines, kPrefixesNotBuiltProperty,
                    FitForALine(filters_.prefixes_problem()));
  }
}

Status TableBuilder::Impl::WriteWholeFilter(std::string* filter) {
  const std::string_view policy = options_.filter->name();
  if (options_.filter_parts_above != 0 &&
      filter->size() > options_.filter_parts_above &&
      policy == kTamisFilterName) {
    // Nothing: a filter of another kind, which is not cut.
    if (const auto lines = ViewLines(*filter)) return WriteFilterParts(*lines);
  }
  return WriteMeta(std::string(kWholeFilterMeta).append(policy), filter);
}

// A part is a page, and begins with one, so that reading it loads one.
Status TableBuilder::Impl::WriteFilterParts(const LineView& lines) {
  Status written = PadTo(kPageBytes);
  if (!written.ok()) return written;
  const Slice parts(reinterpret_cast<const char*>(lines.lines),
                    static_cast<std::size_t>(lines.count) * kLineBytes);
  const std::uint64_t first = offset_;
  written = file_->Append(parts);
  if (!written.ok()) return written;
  offset_ += parts.size();
  std::string top;
  AppendPartsTop(&top, lines, first);
  return WriteMeta(kFilterPartsMeta, &top);
}

// Zeros: blocks are found by their handles, so nobody reads what is between.
Status TableBuilder::Impl::PadTo(std::uint64_t alignment) {
  const std::string zeros(
      static_cast<std::size_t>((alignment - offset_ % alignment) % alignment),
      '\0');
  Status appended = file_->Append(zeros);
  if (appended.ok()) offset_ += zeros.size();
  return appended;
}

std::string TableBuilder::Impl::filter_problem() const {
  std::string problem = filters_.whole_problem();
  const auto append = [&problem](const char* which, const std::string& its) {
    if (its.empty()) return;
    if (!problem.empty()) problem += "; ";
    problem += which + its;
  };
  append("LevelDB's: ", filters_.leveldb_problem());
  append("that of the blocks: ", filters_.blocks_problem());
  append("that of ranges: ", range_filter_.problem());
  append("its prefixes: ", filters_.prefixes_problem());
  return problem;
}

Status TableBuilder::Impl::Finish() {
  if (status_.ok()) status_ = FlushBlock();
  if (index_entry_due_) AddIndexEntry(KeyAfter(last_key_));
  if (status_.ok()) status_ = WriteMetaBlocks();
  Footer footer;
  if (status_.ok()) {
    status_ = WriteBlock(&metaindex_.Finish(), &footer.metaindex);
  }
  if (status_.ok()) status_ = WriteBlock(&index_.Finish(), &footer.index);
  if (!status_.ok()) return status_;
  std::string bytes;
  AppendFooter(&bytes, footer);
  status_ = file_->Append(bytes);
  if (status_.ok()) offset_ += bytes.size();
  return status_;
}

TableBuilder::TableBuilder(const TableWriteOptions& options, WritableFile* file)
    : impl_(std::make_unique<Impl>(options, file)) {}
TableBuilder::~TableBuilder() = default;

Status TableBuilder::Add(Slice internal_key, Slice value) {
  return impl_->Add(internal_key, value);
}
Status TableBuilder::Finish() { return impl_->Finish(); }
std::uint64_t TableBuilder::entries() const noexcept {
  return impl_->entries();
}
std::uint64_t TableBuilder::bytes() const noexcept { return impl_->bytes(); }
std::string TableBuilder::filter_problem() const {
  return impl_->filter_problem();
}

}  // namespace tamis
