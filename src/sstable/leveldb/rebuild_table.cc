// SPDX-License-Identifier: Apache-2.0
#include "sstable/leveldb/rebuild_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/leveldb/bloom.h"
#include "formats/tamis/container.h"
#include "sstable/windowed_file.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/block_cursor.h"
#include "table/block_file.h"
#include "table/internal_key.h"
#include "table/table_filter_builder.h"
#include "table/table_index.h"
#include "tamis/policy_settings.h"
#include "tamis/store_settings.h"

namespace tamis {
namespace {

constexpr std::string_view kOurs = "tamis.";
constexpr double kUsualBits = 10;  // as LevelDB's documentation recommends

// What the metaindex has besides properties and filters of blocks and ranges.
struct FoundFilters {
  bool is_of_tamis = false;
  bool has_leveldb = false;
  bool has_own = false;  // of the whole table
  std::string kind;      // of that one; empty: it cannot be opened
  std::optional<std::uint64_t> seed;
};

Result<FoundFilters> FindFilters(const ReadableFile& file,
                                 const std::vector<MetaEntry>& entries) {
  FoundFilters found;
  for (const MetaEntry& entry : entries) {
    found.is_of_tamis = found.is_of_tamis || entry.name.starts_with(kOurs);
    if (entry.name == kLevelDbFilterMeta) {
      found.has_leveldb = true;
    } else if (entry.name == kFilterPartsMeta) {
      found.has_own = true;
      found.kind = "bloom";  // the only kind that is stored in parts
    } else if (const auto opener = OpenerOfMeta(entry.name, nullptr)) {
      if (opener->name() != kTamisFilterName) {
        return Status::NotSupported("its filter is of the policy " +
                                    std::string(opener->name()) +
                                    ", whose settings are not known");
      }
      found.has_own = true;
      BlockBuffer buffer;
      Slice bytes;
      if (!ReadBlock(file, entry.handle, &buffer, &bytes).ok()) continue;
      const auto reader = opener->Open(bytes);
      if (!reader.ok()) continue;
      const FilterInfo info = (*reader)->Describe();
      found.kind = info.kind;
      found.seed = info.seed;
    } else if (entry.name != kPropertiesMeta &&
               entry.name != kBlockFilterMeta &&
               entry.name != kRangeFilterMeta) {
      return Status::NotSupported("its meta block " + entry.name +
                                  " is not understood");
    }
  }
  return found;
}

bool IsOfLevelDb(const RebuildChoice& choice, bool is_of_tamis) {
  return choice.kind == "classic" || choice.kind == "leveldb" ||
         (choice.kind == "bloom" && !is_of_tamis);
}

// The kind that is requested, or that is there, or that the store remembers;
// the size is the store's, too, if that is the kind of its filters.
PolicySettings SettingsFor(const StoreSettings& store,
                           const RebuildChoice& choice,
                           const FoundFilters& found) {
  PolicySettings settings;
  settings.name = choice.kind.empty() ? found.kind : choice.kind;
  const std::string text = store.filter.value_or("");
  if (!text.empty()) {
    const auto remembered = ParsePolicy(text);
    if (remembered.ok() &&
        (settings.name.empty() || settings.name == remembered->name)) {
      settings = *remembered;
      settings.prefix_extractor.reset();
    }
  }
  if (settings.name.empty()) settings.name = "bloom";
  settings.seed =
      store.filter_seed.has_value() ? store.filter_seed : found.seed;
  if (settings.seed.value_or(0) == 0) settings.seed.reset();
  if (choice.has_size()) {
    settings.rate = choice.rate;
    settings.bits_per_key = choice.bits_per_key;
    settings.bits.reset();
    settings.probes.reset();
  }
  return settings;
}

Result<std::unique_ptr<const FilterPolicy>> WholePolicy(
    Env& env, const std::string& dir, const RebuildChoice& choice,
    const FoundFilters& found) {
  const auto store = ReadStoreSettings(dir, &env);
  const PolicySettings settings =
      SettingsFor(store.ok() ? *store : StoreSettings(), choice, found);
  auto policy = MakePolicy(settings);
  if (!policy.ok() || (*policy).get()->name() == kTamisFilterName) {
    return policy;
  }
  return Status::InvalidArgument(
      "a store has no filters of the kind " + settings.name +
      "; use bloom, ribbon, fuse8 or fuse16, or leveldb");
}

std::unique_ptr<const FilterPolicy> LevelDbPolicy(const RebuildChoice& choice) {
  if (choice.rate.has_value()) {
    return NewLevelDbBloomPolicy({.rate = *choice.rate});
  }
  return NewLevelDbBloomPolicy(
      {.bits_per_key = choice.bits_per_key.value_or(kUsualBits)});
}

Status PlanPrefixes(LevelDbTablePlan* plan) {
  const std::string* name = FindLine(plan->properties, kPrefixesProperty);
  if (name == nullptr || plan->whole == nullptr) return Status::Ok();
  auto extractor = MakePrefixExtractor(*name);
  if (!extractor.ok()) {
    return Status::NotSupported("its filter has prefixes of the extractor " +
                                *name + ", which is not built in");
  }
  plan->prefixes = *std::move(extractor);
  return Status::Ok();
}

Status ReadProperties(const ReadableFile& file, LevelDbTablePlan* plan) {
  for (const MetaEntry& entry : plan->entries) {
    if (entry.name != kPropertiesMeta) continue;
    BlockBuffer buffer;
    Slice text;
    Status read = ReadBlock(file, entry.handle, &buffer, &text);
    if (!read.ok()) return read;
    auto lines = ParseNamedLines(text);
    if (!lines) {
      return Status::NotSupported("its properties are not understood");
    }
    plan->properties = *std::move(lines);
  }
  return Status::Ok();
}

// Writes a table, from its data blocks on.
class TableCopy {
 public:
  TableCopy(const ReadableFile& file, const LevelDbTablePlan& plan,
            WritableFile* to)
      : file_(file),
        plan_(plan),
        to_(*to),
        filters_(plan.whole.get(), 0, 0, 0, plan.leveldb.get()) {
    if (plan.prefixes != nullptr) filters_.AddPrefixesBy(*plan.prefixes);
  }

