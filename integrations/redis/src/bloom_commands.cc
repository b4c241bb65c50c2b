// SPDX-License-Identifier: Apache-2.0
// BF.*: Bloom filters that grow by further filters.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "chain_queries.h"
#include "chain_type.h"
#include "commands.h"
#include "replies.h"

namespace tamis {
namespace {

constexpr long long kMaxExpansion = 32768;

// RedisBloom's, for a key that is added to before it was reserved.
constexpr ChainParameters kDefaults = {
    .kind = ChainKind::kBloom, .error = 0.01, .capacity = 100, .expansion = 2};

constexpr const char* kBadErrorRate = "ERR bad error rate";
constexpr const char* kErrorRateRange = "ERR (0 < error rate range < 1)";
constexpr const char* kBadCapacity = "ERR bad capacity";
constexpr const char* kCapacityRange = "ERR (capacity should be larger than 0)";
constexpr const char* kBadExpansion = "ERR bad expansion";
constexpr const char* kNoExpansion = "ERR Nonscaling filters cannot expand";
constexpr const char* kBadGenerations =
    "ERR bad generations: give a number from 2 to 64";
constexpr const char* kGenerationsExpand =
    "ERR filters with GENERATIONS cannot expand; leave EXPANSION out";

// Return why an argument is not valid, or null.
const char* ReadErrorRate(const Arguments& arguments, int i, double* rate) {
  if (!arguments.Rate(i, rate)) return kBadErrorRate;
  return *rate > 0 && *rate < 1 ? nullptr : kErrorRateRange;
}
const char* ReadCapacity(const Arguments& arguments, int i,
                         std::uint64_t* capacity) {
  if (!arguments.Number(i, INT64_MIN, INT64_MAX, capacity)) return kBadCapacity;
  const bool is_positive = *capacity - 1 < INT64_MAX;
  return is_positive ? nullptr : kCapacityRange;
}
const char* ReadExpansion(const Arguments& arguments, int i,
                          std::uint32_t* expansion) {
  std::uint64_t number = 0;
  if (!arguments.Number(i, 1, kMaxExpansion, &number)) return kBadExpansion;
  *expansion = static_cast<std::uint32_t>(number);
  return nullptr;
}

// The options of BF.RESERVE and BF.INSERT.
struct BloomOptions {
  ChainParameters parameters = kDefaults;
  bool has_expansion = false;
  bool is_nonscaling = false;
  bool is_nocreate = false;
  int items_at = 0;  // the first; 0: there is no ITEMS

