// SPDX-License-Identifier: Apache-2.0
// ListStoreTables(): lists a store's tables without opening the store.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "base/no_throw.h"
#include "store/check_files.h"
#include "store/manifest.h"
#include "store/table_filter_file.h"
#include "table/internal_iterator.h"
#include "table/table_meta.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/store_tables.h"

namespace tamis {
namespace {

constexpr std::array<std::string_view, 3> kCodecNames = {"none", "snappy",
                                                         "zstd"};

// Returns how the blocks of a table without properties are compressed.
std::string CodecsText(const TableTraits& traits) {
  std::string text;
  for (std::size_t i = 0; i < kCodecNames.size(); ++i) {
    if (!traits.codecs[i]) continue;
    if (!text.empty()) return "mixed";
    text = kCodecNames[i];
  }
  return text;
}

void TakeTraits(const TableTraits& traits, StoreTable* out) {
  for (const NamedLine& line : traits.properties) {
    if (line.name == "compression") out->compression = line.value;
    if (line.name == kPrefixesProperty && !out->has_filter_file) {
      out->prefix_extractor = line.value;
    }
    std::uint64_t keys = 0;
    const char* const end = line.value.data() + line.value.size();
    if (line.name == "keys" &&
        std::from_chars(line.value.data(), end, keys).ptr == end) {
      out->keys = keys;
    }
  }
  if (traits.properties.empty()) out->compression = CodecsText(traits);
}

// Returns the table's entries, from the bytes that its first ones take.
std::uint64_t EstimatedEntries(const Table& table, std::uint64_t file_bytes) {
  constexpr std::uint64_t kEnough = 2000;
  const std::unique_ptr<InternalIterator> entries = table.NewIterator({});
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;   // of the blocks before this one
  std::uint64_t before = 0;  // entries in those
  for (entries->SeekToFirst(); entries->Valid() && count < kEnough;
       entries->Next()) {
    const std::uint64_t at = table.ApproximateOffsetOf(entries->key());
    if (at != bytes) {
      bytes = at;
      before = count;
    }
    ++count;
  }
  if (!entries->Valid()) return count;
  if (bytes == 0) return count;  // one block has them all
  return static_cast<std::uint64_t>(static_cast<double>(before) *
                                    static_cast<double>(file_bytes) /
                                    static_cast<double>(bytes));
}

// Returns the filter that lookups in the table use.
std::shared_ptr<const TableFilter> FilterOf(const FilterFileQuery& beside,
                                            const Table& table,
                                            StoreTable* out) {
  FilterFileLook look = ReadFilterFile(beside);
  out->has_filter_file = look.filter != nullptr;
  if (look.filter != nullptr) out->prefix_extractor = look.filter->prefixes();
  return look.filter != nullptr ? std::move(look.filter) : table.ReadFilter();
}

// Reads what the table says about itself.  A read error is a problem, unless it
// is a lack of memory.
Status LookInto(FilterFileQuery beside, std::unique_ptr<ReadableFile> file,
                const std::string& path, StoreTable* out) {
  auto table = Table::Open(beside.read, std::move(file), path);
  Status status = table.status();
  if (table.ok()) {
    beside.table_modified = table->modified();
    beside.binding = [&table](BoundBlocks blocks) {
      return (*table)->ReadBinding(blocks);
    };
    const auto filter = FilterOf(beside, **table, out);
    out->filter = filter->kind_name();
    out->filter_rate = filter->expected_rate();
    out->filter_bytes = filter->bytes();
    out->filter_keys = filter->stored().keys;
    status = filter->damage();
    const auto traits = table->ReadTraits();
    if (traits.ok()) TakeTraits(*traits, out);
    out->estimated_keys =
        out->keys ? *out->keys : EstimatedEntries(**table, out->bytes);
    if (status.ok()) status = traits.status();
  }
  if (status.code() == StatusCode::kResourceExhausted) return status;
  if (!status.ok()) out->problem = status.message();
  return Status::Ok();
}

// Returns what the manifest says about the table.
StoreTable FromManifest(int level, const FileMetadata& metadata) {
  StoreTable table;
  table.level = level;
  table.file_number = metadata.number;
  table.bytes = metadata.bytes;
  if (IsInternalKey(metadata.smallest))
    table.smallest = UserKeyOf(metadata.smallest);
  if (IsInternalKey(metadata.largest))
    table.largest = UserKeyOf(metadata.largest);
  return table;
}

std::vector<StoreTable> TablesOf(const ManifestState& manifest) {
  std::vector<StoreTable> tables;
  for (std::size_t level = 0; level < manifest.files.size(); ++level) {
    const std::size_t before = tables.size();
    for (const FileMetadata& metadata : manifest.files[level]) {
      tables.push_back(FromManifest(static_cast<int>(level), metadata));
    }
    std::sort(tables.begin() + static_cast<std::ptrdiff_t>(before),
              tables.end(), [](const StoreTable& a, const StoreTable& b) {
                return a.file_number < b.file_number;
              });
  }
  return tables;
}

Result<std::vector<StoreTable>> List(const std::string& dir,
                                     const StoreOptions& options) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  const auto manifest = ReadManifest(env, dir);
  if (!manifest.ok()) return manifest.status();
  TableReadContext context;
  context.unpack = UnpackLimitsOf(options);
  context.filter = options.filter_policy.get();
  std::vector<StoreTable> tables;
  std::vector<StoreTable> named = TablesOf(*manifest);
  for (StoreTable& table : named) {
    std::string path;
    auto file = OpenTableFile(env, dir, table.file_number, &path);
    if (file.status().code() == StatusCode::kNotFound) continue;
    Status looked = Status::Ok();
    if (file.ok()) {
      looked = LookInto({.env = env,
                         .dir = dir,
                         .number = table.file_number,
                         .table_bytes = table.bytes,
                         .binding = {},
                         .read = context},
                        *std::move(file), path, &table);
    } else {
      table.problem = file.status().message();
    }
    if (!looked.ok()) return looked;
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace

Result<std::vector<StoreTable>> ListStoreTables(const std::string& dir,
                                                const StoreOptions& options) {
  return NoThrow([&] { return List(dir, options); });
}

}  // namespace tamis
