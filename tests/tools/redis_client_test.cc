// SPDX-License-Identifier: Apache-2.0
// What tamis redis knows of a cluster without one; integrations/redis/tests has
// servers.
#include "redis_client.h"

#include <string>

#include <gtest/gtest.h>

namespace tamis::tools {
namespace {

TEST(RedisSlots, AreThoseOfTheSpecification) {
  // The check value of CRC-16/XMODEM is 31c3.
  EXPECT_EQ(RedisSlotOf("123456789"), 0x31c3u);
  EXPECT_EQ(RedisSlotOf(""), 0u);
  EXPECT_EQ(RedisSlotOf("foo"), 12182u);  // as CLUSTER KEYSLOT says
  EXPECT_EQ(RedisSlotOf("words#0"), RedisSlotOf(std::string("words#0")));
  EXPECT_NE(RedisSlotOf("words#0"), RedisSlotOf("words#1"));
  // What is between the first braces counts alone, unless it is empty.
  EXPECT_EQ(RedisSlotOf("{user1000}.following"),
            RedisSlotOf("{user1000}.followers"));
  EXPECT_EQ(RedisSlotOf("a{foo}b"), 12182u);
  EXPECT_EQ(RedisSlotOf("{foo}{bar}"), 12182u);
  EXPECT_NE(RedisSlotOf("foo{}{bar}"), RedisSlotOf("bar"));
  EXPECT_EQ(RedisSlotOf("foo{{bar}}zap"), RedisSlotOf("{bar"));
  EXPECT_NE(RedisSlotOf("foo{bar"), RedisSlotOf("bar"));
}

TEST(RedisAddresses, AreHostAndPort) {
  const auto is = [](const char* text, const char* host, int port) {
    const auto address = ParseRedisAddress(text);
    return address.ok() && address->host == host && address->port == port;
  };
  EXPECT_TRUE(is("10.0.0.7:7001", "10.0.0.7", 7001));
  EXPECT_TRUE(is("cache.example", "cache.example", 6379));
  EXPECT_TRUE(is(":7000", "127.0.0.1", 7000));
  EXPECT_TRUE(is("::1:7000", "::1", 7000));
  for (const char* text : {"", "host:", "host:x", "host:0", "host:65536",
                           "host:7000x", "host:-1"}) {
    EXPECT_FALSE(ParseRedisAddress(text).ok()) << text;
  }
}

TEST(RedisRedirections, AreReadFromErrors) {
  using Kind = RedisRedirection::Kind;
  const RedisAddress from = {.host = "10.0.0.7", .port = 7000};
  const auto moved = RedirectionOf("MOVED 3999 10.0.0.8:7001", from);
  EXPECT_EQ(moved.kind, Kind::kMoved);
  EXPECT_EQ(moved.to, (RedisAddress{.host = "10.0.0.8", .port = 7001}));
  const auto ask = RedirectionOf("ASK 3999 :7002", from);
  EXPECT_EQ(ask.kind, Kind::kAsk);
  EXPECT_EQ(ask.to, (RedisAddress{.host = "10.0.0.7", .port = 7002}));
  for (const char* error :
       {"TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down", "LOADING Redis is loading"}) {
    EXPECT_EQ(RedirectionOf(error, from).kind, Kind::kTryAgain) << error;
  }
  for (const char* error :
       {"", "ERR not found", "MOVED", "MOVED 1 host", "MOVED 1 host:x",
        "MOVED 1 host:99999", "ASK 1", "WRONGTYPE MOVED 1 host:7000"}) {
    EXPECT_EQ(RedirectionOf(error, from).kind, Kind::kNone) << error;
  }
}

}  // namespace
}  // namespace tamis::tools
