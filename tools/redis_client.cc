// SPDX-License-Identifier: Apache-2.0
#include "redis_client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "redis_connection.h"

namespace tamis::tools {
namespace {

constexpr unsigned kSlots = 16384;
// A cluster takes some seconds to notice that a node is gone.
constexpr std::chrono::seconds kPatience{20};
constexpr std::chrono::milliseconds kPause{100};
constexpr int kMaxRedirections = 64;

// The CRC of XMODEM: the polynomial 1021, from 0, not reflected.
std::uint16_t Crc16(Slice bytes) noexcept {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0);
    }
    crc &= 0xffff;
  }
  return static_cast<std::uint16_t>(crc);
}

bool ParsePort(std::string_view text, int* port) noexcept {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *port);
  return error == std::errc{} && at == end && *port > 0 && *port < 65536;
}

}  // namespace

Result<RedisAddress> ParseRedisAddress(std::string_view text) {
  RedisAddress address;
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon);
  if (!host.empty()) address.host = host;
  const bool has_port = colon != std::string_view::npos;
  if (text.empty() ||
      (has_port && !ParsePort(text.substr(colon + 1), &address.port))) {
    return Status::InvalidArgument(
        fmt::format("'{}' is not an address; write HOST:PORT", text));
  }
  return address;
}

unsigned RedisSlotOf(Slice key) noexcept {
  const std::size_t open = key.find('{');
  if (open != Slice::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != Slice::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return Crc16(key) % kSlots;
}

RedisRedirection RedirectionOf(std::string_view error,
                               const RedisAddress& from) {
  using Kind = RedisRedirection::Kind;
  for (const std::string_view word :
       {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY"}) {
    if (error.starts_with(word)) return {.kind = Kind::kTryAgain, .to = from};
  }
  const bool is_ask = error.starts_with("ASK ");
  if (!is_ask && !error.starts_with("MOVED ")) return {};
  const std::size_t colon = error.rfind(':');
  const std::size_t space = error.rfind(' ');
  RedisRedirection redirection;
  if (colon == std::string_view::npos || colon < space ||
      !ParsePort(error.substr(colon + 1), &redirection.to.port)) {
    return {};
  }
  redirection.to.host = error.substr(space + 1, colon - space - 1);
  if (redirection.to.host.empty()) redirection.to.host = from.host;
  redirection.kind = is_ask ? Kind::kAsk : Kind::kMoved;
  return redirection;
}

RedisClient::RedisClient(RedisLogin login)
    : login_(std::move(login)), nodes_({login_.address}) {}

RedisClient::~RedisClient() = default;

Status RedisClient::Try(const RedisAddress& node, bool ask,
                        const std::vector<Slice>& words, RedisReply* reply) {
  auto& connection = connections_[node];
  if (connection == nullptr) {
    Status connected = RedisConnection::Open(node, login_, &connection);
    if (!connected.ok()) return connected;
    if (std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) {
      nodes_.push_back(node);
    }
  }
  Status sent;
  if (ask) sent = connection->Run({Slice("ASKING")}, reply);
  if (sent.ok()) sent = connection->Run(words, reply);
  if (!sent.ok()) connection.reset();
  return sent;
}

RedisAddress RedisClient::Another(const RedisAddress& failed) const {
  const auto at = std::find(nodes_.begin(), nodes_.end(), failed);
  if (at == nodes_.end() || at + 1 == nodes_.end()) return nodes_.front();
  return at[1];
}

Result<RedisReply> RedisClient::Run(Slice key,
                                    const std::vector<Slice>& words) {
  using Clock = std::chrono::steady_clock;
  const unsigned slot = RedisSlotOf(key);
  const auto owner = owners_.find(slot);
  RedisAddress node = owner != owners_.end() ? owner->second : login_.address;
  const auto end = Clock::now() + kPatience;
  bool ask = false;
  int redirections = 0;
  for (;;) {
    RedisReply reply;
    Status tried = Try(node, ask, words, &reply);
    ask = false;
    if (tried.code() == StatusCode::kInvalidArgument ||
        tried.code() == StatusCode::kNotSupported) {
      return tried;  // refused, or without a client: no use in waiting
    }
    if (tried.ok() && reply.type != RedisReply::Type::kError) return reply;
    RedisRedirection redirection = {.kind = RedisRedirection::Kind::kTryAgain,
                                    .to = Another(node)};
    if (tried.ok()) redirection = RedirectionOf(reply.text, node);
    switch (redirection.kind) {
      case RedisRedirection::Kind::kNone:
        return Status::InvalidArgument(reply.text);
      case RedisRedirection::Kind::kMoved:
        owners_[slot] = redirection.to;
        break;
      case RedisRedirection::Kind::kAsk:
        ask = true;
        break;
      case RedisRedirection::Kind::kTryAgain:
        owners_.erase(slot);
        redirections = 0;
        if (Clock::now() >= end) {
          return tried.ok() ? Status::IoError(reply.text) : tried;
        }
        std::this_thread::sleep_for(kPause);
        break;
    }
    if (++redirections > kMaxRedirections) {
      return Status::IoError("the nodes send each other's clients around: " +
                             reply.text);
    }
    node = redirection.to;
  }
}

}  // namespace tamis::tools
