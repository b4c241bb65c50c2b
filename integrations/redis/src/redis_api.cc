// SPDX-License-Identifier: Apache-2.0
#include "redis_api.h"

#include <cstring>

namespace tamis {

RedisApi redis;

namespace {

using GetApi = int (*)(const char* name, void* function);

// Sets *function to the server's function of that name.
template <typename Function>
bool Get(GetApi get, const char* name, Function** function) noexcept {
  return get(name, static_cast<void*>(function)) == kRedisOk;
}

bool GetKeysAndModule(GetApi get) noexcept {
  return Get(get, "RedisModule_SetModuleAttribs", &redis.SetModuleAttribs) &&
         Get(get, "RedisModule_IsModuleNameBusy", &redis.IsModuleNameBusy) &&
         Get(get, "RedisModule_SetModuleOptions", &redis.SetModuleOptions) &&
         Get(get, "RedisModule_CreateCommand", &redis.CreateCommand) &&
         Get(get, "RedisModule_GetCommand", &redis.GetCommand) &&
         Get(get, "RedisModule_SetCommandInfo", &redis.SetCommandInfo) &&
         Get(get, "RedisModule_CreateDataType", &redis.CreateDataType) &&
         Get(get, "RedisModule_Log", &redis.Log) &&
         Get(get, "RedisModule_LogIOError", &redis.LogIOError) &&
         Get(get, "RedisModule_TryAlloc", &redis.TryAlloc) &&
         Get(get, "RedisModule_Free", &redis.Free) &&
         Get(get, "RedisModule_MallocSize", &redis.MallocSize) &&
         Get(get, "RedisModule_WrongArity", &redis.WrongArity) &&
         Get(get, "RedisModule_StringPtrLen", &redis.StringPtrLen) &&
         Get(get, "RedisModule_StringToLongLong", &redis.StringToLongLong) &&
         Get(get, "RedisModule_StringToDouble", &redis.StringToDouble) &&
         Get(get, "RedisModule_OpenKey", &redis.OpenKey) &&
         Get(get, "RedisModule_CloseKey", &redis.CloseKey) &&
         Get(get, "RedisModule_KeyType", &redis.KeyType) &&
         Get(get, "RedisModule_ModuleTypeGetType", &redis.ModuleTypeGetType) &&
         Get(get, "RedisModule_ModuleTypeGetValue",
             &redis.ModuleTypeGetValue) &&
         Get(get, "RedisModule_ModuleTypeSetValue", &redis.ModuleTypeSetValue);
}

bool GetReplies(GetApi get) noexcept {
  return Get(get, "RedisModule_ReplyWithError", &redis.ReplyWithError) &&
         Get(get, "RedisModule_ReplyWithSimpleString",
             &redis.ReplyWithSimpleString) &&
         Get(get, "RedisModule_ReplyWithStringBuffer",
             &redis.ReplyWithStringBuffer) &&
         Get(get, "RedisModule_ReplyWithLongLong", &redis.ReplyWithLongLong) &&
         Get(get, "RedisModule_ReplyWithDouble", &redis.ReplyWithDouble) &&
         Get(get, "RedisModule_ReplyWithBool", &redis.ReplyWithBool) &&
         Get(get, "RedisModule_ReplyWithNull", &redis.ReplyWithNull) &&
         Get(get, "RedisModule_ReplyWithArray", &redis.ReplyWithArray) &&
         Get(get, "RedisModule_ReplyWithMap", &redis.ReplyWithMap) &&
         Get(get, "RedisModule_ReplySetArrayLength",
             &redis.ReplySetArrayLength) &&
         Get(get, "RedisModule_Replicate", &redis.Replicate) &&
         Get(get, "RedisModule_ReplicateVerbatim", &redis.ReplicateVerbatim);
}

bool GetInputAndOutput(GetApi get) noexcept {
  return Get(get, "RedisModule_IsIOError", &redis.IsIOError) &&
         Get(get, "RedisModule_SaveUnsigned", &redis.SaveUnsigned) &&
         Get(get, "RedisModule_LoadUnsigned", &redis.LoadUnsigned) &&
         Get(get, "RedisModule_SaveStringBuffer", &redis.SaveStringBuffer) &&
         Get(get, "RedisModule_LoadStringBuffer", &redis.LoadStringBuffer) &&
         Get(get, "RedisModule_EmitAOF", &redis.EmitAOF) &&
         Get(get, "RedisModule_DigestAddStringBuffer",
             &redis.DigestAddStringBuffer) &&
         Get(get, "RedisModule_DigestEndSequence", &redis.DigestEndSequence);
}

}  // namespace

bool LoadRedisApi(RedisContext* context) noexcept {
  GetApi get = nullptr;
  std::memcpy(&get, static_cast<const void*>(context), sizeof(get));
  if (!Get(get, "RedisModule_SetCommandACLCategories",
           &redis.SetCommandACLCategories)) {
    redis.SetCommandACLCategories = nullptr;
  }
  return GetKeysAndModule(get) && GetReplies(get) && GetInputAndOutput(get);
}

}  // namespace tamis
