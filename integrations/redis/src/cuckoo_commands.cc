// SPDX-License-Identifier: Apache-2.0
// CF.*: cuckoo filters, whose keys can be counted and deleted.
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "chain_queries.h"
#include "chain_type.h"
#include "commands.h"
#include "replies.h"

namespace tamis {
namespace {

constexpr long long kMaxBucketSize = 255;
constexpr long long kMaxIterations = 65535;
constexpr long long kMaxExpansion = 32768;

// RedisBloom's, for a key that is added to before it was reserved.
constexpr ChainParameters kDefaults = {.kind = ChainKind::kCuckoo,
                                       .error = 0,
                                       .capacity = 1024,
                                       .expansion = 1,
                                       .bucket_size = 2,
                                       .max_iterations = 20};

constexpr const char* kBadCapacity = "ERR Bad capacity";
constexpr const char* kSmallCapacity =
    "ERR Capacity must be at least (BucketSize * 2)";
constexpr const char* kMissingKey = "ERR Not found";

struct NumberOption {
  const char* word;
  long long min, max;
  std::uint32_t ChainParameters::*member;
  const char* mistake;
};
constexpr std::array<NumberOption, 3> kReserveOptions = {{
    {"BUCKETSIZE", 1, kMaxBucketSize, &ChainParameters::bucket_size,
     "ERR Couldn't parse BUCKETSIZE"},
    {"MAXITERATIONS", 1, kMaxIterations, &ChainParameters::max_iterations,
     "ERR Couldn't parse MAXITERATIONS"},
    {"EXPANSION", 0, kMaxExpansion, &ChainParameters::expansion,
     "ERR Couldn't parse EXPANSION"},
}};

// Reads the option at i and its value.  Returns why it is not valid, or null.
const char* ReadReserveOption(const Arguments& arguments, int i,
                              ChainParameters* parameters) {
  for (const NumberOption& option : kReserveOptions) {
    if (!arguments.Is(i, option.word)) continue;
    std::uint64_t number = 0;
    if (!arguments.Number(i + 1, option.min, option.max, &number)) {
      return option.mistake;
    }
    parameters->*option.member = static_cast<std::uint32_t>(number);
    return nullptr;
  }
  return kUnknownArgument;
}

const char* ReadCapacity(const Arguments& arguments, int i,
                         std::uint64_t* capacity) {
  return arguments.Number(i, 1, INT64_MAX, capacity) ? nullptr : kBadCapacity;
}

const char* WhyTooSmall(const ChainParameters& parameters) {
  return parameters.capacity < 2 * std::uint64_t{parameters.bucket_size}
             ? kSmallCapacity
             : nullptr;
}

struct InsertOptions {
  ChainParameters parameters = kDefaults;
  bool is_nocreate = false;
  int items_at = 0;  // the first; 0: there are none
};

// Returns why the arguments are not valid, or null.
const char* ReadInsertOptions(const Arguments& arguments,
                              InsertOptions* options) {
  for (int i = 2; i < arguments.count; ++i) {
    if (arguments.Is(i, "ITEMS")) {
      if (i + 1 < arguments.count) options->items_at = i + 1;
      break;
    }
    if (arguments.Is(i, "NOCREATE")) {
      options->is_nocreate = true;
    } else if (!arguments.Is(i, "CAPACITY")) {
      return kUnknownArgument;
    } else if (++i < arguments.count) {
      const char* const mistake =
          ReadCapacity(arguments, i, &options->parameters.capacity);
      if (mistake != nullptr) return mistake;
    }
  }
  return WhyTooSmall(options->parameters);
}

// Returns the chain to change, which is made if there is none; null: it has
// replied with an error.
FilterChain* ChainToChange(const OpenedKey& key, const Arguments& arguments,
                           const InsertOptions& options, bool* is_made) {
  auto* chain = key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kCuckoo));
  *is_made = false;
  const char* mistake = nullptr;
  if (chain != nullptr) {
    if (!chain->is_loading()) return chain;
    mistake = MessageOf(ChainStatus::kLoading, ChainKind::kCuckoo);
  } else if (!key.is_empty()) {
    mistake = kWrongType;
  } else if (options.is_nocreate) {
    mistake = kNotFound;
  } else {
    std::unique_ptr<FilterChain> made;
    const ChainStatus status = FilterChain::Create(options.parameters, &made);
    if (status == ChainStatus::kOk) {
      *is_made = true;
      return SetChain(key, std::move(made));
    }
    mistake = MessageOf(status, ChainKind::kCuckoo);
  }
  arguments.Error(mistake);
  return nullptr;
}

