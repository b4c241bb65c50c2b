// SPDX-License-Identifier: Apache-2.0
// The module redis_tamis.so: what a server calls when it loads it.
#include <unistd.h>
#include <cstddef>

#include "chain_type.h"
#include "commands.h"
#include "file_type.h"
#include "module_memory.h"
#include "redis_api.h"
#include "tamis/c.h"

namespace tamis {
namespace {

constexpr const char* kModuleName = "tamis";
constexpr int kModuleVersion = 500;  // 0.5.0

// The physical memory of the machine.  A larger filter could be allocated, but
// clearing it would bring the server down.
std::size_t MemoryOfMachine() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return ~std::size_t{0};
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes);
}

void* Allocate(std::size_t bytes) {
  static const std::size_t limit = MemoryOfMachine();
  return bytes > limit ? nullptr : redis.TryAlloc(bytes);
}

void Release(void* memory) { redis.Free(memory); }

int Load(RedisContext* context) {
  if (!LoadRedisApi(context)) return kRedisError;  // older than Redis 7.0
  if (redis.IsModuleNameBusy(kModuleName) != 0) return kRedisError;
  redis.SetModuleAttribs(context, kModuleName, kModuleVersion,
                         kRedisApiVersion);
  redis.SetModuleOptions(context, kRedisHandlesIoErrors);
  module_memory = {.allocate = Allocate, .release = Release};
  tamis_use_allocator(Allocate, Release);
  if (!CreateChainTypes(context) || !CreateFileType(context) ||
      !CreateCommands(context)) {
    redis.Log(context, "warning",
              "a command or type of this module is there already; load only "
              "one of tamis, RedisBloom and valkey-bloom");
    return kRedisError;
  }
  return kRedisOk;
}

}  // namespace
}  // namespace tamis

extern "C" __attribute__((visibility("default"))) int RedisModule_OnLoad(
    tamis::RedisContext* context, tamis::RedisString** /*arguments*/,
    int /*count*/) {
  return tamis::Load(context);
}
