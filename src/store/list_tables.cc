// ListStoreTables(): what a store's tables are, without opening the store.

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include "base/no_throw.h"
#include "store/check_files.h"
#include "store/manifest.h"
#include "table/table_reader.h"
#include "tamis/env.h"
#include "tamis/store_tables.h"

namespace tamis {
namespace {

constexpr std::array<std::string_view, 3> kCodecNames = {"none", "snappy",
                                                         "zstd"};

// How the blocks of a table without properties are stored.
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
    std::uint64_t keys = 0;
    const char* const end = line.value.data() + line.value.size();
    if (line.name == "keys" &&
        std::from_chars(line.value.data(), end, keys).ptr == end) {
      out->keys = keys;
    }
  }
  if (traits.properties.empty()) out->compression = CodecsText(traits);
}

// What the table says of itself.  What cannot be read is a problem, unless it
// is memory that is missing.
Status LookInto(const TableReadContext& context,
                std::unique_ptr<ReadableFile> file, const std::string& path,
                StoreTable* out) {
  auto table = Table::Open(context, std::move(file), path);
  Status status = table.status();
  if (table.ok()) {
    const auto filter = (*table)->ReadFilter();
    out->filter = filter->kind_name();
    out->filter_rate = filter->expected_rate();
    status = filter->damage();
    const auto traits = (*table)->ReadTraits();
    if (traits.ok()) TakeTraits(*traits, out);
    if (status.ok()) status = traits.status();
  }
  if (status.code() == StatusCode::kResourceExhausted) return status;
  if (!status.ok()) out->problem = status.message();
  return Status::Ok();
}

Result<std::vector<StoreTable>> List(const std::string& dir,
                                     const StoreOptions& options) {
  Env& env = options.env != nullptr ? *options.env : DefaultEnv();
  const auto manifest = ReadManifest(env, dir);
  if (!manifest.ok()) return manifest.status();
  TableReadContext context;
  context.unpack = UnpackLimitsOf(options);
  std::vector<StoreTable> tables;
  for (std::size_t level = 0; level < manifest->files.size(); ++level) {
    std::vector<FileFacts> files = manifest->files[level];
    std::sort(files.begin(), files.end(),
              [](const FileFacts& a, const FileFacts& b) {
                return a.number < b.number;
              });
    for (const FileFacts& facts : files) {
      StoreTable table;
      table.level = static_cast<int>(level);
      table.file_number = facts.number;
      table.bytes = facts.bytes;
      if (IsInternalKey(facts.smallest)) {
        table.smallest = UserKeyOf(facts.smallest);
      }
      if (IsInternalKey(facts.largest)) {
        table.largest = UserKeyOf(facts.largest);
      }
      std::string path;
      auto file = OpenTableFile(env, dir, facts.number, &path);
      if (file.status().code() == StatusCode::kNotFound) continue;
      if (!file.ok()) {
        table.problem = file.status().message();
      } else {
        Status looked = LookInto(context, *std::move(file), path, &table);
        if (!looked.ok()) return looked;
      }
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace

Result<std::vector<StoreTable>> ListStoreTables(const std::string& dir,
                                                const StoreOptions& options) {
  return NoThrow([&] { return List(dir, options); });
}

}  // namespace tamis