  Status Run();
  std::uint64_t bytes() const noexcept { return offset_; }

 private:
  Status ReadIndex();
  Status AddKeys();
  Status AddKeysOf(const BlockHandle& handle, const ReadableFile& file);
  Status CopyBytes(std::uint64_t from, std::uint64_t bytes);
  Status BuildFilters();
  Status WriteMetaBlocks(BlockHandle* metaindex);
  Status WriteNew(std::string contents, BlockHandle* handle);
  Status CopyBlock(const BlockHandle& old, BlockHandle* handle);
  bool IsReplaced(const MetaEntry& entry) const;
  std::string NewProperties() const;

  const ReadableFile& file_;
  const LevelDbTablePlan& plan_;
  WritableFile& to_;
  TableFilterBuilder filters_;
  BlockBuffer index_buffer_;
  TableIndex index_;
  std::uint64_t data_end_ = 0;
  std::string last_key_;  // user key
  bool has_last_key_ = false;
  std::map<std::string, std::string> new_blocks_;  // by name
  std::uint64_t offset_ = 0;
};

Status TableCopy::ReadIndex() {
  Slice contents;
  Status read = ReadBlock(file_, plan_.footer.index, &index_buffer_, &contents);
  if (read.ok()) {
    read = index_.Load(KeyOrder(), contents, file_.size() - kFooterBytes);
  }
  if (read.ok() && index_.size() > 0) {
    const BlockHandle last = index_.block(index_.size() - 1);
    data_end_ = last.offset + last.size + kBlockTrailerBytes;
  }
  return read;
}

Status TableCopy::AddKeysOf(const BlockHandle& handle,
                            const ReadableFile& file) {
  BlockBuffer buffer;
  Slice contents;
  Block block;
  Status read = ReadBlock(file, handle, &buffer, &contents);
  if (!read.ok()) return read;
  const auto damaged = [&handle] {
    return Status::Corruption("the block at offset " +
                              std::to_string(handle.offset) + " is damaged");
  };
  if (!Block::Parse(contents, &block)) return damaged();
  filters_.StartBlock(handle.offset);
  BlockCursor cursor;
  cursor.Reset(block);
  for (cursor.SeekToFirst(); cursor.valid(); cursor.Next()) {
    if (cursor.key().size() < kTrailerBytes) return damaged();
    const Slice key = UserKeyOf(cursor.key());
    const bool is_repeat = has_last_key_ && key == Slice(last_key_);
    filters_.Add(key, is_repeat);
    if (!is_repeat) last_key_.assign(key);
    has_last_key_ = true;
  }
  if (cursor.damaged()) return damaged();
  filters_.EndBlock();
  return Status::Ok();
}

Status TableCopy::AddKeys() {
  const WindowedFile window(file_);
  filters_.StartBlock(0);
  for (std::size_t i = 0; i < index_.size(); ++i) {
    Status added = AddKeysOf(index_.block(i), window);
    if (!added.ok()) return added;
  }
  filters_.StartBlock(data_end_);
  return Status::Ok();
}

Status TableCopy::CopyBytes(std::uint64_t from, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  std::string scratch;
  while (bytes > 0) {
    const auto size = static_cast<std::size_t>(std::min(kPiece, bytes));
    const Result<Slice> piece = file_.Read(from, size, &scratch);
    if (!piece.ok()) return piece.status();
    if (Status done = to_.Append(*piece); !done.ok()) return done;
    from += size;
    bytes -= size;
    offset_ += size;
  }
  return Status::Ok();
}

Status TableCopy::BuildFilters() {
  const auto failed = [](const std::string& why) {
    return Status::ResourceExhausted("its filter cannot be built: " + why);
  };
  std::string bytes;
  if (plan_.leveldb != nullptr) {
    if (!filters_.FinishLevelDb(&bytes)) {
      return failed(filters_.leveldb_problem());
    }
    new_blocks_[std::string(kLevelDbFilterMeta)] = std::move(bytes);
  }
  if (plan_.whole == nullptr) return Status::Ok();
  if (!filters_.FinishWhole(&bytes)) return failed(filters_.whole_problem());
  if (plan_.prefixes != nullptr && !filters_.has_prefixes()) {
    return failed(filters_.prefixes_problem());
  }
  new_blocks_[std::string(kWholeFilterMeta) +
              std::string(plan_.whole->name())] = std::move(bytes);
  return Status::Ok();
}

Status TableCopy::WriteNew(std::string contents, BlockHandle* handle) {
  *handle = {offset_, contents.size()};
  AppendBlockTrailer(&contents, Compression::kNone);
  offset_ += contents.size();
  return to_.Append(contents);
}

// Damage is copied, too: it is not for a filter to mend.
Status TableCopy::CopyBlock(const BlockHandle& old, BlockHandle* handle) {
  *handle = {offset_, old.size};
  return CopyBytes(old.offset, old.size + kBlockTrailerBytes);
}

bool TableCopy::IsReplaced(const MetaEntry& entry) const {
  return entry.name == kLevelDbFilterMeta || entry.name == kFilterPartsMeta ||
         entry.name.starts_with(kWholeFilterMeta);
}

// Without what was true of the old filters only.
std::string TableCopy::NewProperties() const {
  std::string text;
  for (const NamedLine& line : plan_.properties) {
    const bool is_past =
        line.name == kFilterNotBuiltProperty ||
        line.name == kLevelDbFilterNotBuiltProperty ||
        (line.name == kPrefixesProperty && plan_.prefixes == nullptr);
    if (!is_past) AppendNamedLine(&text, line.name, line.value);
  }
  return text;
}

// In the order of their names, as LevelDB requires of the metaindex.
Status TableCopy::WriteMetaBlocks(BlockHandle* metaindex) {
  std::map<std::string, std::optional<BlockHandle>> names;
  for (const auto& [name, bytes] : new_blocks_) names[name] = std::nullopt;
  for (const MetaEntry& entry : plan_.entries) {
    if (!IsReplaced(entry)) names[entry.name] = entry.handle;
  }
  BlockBuilder entries(1);
  for (const auto& [name, old] : names) {
    BlockHandle handle;
    Status written;
    if (!old.has_value()) {
      written = WriteNew(new_blocks_.at(name), &handle);
    } else if (name == kPropertiesMeta) {
      written = WriteNew(NewProperties(), &handle);
    } else {
      written = CopyBlock(*old, &handle);
    }
    if (!written.ok()) return written;
    std::string value;
    AppendHandle(&value, handle);
    entries.Add(name, value, 0);
  }
  return WriteNew(entries.Finish(), metaindex);
}

Status TableCopy::Run() {
  Status status = ReadIndex();
  if (status.ok()) status = AddKeys();
  if (status.ok()) status = BuildFilters();
  if (status.ok()) status = CopyBytes(0, data_end_);
  Footer footer;
  if (status.ok()) status = WriteMetaBlocks(&footer.metaindex);
  if (status.ok()) status = CopyBlock(plan_.footer.index, &footer.index);
  if (!status.ok()) return status;
  std::string bytes;
  AppendFooter(&bytes, footer);
  offset_ += bytes.size();
  return to_.Append(bytes);
}

}  // namespace

Result<LevelDbTablePlan> PlanLevelDbTable(Env& env, const std::string& dir,
                                          const ReadableFile& file,
                                          const RebuildChoice& choice) {
  LevelDbTablePlan plan;
  const Result<Footer> footer = ReadFooter(file);
  if (!footer.ok()) return footer.status();
  plan.footer = *footer;
  Status read = ReadMetaindex(file, plan.footer, &plan.entries);
  if (read.ok()) read = ReadProperties(file, &plan);
  if (!read.ok()) return read;
  const Result<FoundFilters> found = FindFilters(file, plan.entries);
  if (!found.ok()) return found.status();
  const bool is_of_leveldb = IsOfLevelDb(choice, found->is_of_tamis) ||
                             (choice.kind.empty() && !found->has_own &&
                              (found->has_leveldb || !found->is_of_tamis));
  if (!is_of_leveldb && !found->is_of_tamis) {
    return Status::NotSupported("LevelDB has no filters of the kind " +
                                choice.kind);
  }
  if (is_of_leveldb || found->has_leveldb) plan.leveldb = LevelDbPolicy(choice);
  if (!is_of_leveldb) {
    auto whole = WholePolicy(env, dir, choice, *found);
    if (!whole.ok()) return whole.status();
    plan.whole = *std::move(whole);
  }
  if (Status planned = PlanPrefixes(&plan); !planned.ok()) return planned;
  return plan;
}

Result<std::uint64_t> WriteLevelDbTable(const ReadableFile& file,
                                        const LevelDbTablePlan& plan,
                                        WritableFile* to) {
  TableCopy copy(file, plan, to);
  Status written = copy.Run();
  if (!written.ok()) return written;
  return copy.bytes();
}

}  // namespace tamis
