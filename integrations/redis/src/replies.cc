// SPDX-License-Identifier: Apache-2.0
#include "replies.h"

#include <algorithm>

namespace tamis {

bool Arguments::Is(int i, std::string_view word) const {
  const std::string_view argument = (*this)[i];
  const auto is_same = [](char of_argument, char capital) {
    const bool is_small = of_argument >= 'a' && of_argument <= 'z';
    return capital == (is_small ? static_cast<char>(of_argument - 'a' + 'A')
                                : of_argument);
  };
  return std::equal(argument.begin(), argument.end(), word.begin(), word.end(),
                    is_same);
}

bool Arguments::Number(int i, long long min, long long max,
                       std::uint64_t* number) const {
  long long value = 0;
  if (redis.StringToLongLong(values[i], &value) != kRedisOk || value < min ||
      value > max) {
    return false;
  }
  *number = static_cast<std::uint64_t>(value);
  return true;
}

bool Arguments::Rate(int i, double* rate) const {
  return redis.StringToDouble(values[i], rate) == kRedisOk;
}

Items::Items(const Arguments& arguments, int first)
    : count_(static_cast<std::size_t>(arguments.count - first)) {
  if (count_ > kFewItems) {
    many_keys_.resize(count_);
    many_lengths_.resize(count_);
    keys_ = many_keys_.data();
    lengths_ = many_lengths_.data();
  } else {
    keys_ = few_keys_.data();
    lengths_ = few_lengths_.data();
  }
  for (std::size_t i = 0; i < count_; ++i) {
    keys_[i] = redis.StringPtrLen(arguments.values[first + static_cast<int>(i)],
                                  &lengths_[i]);
  }
}

const char* MessageOf(ChainStatus status, ChainKind kind) noexcept {
  switch (status) {
    case ChainStatus::kFull:
      return kind == ChainKind::kBloom ? "ERR non scaling filter is full"
                                       : "ERR Filter is full";
    case ChainStatus::kGenerationFull:
      return "ERR the newest generation is full; start another with "
             "TAMIS.ROTATE, or reserve a larger capacity";
    case ChainStatus::kNoMemory:
      return "ERR Insufficient memory for the filter; reserve a smaller "
             "capacity, or a larger error rate";
    case ChainStatus::kLoading:
      return "ERR the filter is being loaded; send its remaining chunks, or "
             "delete the key";
    case ChainStatus::kOk:
    case ChainStatus::kDamaged:
      break;
  }
  return kBadData;
}

int ReplyWithBools(RedisContext* context, const Answers& answers) {
  const std::span<const unsigned char> all = answers.all();
  redis.ReplyWithArray(context, static_cast<long>(all.size()));
  for (const unsigned char value : all) redis.ReplyWithBool(context, value);
  return kRedisOk;
}

}  // namespace tamis
