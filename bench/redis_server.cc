// SPDX-License-Identifier: Apache-2.0
#include "bench/redis_server.h"

#ifdef TAMIS_HAS_HIREDIS
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <hiredis/hiredis.h>

namespace tamis::bench {
namespace {

constexpr int kFirstPort = 30100;
constexpr int kPortsToTry = 100;

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "bench_redis: {}\n", what);
  std::exit(1);
}

[[noreturn]] void BecomeServer(const std::string& port,
                               const std::string& module) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind",
           "127.0.0.1", "--save", "", "--loglevel", "warning", "--logfile",
           "/dev/null", "--loadmodule", module.c_str(),
           static_cast<char*>(nullptr));
  ::_exit(127);
}

std::uint64_t SumOf(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) Fail(reply.str);
  if (reply.type == REDIS_REPLY_INTEGER) {
    return static_cast<std::uint64_t>(reply.integer);
  }
  std::uint64_t sum = 0;
  if (reply.type == REDIS_REPLY_ARRAY) {
    for (std::size_t i = 0; i < reply.elements; ++i) {
      sum += SumOf(*reply.element[i]);
    }
  }
  return sum;
}

double NumberIn(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string RedisRequest(const std::vector<std::string_view>& words) {
  std::string request = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) {
    request += fmt::format("${}\r\n", word.size());
    request += word;
    request += "\r\n";
  }
  return request;
}

RedisServer::RedisServer(const std::string& module) {
  for (int port = kFirstPort; port < kFirstPort + kPortsToTry; ++port) {
    process_ = ::fork();
    if (process_ == 0) BecomeServer(std::to_string(port), module);
    for (int i = 0; i < 200; ++i) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
          why_not_ = "there is no redis-server here";
          return;
        }
        break;  // the port is taken, or the module does not load
      }
      redisContext* const context = redisConnect("127.0.0.1", port);
      if (context != nullptr && context->err == 0) {
        connection_ = context;
        // Another's server has another process.
        const std::string pid = Field("server", "process_id");
        if (pid == std::to_string(process_)) return;
        connection_ = nullptr;
      }
      if (context != nullptr) redisFree(context);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = -1;
    }
  }
  why_not_ = "no server starts with " + module;
}

RedisServer::~RedisServer() {
  if (connection_ != nullptr) redisFree(connection_);
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
}

std::uint64_t RedisServer::TakeReply() {
  void* reply = nullptr;
  if (redisGetReply(connection_, &reply) != REDIS_OK) {
    Fail(connection_->errstr);
  }
  const std::uint64_t sum = SumOf(*static_cast<redisReply*>(reply));
  freeReplyObject(reply);
  return sum;
}

std::uint64_t RedisServer::RunAll(std::span<const std::string> requests,
                                  std::size_t depth) {
  std::uint64_t sum = 0;
  std::size_t waiting = 0;
  for (const std::string& request : requests) {
    if (waiting == depth) {
      // All of them: what is appended next goes out in one write.
      for (; waiting > 0; --waiting) sum += TakeReply();
    }
    redisAppendFormattedCommand(connection_, request.data(), request.size());
    ++waiting;
  }
  for (; waiting > 0; --waiting) sum += TakeReply();
  return sum;
}

std::string RedisServer::Text(const std::vector<std::string_view>& words) {
  const std::string request = RedisRequest(words);
  redisAppendFormattedCommand(connection_, request.data(), request.size());
  void* taken = nullptr;
  if (redisGetReply(connection_, &taken) != REDIS_OK) {
    Fail(connection_->errstr);
  }
  const auto* reply = static_cast<redisReply*>(taken);
  if (reply->type == REDIS_REPLY_ERROR) Fail(reply->str);
  std::string text = reply->type == REDIS_REPLY_INTEGER
                         ? std::to_string(reply->integer)
                         : std::string(reply->str == nullptr ? "" : reply->str,
                                       static_cast<std::size_t>(reply->len));
  freeReplyObject(taken);
  return text;
}

std::uint64_t RedisServer::Number(const std::vector<std::string_view>& words) {
  return static_cast<std::uint64_t>(NumberIn(Text(words)));
}

std::string RedisServer::Field(std::string_view section,
                               std::string_view name) {
  const std::string info = Text({"INFO", section});
  const std::string start = fmt::format("\n{}:", name);
  const std::size_t at = info.find(start);
  if (at == std::string::npos) return {};
  const std::size_t value = at + start.size();
  return info.substr(value, info.find('\r', value) - value);
}

RedisServer::CommandStats RedisServer::StatsOf(std::string_view command) {
  const std::string line =
      Field("commandstats", fmt::format("cmdstat_{}", command));
  const auto number = [&](std::string_view name) {
    const std::size_t at = line.find(name);
    return at == std::string::npos
               ? 0.0
               : NumberIn(std::string_view(line).substr(at + name.size()));
  };
  return {.calls = static_cast<std::uint64_t>(number("calls=")),
          .microseconds = number("usec=")};
}

void RedisServer::ResetStats() { Text({"CONFIG", "RESETSTAT"}); }

std::uint64_t RedisServer::UsedMemory() {
  return static_cast<std::uint64_t>(NumberIn(Field("memory", "used_memory")));
}

std::uint64_t RedisServer::ResidentMemory() {
  std::ifstream pages(fmt::format("/proc/{}/statm", process_));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  pages >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string RedisServer::Version() { return Field("server", "redis_version"); }

}  // namespace tamis::bench
#endif
