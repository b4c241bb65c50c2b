// SPDX-License-Identifier: Apache-2.0
#include "parquet_column.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/coding.h"
#include "base/thrift_compact.h"
#include "tamis/parquet.h"
#include "text.h"

namespace tamis::tools {
namespace {

using Places = std::vector<ParquetFilterPlace>;

// Returns how many row groups the file has, with or without filters: a key in a
// row group without a filter must not be denied by the others.
// REQUIRES: FindParquetFilters(file) is ok
std::uint64_t CountRowGroups(Slice file) {
  constexpr std::size_t kTailBytes = 8;  // the footer's length, and "PAR1"
  constexpr std::int16_t kRowGroups = 4;
  const Slice body = file.substr(0, file.size() - kTailBytes);
  const std::size_t length = LoadLittle32(body.data() + body.size());
  ThriftCompactReader footer(body.substr(body.size() - length));
  std::uint64_t count = 0;
  footer.ReadStruct([&](ThriftField field) {
    if (field.id != kRowGroups || field.type != ThriftType::kList) return false;
    footer.ReadList([&](ThriftType) {
      ++count;
      return false;
    });
    return true;
  });
  return count;
}

std::string ColumnNames(const Places& places) {
  std::set<std::string> names;
  for (const ParquetFilterPlace& place : places) names.insert(place.column);
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

Places PlacesOf(const Places& all, const std::string& column) {
  Places places;
  std::copy_if(
      all.begin(), all.end(), std::back_inserter(places),
      [&](const ParquetFilterPlace& place) { return place.column == column; });
  return places;
}

Status NoSuchColumn(const Places& all, const std::string& column) {
  if (all.empty()) return Status::NotFound("no column has a filter");
  return Status::NotFound(
      fmt::format("no filter for a column '{}'; there are "
                  "filters for: {}",
                  column, ColumnNames(all)));
}

// Returns ok if the filter can be queried.
Status OpenPlace(const FilterPolicy& policy, const ParquetFilterPlace& place,
                 std::vector<std::unique_ptr<const FilterReader>>* readers) {
  if (!place.status.ok()) return place.status;
  auto reader = policy.Open(place.filter);
  if (!reader.ok()) return reader.status();
  if (std::string why = reader->Describe().always_maybe; !why.empty()) {
    return Status::NotSupported(std::move(why));
  }
  readers->push_back(*std::move(reader));
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<ColumnFilter>> ColumnFilter::Open(
    Slice file, const ColumnChoice& choice) {
  auto all = FindParquetFilters(file);
  if (!all.ok()) return all.status();
  const Places places = PlacesOf(*all, choice.column);
  if (places.empty()) return NoSuchColumn(*all, choice.column);
  auto policy = MakePolicy("parquet");
  if (!policy.ok()) return policy.status();

  std::unique_ptr<ColumnFilter> filter(new ColumnFilter);
  filter->policy_ = *std::move(policy);
  filter->physical_type_ = places.front().physical_type;
  std::set<std::uint64_t> asked;
  for (const ParquetFilterPlace& place : places) {
    if (choice.row_group.value_or(place.row_group) != place.row_group) continue;
    asked.insert(place.row_group);
    Status status = OpenPlace(*filter->policy_, place, &filter->readers_);
    if (!status.ok()) {
      filter->always_maybe_ =
          fmt::format("its filter in row group {} cannot be asked: {}",
                      Grouped(place.row_group), status.message());
    }
  }
  const std::uint64_t row_groups = CountRowGroups(file);
  if (choice.row_group.has_value() && asked.empty()) {
    return Status::NotFound(fmt::format(
        "no filter for column '{}' in row group {}; the file has {} {}",
        choice.column, *choice.row_group, Grouped(row_groups),
        Plural(row_groups, "row group", "row groups")));
  }
  if (!choice.row_group.has_value() && asked.size() < row_groups) {
    filter->always_maybe_ = fmt::format(
        "only {} of {} row groups have a filter for it; ask one with "
        "--row-group",
        Grouped(asked.size()), Grouped(row_groups));
  }
  return filter;
}

bool ColumnFilter::MayContain(Slice key) const noexcept {
  return !always_maybe_.empty() ||
         std::any_of(readers_.begin(), readers_.end(), [&](const auto& reader) {
           return reader->MayContain(key);
         });
}

void ColumnFilter::MayContainMany(std::span<const Slice> keys,
                                  std::span<bool> out) const noexcept {
  constexpr std::size_t kGroup = 1024;
  std::array<bool, kGroup> some;
  std::fill(out.begin(), out.end(), !always_maybe_.empty());
  for (std::size_t first = 0; first < keys.size(); first += kGroup) {
    const std::size_t count = std::min(kGroup, keys.size() - first);
    for (const auto& reader : readers_) {
      reader->MayContainMany(keys.subspan(first, count),
                             std::span(some).first(count));
      for (std::size_t i = 0; i < count; ++i) out[first + i] |= some[i];
    }
  }
}

}  // namespace tamis::tools
