// SPDX-License-Identifier: Apache-2.0
// redis_api.h -- the part of Redis' interface for modules that this module
// calls: version 1 of it, as a server of Redis 7.0 provides it.
//
// Debian packages no header for modules.  What is here is what a caller must
// know: names, types, the order of the members of structures, and the values of
// constants.  A server passes a table of its functions to RedisModule_OnLoad():
// the first word of the context points to RedisModule_GetApi(), which looks a
// function up by its name.

#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis {

struct RedisContext;
struct RedisKey;
struct RedisString;
struct RedisIo;
struct RedisType;
struct RedisDigest;
struct RedisCommand;
struct RedisDefrag;

inline constexpr int kRedisOk = 0;
inline constexpr int kRedisError = 1;
inline constexpr int kRedisApiVersion = 1;

// Modes of OpenKey(), and types of keys.
inline constexpr int kRedisRead = 1;
inline constexpr int kRedisWrite = 2;
inline constexpr int kRedisKeyEmpty = 0;

// Of SetModuleOptions(): the module checks IsIOError() itself.
inline constexpr int kRedisHandlesIoErrors = 1;
inline constexpr int kRedisPostponedLength = -1;

using RedisCommandFunction = int (*)(RedisContext*, RedisString**, int);

struct RedisTypeMethods {
  std::uint64_t version;  // 3: with the members below
  void* (*rdb_load)(RedisIo*, int version);
  void (*rdb_save)(RedisIo*, void* value);
  void (*aof_rewrite)(RedisIo*, RedisString* key, void* value);
  std::size_t (*mem_usage)(const void* value);
  void (*add_to_digest)(RedisDigest*, void* value);
  void (*free)(void* value);
  int (*aux_load)(RedisIo*, int version, int when);
  void (*aux_save)(RedisIo*, int when);
  int aux_save_triggers;
  std::size_t (*free_effort)(RedisString* key, const void* value);
  void (*unlink)(RedisString* key, const void* value);
  void* (*copy)(RedisString* from, RedisString* to, const void* value);
  int (*defrag)(RedisDefrag*, RedisString* key, void** value);
};

// What SetCommandInfo() takes, for COMMAND DOCS and COMMAND INFO.
struct RedisHistoryEntry {
  const char* since;
  const char* changes;
};

struct RedisKeySpec {
  const char* notes;
  std::uint64_t flags;
  int begin_search_type;
  union {
    struct {
      int position;
    } index;
    struct {
      const char* keyword;
      int start_from;
    } keyword;
  } begin_search;
  int find_keys_type;
  union {
    struct {
      int last_key;
      int step;
      int limit;
    } range;
    struct {
      int count_at;
      int first_key;
      int step;
    } count;
  } find_keys;
};
inline constexpr std::uint64_t kRedisKeyReadOnly = 1u << 0;
inline constexpr std::uint64_t kRedisKeyReadWrite = 1u << 1;
inline constexpr std::uint64_t kRedisKeyOverwrite = 1u << 2;
inline constexpr std::uint64_t kRedisKeyAccess = 1u << 4;
inline constexpr std::uint64_t kRedisKeyUpdate = 1u << 5;
inline constexpr std::uint64_t kRedisKeyInsert = 1u << 6;
inline constexpr std::uint64_t kRedisKeyDelete = 1u << 7;
inline constexpr int kRedisBeginAtIndex = 2;
inline constexpr int kRedisFindRange = 2;

enum class RedisArgumentType : int {
  kString = 0,
  kInteger = 1,
  kDouble = 2,
  kKey = 3,
  kPattern = 4,
  kUnixTime = 5,
  kPureToken = 6,
  kOneOf = 7,
  kBlock = 8,
};
inline constexpr int kRedisArgumentOptional = 1;
inline constexpr int kRedisArgumentMultiple = 2;

struct RedisArgument {
  const char* name;
  RedisArgumentType type;
  int key_spec;
  const char* token;
  const char* summary;
  const char* since;
  int flags;
  const char* deprecated_since;
  RedisArgument* parts;
  const char* display_text;  // from 7.2 on
};

