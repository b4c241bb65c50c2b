// SPDX-License-Identifier: Apache-2.0
#include "sstable/cassandra/engine.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "base/coding.h"
#include "base/no_throw.h"
#include "formats/cassandra/filter.h"
#include "formats/cassandra/version.h"
#include "sstable/cassandra/compressed_data.h"
#include "sstable/cassandra/index_file.h"
#include "sstable/cassandra/partition_trie.h"
#include "sstable/filter_sum.h"
#include "sstable/find_by_walk.h"
#include "sstable/key_batch.h"
#include "sstable/windowed_file.h"
#include "tamis/env.h"

namespace tamis {
namespace {

constexpr std::string_view kFilter = "Filter.db";
constexpr std::string_view kData = "Data.db";
constexpr std::string_view kIndex = "Index.db";
constexpr std::string_view kPartitions = "Partitions.db";
constexpr std::string_view kRows = "Rows.db";
constexpr std::string_view kStatistics = "Statistics.db";
constexpr std::string_view kCompression = "CompressionInfo.db";
// Any of these shows that there is an sstable.
constexpr std::string_view kMainComponents[] = {kFilter, kData, kIndex,
                                                kPartitions};

using Readable = std::unique_ptr<ReadableFile>;

// "nb-1-big-" of "nb-1-big-Filter.db"; empty: not one of the main components
// of a version that is known or looks like one.
std::string_view StemOf(std::string_view name) noexcept {
  for (const std::string_view component : kMainComponents) {
    if (!name.ends_with(component)) continue;
    const std::string_view stem =
        name.substr(0, name.size() - component.size());
    const std::string as_filter = std::string(stem) + std::string(kFilter);
    return CassandraVersionIn(as_filter).empty() ? std::string_view() : stem;
  }
  return {};
}

std::string VersionOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::string(CassandraVersionIn(name));
}

CassandraIndexForm IndexFormOf(CassandraEra era) {
  if (era == CassandraEra::kMurmur2) return CassandraIndexForm::kPosition;
  return era <= CassandraEra::kMurmur3 ? CassandraIndexForm::kFixedPromoted
                                       : CassandraIndexForm::kVariablePromoted;
}

// Statistics.db: the number of its parts; from na on a checksum; for each part
// its type and its offset.  The first part begins with the partitioner's name,
// which the configured rate follows.  Nothing: it is not recorded, or not
// there.
std::optional<double> TargetRateIn(CassandraEra era, std::string_view version,
                                   Slice bytes) {
  constexpr std::string_view kFirstWithParts = "ka";
  // Later eras all have them; "da" is newer than its letters.
  if (era <= CassandraEra::kMurmur3 && version < kFirstWithParts) {
    return std::nullopt;
  }
  const std::size_t rows_at = era == CassandraEra::kNativeOrder ? 8 : 4;
  if (bytes.size() < rows_at) return std::nullopt;
  const std::uint32_t parts = LoadBig<std::uint32_t>(bytes.data());
  if (parts > (bytes.size() - rows_at) / 8) return std::nullopt;
  for (std::uint32_t i = 0; i < parts; ++i) {
    const char* const row = bytes.data() + rows_at + i * std::size_t{8};
    if (LoadBig<std::uint32_t>(row) != 0) continue;  // of another type
    const std::uint32_t at = LoadBig<std::uint32_t>(row + 4);
    if (at > bytes.size() || bytes.size() - at < 2) return std::nullopt;
    Slice part = bytes.substr(at);
    const std::size_t name = LoadBig<std::uint16_t>(part.data());
    if (part.size() < 2 + name + sizeof(double)) return std::nullopt;
    const auto rate =
        std::bit_cast<double>(LoadBig<std::uint64_t>(part.data() + 2 + name));
    return rate > 0 && rate <= 1 ? std::optional<double>(rate) : std::nullopt;
  }
  return std::nullopt;
}

class CassandraSstable final : public Sstable {
 public:
  CassandraSstable(Env& env, const FoundSstable& found)
      : env_(env),
        info_(InfoOf(found)),
        stem_(found.path.substr(0, found.path.size() - kFilter.size())) {
    Describe();
  }

