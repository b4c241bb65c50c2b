// SPDX-License-Identifier: Apache-2.0
#include "chain_type.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "loaded_string.h"

namespace tamis {
namespace {

constexpr int kEncodingVersion = 1;
// Of the stream: so much is read, written or sent at a time.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

RedisType* bloom_type = nullptr;
RedisType* cuckoo_type = nullptr;

const FilterChain& ChainOf(const void* value) noexcept {
  return *static_cast<const FilterChain*>(value);
}

// Calls take(offset, bytes) for the stream of the chain, piece by piece.
// Returns the number of bytes there were.
template <typename Take>
std::uint64_t ForEachPiece(const FilterChain& chain, Take&& take) {
  std::string piece(kPieceBytes, '\0');
  std::uint64_t offset = 0;
  while (const std::size_t n =
             chain.ReadStream(offset, piece.data(), piece.size())) {
    take(offset, std::string_view(piece.data(), n));
    offset += n;
  }
  return offset;
}

void SaveChain(RedisIo* io, void* value) {
  const FilterChain& chain = ChainOf(value);
  const std::string description = chain.Description();
  redis.SaveStringBuffer(io, description.data(), description.size());
  redis.SaveUnsigned(io, chain.ReceivedBytes());
  ForEachPiece(chain, [io](std::uint64_t, std::string_view piece) {
    redis.SaveStringBuffer(io, piece.data(), piece.size());
  });
}

// Null: damaged, or there is no memory.
std::unique_ptr<FilterChain> ReadChain(RedisIo* io, ChainKind kind) {
  std::unique_ptr<FilterChain> chain;
  {
    const LoadedString description(io);
    if (redis.IsIOError(io) || !description.ok() ||
        FilterChain::FromDescription(description.bytes(), &chain) !=
            ChainStatus::kOk ||
        chain->parameters().kind != kind) {
      return nullptr;
    }
  }
  const std::uint64_t received = redis.LoadUnsigned(io);
  if (redis.IsIOError(io) || received > chain->StreamBytes()) return nullptr;
  while (chain->ReceivedBytes() < received) {
    const LoadedString piece(io);
    if (redis.IsIOError(io) || !piece.ok() || piece.bytes().empty() ||
        chain->Feed(chain->ReceivedBytes(), piece.bytes()) !=
            ChainStatus::kOk) {
      return nullptr;
    }
  }
  return chain->ReceivedBytes() == received ? std::move(chain) : nullptr;
}

void* LoadChain(RedisIo* io, int version, ChainKind kind) {
  if (version != kEncodingVersion) {
    redis.LogIOError(io, "warning",
                     "a filter of version %d: this module reads version %d; "
                     "load a newer module",
                     version, kEncodingVersion);
    return nullptr;
  }
  std::unique_ptr<FilterChain> chain = ReadChain(io, kind);
  if (chain == nullptr) {
    redis.LogIOError(io, "warning",
                     "a filter is damaged, or does not fit into memory");
  }
  return chain.release();
}

void* LoadBloom(RedisIo* io, int version) {
  return LoadChain(io, version, ChainKind::kBloom);
}
void* LoadCuckoo(RedisIo* io, int version) {
  return LoadChain(io, version, ChainKind::kCuckoo);
}

// LOADCHUNK's number for the bytes that end at an offset of the stream; 1 is
// the description's.
constexpr std::uint64_t kDescriptionIterator = 1;
long long IteratorAfter(std::uint64_t end) noexcept {
  return static_cast<long long>(kDescriptionIterator + end);
}

void RewriteChain(RedisIo* io, RedisString* key, void* value) {
  const FilterChain& chain = ChainOf(value);
  const char* const command = chain.parameters().kind == ChainKind::kBloom
                                  ? "BF.LOADCHUNK"
                                  : "CF.LOADCHUNK";
  const std::string description = chain.Description();
  redis.EmitAOF(io, command, "slb", key, IteratorAfter(0), description.data(),
                description.size());
  ForEachPiece(chain, [&](std::uint64_t offset, std::string_view piece) {
    redis.EmitAOF(io, command, "slb", key, IteratorAfter(offset + piece.size()),
                  piece.data(), piece.size());
  });
}

std::size_t MemoryOfChain(const void* value) {
  return ChainOf(value).MemoryBytes();
}

void DigestChain(RedisDigest* sum, void* value) {
  const FilterChain& chain = ChainOf(value);
  const std::string description = chain.Description();
  redis.DigestAddStringBuffer(sum, description.data(), description.size());
  ForEachPiece(chain, [sum](std::uint64_t, std::string_view piece) {
    redis.DigestAddStringBuffer(sum, piece.data(), piece.size());
  });
  redis.DigestEndSequence(sum);
}

void FreeChain(void* value) { delete static_cast<FilterChain*>(value); }

// The server frees in the background from 64 on.
std::size_t EffortToFree(RedisString* /*key*/, const void* value) {
  const FilterChain& chain = ChainOf(value);
  return chain.filters() + chain.MemoryBytes() / kPieceBytes;
}

// Null: there is no memory.
void* CopyChain(RedisString* /*from*/, RedisString* /*to*/, const void* value) {
  const FilterChain& chain = ChainOf(value);
  std::unique_ptr<FilterChain> copy;
  if (FilterChain::FromDescription(chain.Description(), &copy) !=
      ChainStatus::kOk) {
    return nullptr;
  }
  bool is_complete = true;
  ForEachPiece(chain, [&](std::uint64_t offset, std::string_view piece) {
    is_complete = is_complete && copy->Feed(offset, piece) == ChainStatus::kOk;
  });
  if (!is_complete || copy->ReceivedBytes() != chain.ReceivedBytes()) {
    return nullptr;
  }
  return copy.release();
}

RedisTypeMethods MethodsOf(ChainKind kind) noexcept {
  return {.version = 3,
          .rdb_load = kind == ChainKind::kBloom ? LoadBloom : LoadCuckoo,
          .rdb_save = SaveChain,
          .aof_rewrite = RewriteChain,
          .mem_usage = MemoryOfChain,
          .add_to_digest = DigestChain,
          .free = FreeChain,
          .aux_load = nullptr,
          .aux_save = nullptr,
          .aux_save_triggers = 0,
          .free_effort = EffortToFree,
          .unlink = nullptr,
          .copy = CopyChain,
          .defrag = nullptr};
}

int ReplyWithChunk(RedisContext* context, long long iterator,
                   std::string_view bytes) {
  redis.ReplyWithArray(context, 2);
  redis.ReplyWithLongLong(context, iterator);
  return redis.ReplyWithStringBuffer(context, bytes.data(), bytes.size());
}

// Starts to load: the key gets a chain that has received nothing.
int StartLoading(const OpenedKey& key, ChainKind kind,
                 const Arguments& arguments) {
  std::unique_ptr<FilterChain> chain;
  if (FilterChain::FromDescription(arguments[3], &chain) != ChainStatus::kOk ||
      chain->parameters().kind != kind) {
    return arguments.Error(kBadData);
  }
  SetChain(key, std::move(chain));
  redis.ReplicateVerbatim(arguments.context);
  return redis.ReplyWithSimpleString(arguments.context, "OK");
}

}  // namespace

bool CreateChainTypes(RedisContext* context) {
  RedisTypeMethods bloom = MethodsOf(ChainKind::kBloom);
  RedisTypeMethods cuckoo = MethodsOf(ChainKind::kCuckoo);
  bloom_type =
      redis.CreateDataType(context, "tamis-bf0", kEncodingVersion, &bloom);
  cuckoo_type =
      redis.CreateDataType(context, "tamis-cf0", kEncodingVersion, &cuckoo);
  return bloom_type != nullptr && cuckoo_type != nullptr;
}

RedisType* ChainTypeOf(ChainKind kind) noexcept {
  return kind == ChainKind::kBloom ? bloom_type : cuckoo_type;
}

FilterChain* SetChain(const OpenedKey& key,
                      std::unique_ptr<FilterChain> chain) {
  FilterChain* const set = chain.release();
  redis.ModuleTypeSetValue(key.get(), ChainTypeOf(set->parameters().kind), set);
  return set;
}

int ScanDump(ChainKind kind, const Arguments& arguments) {
  RedisContext* const context = arguments.context;
  if (arguments.count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, arguments.values[1], kRedisRead);
  if (key.is_empty()) return arguments.Error(kNotFound);
  const auto* chain = key.ValueOf<const FilterChain>(ChainTypeOf(kind));
  if (chain == nullptr) return arguments.Error(kWrongType);
  std::uint64_t iterator = 0;
  if (!arguments.Number(2, 0, INT64_MAX, &iterator)) {
    return arguments.Error("ERR Second argument must be numeric");
  }
  if (chain->is_loading()) {
    return arguments.Error(MessageOf(ChainStatus::kLoading, kind));
  }
  if (iterator == 0) {
    return ReplyWithChunk(context, IteratorAfter(0), chain->Description());
  }
  std::string piece(kPieceBytes, '\0');
  const std::uint64_t offset = iterator - kDescriptionIterator;
  const std::size_t n = chain->ReadStream(offset, piece.data(), piece.size());
  return ReplyWithChunk(context, n == 0 ? 0 : IteratorAfter(offset + n),
                        {piece.data(), n});
}

int LoadChunk(ChainKind kind, const Arguments& arguments) {
  RedisContext* const context = arguments.context;
  if (arguments.count != 4) return redis.WrongArity(context);
  std::uint64_t iterator = 0;
  if (!arguments.Number(2, 0, INT64_MAX, &iterator)) {
    return arguments.Error("ERR Second argument must be numeric");
  }
  const OpenedKey key(context, arguments.values[1], kRedisRead | kRedisWrite);
  auto* const chain = key.ValueOf<FilterChain>(ChainTypeOf(kind));
  if (!key.is_empty() && chain == nullptr) return arguments.Error(kWrongType);
  if (iterator == kDescriptionIterator) {
    return StartLoading(key, kind, arguments);
  }
  if (chain == nullptr) return arguments.Error(kNotFound);
  const std::string_view piece = arguments[3];
  const std::uint64_t end = iterator - kDescriptionIterator;
  if (iterator == 0 || piece.empty() || end < piece.size()) {
    return arguments.Error(kBadData);
  }
  const std::uint64_t before = chain->ReceivedBytes();
  const ChainStatus status = chain->Feed(end - piece.size(), piece);
  // A filter that was damaged has been dropped here, and so is it there.
  if (status == ChainStatus::kOk || chain->ReceivedBytes() != before) {
    redis.ReplicateVerbatim(context);
  }
  if (status != ChainStatus::kOk) {
    return arguments.Error(MessageOf(status, kind));
  }
  return redis.ReplyWithSimpleString(context, "OK");
}

}  // namespace tamis
