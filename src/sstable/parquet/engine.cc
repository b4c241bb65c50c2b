// SPDX-License-Identifier: Apache-2.0
#include "sstable/parquet/engine.h"

#include <string>
#include <utility>

#include "base/mapped_file.h"
#include "formats/parquet/sbbf.h"
#include "sstable/filter_sum.h"
#include "tamis/env.h"
#include "tamis/parquet.h"

namespace tamis {
namespace {

constexpr std::string_view kMagic = "PAR1";

class ParquetSstable final : public Sstable {
 public:
  explicit ParquetSstable(SstableInfo info) : info_(std::move(info)) {}

  const SstableInfo& info() const noexcept override { return info_; }
  bool MayContain(Slice /*user_key*/) const override { return true; }
  Result<SstableWalk> Walk(SstableVisitor& /*visitor*/) const override {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }
  Result<StoredEntry> Find(Slice /*user_key*/) const override {
    return Status::NotSupported(info_.path + ": " + info_.why_not_verifiable);
  }

 private:
  SstableInfo info_;
};

// The filters of all columns and row groups.
void AddFilters(Slice file, SstableInfo* info) {
  const auto places = FindParquetFilters(file);
  if (!places.ok()) {
    MarkUnreadable(places.status().message(), info);
    return;
  }
  FilterSum sum;
  for (const ParquetFilterPlace& place : *places) {
    const std::string of = "of column " + place.column + " at offset " +
                           std::to_string(place.offset) + " ";
    const auto weight = static_cast<double>(place.filter.size() + 1);
    if (!place.status.ok()) {
      sum.AddUnusable(place.filter.size(), weight,
                      place.status.code() == StatusCode::kCorruption,
                      of + place.status.message());
      continue;
    }
    const auto reader = OpenParquetFilter(place.filter);
    if (reader.ok()) {
      sum.Add((*reader)->Describe(), place.filter.size(), weight);
    } else {
      sum.AddUnusable(place.filter.size(), weight, true,
                      of + reader.status().message());
    }
  }
  sum.Finish(&info->filter);
  Judge(sum, {}, info);
}

bool Recognises(std::string_view file_name, Slice tail) {
  return tail.ends_with(kMagic) || file_name.ends_with(".parquet");
}

void List(const DirectoryFiles& files, SstableListing* listing) {
  for (const std::string& name : files.names) {
    if (!name.ends_with(".parquet") && !name.ends_with(".parq")) continue;
    FoundSstable found{.path = files.PathOf(name), .engine = "parquet"};
    found.group = "Parquet files";
    const auto size = files.env->FileSize(found.path);
    if (size.ok()) found.bytes = *size;
    listing->sstables.push_back(std::move(found));
  }
}

Result<std::unique_ptr<const Sstable>> Open(Env& /*env*/,
                                            const FoundSstable& found) {
  const auto file = MappedFile::Open(found.path);
  if (!file.ok()) return NewUnreadableSstable(found, file.status().message());
  SstableInfo info = InfoOf(found);
  info.bytes = file->bytes().size();
  info.why_not_verifiable =
      "reading the values of Parquet files is out of scope";
  AddFilters(file->bytes(), &info);
  if (const Status read = file->status(); !read.ok()) {
    return NewUnreadableSstable(found, read.message());
  }
  return std::unique_ptr<const Sstable>(
      std::make_unique<ParquetSstable>(std::move(info)));
}

}  // namespace

SstableEngineRow ParquetEngine() {
  return {
      .name = "parquet", .recognises = Recognises, .list = List, .open = Open};
}

}  // namespace tamis