  const SstableInfo& info() const noexcept override { return info_; }
  bool MayContain(Slice key) const override {
    return filter_ == nullptr || filter_->MayContain(key);
  }
  Result<SstableWalk> Walk(SstableVisitor& visitor) const override;
  Result<StoredEntry> Find(Slice key) const override {
    return NoThrow([&] { return FindByWalk(*this, key); });
  }

 private:
  std::string PathOf(std::string_view component) const {
    return stem_ + std::string(component);
  }
  Result<Readable> OpenComponent(std::string_view component) const {
    return env_.OpenReadable(PathOf(component), false);
  }
  // The whole component; NotFound: there is none.
  Result<std::string> ReadComponent(std::string_view component) const;

  void Describe();
  void ReadFilter(FilterSum* sum);
  void NoteTarget();

  void WalkIndex(WalkReport* report) const;
  void WalkPartitions(WalkReport* report) const;
  // Reads the key at that place.  False: *problem says why not.
  bool ReadKey(const PartitionPlace& place, const ReadableFile* rows,
               CassandraData* data, std::string* key,
               std::string* problem) const;
  bool Give(std::uint64_t offset, WalkReport* report) const;

  Env& env_;
  SstableInfo info_;
  const std::string stem_;
  std::optional<CassandraEra> era_;
  std::string filter_bytes_;
  std::unique_ptr<const FilterReader> filter_;
};

Result<std::string> CassandraSstable::ReadComponent(
    std::string_view component) const {
  const auto file = OpenComponent(component);
  if (!file.ok()) return file.status();
  std::string scratch;
  const auto bytes =
      (*file)->Read(0, static_cast<std::size_t>((*file)->size()), &scratch);
  if (!bytes.ok()) return bytes.status();
  return std::string(*bytes);
}

void CassandraSstable::ReadFilter(FilterSum* sum) {
  Result<std::string> bytes = ReadComponent(kFilter);
  if (bytes.status().code() == StatusCode::kNotFound) return;
  if (!bytes.ok()) {
    sum->AddUnusable(0, 1, true, "cannot be read: " + bytes.status().message());
    return;
  }
  if (bytes->empty()) {
    info_.remarks.push_back("its Filter.db is empty: every key may be in it");
    return;
  }
  filter_bytes_ = *std::move(bytes);
  auto reader = OpenCassandraFilter(*era_, filter_bytes_);
  if (!reader.ok()) {
    sum->AddUnusable(filter_bytes_.size(), 1, true,
                     "is damaged: " + reader.status().message());
    return;
  }
  const FilterInfo described = (*reader)->Describe();
  sum->Add(described, filter_bytes_.size(), 1);
  if (described.always_maybe.empty()) filter_ = *std::move(reader);
}

void CassandraSstable::NoteTarget() {
  const Result<std::string> statistics = ReadComponent(kStatistics);
  if (!statistics.ok()) return;
  info_.filter.target_rate = TargetRateIn(*era_, info_.version, *statistics);
  if (info_.filter.target_rate == 1.0) {
    info_.remarks.push_back("it is configured to have no filter");
  }
}

void CassandraSstable::Describe() {
  info_.version = VersionOf(info_.path);
  era_ = CassandraEraOf(info_.version);
  if (!era_.has_value()) {
    MarkUnreadable("the rules of version " + info_.version +
                       " are not known to this version of Tamis",
                   &info_);
    return;
  }
  FilterSum sum;
  ReadFilter(&sum);
  NoteTarget();
  const auto compression = ReadComponent(kCompression);
  if (compression.ok()) {
    const auto parsed = CassandraCompression::Parse(*era_, *compression);
    if (parsed.ok()) info_.compression = parsed->compressor;
  }
  const auto partitions = OpenComponent(kPartitions);
  if (partitions.ok()) {
    const auto footer = PartitionTrieFooter::Read(**partitions);
    if (footer.ok()) info_.entries = footer->keys;
  } else if (!env_.Exists(PathOf(kIndex))) {
    info_.why_not_verifiable =
        "neither its Index.db nor its Partitions.db is there";
  }
  sum.Finish(&info_.filter);
  Judge(sum, {}, &info_);
}

bool CassandraSstable::Give(std::uint64_t offset, WalkReport* report) const {
  const std::span<const Slice> keys = report->batch().Keys();
  const std::span<bool> answers = report->batch().Answers();
  if (filter_ != nullptr) filter_->MayContainMany(keys, answers);
  const bool goes_on = report->Give(keys, answers, offset, false);
  report->batch().Clear();
  return goes_on;
}

void CassandraSstable::WalkIndex(WalkReport* report) const {
  const std::string path = PathOf(kIndex);
  const auto file = OpenComponent(kIndex);
  if (!file.ok()) return report->AddProblem(file.status().message());
  std::uint64_t start = 0;
  bool goes_on = true;
  const Status read = ForEachIndexEntry(**file, IndexFormOf(*era_),
                                        [&](Slice key, std::uint64_t offset) {
                                          if (report->batch().IsFullFor(key))
                                            goes_on = Give(start, report);
                                          if (report->batch().size() == 0)
                                            start = offset;
                                          if (goes_on) report->batch().Add(key);
                                          return goes_on;
                                        });
  if (goes_on && report->batch().size() > 0) Give(start, report);
  report->AddBytes((*file)->size());
  if (!read.ok()) report->AddProblemIn(path, read.message());
}

bool CassandraSstable::ReadKey(const PartitionPlace& place,
                               const ReadableFile* rows, CassandraData* data,
                               std::string* key, std::string* problem) const {
  const std::string path = PathOf(place.is_in_rows ? kRows : kData);
  std::string scratch;
  const auto read = [&](std::uint64_t at, std::size_t bytes) -> Result<Slice> {
    if (!place.is_in_rows) return data->Read(at, bytes);
    if (rows == nullptr || at > rows->size() || bytes > rows->size() - at) {
      return Status::Corruption("offset " + std::to_string(at) +
                                ": it is after the end of the file");
    }
    return rows->Read(at, bytes, &scratch);
  };
  Result<Slice> bytes = read(place.position, sizeof(std::uint16_t));
  if (bytes.ok()) {
    const std::size_t size = LoadBig<std::uint16_t>(bytes->data());
    bytes = read(place.position + sizeof(std::uint16_t), size);
  }
  if (!bytes.ok()) {
    *problem = path + ": the key at " + std::to_string(place.position) +
               " cannot be read: " + bytes.status().message();
    return false;
  }
  key->assign(*bytes);
  return true;
}

void CassandraSstable::WalkPartitions(WalkReport* report) const {
  const auto trie = OpenComponent(kPartitions);
  const auto data_file = OpenComponent(kData);
  const auto rows = OpenComponent(kRows);
  if (!trie.ok()) return report->AddProblem(trie.status().message());
  if (!data_file.ok()) return report->AddProblem(data_file.status().message());
  std::optional<CassandraCompression> compression;
  if (const auto bytes = ReadComponent(kCompression); bytes.ok()) {
    auto parsed = CassandraCompression::Parse(*era_, *bytes);
    if (!parsed.ok()) {
      return report->AddProblemIn(PathOf(kCompression),
                                  parsed.status().message());
    }
    compression = *std::move(parsed);
  }
  const auto footer = PartitionTrieFooter::Read(**trie);
  if (!footer.ok()) {
    return report->AddProblemIn(PathOf(kPartitions), footer.status().message());
  }
  const WindowedFile data_window(**data_file);
  CassandraData data(data_window, std::move(compression));
  std::uint64_t keys = 0;
  std::uint64_t start = 0;  // of the batch
  bool goes_on = true;
  const Status read =
      ForEachPartition(**trie, *footer, [&](const PartitionPlace& place) {
        std::string key;
        std::string problem;
        ++keys;
        if (!ReadKey(place, rows.ok() ? (*rows).get() : nullptr, &data, &key,
                     &problem)) {
          report->AddWholeProblem(problem);
          return true;
        }
        if (report->batch().IsFullFor(key)) goes_on = Give(start, report);
        if (report->batch().size() == 0) start = place.position;
        if (goes_on) report->batch().Add(key);
        return goes_on;
      });
  if (goes_on && report->batch().size() > 0) Give(start, report);
  report->AddBlocks(data.chunks(), data.bytes());
  report->AddBytes((*trie)->size());
  if (!read.ok()) {
    report->AddProblemIn(PathOf(kPartitions), read.message());
  } else if (goes_on && keys != footer->keys) {
    report->AddProblemIn(PathOf(kPartitions),
                         "offset " + std::to_string(footer->root) +
                             ": the footer states " +
                             std::to_string(footer->keys) +
                             " keys, and its trie has " + std::to_string(keys));
  }
}

Result<SstableWalk> CassandraSstable::Walk(SstableVisitor& visitor) const {
  if (!info_.why_not_verifiable.empty()) {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  return NoThrow([&]() -> Result<SstableWalk> {
    WalkReport report(info_.path, visitor);
    if (env_.Exists(PathOf(kPartitions))) {
      WalkPartitions(&report);
    } else {
      WalkIndex(&report);
    }
    return report.walk();
  });
}

// "keyspace.table" by the directories "keyspace/table-ID", or by the old form
// of the name, "keyspace-table-ka-1-".
std::string GroupOf(const std::string& dir, std::string_view stem) {
  std::string_view rest(dir);
  const auto take = [&rest] {
    const std::size_t slash = rest.rfind('/');
    const std::string_view part =
        slash == std::string_view::npos ? rest : rest.substr(slash + 1);
    rest = slash == std::string_view::npos ? std::string_view()
                                           : rest.substr(0, slash);
    return part;
  };
  std::string_view table = take();
  std::string note;
  std::string_view above = take();
  if (above == "snapshots") {
    note = " (snapshot " + std::string(table) + ")";
    table = take();
    above = take();
  } else if (table == "backups") {
    note = " (backups)";
    table = above;
    above = take();
  }
  const std::size_t id = table.rfind('-');
  if (id != std::string_view::npos) {
    return std::string(above) + "." + std::string(table.substr(0, id)) + note;
  }
  const std::size_t dash = stem.find('-');
  const std::size_t next = dash == std::string_view::npos
                               ? std::string_view::npos
                               : stem.find('-', dash + 1);
  // Old names have a keyspace, a table, a version and a generation.
  if (std::count(stem.begin(), stem.end(), '-') >= 4) {
    return std::string(stem.substr(0, dash)) + "." +
           std::string(stem.substr(dash + 1, next - dash - 1)) + note;
  }
  return std::string(above) + "." + std::string(table) + note;
}

bool Recognises(std::string_view file_name, Slice /*tail*/) {
  return !StemOf(file_name).empty();
}

void List(const DirectoryFiles& files, SstableListing* listing) {
  std::set<std::string_view> stems;
  for (const std::string& name : files.names) {
    if (const auto stem = StemOf(name); !stem.empty()) stems.insert(stem);
  }
  for (const std::string_view stem : stems) {
    FoundSstable found{
        .path = files.PathOf(std::string(stem) + std::string(kFilter)),
        .engine = "cassandra"};
    found.group = GroupOf(files.path, stem);
    for (const std::string& name : files.names) {
      if (!name.starts_with(stem)) continue;
      const auto size = files.env->FileSize(files.PathOf(name));
      if (size.ok()) found.bytes += *size;
    }
    listing->sstables.push_back(std::move(found));
  }
}

Result<std::unique_ptr<const Sstable>> Open(Env& env,
                                            const FoundSstable& found) {
  const std::string_view path = found.path;
  for (const std::string_view component : kMainComponents) {
    if (!path.ends_with(component)) continue;
    FoundSstable filter = found;
    filter.path = std::string(path.substr(0, path.size() - component.size())) +
                  std::string(kFilter);
    return std::unique_ptr<const Sstable>(
        std::make_unique<CassandraSstable>(env, filter));
  }
  return NewUnreadableSstable(found,
                              "it is no component of an sstable that "
                              "has its keys or its filter");
}

}  // namespace

SstableEngineRow CassandraEngine() {
  return {.name = "cassandra",
          .recognises = Recognises,
          .list = List,
          .open = Open};
}

}  // namespace tamis
