// SPDX-License-Identifier: Apache-2.0
#include "parquet_listing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "text.h"

namespace tamis::tools {
namespace {

constexpr std::uint64_t kBlockBits = 256;

ListedFilter Look(const FilterPolicy& policy, ParquetFilterPlace place) {
  ListedFilter listed;
  listed.place = std::move(place);
  Status status = listed.place.status;
  if (status.ok()) {
    auto reader = policy.Open(listed.place.filter);
    status = reader.status();
    if (reader.ok()) listed.info = reader->Describe();
  }
  if (status.ok()) {
    listed.verdict = VerdictOf(listed.info);
    listed.remark = listed.info.always_maybe;
  } else {
    // An encrypted filter, or one in another file, is not damaged.
    listed.verdict.word =
        status.code() == StatusCode::kNotSupported ? "unknown" : "damaged";
    listed.remark = status.message();
  }
  return listed;
}

std::uint64_t DistinctValues(const ListedFilter& listed) {
  return static_cast<std::uint64_t>(
      std::min(std::round(listed.verdict.keys), 9e18));
}

std::vector<std::string> CellsOf(const ListedFilter& listed) {
  const ParquetFilterPlace& place = listed.place;
  std::vector<std::string> cells = {Printable(place.column),
                                    Grouped(place.row_group),
                                    std::string(place.physical_type)};
  if (!listed.remark.empty()) {
    cells.push_back(fmt::format("{}: {}", listed.verdict.word, listed.remark));
    return cells;
  }
  cells.insert(
      cells.end(),
      {Grouped(place.values), Grouped(place.filter.size()),
       Grouped(listed.info.bits / kBlockBits), Percent(listed.verdict.fill),
       Grouped(DistinctValues(listed)), Percent(listed.verdict.rate),
       std::string(listed.verdict.word)});
  return cells;
}

Json ToJson(const ListedFilter& listed) {
  const ParquetFilterPlace& place = listed.place;
  Json object;
  object["column"] = place.column;
  object["row_group"] = place.row_group;
  object["type"] = place.physical_type;
  object["values"] = place.values;
  object["offset"] = place.offset;
  if (place.status.ok()) object["bytes"] = place.filter.size();
  if (listed.remark.empty()) {
    object["hash"] = listed.info.hash;
    object["blocks"] = listed.info.bits / kBlockBits;
    object["bits"] = listed.info.bits;
    object["set_bits"] = listed.info.set_bits;
    object["fill"] = listed.verdict.fill;
    object["distinct_values"] = listed.verdict.keys;
    object["false_positive_rate"] = listed.verdict.rate;
  }
  object["verdict"] = listed.verdict.word;
  if (!listed.remark.empty()) object["remark"] = listed.remark;
  return object;
}

}  // namespace

bool ParquetListing::is_bad() const {
  return !damage.empty() ||
         std::any_of(filters.begin(), filters.end(), [](const auto& listed) {
           return listed.verdict.word == "damaged" ||
                  listed.verdict.word == "saturated";
         });
}

Status ListParquet(const std::string& path, Slice file,
                   ParquetListing* listing) {
  listing->path = path;
  listing->bytes = file.size();
  auto places = FindParquetFilters(file);
  if (places.status().code() == StatusCode::kCorruption) {
    listing->damage = places.status().message();
    return Status::Ok();
  }
  if (!places.ok()) {
    return Status(places.status().code(),
                  path + ": " + places.status().message());
  }
  auto policy = MakePolicy("parquet");
  if (!policy.ok()) return policy.status();
  for (ParquetFilterPlace& place : *places) {
    listing->filters.push_back(Look(**policy, std::move(place)));
  }
  return Status::Ok();
}

std::string ToText(const ParquetListing& listing) {
  std::string out =
      fmt::format("file:          {}\nformat:        a Parquet file\n",
                  Printable(listing.path)) +
      fmt::format("size:          {}\n", SizeText(listing.bytes));
  if (!listing.damage.empty()) {
    return out + fmt::format("verdict:       damaged: {}\n", listing.damage);
  }
  if (listing.filters.empty()) return out + "filters:       none\n";
  out += fmt::format("filters:       {}\n\n", Grouped(listing.filters.size()));
  Table table({"column", "row group", "type", "values", "bytes", "blocks",
               "fill", "distinct", "rate", "verdict"});
  for (const ListedFilter& listed : listing.filters) {
    table.AddRow(CellsOf(listed));
  }
  return out + table.ToString();
}

Json ToJson(const ParquetListing& listing) {
  Json object;
  object["file"] = listing.path;
  object["format"] = "a Parquet file";
  object["bytes"] = listing.bytes;
  if (!listing.damage.empty()) {
    object["verdict"] = "damaged";
    object["remark"] = listing.damage;
    return object;
  }
  object["filters"] = Json::Array();
  for (const ListedFilter& listed : listing.filters) {
    object["filters"].Add(ToJson(listed));
  }
  return object;
}

}  // namespace tamis::tools
