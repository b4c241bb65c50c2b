// SPDX-License-Identifier: Apache-2.0
#include "chain_queries.h"

namespace tamis {

int Exists(ChainKind kind, const Arguments& arguments) {
  RedisContext* const context = arguments.context;
  if (arguments.count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, arguments.values[1], kRedisRead);
  if (key.is_empty()) return redis.ReplyWithBool(context, 0);
  const auto* chain = key.ValueOf<const FilterChain>(ChainTypeOf(kind));
  if (chain == nullptr) return arguments.Error(kWrongType);
  const std::string_view item = arguments[2];
  const char* const bytes = item.data();
  const std::size_t length = item.size();
  unsigned char answer = 1;
  chain->MayContain({&bytes, &length, 1}, &answer);
  return redis.ReplyWithBool(context, answer);
}

int ExistsMany(ChainKind kind, const Arguments& arguments) {
  RedisContext* const context = arguments.context;
  if (arguments.count < 3) return redis.WrongArity(context);
  const OpenedKey key(context, arguments.values[1], kRedisRead);
  const auto* chain = key.ValueOf<const FilterChain>(ChainTypeOf(kind));
  if (!key.is_empty() && chain == nullptr) return arguments.Error(kWrongType);
  const Items items(arguments, 2);
  Answers answers(items.count());
  if (chain != nullptr) chain->MayContain(items.keys(), answers.data());
  return ReplyWithBools(context, answers);
}

void ReplicateFirst(const Arguments& arguments, const char* command,
                    int count) {
  if (count == arguments.count) {
    redis.ReplicateVerbatim(arguments.context);
  } else {
    redis.Replicate(arguments.context, command, "v", arguments.values + 1,
                    static_cast<std::size_t>(count - 1));
  }
}

void ReplyWithNumber(RedisContext* context, long long number) {
  if (number < 0) {
    redis.ReplyWithNull(context);
  } else {
    redis.ReplyWithLongLong(context, number);
  }
}

}  // namespace tamis