bool Contains(const FilterChain& chain, std::string_view item) {
  const char* const bytes = item.data();
  const std::size_t length = item.size();
  unsigned char answer = 1;
  chain.MayContain({&bytes, &length, 1}, &answer);
  return answer != 0;
}

// *added is whether the item was inserted; not, only if it was to be new.
ChainStatus AddItem(FilterChain* chain, std::string_view item, bool if_new,
                    bool* added) {
  *added = !if_new || !Contains(*chain, item);
  return *added ? chain->Insert(item) : ChainStatus::kOk;
}

int AddOne(const Arguments& arguments, bool if_new) {
  RedisContext* const context = arguments.context;
  if (arguments.count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, arguments.values[1], kRedisRead | kRedisWrite);
  bool is_made = false;
  FilterChain* const chain = ChainToChange(key, arguments, {}, &is_made);
  if (chain == nullptr) return kRedisOk;
  bool added = false;
  const ChainStatus status = AddItem(chain, arguments[2], if_new, &added);
  if (status != ChainStatus::kOk) {
    return arguments.Error(MessageOf(status, ChainKind::kCuckoo));
  }
  if (added) redis.ReplicateVerbatim(context);
  return redis.ReplyWithBool(context, added ? 1 : 0);
}

// An item's reply; -1: the filter is full.
void ReplyWithAnswer(RedisContext* context, int answer, bool as_number) {
  if (as_number || answer < 0) {
    redis.ReplyWithLongLong(context, answer);
  } else {
    redis.ReplyWithBool(context, answer);
  }
}

int InsertMany(const Arguments& arguments, const char* command, bool if_new) {
  RedisContext* const context = arguments.context;
  InsertOptions options;
  const char* const mistake = ReadInsertOptions(arguments, &options);
  if (mistake != nullptr) return arguments.Error(mistake);
  if (options.items_at == 0) return redis.WrongArity(context);
  const OpenedKey key(context, arguments.values[1], kRedisRead | kRedisWrite);
  bool has_changed = false;
  FilterChain* const chain =
      ChainToChange(key, arguments, options, &has_changed);
  if (chain == nullptr) return kRedisOk;
  std::vector<int> answers;
  ChainStatus status = ChainStatus::kOk;
  int i = options.items_at;
  for (; i < arguments.count; ++i) {
    bool added = false;
    status = AddItem(chain, arguments[i], if_new, &added);
    if (status != ChainStatus::kOk && status != ChainStatus::kFull) break;
    has_changed = has_changed || (added && status == ChainStatus::kOk);
    answers.push_back(status == ChainStatus::kFull ? -1 : (added ? 1 : 0));
  }
  if (has_changed) ReplicateFirst(arguments, command, i);
  const bool is_complete = i == arguments.count;
  redis.ReplyWithArray(
      context, static_cast<long>(answers.size() + (is_complete ? 0 : 1)));
  for (const int answer : answers) ReplyWithAnswer(context, answer, if_new);
  return is_complete ? kRedisOk
                     : arguments.Error(MessageOf(status, ChainKind::kCuckoo));
}

}  // namespace

