// SPDX-License-Identifier: Apache-2.0
// TAMIS.*: .tamis files of any kind, loaded, queried, merged and folded.
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.h"
#include "file_type.h"
#include "replies.h"

namespace tamis {
namespace {

// What the library returns through a `char**`.
struct FreeText {
  void operator()(char* text) const noexcept { tamis_free(text); }
};
using Text = std::unique_ptr<char, FreeText>;

int ReplyWithMessage(const Arguments& arguments, const Text& message) {
  return arguments.Error(
      ("ERR " + std::string(message ? message.get() : "there is no memory"))
          .c_str());
}

// Makes the filter the value of the key, copies it to replicas and replies.
int SetFile(const Arguments& arguments, const OpenedKey& key,
            FileFilter filter) {
  redis.ModuleTypeSetValue(key.get(), FileType(), filter.release());
  redis.ReplicateVerbatim(arguments.context);
  return redis.ReplyWithSimpleString(arguments.context, "OK");
}

// Returns whether the key is empty or has a file; if not, it has replied.
bool MayBeSet(const Arguments& arguments, const OpenedKey& key) {
  if (key.is_empty() || key.ValueOf<tamis_filter>(FileType()) != nullptr) {
    return true;
  }
  arguments.Error(kWrongType);
  return false;
}

// Returns the file; null: it has replied with an error.
const tamis_filter* FileToRead(const Arguments& arguments,
                               const OpenedKey& key) {
  if (key.is_empty()) {
    arguments.Error(kNotFound);
    return nullptr;
  }
  const auto* filter = key.ValueOf<const tamis_filter>(FileType());
  if (filter == nullptr) arguments.Error(kWrongType);
  return filter;
}

// Opens bytes that the library made, and sets them.
int SetMade(const Arguments& arguments, const OpenedKey& key, const Text& bytes,
            std::size_t length) {
  FileFilter filter;
  if (OpenFile({bytes.get(), length}, &filter) != TAMIS_OK) {
    return arguments.Error(
        MessageOf(ChainStatus::kNoMemory, ChainKind::kBloom));
  }
  return SetFile(arguments, key, std::move(filter));
}

// Returns what follows the name of a member of a description, which is a flat
// JSON object; empty: there is no such member.
std::string_view MemberOf(std::string_view json, std::string_view name) {
  const std::string quoted = "\"" + std::string(name) + "\"";
  const std::size_t at = json.find(quoted);
  if (at == std::string_view::npos) return {};
  json.remove_prefix(at + quoted.size());
  const std::size_t value = json.find_first_not_of(": ");
  return value == std::string_view::npos ? std::string_view{}
                                         : json.substr(value);
}

template <typename Number>
std::optional<Number> NumberOf(std::string_view json, std::string_view name) {
  const std::string_view member = MemberOf(json, name);
  Number number{};
  const auto [end, error] =
      std::from_chars(member.data(), member.data() + member.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

std::string_view WordOf(std::string_view json, std::string_view name) {
  std::string_view member = MemberOf(json, name);
  if (member.empty() || member.front() != '"') return {};
  member.remove_prefix(1);
  return member.substr(0, member.find('"'));
}

void ReplyWithCount(RedisContext* context, const char* label,
                    std::optional<std::uint64_t> number) {
  redis.ReplyWithSimpleString(context, label);
  if (number.has_value()) {
    redis.ReplyWithLongLong(context, static_cast<long long>(*number));
  } else {
    redis.ReplyWithNull(context);
  }
}

}  // namespace

int FileLoad(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (!MayBeSet(arguments, key)) return kRedisOk;
  FileFilter filter;
  switch (OpenFile(arguments[2], &filter)) {
    case TAMIS_OK:
      return SetFile(arguments, key, std::move(filter));
    case TAMIS_RESOURCE_EXHAUSTED:
      return arguments.Error(
          MessageOf(ChainStatus::kNoMemory, ChainKind::kBloom));
    default:
      return arguments.Error(
          "ERR these are not the bytes of a .tamis file, or they are damaged; "
          "send the whole file");
  }
}

int FileDump(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  const tamis_filter* const filter = FileToRead(arguments, key);
  if (filter == nullptr) return kRedisOk;
  const std::string_view bytes = BytesOfFile(filter);
  return redis.ReplyWithStringBuffer(context, bytes.data(), bytes.size());
}

int FileExists(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  // No filter is not a filter without items: it may have been evicted.
  const tamis_filter* const filter = FileToRead(arguments, key);
  if (filter == nullptr) return kRedisOk;
  const std::string_view item = arguments[2];
  return redis.ReplyWithBool(
      context, tamis_filter_may_contain(filter, item.data(), item.size()));
}

int FileExistsMany(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count < 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  const Items items(arguments, 2);
  Answers answers(items.count());
  const tamis_filter* const filter = FileToRead(arguments, key);
  if (filter == nullptr) return kRedisOk;
  const ChainKeys keys = items.keys();
  tamis_filter_may_contain_many(filter, keys.keys, keys.lengths, keys.count,
                                answers.data());
  return ReplyWithBools(context, answers);
}

int FileInfo(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 2) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead);
  const tamis_filter* const filter = FileToRead(arguments, key);
  if (filter == nullptr) return kRedisOk;
  char* described = nullptr;
  char* message = nullptr;
  std::size_t length = 0;
  const int code = tamis_filter_describe(filter, &described, &length, &message);
  const Text json_owner(described);
  const Text message_owner(message);
  if (code != TAMIS_OK) return ReplyWithMessage(arguments, message_owner);
  const std::string_view json(described, length);
  const std::string_view kind = WordOf(json, "kind");
  redis.ReplyWithMap(context, 6);
  redis.ReplyWithSimpleString(context, "Kind");
  redis.ReplyWithStringBuffer(context, kind.data(), kind.size());
  ReplyWithCount(context, "Keys", NumberOf<std::uint64_t>(json, "keys"));
  ReplyWithCount(context, "Bits", NumberOf<std::uint64_t>(json, "bits"));
  ReplyWithCount(context, "Bits set",
                 NumberOf<std::uint64_t>(json, "set_bits"));
  redis.ReplyWithSimpleString(context, "False positive rate");
  redis.ReplyWithDouble(context, NumberOf<double>(json, "rate").value_or(1.0));
  ReplyWithCount(context, "Bytes", BytesOfFile(filter).size());
  return kRedisOk;
}

int FileMerge(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count < 3) return redis.WrongArity(context);
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  if (!MayBeSet(arguments, key)) return kRedisOk;
  std::vector<std::unique_ptr<OpenedKey>> sources;
  std::vector<const char*> filters;
  std::vector<std::size_t> lengths;
  for (int i = 2; i < count; ++i) {
    sources.push_back(
        std::make_unique<OpenedKey>(context, values[i], kRedisRead));
    const tamis_filter* const filter = FileToRead(arguments, *sources.back());
    if (filter == nullptr) return kRedisOk;
    filters.push_back(BytesOfFile(filter).data());
    lengths.push_back(BytesOfFile(filter).size());
  }
  tamis_policy* policy = nullptr;
  char* merged = nullptr;
  char* message = nullptr;
  std::size_t length = 0;
  int code = tamis_policy_create("tamis", &policy, &message);
  if (code == TAMIS_OK) {
    code = tamis_combine(policy, filters.data(), lengths.data(), filters.size(),
                         /*intersect=*/0, &merged, &length, &message);
  }
  tamis_policy_destroy(policy);
  const Text merged_owner(merged);
  const Text message_owner(message);
  if (code != TAMIS_OK) return ReplyWithMessage(arguments, message_owner);
  sources.clear();  // one of them may be the destination
  return SetMade(arguments, key, merged_owner, length);
}

int FileShrink(RedisContext* context, RedisString** values, int count) {
  const Arguments arguments{context, values, count};
  if (count != 3) return redis.WrongArity(context);
  std::uint64_t divisor = 0;
  if (!arguments.Number(2, 1, INT64_MAX, &divisor)) {
    return arguments.Error("ERR the divisor is not a positive whole number");
  }
  const OpenedKey key(context, values[1], kRedisRead | kRedisWrite);
  const tamis_filter* const filter = FileToRead(arguments, key);
  if (filter == nullptr) return kRedisOk;
  const std::string_view bytes = BytesOfFile(filter);
  char* folded = nullptr;
  char* message = nullptr;
  std::size_t length = 0;
  const int code = tamis_fold(bytes.data(), bytes.size(), divisor, &folded,
                              &length, &message);
  const Text folded_owner(folded);
  const Text message_owner(message);
  if (code != TAMIS_OK) return ReplyWithMessage(arguments, message_owner);
  return SetMade(arguments, key, folded_owner, length);
}

}  // namespace tamis
