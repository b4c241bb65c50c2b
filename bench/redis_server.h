// SPDX-License-Identifier: Apache-2.0
// bench/redis_server.h -- a Redis server with our module, on loopback, that
// ends with this process, and one connection to it.

#pragma once

#include <sys/types.h>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct redisContext;

namespace tamis::bench {

// The bytes of a command as they are sent.
std::string RedisRequest(const std::vector<std::string_view>& words);

class RedisServer {
 public:
  // Starts it; the caller asks why_not() before all else.
  explicit RedisServer(const std::string& module);
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  // Empty: it runs.
  const std::string& why_not() const { return why_not_; }

  // Sends the requests, at most `depth` ahead of their replies.  The replies
  // must not be errors.  Returns the sum of the numbers in them.
  std::uint64_t RunAll(std::span<const std::string> requests,
                       std::size_t depth);
  // Returns the text, or the number, that one command replies.
  std::string Text(const std::vector<std::string_view>& words);
  std::uint64_t Number(const std::vector<std::string_view>& words);

  // Calls of a command and the microseconds within them, since ResetStats().
  struct CommandStats {
    std::uint64_t calls = 0;
    double microseconds = 0;
  };
  CommandStats StatsOf(std::string_view command);
  void ResetStats();
  std::uint64_t UsedMemory();      // as the server counts it
  std::uint64_t ResidentMemory();  // as the system does
  std::string Version();

 private:
  std::uint64_t TakeReply();
  std::string Field(std::string_view section, std::string_view name);

  pid_t process_ = -1;
  redisContext* connection_ = nullptr;
  std::string why_not_;
};

}  // namespace tamis::bench