struct RedisCommandInfoVersion {
  int version;
  std::size_t history_entry_bytes;
  std::size_t key_spec_bytes;
  std::size_t argument_bytes;
};

struct RedisCommandInfo {
  const RedisCommandInfoVersion* version;
  const char* summary;
  const char* complexity;
  const char* since;
  RedisHistoryEntry* history;
  const char* tips;
  int arity;
  RedisKeySpec* key_specs;
  RedisArgument* arguments;
};

// The functions of the server, under their names without "RedisModule_".
struct RedisApi {
  int (*SetModuleAttribs)(RedisContext*, const char* name, int version,
                          int api_version);
  int (*IsModuleNameBusy)(const char* name);
  void (*SetModuleOptions)(RedisContext*, int options);
  int (*CreateCommand)(RedisContext*, const char* name, RedisCommandFunction,
                       const char* flags, int first_key, int last_key,
                       int step);
  RedisCommand* (*GetCommand)(RedisContext*, const char* name);
  int (*SetCommandInfo)(RedisCommand*, const RedisCommandInfo*);
  // Null before Redis 7.2, which puts commands of modules into no category.
  int (*SetCommandACLCategories)(RedisCommand*, const char* categories);
  RedisType* (*CreateDataType)(RedisContext*, const char* name, int version,
                               RedisTypeMethods*);
  void (*Log)(RedisContext*, const char* level, const char* format, ...);
  void (*LogIOError)(RedisIo*, const char* level, const char* format, ...);

  void* (*TryAlloc)(std::size_t);
  void (*Free)(void*);
  std::size_t (*MallocSize)(void*);

  int (*WrongArity)(RedisContext*);
  const char* (*StringPtrLen)(const RedisString*, std::size_t* length);
  int (*StringToLongLong)(const RedisString*, long long*);
  int (*StringToDouble)(const RedisString*, double*);

  RedisKey* (*OpenKey)(RedisContext*, RedisString* name, int mode);
  void (*CloseKey)(RedisKey*);
  int (*KeyType)(RedisKey*);
  RedisType* (*ModuleTypeGetType)(RedisKey*);
  void* (*ModuleTypeGetValue)(RedisKey*);
  int (*ModuleTypeSetValue)(RedisKey*, RedisType*, void* value);

  int (*ReplyWithError)(RedisContext*, const char*);
  int (*ReplyWithSimpleString)(RedisContext*, const char*);
  int (*ReplyWithStringBuffer)(RedisContext*, const char*, std::size_t);
  int (*ReplyWithLongLong)(RedisContext*, long long);
  int (*ReplyWithDouble)(RedisContext*, double);
  int (*ReplyWithBool)(RedisContext*, int);
  int (*ReplyWithNull)(RedisContext*);
  int (*ReplyWithArray)(RedisContext*, long length);
  int (*ReplyWithMap)(RedisContext*, long length);
  void (*ReplySetArrayLength)(RedisContext*, long length);

  int (*Replicate)(RedisContext*, const char* command, const char* format, ...);
  int (*ReplicateVerbatim)(RedisContext*);

  int (*IsIOError)(RedisIo*);
  void (*SaveUnsigned)(RedisIo*, std::uint64_t);
  std::uint64_t (*LoadUnsigned)(RedisIo*);
  void (*SaveStringBuffer)(RedisIo*, const char*, std::size_t);
  char* (*LoadStringBuffer)(RedisIo*, std::size_t* length);
  void (*EmitAOF)(RedisIo*, const char* command, const char* format, ...);
  void (*DigestAddStringBuffer)(RedisDigest*, const char*, std::size_t);
  void (*DigestEndSequence)(RedisDigest*);
};

// Set by LoadRedisApi(); the server calls nothing else before.
extern RedisApi redis;

// Returns whether the server has every function above that Redis 7.0 has.
bool LoadRedisApi(RedisContext* context) noexcept;

}  // namespace tamis