  // Returns why they do not go together, or null.
  const char* Finish() {
    const bool has_generations = parameters.generations != 0;
    if (!is_nonscaling && !has_generations) return nullptr;
    parameters.expansion = 0;
    if (!has_expansion) return nullptr;
    return has_generations ? kGenerationsExpand : kNoExpansion;
  }
};

const char* const kMissingValue = "";  // the reply is about the arity

// Reads the option at *i, and moves *i after it.
const char* ReadReserveOption(const Arguments& arguments, int* i,
                              BloomOptions* options) {
  if (arguments.Is(*i, "NONSCALING")) {
    options->is_nonscaling = true;
    ++*i;
    return nullptr;
  }
  if (!arguments.Is(*i, "EXPANSION")) return kUnknownArgument;
  if (*i + 1 == arguments.count) return kMissingValue;
  options->has_expansion = true;
  *i += 2;
  return ReadExpansion(arguments, *i - 1, &options->parameters.expansion);
}

const char* ReadInsertOption(const Arguments& arguments, int* i,
                             BloomOptions* options) {
  if (arguments.Is(*i, "ITEMS")) {
    options->items_at = *i + 1;
    *i = arguments.count;
    return options->items_at == arguments.count ? kMissingValue : nullptr;
  }
  if (arguments.Is(*i, "NOCREATE")) {
    options->is_nocreate = true;
    ++*i;
    return nullptr;
  }
  const bool is_capacity = arguments.Is(*i, "CAPACITY");
  if (!is_capacity && !arguments.Is(*i, "ERROR")) {
    return ReadReserveOption(arguments, i, options);
  }
  if (*i + 1 == arguments.count) return kMissingValue;
  *i += 2;
  return is_capacity
             ? ReadCapacity(arguments, *i - 1, &options->parameters.capacity)
             : ReadErrorRate(arguments, *i - 1, &options->parameters.error);
}

// The same, of BF.RESERVE, which alone makes filters with generations.
const char* ReadOptionOfReserve(const Arguments& arguments, int* i,
                                BloomOptions* options) {
  if (!arguments.Is(*i, "GENERATIONS")) {
    return ReadReserveOption(arguments, i, options);
  }
  if (*i + 1 == arguments.count) return kMissingValue;
  *i += 2;
  std::uint64_t number = 0;
  if (!arguments.Number(*i - 1, kMinGenerations, kMaxGenerations, &number)) {
    return kBadGenerations;
  }
  options->parameters.generations = static_cast<std::uint32_t>(number);
  return nullptr;
}

int ReplyToMistake(const Arguments& arguments, const char* mistake) {
  return mistake == kMissingValue ? redis.WrongArity(arguments.context)
                                  : arguments.Error(mistake);
}

// What a command adds, and how it replies.
struct Addition {
  const char* command;
  int items_at;
  bool is_single;  // the reply is a boolean, not an array
};

int ReplyToAddition(const Arguments& arguments, const Addition& addition,
                    const Answers& is_new, ChainStatus status) {
  RedisContext* const context = arguments.context;
  const char* const message = MessageOf(status, ChainKind::kBloom);
  if (addition.is_single) {
    return status == ChainStatus::kOk
               ? redis.ReplyWithBool(context, is_new.all()[0])
               : arguments.Error(message);
  }
  if (status == ChainStatus::kOk) return ReplyWithBools(context, is_new);
  redis.ReplyWithArray(context, static_cast<long>(is_new.all().size() + 1));
  for (const unsigned char value : is_new.all())
    redis.ReplyWithBool(context, value);
  return redis.ReplyWithError(context, message);
}

// Adds the items to the key's chain, which is made if there is none.
int Add(const Arguments& arguments, const Addition& addition,
        const BloomOptions& options) {
  RedisContext* const context = arguments.context;
  const OpenedKey key(context, arguments.values[1], kRedisRead | kRedisWrite);
  auto* chain = key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kBloom));
  if (!key.is_empty() && chain == nullptr) return arguments.Error(kWrongType);
  const bool is_made = chain == nullptr;
  if (is_made) {
    if (options.is_nocreate) return arguments.Error(kNotFound);
    std::unique_ptr<FilterChain> made;
    const ChainStatus status = FilterChain::Create(options.parameters, &made);
    if (status != ChainStatus::kOk) {
      return arguments.Error(MessageOf(status, ChainKind::kBloom));
    }
    chain = SetChain(key, std::move(made));
  }
  const Items items(arguments, addition.items_at);
  Answers is_new(items.count());
  std::size_t done = 0;
  const std::uint64_t items_before = chain->items();
  const ChainStatus status = chain->AddNew(items.keys(), is_new.data(), &done);
  is_new.Shorten(done);
  if (is_made || chain->items() != items_before) {
    ReplicateFirst(arguments, addition.command,
                   addition.items_at + static_cast<int>(done));
  }
  return ReplyToAddition(arguments, addition, is_new, status);
}

}  // namespace

int BloomReserve(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count < 4) return redis.WrongArity(context);
  BloomOptions options;
  const char* mistake = ReadErrorRate(arguments, 2, &options.parameters.error);
  if (mistake == nullptr) {
    mistake = ReadCapacity(arguments, 3, &options.parameters.capacity);
  }
  for (int i = 4; i < count && mistake == nullptr;) {
    mistake = ReadOptionOfReserve(arguments, &i, &options);
  }
  if (mistake == nullptr) mistake = options.Finish();
  if (mistake != nullptr) return ReplyToMistake(arguments, mistake);

  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (!key.is_empty()) {
    const bool is_ours =
        key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kBloom)) != nullptr;
    return arguments.Error(is_ours ? kItemExists : kWrongType);
  }
  std::unique_ptr<FilterChain> chain;
  const ChainStatus status = FilterChain::Create(options.parameters, &chain);
  if (status != ChainStatus::kOk) {
    return arguments.Error(MessageOf(status, ChainKind::kBloom));
  }
  SetChain(key, std::move(chain));
  redis.ReplicateVerbatim(context);
  return redis.ReplyWithSimpleString(context, "OK");
}

