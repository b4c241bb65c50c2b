// SPDX-License-Identifier: Apache-2.0
#include "redis_connection.h"

#include <fmt/core.h>

#ifdef TAMIS_HAS_HIREDIS
#include <sys/time.h>

#include <hiredis/hiredis.h>
#endif

namespace tamis::tools {

#ifdef TAMIS_HAS_HIREDIS

namespace {

constexpr timeval kTimeToConnect{.tv_sec = 5, .tv_usec = 0};
// A part of a filter is loaded and checked in that time by far.
constexpr timeval kTimeToAnswer{.tv_sec = 60, .tv_usec = 0};
constexpr int kMaxDepth = 8;  // of arrays in arrays

struct FreeReply {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};

redisContext* ContextOf(void* context) noexcept {
  return static_cast<redisContext*>(context);
}

RedisReply Taken(const redisReply& reply, int depth) {
  RedisReply taken;
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      taken.type = RedisReply::Type::kNumber;
      taken.number = reply.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      taken.type = reply.type == REDIS_REPLY_ERROR ? RedisReply::Type::kError
                                                   : RedisReply::Type::kText;
      taken.text.assign(reply.str, static_cast<std::size_t>(reply.len));
      break;
    case REDIS_REPLY_ARRAY:
      taken.type = RedisReply::Type::kArray;
      for (std::size_t i = 0; i < reply.elements && depth < kMaxDepth; ++i) {
        taken.elements.push_back(Taken(*reply.element[i], depth + 1));
      }
      break;
    default:
      break;
  }
  return taken;
}

Status Named(const RedisAddress& node, const char* why) {
  return Status::IoError(fmt::format("{}:{}: {}", node.host, node.port, why));
}

}  // namespace

bool HasRedisClient() noexcept { return true; }

Status RedisConnection::Open(const RedisAddress& node, const RedisLogin& login,
                             std::unique_ptr<RedisConnection>* connection) {
  redisContext* const context =
      redisConnectWithTimeout(node.host.c_str(), node.port, kTimeToConnect);
  if (context == nullptr) return Named(node, "there is no memory");
  std::unique_ptr<RedisConnection> made(new RedisConnection(context));
  if (context->err != 0) return Named(node, context->errstr);
  redisSetTimeout(context, kTimeToAnswer);
  if (!login.password.empty()) {
    std::vector<Slice> words = {"AUTH"};
    if (!login.user.empty()) words.push_back(login.user);
    words.push_back(login.password);
    RedisReply reply;
    if (Status sent = made->Run(words, &reply); !sent.ok()) return sent;
    if (reply.type == RedisReply::Type::kError) {
      return Status::InvalidArgument(
          fmt::format("{}:{}: {}", node.host, node.port, reply.text));
    }
  }
  *connection = std::move(made);
  return Status::Ok();
}

RedisConnection::~RedisConnection() { redisFree(ContextOf(context_)); }

Status RedisConnection::Run(const std::vector<Slice>& words,
                            RedisReply* reply) {
  std::vector<const char*> texts;
  std::vector<std::size_t> lengths;
  for (const Slice word : words) {
    texts.push_back(word.data());
    lengths.push_back(word.size());
  }
  redisContext* const context = ContextOf(context_);
  const std::unique_ptr<redisReply, FreeReply> received(
      static_cast<redisReply*>(redisCommandArgv(context,
                                                static_cast<int>(words.size()),
                                                texts.data(), lengths.data())));
  if (received == nullptr) {
    return Status::IoError(context->err != 0 ? context->errstr
                                             : "the connection is broken");
  }
  *reply = Taken(*received, 0);
  return Status::Ok();
}

#else

bool HasRedisClient() noexcept { return false; }

Status RedisConnection::Open(const RedisAddress& /*node*/,
                             const RedisLogin& /*login*/,
                             std::unique_ptr<RedisConnection>* /*result*/) {
  return Status::NotSupported(
      "this tamis was built without hiredis; install libhiredis-dev and build "
      "it with TAMIS_HIREDIS");
}

RedisConnection::~RedisConnection() = default;

Status RedisConnection::Run(const std::vector<Slice>& /*words*/,
                            RedisReply* /*reply*/) {
  return Status::NotSupported(fmt::format("no connection {}", context_));
}

#endif

}  // namespace tamis::tools