int CuckooReserve(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count < 3 || count % 2 == 0) return redis.WrongArity(context);
  ChainParameters parameters = kDefaults;
  const char* mistake = ReadCapacity(arguments, 2, &parameters.capacity);
  for (int i = 3; i < count && mistake == nullptr; i += 2) {
    mistake = ReadReserveOption(arguments, i, &parameters);
  }
  if (mistake == nullptr) mistake = WhyTooSmall(parameters);
  if (mistake != nullptr) return arguments.Error(mistake);
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (!key.is_empty()) {
    const bool is_ours =
        key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kCuckoo)) != nullptr;
    return arguments.Error(is_ours ? kItemExists : kWrongType);
  }
  std::unique_ptr<FilterChain> chain;
  const ChainStatus status = FilterChain::Create(parameters, &chain);
  if (status != ChainStatus::kOk) {
    return arguments.Error(MessageOf(status, ChainKind::kCuckoo));
  }
  SetChain(key, std::move(chain));
  redis.ReplicateVerbatim(context);
  return redis.ReplyWithSimpleString(context, "OK");
}

int CuckooAdd(RedisContext* context, RedisString** values, int count) {
  return AddOne({context, values, count}, /*if_new=*/false);
}

int CuckooAddNew(RedisContext* context, RedisString** values, int count) {
  return AddOne({context, values, count}, /*if_new=*/true);
}

int CuckooInsert(RedisContext* context, RedisString** values, int count) {
  return InsertMany({context, values, count}, "CF.INSERT", /*if_new=*/false);
}

int CuckooInsertNew(RedisContext* context, RedisString** values, int count) {
  return InsertMany({context, values, count}, "CF.INSERTNX", /*if_new=*/true);
}

int CuckooExists(RedisContext* context, RedisString** values, int count) {
  return Exists(ChainKind::kCuckoo, {context, values, count});
}

int CuckooExistsMany(RedisContext* context, RedisString** values, int count) {
  return ExistsMany(ChainKind::kCuckoo, {context, values, count});
}

int CuckooErase(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (key.is_empty()) return arguments.Error(kMissingKey);
  auto* chain = key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kCuckoo));
  if (chain == nullptr) return arguments.Error(kWrongType);
  bool erased = false;
  const ChainStatus status = chain->Erase(arguments[2], &erased);
  if (status != ChainStatus::kOk) {
    return arguments.Error(MessageOf(status, ChainKind::kCuckoo));
  }
  if (erased) redis.ReplicateVerbatim(context);
  return redis.ReplyWithBool(context, erased ? 1 : 0);
}

int CuckooCount(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  if (key.is_empty()) return redis.ReplyWithLongLong(context, 0);
  const auto* chain =
      key.ValueOf<const FilterChain>(ChainTypeOf(ChainKind::kCuckoo));
  if (chain == nullptr) return arguments.Error(kWrongType);
  return redis.ReplyWithLongLong(
      context, static_cast<long long>(chain->Count(arguments[2])));
}

int CuckooInfo(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  if (key.is_empty()) return arguments.Error(kNotFound);
  const auto* chain =
      key.ValueOf<const FilterChain>(ChainTypeOf(ChainKind::kCuckoo));
  if (chain == nullptr) return arguments.Error(kWrongType);
  const ChainParameters& parameters = chain->parameters();
  const std::array<InfoField, 8> fields = {{
      {nullptr, "Size", static_cast<long long>(chain->MemoryBytes())},
      {nullptr, "Number of buckets", static_cast<long long>(chain->buckets())},
      {nullptr, "Number of filters", static_cast<long long>(chain->filters())},
      {nullptr, "Number of items inserted",
       static_cast<long long>(chain->items())},
      {nullptr, "Number of items deleted",
       static_cast<long long>(chain->erased())},
      {nullptr, "Bucket size", parameters.bucket_size},
      {nullptr, "Expansion rate", parameters.expansion},
      {nullptr, "Max iterations", parameters.max_iterations},
  }};
  redis.ReplyWithMap(context, static_cast<long>(fields.size()));
  for (const InfoField& field : fields) {
    redis.ReplyWithSimpleString(context, field.label);
    ReplyWithNumber(context, field.number);
  }
  return kRedisOk;
}

int CuckooScanDump(RedisContext* context, RedisString** values, int count) {
  return ScanDump(ChainKind::kCuckoo, {context, values, count});
}

int CuckooLoadChunk(RedisContext* context, RedisString** values, int count) {
  return LoadChunk(ChainKind::kCuckoo, {context, values, count});
}

}  // namespace tamis
