// SPDX-License-Identifier: Apache-2.0
// redis_connection.h -- a connection to one Redis server, by hiredis.

#pragma once

#include <memory>
#include <vector>

#include "redis_client.h"

namespace tamis::tools {

class RedisConnection {
 public:
  // IoError: it cannot be reached.  InvalidArgument: it refuses the login.
  // NotSupported: built without hiredis.
  static Status Open(const RedisAddress& node, const RedisLogin& login,
                     std::unique_ptr<RedisConnection>* connection);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;
  ~RedisConnection();

  // IoError: the connection is broken.
  Status Run(const std::vector<Slice>& words, RedisReply* reply);

 private:
  explicit RedisConnection(void* context) : context_(context) {}

  void* context_;  // of hiredis
};

}  // namespace tamis::tools
