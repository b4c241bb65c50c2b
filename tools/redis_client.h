// SPDX-License-Identifier: Apache-2.0
// redis_client.h -- a client of one Redis server or of a Redis Cluster: a
// command goes to the node that has its key, and MOVED and ASK are followed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/filter.h"
#include "tamis/result.h"

namespace tamis::tools {

// Built without hiredis, every connection fails with a message that says so.
bool HasRedisClient() noexcept;

struct RedisAddress {
  std::string host = "127.0.0.1";
  int port = 6379;

  auto operator<=>(const RedisAddress&) const = default;
};

// InvalidArgument: not HOST:PORT, HOST or :PORT.
Result<RedisAddress> ParseRedisAddress(std::string_view text);

// The slot of a key: CRC16 of the key, or of what is between its first braces.
unsigned RedisSlotOf(Slice key) noexcept;

struct RedisReply {
  enum class Type { kNull, kNumber, kText, kError, kArray };

  Type type = Type::kNull;
  std::int64_t number = 0;
  std::string text;  // of kText and kError
  std::vector<RedisReply> elements;
};

// How an error of a cluster is to be understood.
struct RedisRedirection {
  enum class Kind { kNone, kMoved, kAsk, kTryAgain };

  Kind kind = Kind::kNone;
  RedisAddress to;  // of kMoved and kAsk
};

// `from` is the node that answered: it leaves its own host out.
RedisRedirection RedirectionOf(std::string_view error,
                               const RedisAddress& from);

struct RedisLogin {
  RedisAddress address;
  std::string user;      // empty: the default user
  std::string password;  // empty: none
};

class RedisConnection;  // of one node

class RedisClient {
 public:
  explicit RedisClient(RedisLogin login);
  RedisClient(const RedisClient&) = delete;
  RedisClient& operator=(const RedisClient&) = delete;
  ~RedisClient();

  // Sends a command to the node that has `key`, and waits for its reply.  While
  // nodes are away or a cluster fails over it tries again for some seconds, so
  // the command must be one that may run twice.  IoError: no node answers.
  // InvalidArgument: the reply is an error, which is the message.
  Result<RedisReply> Run(Slice key, const std::vector<Slice>& words);

 private:
  // Tries once.  `ask`: the node takes it for a slot that is on its way.
  Status Try(const RedisAddress& node, bool ask,
             const std::vector<Slice>& words, RedisReply* reply);
  // Returns a node to send to after `failed` did not answer.
  RedisAddress Another(const RedisAddress& failed) const;

  RedisLogin login_;
  std::map<RedisAddress, std::unique_ptr<RedisConnection>> connections_;
  std::map<unsigned, RedisAddress> owners_;  // of slots, as far as is known
  std::vector<RedisAddress> nodes_;          // that were heard of
};

}  // namespace tamis::tools
