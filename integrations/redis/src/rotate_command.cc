// SPDX-License-Identifier: Apache-2.0
// TAMIS.ROTATE: starts a new generation of a filter whose items expire, which
// BF.RESERVE made, or of a .tamis file of the kind rotating.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "chain_type.h"
#include "commands.h"
#include "file_type.h"
#include "replies.h"

namespace tamis {
namespace {

constexpr const char* kNoGenerations =
    "ERR the filter has no generations; reserve one with BF.RESERVE ... "
    "GENERATIONS n, or load a .tamis file of the kind rotating";

struct DestroyMutable {
  void operator()(tamis_mutable* filter) const noexcept {
    tamis_mutable_destroy(filter);
  }
};

// Sets *rotated to the same file after a rotation.  Returns a code of
// tamis/c.h.
int Rotated(std::string_view file, FileFilter* rotated) {
  tamis_mutable* loaded = nullptr;
  int code = tamis_mutable_load(file.data(), file.size(), &loaded, nullptr);
  if (code != TAMIS_OK) return code;
  const std::unique_ptr<tamis_mutable, DestroyMutable> filter(loaded);
  code = tamis_mutable_rotate(loaded, nullptr);
  if (code != TAMIS_OK) return code;
  char* bytes = nullptr;
  std::size_t length = 0;
  code = tamis_mutable_save(loaded, &bytes, &length, nullptr);
  if (code == TAMIS_OK) code = OpenFile({bytes, length}, rotated);
  tamis_free(bytes);
  return code;
}

// Returns why it failed, or null.
const char* RotateFile(const OpenedKey& key, const tamis_filter* file) {
  FileFilter rotated;
  switch (Rotated(BytesOfFile(file), &rotated)) {
    case TAMIS_OK:
      redis.ModuleTypeSetValue(key.get(), FileType(), rotated.release());
      return nullptr;
    case TAMIS_RESOURCE_EXHAUSTED:
      return MessageOf(ChainStatus::kNoMemory, ChainKind::kBloom);
    default:
      return kNoGenerations;
  }
}

const char* RotateChain(FilterChain* chain) {
  if (!chain->is_rotating()) return kNoGenerations;
  const ChainStatus status = chain->Rotate();
  return status == ChainStatus::kOk ? nullptr
                                    : MessageOf(status, ChainKind::kBloom);
}

}  // namespace

int Rotate(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (key.is_empty()) return arguments.Error(kNotFound);
  auto* const chain = key.ValueOf<FilterChain>(ChainTypeOf(ChainKind::kBloom));
  const auto* const file = key.ValueOf<const tamis_filter>(FileType());
  if (chain == nullptr && file == nullptr) return arguments.Error(kWrongType);
  const char* const mistake =
      chain != nullptr ? RotateChain(chain) : RotateFile(key, file);
  if (mistake != nullptr) return arguments.Error(mistake);
  redis.ReplicateVerbatim(context);
  return redis.ReplyWithSimpleString(context, "OK");
}

}  // namespace tamis
