// SPDX-License-Identifier: Apache-2.0
// replies.h -- what the commands of this module share: arguments in, replies
// out, in the words that clients of RedisBloom expect.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "filter_chain.h"
#include "redis_api.h"

namespace tamis {

inline constexpr const char* kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr const char* kNotFound = "ERR not found";
inline constexpr const char* kItemExists = "ERR item exists";
inline constexpr const char* kBadData = "ERR received bad data";
inline constexpr const char* kUnknownArgument = "ERR Unknown argument received";

// The arguments of one call of a command.
struct Arguments {
  RedisContext* context;
  RedisString** values;
  int count;

  std::string_view operator[](int i) const {
    std::size_t length = 0;
    const char* const bytes = redis.StringPtrLen(values[i], &length);
    return {bytes, length};
  }
  // Returns whether argument i is that word, in capitals or not.  REQUIRES:
  // `word` is in capitals
  bool Is(int i, std::string_view word) const;
  // Returns whether argument i is a number from `min` to `max`.
  bool Number(int i, long long min, long long max, std::uint64_t* number) const;
  bool Rate(int i, double* rate) const;

  int Error(const char* message) const {
    return redis.ReplyWithError(context, message);
  }
};

// So many items take no memory from the heap: most commands have one.
inline constexpr std::size_t kFewItems = 8;

// The arguments from the first on as keys of a filter.
class Items {
 public:
  Items(const Arguments& arguments, int first);

  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  ChainKeys keys() const noexcept { return {keys_, lengths_, count_}; }
  std::size_t count() const noexcept { return count_; }

 private:
  std::size_t count_;
  std::array<const char*, kFewItems> few_keys_;
  std::array<std::size_t, kFewItems> few_lengths_;
  const char** keys_ = nullptr;
  std::size_t* lengths_ = nullptr;
  std::vector<const char*> many_keys_;
  std::vector<std::size_t> many_lengths_;
};

// An answer for each of them: 0 or 1.
class Answers {
 public:
  explicit Answers(std::size_t count)
      : count_(count), many_(count > kFewItems ? count : 0) {}

  unsigned char* data() noexcept {
    return many_.empty() ? few_.data() : many_.data();
  }
  std::span<const unsigned char> all() const noexcept {
    return {many_.empty() ? few_.data() : many_.data(), count_};
  }
  // Leaves out those from `count` on.
  void Shorten(std::size_t count) noexcept { count_ = count; }

 private:
  std::size_t count_;
  std::array<unsigned char, kFewItems> few_ = {};
  std::vector<unsigned char> many_;
};

// The reply to a failed change of a chain.
const char* MessageOf(ChainStatus status, ChainKind kind) noexcept;

// Replies with an array of booleans, which are 1 and 0 in RESP2.
int ReplyWithBools(RedisContext* context, const Answers& answers);

// Closes a key at the end of a scope.
class OpenedKey {
 public:
  OpenedKey(RedisContext* context, RedisString* name, int mode)
      : key_(redis.OpenKey(context, name, mode)) {}
  OpenedKey(const OpenedKey&) = delete;
  OpenedKey& operator=(const OpenedKey&) = delete;
  ~OpenedKey() {
    if (key_ != nullptr) redis.CloseKey(key_);
  }

  RedisKey* get() const noexcept { return key_; }
  bool is_empty() const {
    return key_ == nullptr || redis.KeyType(key_) == kRedisKeyEmpty;
  }
  // Returns the value, or null if there is none, or one of another type.
  template <typename Value>
  Value* ValueOf(const RedisType* type) const {
    if (is_empty() || redis.ModuleTypeGetType(key_) != type) return nullptr;
    return static_cast<Value*>(redis.ModuleTypeGetValue(key_));
  }

 private:
  RedisKey* key_;
};

}  // namespace tamis
