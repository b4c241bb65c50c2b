// SPDX-License-Identifier: Apache-2.0
// tamis db explain: draws the path of one lookup.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "absent_keys.h"
#include "db_commands.h"
#include "json.h"
#include "lookup_picture.h"
#include "pair_text.h"

namespace tamis::tools {
namespace {

std::string_view NameOf(LookupStep::Place place) {
  switch (place) {
    case LookupStep::Place::kMemtable:
      return "memtable";
    case LookupStep::Place::kImmutableMemtable:
      return "immutable_memtable";
    case LookupStep::Place::kTable:
      break;
  }
  return "table";
}

std::string_view NameOf(LookupStep::Outcome outcome) {
  switch (outcome) {
    case LookupStep::Outcome::kOutOfRange:
      return "out_of_range";
    case LookupStep::Outcome::kFilterAbsent:
      return "filter_absent";
    case LookupStep::Outcome::kReadAndAbsent:
      return "read_and_absent";
    case LookupStep::Outcome::kIndexAbsent:
      return "index_absent";
    case LookupStep::Outcome::kFound:
      return "found";
    case LookupStep::Outcome::kFoundDeleted:
      return "found_deleted";
    case LookupStep::Outcome::kFailed:
      break;
  }
  return "failed";
}

std::string_view NameOf(LookupStep::Layer layer) {
  switch (layer) {
    case LookupStep::Layer::kBlockFilter:
      return "block_filter";
    case LookupStep::Layer::kLevelDbBlockFilter:
      return "leveldb_block_filter";
    case LookupStep::Layer::kNone:
    case LookupStep::Layer::kWholeFilter:
      break;
  }
  return "whole_filter";
}

Json StepJson(const LookupStep& step, bool hex) {
  Json object;
  object["place"] = NameOf(step.place);
  if (step.place == LookupStep::Place::kTable) {
    object["level"] = step.level;
    object["file_number"] = step.file_number;
    object["file_bytes"] = step.file_bytes;
    SetBytes(&object, "smallest", step.smallest, hex);
    SetBytes(&object, "largest", step.largest, hex);
  }
  object["outcome"] = NameOf(step.outcome);
  if (step.ruled_out_by != LookupStep::Layer::kNone) {
    object["ruled_out_by"] = NameOf(step.ruled_out_by);
  }
  if (!step.filter.empty()) {
    object["filter"] = step.filter;
    object["filter_rate"] = step.filter_rate;
    object["filter_bytes"] = step.filter_bytes;
    if (step.filter_bits_per_key > 0) {
      object["filter_bits_per_key"] = step.filter_bits_per_key;
    }
  }
  if (step.block_filter_bytes > 0) {
    object["block_filter_rate"] = step.block_filter_rate;
    object["block_filter_bytes"] = step.block_filter_bytes;
  }
  object["blocks_read"] = step.blocks_read;
  if (!step.note.empty()) object["note"] = step.note;
  return object;
}

// The levels with what was seen of their filters.
Json LevelsJson(const StoreStats& stats) {
  Json list = Json::Array();
  for (std::size_t i = 0; i < stats.levels.size(); ++i) {
    const FilterCounts& filters = stats.levels[i].filters;
    if (filters.probes == 0) continue;
    Json level;
    level["level"] = i;
    level["probes"] = filters.probes;
    level["observed_rate"] = filters.observed_rate();
    level["expected_rate"] = filters.expected_rate();
    list.Add(std::move(level));
  }
  return list;
}

std::string ToJson(Slice key, const Explanation& told, const StoreStats& stats,
                   bool hex) {
  Json object;
  SetBytes(&object, "key", key, hex);
  object["found"] = told.status.ok();
  if (told.status.ok()) SetBytes(&object, "value", told.value, hex);
  object["steps"] = Json::Array();
  for (const LookupStep& step : told.steps) {
    object["steps"].Add(StepJson(step, hex));
  }
  if (stats.lookups > 0) object["levels"] = LevelsJson(stats);
  return object.Text(2) + "\n";
}

Status Sample(const std::string& dir, Store& store, std::uint64_t keys) {
  if (keys == 0) return Status::Ok();
  const auto tables = ListStoreTables(dir);
  return tables.ok() ? AskAbsentKeys(store, *tables, keys) : tables.status();
}

}  // namespace

int RunDbExplain(const DbExplainArgs& args, const Console& console) {
  const auto sample = ParseSample(args.sample);
  if (!sample.ok()) {
    return Fail(console, "db explain", sample.status().message());
  }
  auto key = ArgumentBytes("KEY", args.key, args.hex);
  if (!key.ok()) return Fail(console, "db explain", key.status().message());
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return Fail(console, "db explain", store.status().message());
  const Explanation told = store->Explain({.verify_checksums = true}, *key);
  if (Status asked = Sample(args.dir, **store, *sample); !asked.ok()) {
    return Fail(console, "db explain", InDbWords(asked).message());
  }
  console.out->Write(
      args.json ? ToJson(*key, told, store->Stats(), args.hex)
                : DrawLookup(console, *key, told, store->Stats(), args.hex));
  if (told.status.ok()) return Finish(console, "db explain", kExitOk);
  if (told.status.code() == StatusCode::kNotFound) {
    return Finish(console, "db explain", kExitNegative);
  }
  console.out->Flush();
  return Fail(console, "db explain", InDbWords(told.status).message());
}

}  // namespace tamis::tools
