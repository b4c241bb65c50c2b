// SPDX-License-Identifier: Apache-2.0
// The names of the commands, and what COMMAND DOCS and COMMAND INFO say.
#include <cstdint>
#include <string>
#include <string_view>

#include "commands.h"
#include "redis_api.h"

namespace tamis {
namespace {

constexpr const char* kSince = "0.5.0";  // of Tamis

// Flags of CreateCommand().
constexpr const char* kReads = "readonly fast";
constexpr const char* kReadsMuch = "readonly";
constexpr const char* kChanges = "write fast";
constexpr const char* kGrows = "write deny-oom fast";
constexpr const char* kGrowsMuch = "write deny-oom";

constexpr std::uint64_t kKeyRead = kRedisKeyReadOnly | kRedisKeyAccess;
constexpr std::uint64_t kKeyInsert = kRedisKeyReadWrite | kRedisKeyInsert;
constexpr std::uint64_t kKeyUpdate =
    kRedisKeyReadWrite | kRedisKeyUpdate | kRedisKeyAccess;
constexpr std::uint64_t kKeyErase = kRedisKeyReadWrite | kRedisKeyDelete;
constexpr std::uint64_t kKeyOverwrite = kRedisKeyOverwrite | kRedisKeyUpdate;

using Type = RedisArgumentType;

constexpr RedisArgument Named(const char* name, Type type, int flags = 0) {
  return {.name = name,
          .type = type,
          .key_spec = type == Type::kKey ? 0 : -1,
          .token = nullptr,
          .summary = nullptr,
          .since = nullptr,
          .flags = flags,
          .deprecated_since = nullptr,
          .parts = nullptr,
          .display_text = nullptr};
}
constexpr RedisArgument Token(const char* name, const char* token, Type type,
                              int flags = kRedisArgumentOptional) {
  RedisArgument argument = Named(name, type, flags);
  argument.token = token;
  return argument;
}
constexpr RedisArgument Switch(const char* name, const char* token) {
  return Token(name, token, Type::kPureToken);
}

constexpr RedisArgument kKey = Named("key", Type::kKey);
constexpr RedisArgument kItem = Named("item", Type::kString);
constexpr RedisArgument kItems =
    Named("item", Type::kString, kRedisArgumentMultiple);
constexpr RedisArgument kNamedItems =
    Token("items", "ITEMS", Type::kString, kRedisArgumentMultiple);
constexpr RedisArgument kIterator = Named("iterator", Type::kInteger);
constexpr RedisArgument kCapacity = Named("capacity", Type::kInteger);
constexpr RedisArgument kCapacityOption =
    Token("capacity", "CAPACITY", Type::kInteger);
constexpr RedisArgument kExpansion =
    Token("expansion", "EXPANSION", Type::kInteger);
constexpr RedisArgument kNonscaling = Switch("nonscaling", "NONSCALING");
constexpr RedisArgument kNoCreate = Switch("nocreate", "NOCREATE");
constexpr RedisArgument kEnd = {};

// The server reads them through pointers that are not const.
RedisArgument key_only[] = {kKey, kEnd};
RedisArgument key_item[] = {kKey, kItem, kEnd};
RedisArgument key_items[] = {kKey, kItems, kEnd};
RedisArgument scan_dump[] = {kKey, kIterator, kEnd};
RedisArgument load_chunk[] = {kKey, kIterator, Named("data", Type::kString),
                              kEnd};
RedisArgument bloom_reserve[] = {
    kKey,        Named("error_rate", Type::kDouble),
    kCapacity,   kExpansion,
    kNonscaling, Token("generations", "GENERATIONS", Type::kInteger),
    kEnd};
RedisArgument bloom_insert[] = {kKey,
                                kCapacityOption,
                                Token("error", "ERROR", Type::kDouble),
                                kExpansion,
                                kNoCreate,
                                kNonscaling,
                                kNamedItems,
                                kEnd};
constexpr RedisArgument Field(const char* name, const char* token) {
  return Token(name, token, Type::kPureToken, 0);
}
RedisArgument bloom_fields[] = {
    Field("capacity", "CAPACITY"),   Field("size", "SIZE"),
    Field("filters", "FILTERS"),     Field("items", "ITEMS"),
    Field("expansion", "EXPANSION"), Field("generations", "GENERATIONS"),
    Field("rotations", "ROTATIONS"), kEnd};
RedisArgument bloom_info[] = {kKey,
                              {.name = "single_value",
                               .type = Type::kOneOf,
                               .key_spec = -1,
                               .token = nullptr,
                               .summary = nullptr,
                               .since = nullptr,
                               .flags = kRedisArgumentOptional,
                               .deprecated_since = nullptr,
                               .parts = bloom_fields,
                               .display_text = nullptr},
                              kEnd};
RedisArgument cuckoo_reserve[] = {
    kKey,
    kCapacity,
    Token("bucketsize", "BUCKETSIZE", Type::kInteger),
    Token("maxiterations", "MAXITERATIONS", Type::kInteger),
    kExpansion,
    kEnd};
RedisArgument cuckoo_insert[] = {kKey, kCapacityOption, kNoCreate, kNamedItems,
                                 kEnd};

RedisArgument file_load[] = {kKey, Named("data", Type::kString), kEnd};
constexpr RedisArgument kSources = [] {
  RedisArgument argument = Named("source", Type::kKey, kRedisArgumentMultiple);
  argument.key_spec = 1;
  return argument;
}();
RedisArgument file_merge[] = {Named("destination", Type::kKey), kSources, kEnd};
RedisArgument file_shrink[] = {kKey, Named("divisor", Type::kInteger), kEnd};

constexpr const char* kOfOne = "O(n), where n is the number of filters";
constexpr const char* kOfMany =
    "O(n * m), where n is the number of filters and m that of items";
constexpr const char* kOfSize = "O(n), where n is the size of the filter";
constexpr const char* kOfPiece = "O(n), where n is the size of the piece";

// Alone it has further keys, which it reads.
constexpr const char* kMergeName = "TAMIS.MERGE";

// The categories of access control lists that follow from the flags.
std::string CategoriesOf(std::string_view flags) {
  const bool reads = flags.starts_with("readonly");
  return std::string(reads ? "read" : "write") +
         (flags.ends_with("fast") ? " fast" : " slow");
}

struct Command {
  const char* name;
  RedisCommandFunction function;
  const char* flags;
  std::uint64_t key_flags;
  int arity;
  const char* summary;
  const char* complexity;
  RedisArgument* arguments;
};

const Command kCommands[] = {
    {"BF.RESERVE", BloomReserve, kGrows, kKeyInsert, -4,
     "Creates an empty Bloom filter.", kOfSize, bloom_reserve},
    {"BF.ADD", BloomAdd, kGrows, kKeyInsert, 3,
     "Adds an item to a Bloom filter; creates the filter if there is none.",
     kOfOne, key_item},
    {"BF.MADD", BloomAddMany, kGrows, kKeyInsert, -3,
     "Adds items to a Bloom filter; creates the filter if there is none.",
     kOfMany, key_items},
    {"BF.INSERT", BloomInsert, kGrows, kKeyInsert, -4,
     "Adds items to a Bloom filter, whose parameters may be given if there is "
     "none.",
     kOfMany, bloom_insert},
    {"BF.EXISTS", BloomExists, kReads, kKeyRead, 3,
     "Tells whether an item may be in a Bloom filter.", kOfOne, key_item},
    {"BF.MEXISTS", BloomExistsMany, kReads, kKeyRead, -3,
     "Tells which items may be in a Bloom filter.", kOfMany, key_items},
    {"BF.CARD", BloomCard, kReads, kKeyRead, 2,
     "Returns the number of items that were added and were new.", kOfOne,
     key_only},
    {"BF.INFO", BloomInfo, kReads, kKeyRead, -2,
     "Returns the parameters and the size of a Bloom filter.", kOfOne,
     bloom_info},
    {"BF.SCANDUMP", BloomScanDump, kReadsMuch, kKeyRead, 3,
     "Returns a piece of a Bloom filter, to be loaded elsewhere.", kOfPiece,
     scan_dump},
    {"BF.LOADCHUNK", BloomLoadChunk, kGrowsMuch, kKeyOverwrite, 4,
     "Loads a piece of a Bloom filter that BF.SCANDUMP returned.", kOfPiece,
     load_chunk},
    {"CF.RESERVE", CuckooReserve, kGrows, kKeyInsert, -3,
     "Creates an empty cuckoo filter.", kOfSize, cuckoo_reserve},
    {"CF.ADD", CuckooAdd, kGrows, kKeyInsert, 3,
     "Adds an item to a cuckoo filter; creates the filter if there is none.",
     kOfOne, key_item},
    {"CF.ADDNX", CuckooAddNew, kGrows, kKeyInsert, 3,
     "Adds an item to a cuckoo filter unless it may be there.", kOfOne,
     key_item},
    {"CF.INSERT", CuckooInsert, kGrows, kKeyInsert, -4,
     "Adds items to a cuckoo filter, whose capacity may be given if there is "
     "none.",
     kOfMany, cuckoo_insert},
    {"CF.INSERTNX", CuckooInsertNew, kGrows, kKeyInsert, -4,
     "Adds those items to a cuckoo filter that are certainly not there.",
     kOfMany, cuckoo_insert},
    {"CF.EXISTS", CuckooExists, kReads, kKeyRead, 3,
     "Tells whether an item may be in a cuckoo filter.", kOfOne, key_item},
    {"CF.MEXISTS", CuckooExistsMany, kReads, kKeyRead, -3,
     "Tells which items may be in a cuckoo filter.", kOfMany, key_items},
    {"CF.DEL", CuckooErase, kChanges, kKeyErase, 3,
     "Undoes one addition of an item, which must have been added.", kOfOne,
     key_item},
    {"CF.COUNT", CuckooCount, kReads, kKeyRead, 3,
     "Returns how often an item may have been added.", kOfOne, key_item},
    {"CF.INFO", CuckooInfo, kReads, kKeyRead, 2,
     "Returns the parameters and the size of a cuckoo filter.", kOfOne,
     key_only},
    {"CF.SCANDUMP", CuckooScanDump, kReadsMuch, kKeyRead, 3,
     "Returns a piece of a cuckoo filter, to be loaded elsewhere.", kOfPiece,
     scan_dump},
    {"CF.LOADCHUNK", CuckooLoadChunk, kGrowsMuch, kKeyOverwrite, 4,
     "Loads a piece of a cuckoo filter that CF.SCANDUMP returned.", kOfPiece,
     load_chunk},
    {"TAMIS.LOAD", FileLoad, kGrowsMuch, kKeyOverwrite, 3,
     "Sets a key to a .tamis file, which is checked.", kOfSize, file_load},
    {"TAMIS.DUMP", FileDump, kReadsMuch, kKeyRead, 2,
     "Returns the .tamis file of a key.", kOfSize, key_only},
    {"TAMIS.EXISTS", FileExists, kReads, kKeyRead, 3,
     "Tells whether an item may be in a .tamis file.", kOfOne, key_item},
    {"TAMIS.MEXISTS", FileExistsMany, kReads, kKeyRead, -3,
     "Tells which items may be in a .tamis file.", kOfMany, key_items},
    {"TAMIS.INFO", FileInfo, kReadsMuch, kKeyRead, 2,
     "Returns the kind, the size and the rate of a .tamis file.", kOfSize,
     key_only},
    {kMergeName, FileMerge, kGrowsMuch, kKeyOverwrite, -3,
     "Sets a key to a filter of the items of all sources, which must have been "
     "planned alike.",
     kOfSize, file_merge},
    {"TAMIS.SHRINK", FileShrink, kGrowsMuch, kKeyUpdate, 3,
     "Folds a filter to a part of its size, at a higher rate.", kOfSize,
     file_shrink},
    {"TAMIS.ROTATE", Rotate, kChanges, kKeyUpdate, 2,
     "Starts a new generation, and drops the items of the oldest.", kOfSize,
     key_only},
};

constexpr RedisCommandInfoVersion kInfoVersion = {
    .version = 1,
    .history_entry_bytes = sizeof(RedisHistoryEntry),
    .key_spec_bytes = sizeof(RedisKeySpec),
    .argument_bytes = sizeof(RedisArgument)};

// Of the arguments from `first` on; `last` is 0 for that alone, -1 for all.
RedisKeySpec KeysAt(int first, int last, std::uint64_t flags) {
  RedisKeySpec keys = {};
  keys.flags = flags;
  keys.begin_search_type = kRedisBeginAtIndex;
  keys.begin_search.index.position = first;
  keys.find_keys_type = kRedisFindRange;
  keys.find_keys.range = {.last_key = last, .step = 1, .limit = 0};
  return keys;
}

bool Document(RedisContext* context, const Command& command) {
  RedisCommand* const created = redis.GetCommand(context, command.name);
  if (created == nullptr) return false;
  RedisKeySpec keys[3] = {};  // an empty one ends them
  keys[0] = KeysAt(1, 0, command.key_flags);
  if (command.name == kMergeName) keys[1] = KeysAt(2, -1, kKeyRead);
  const RedisCommandInfo info = {.version = &kInfoVersion,
                                 .summary = command.summary,
                                 .complexity = command.complexity,
                                 .since = kSince,
                                 .history = nullptr,
                                 .tips = nullptr,
                                 .arity = command.arity,
                                 .key_specs = keys,
                                 .arguments = command.arguments};
  if (redis.SetCommandACLCategories != nullptr &&
      redis.SetCommandACLCategories(
          created, CategoriesOf(command.flags).c_str()) != kRedisOk) {
    return false;
  }
  return redis.SetCommandInfo(created, &info) == kRedisOk;
}

}  // namespace

bool CreateCommands(RedisContext* context) {
  for (const Command& command : kCommands) {
    const int last = command.name == kMergeName ? -1 : 1;
    if (redis.CreateCommand(context, command.name, command.function,
                            command.flags, 1, last, 1) != kRedisOk ||
        !Document(context, command)) {
      return false;
    }
  }
  return true;
}

}  // namespace tamis