int BloomAdd(RedisContext* context, RedisString** values, int count) {
  if (count != 3) return redis.WrongArity(context);
  return Add({context, values, count},
             {.command = "BF.ADD", .items_at = 2, .is_single = true}, {});
}

int BloomAddMany(RedisContext* context, RedisString** values, int count) {
  if (count < 3) return redis.WrongArity(context);
  return Add({context, values, count},
             {.command = "BF.MADD", .items_at = 2, .is_single = false}, {});
}

int BloomInsert(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  BloomOptions options;
  const char* mistake = nullptr;
  for (int i = 2; i < count && mistake == nullptr;) {
    mistake = ReadInsertOption(arguments, &i, &options);
  }
  if (mistake == nullptr && options.items_at == 0) mistake = kMissingValue;
  if (mistake == nullptr) mistake = options.Finish();
  if (mistake != nullptr) return ReplyToMistake(arguments, mistake);
  return Add(arguments,
             {.command = "BF.INSERT",
              .items_at = options.items_at,
              .is_single = false},
             options);
}

int BloomExists(RedisContext* context, RedisString** values, int count) {
  return Exists(ChainKind::kBloom, {context, values, count});
}

int BloomExistsMany(RedisContext* context, RedisString** values, int count) {
  return ExistsMany(ChainKind::kBloom, {context, values, count});
}

int BloomCard(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  const auto* chain =
      key.ValueOf<const FilterChain>(ChainTypeOf(ChainKind::kBloom));
  if (!key.is_empty() && chain == nullptr) return arguments.Error(kWrongType);
  return redis.ReplyWithLongLong(
      context, chain == nullptr ? 0 : static_cast<long long>(chain->items()));
}

int BloomInfo(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2 && count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  if (key.is_empty()) return arguments.Error(kNotFound);
  const auto* chain =
      key.ValueOf<const FilterChain>(ChainTypeOf(ChainKind::kBloom));
  if (chain == nullptr) return arguments.Error(kWrongType);
  const std::uint32_t expansion = chain->parameters().expansion;
  const std::array<InfoField, 7> all_fields = {{
      {"CAPACITY", "Capacity", static_cast<long long>(chain->capacity())},
      {"SIZE", "Size", static_cast<long long>(chain->MemoryBytes())},
      {"FILTERS", "Number of filters",
       static_cast<long long>(chain->filters())},
      {"ITEMS", "Number of items inserted",
       static_cast<long long>(chain->items())},
      {"EXPANSION", "Expansion rate",
       expansion == 0 ? -1 : static_cast<long long>(expansion)},
      {"GENERATIONS", "Generations", chain->parameters().generations},
      {"ROTATIONS", "Rotations", static_cast<long long>(chain->rotations())},
  }};
  // The last two are of filters whose items expire.
  const std::span<const InfoField> fields =
      std::span(all_fields).first(chain->is_rotating() ? 7 : 5);
  if (count == 2) redis.ReplyWithMap(context, static_cast<long>(fields.size()));
  for (const InfoField& field : fields) {
    if (count == 2) {
      redis.ReplyWithSimpleString(context, field.label);
      ReplyWithNumber(context, field.number);
    } else if (arguments.Is(2, field.word)) {
      redis.ReplyWithArray(context, 1);
      ReplyWithNumber(context, field.number);
      return kRedisOk;
    }
  }
  return count == 2 ? kRedisOk
                    : arguments.Error("ERR Invalid information value");
}

int BloomScanDump(RedisContext* context, RedisString** values, int count) {
  return ScanDump(ChainKind::kBloom, {context, values, count});
}

int BloomLoadChunk(RedisContext* context, RedisString** values, int count) {
  return LoadChunk(ChainKind::kBloom, {context, values, count});
}

}  // namespace tamis
