// SPDX-License-Identifier: Apache-2.0
// tamis redis: filters in a Redis server or cluster with the module
// redis_tamis. docs/formats/redis-parts.md says how a filter is stored there.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "commands.h"
#include "filter_input.h"
#include "filter_output.h"
#include "key_files.h"
#include "numbers.h"
#include "progress.h"
#include "redis_client.h"
#include "tamis/spread.h"
#include "text.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kCommand = "redis";
constexpr std::string_view kLayout = "tamis-parts-1";
constexpr std::string_view kFileType = "tamis-fl0";  // of TAMIS.LOAD's values
// A server checks a part of this size in some milliseconds.
constexpr std::uint64_t kUsualPartBytes = std::uint64_t{64} << 20;
// Redis takes no longer argument (proto-max-bulk-len), unless it is told to.
constexpr std::uint64_t kMaxPartBytes = std::uint64_t{512} << 20;
// Items of one TAMIS.MEXISTS.
constexpr std::size_t kItemsAtATime = 1000;

// What the hash at the filter's name says.
struct Stored {
  FilterSpread spread;
  std::string header;
};

std::string PartName(const std::string& name, std::uint64_t part) {
  return name + "#" + std::to_string(part);
}

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

Status Named(const std::string& name, const Status& status) {
  return Status(status.code(), name + ": " + status.message());
}

Result<std::unique_ptr<RedisClient>> ClientFor(const RedisArgs& args) {
  RedisLogin login;
  if (!args.server.empty()) {
    auto address = ParseRedisAddress(args.server);
    if (!address.ok()) {
      return Status::InvalidArgument("--server: " + address.status().message());
    }
    login.address = *address;
  }
  login.user = args.user;
  const char* const password = std::getenv("REDISCLI_AUTH");
  if (password != nullptr) login.password = password;
  return std::make_unique<RedisClient>(std::move(login));
}

// Runs a command whose second word is its key.
Result<RedisReply> Run(RedisClient* client, const std::vector<Slice>& words) {
  auto reply = client->Run(words[1], words);
  if (reply.ok()) return reply;
  return Named(std::string(words[1]), reply.status());
}

// Reads what is stored at the name.  NotFound: nothing.
Result<Stored> ReadStored(RedisClient* client, const std::string& name) {
  auto reply = Run(
      client, {"HMGET", name, "layout", "parts", "blocks", "seed", "header"});
  if (!reply.ok()) return reply.status();
  const auto& fields = reply->elements;
  const auto is_text = [](const RedisReply& field) {
    return field.type == RedisReply::Type::kText;
  };
  if (fields.size() != 5 ||
      std::none_of(fields.begin(), fields.end(), is_text)) {
    return Status::NotFound(name + ": no filter was pushed under this name");
  }
  Stored stored;
  const auto parts = NumberIn(fields[1].text);
  const auto blocks = NumberIn(fields[2].text);
  const auto seed = NumberIn(fields[3].text);
  if (fields[0].text != kLayout || !parts || !blocks || !seed) {
    return Status::Corruption(
        name +
        ": is not a filter that tamis redis pushed, or one of a later "
        "version");
  }
  stored.spread = {.parts = *parts, .blocks = *blocks, .seed = *seed};
  stored.header = fields[4].text;
  auto joiner = FilterJoiner::Open(stored.header, stored.spread);
  if (!joiner.ok()) return Named(name, joiner.status());
  return stored;
}

// ---- push

// Returns how many parts there are of the filter that is replaced, as its
// description says.  InvalidArgument: it may not be replaced.
Result<std::uint64_t> PartsStored(const RedisArgs& args, RedisClient* client,
                                  const std::string& name) {
  const auto stored = ReadStored(client, name);
  if (stored.ok()) {
    if (args.replace) return stored->spread.parts;
    return Status::InvalidArgument(name +
                                   ": is there already; --replace replaces it");
  }
  if (stored.status().code() != StatusCode::kNotFound) return stored.status();
  const auto exists = Run(client, {"EXISTS", name});
  if (!exists.ok()) return exists.status();
  if (exists->number == 0) return 0;
  return Status::InvalidArgument(name +
                                 ": is something else; choose another name");
}

// Checks that no part would take the place of anything else.
Status CheckParts(const RedisArgs& args, RedisClient* client,
                  const std::string& name, std::uint64_t parts) {
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::string part = PartName(name, i);
    const auto type = Run(client, {"TYPE", part});
    if (!type.ok()) return type.status();
    if (type->text == "none") continue;
    if (type->text != kFileType) {
      return Status::InvalidArgument(
          part + ": is something else; choose another name");
    }
    if (args.replace) continue;
    return Status::InvalidArgument(
        part +
        ": is there already, perhaps from a push that was interrupted; "
        "--replace replaces it");
  }
  return Status::Ok();
}

Status PushParts(const FilterSplitter& splitter, RedisClient* client,
                 const std::string& name, Progress* progress) {
  const std::uint64_t parts = splitter.spread().parts;
  for (std::uint64_t i = 0; i < parts; ++i) {
    progress->UpdatePart(static_cast<double>(i) / static_cast<double>(parts),
                         PartName(name, i));
    std::string file;
    if (Status made = splitter.AppendPart(i, &file); !made.ok()) return made;
    const std::string part = PartName(name, i);
    auto reply = Run(client, {"TAMIS.LOAD", part, file});
    if (!reply.ok()) return reply.status();
  }
  return Status::Ok();
}

Status Push(const FilterSplitter& splitter, const RedisArgs& args,
            const std::string& name, const Console& console) {
  auto client = ClientFor(args);
  if (!client.ok()) return client.status();
  const FilterSpread& spread = splitter.spread();
  const auto old = PartsStored(args, (*client).get(), name);
  if (!old.ok()) return old.status();
  Status status =
      CheckParts(args, (*client).get(), name, std::max(*old, spread.parts));
  if (!status.ok()) return status;
  Progress progress(console);
  // Without its description nobody asks the filter while parts change.
  auto reply = Run((*client).get(), {"DEL", name});
  if (!reply.ok()) return reply.status();
  status = PushParts(splitter, (*client).get(), name, &progress);
  if (!status.ok()) return status;
  for (std::uint64_t i = spread.parts; i < *old; ++i) {
    const std::string part = PartName(name, i);
    reply = Run((*client).get(), {"DEL", part});
    if (!reply.ok()) return reply.status();
  }
  const std::string parts = std::to_string(spread.parts);
  const std::string blocks = std::to_string(spread.blocks);
  const std::string seed = std::to_string(spread.seed);
  reply = Run((*client).get(),
              {"HSET", name, "layout", kLayout, "parts", parts, "blocks",
               blocks, "seed", seed, "header", splitter.header()});
  return reply.ok() ? Status::Ok() : reply.status();
}

// "words" of "folder/words.tamis".
std::string NameOfFile(const std::string& path) {
  std::string_view name = path;
  name = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  constexpr std::string_view kSuffix = ".tamis";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return std::string(name);
}

int RunPush(const RedisArgs& args, const Console& console) {
  if (args.operands.size() > 1) {
    return Fail(console, kCommand, "push takes a file and one name");
  }
  const std::string name =
      args.operands.empty() ? NameOfFile(args.what) : args.operands[0];
  std::uint64_t parts = 0;
  if (!args.parts.empty()) {
    const auto number = ParseCount(args.parts);
    if (!number.ok() || *number == 0 || *number > FilterSpread::kMaxParts) {
      return Fail(console, kCommand,
                  fmt::format("--parts: a number from 1 to {}, not '{}'",
                              FilterSpread::kMaxParts, args.parts));
    }
    parts = *number;
  }
  FilterInput input;
  Status status = OpenFilterInput(
      {.path = args.what, .format = {}, .standard_input = console.in}, &input);
  if (status.ok() && input.recognised.spec != "tamis") {
    status = Status::InvalidArgument(
        fmt::format("{}: is in {} format; only filters of the tamis format "
                    "can be pushed",
                    InputName(args.what), input.recognised.spec));
  }
  if (!status.ok()) return Fail(console, kCommand, status.message());
  const Slice bytes = input.file->bytes();
  const auto splitter = FilterSplitter::Open(
      bytes, parts, parts == 0 ? kUsualPartBytes : kMaxPartBytes);
  if (!splitter.ok()) {
    return Fail(console, kCommand,
                InputName(args.what) + ": " + splitter.status().message());
  }
  status = Push(*splitter, args, name, console);
  if (status.ok()) status = input.file->status();
  if (!status.ok()) return Fail(console, kCommand, status.message());
  Note(console, kCommand,
       fmt::format("{}: {} in {} {}", name, SizeText(bytes.size()),
                   Grouped(splitter->spread().parts),
                   Plural(splitter->spread().parts, "part", "parts")));
  return Finish(console, kCommand, kExitOk);
}

// ---- pull

Status Pull(const RedisArgs& args, std::string* whole) {
  auto client = ClientFor(args);
  if (!client.ok()) return client.status();
  const auto stored = ReadStored((*client).get(), args.what);
  if (!stored.ok()) return stored.status();
  auto joiner = FilterJoiner::Open(stored->header, stored->spread);
  if (!joiner.ok()) return Named(args.what, joiner.status());
  for (std::uint64_t i = 0; i < stored->spread.parts; ++i) {
    const std::string part = PartName(args.what, i);
    const auto reply = Run((*client).get(), {"TAMIS.DUMP", part});
    if (!reply.ok()) return reply.status();
    if (Status added = joiner->Add(i, reply->text); !added.ok()) {
      return Named(part, added);
    }
  }
  Status joined = joiner->Finish(whole);
  return joined.ok() ? joined : Named(args.what, joined);
}

int RunPull(const RedisArgs& args, const Console& console) {
  if (!args.operands.empty()) {
    return Fail(console, kCommand, "pull takes one name; -o names the file");
  }
  const std::string output =
      args.output.empty() ? args.what + ".tamis" : args.output;
  Status status = CheckFilterOutput(console, output, args.force);
  std::string whole;
  if (status.ok()) status = Pull(args, &whole);
  if (status.ok()) {
    status = WriteFilterOutput(console, output, whole, args.force);
  }
  if (!status.ok()) return Fail(console, kCommand, status.message());
  Note(console, kCommand,
       fmt::format("{}: {}", output, SizeText(whole.size())));
  return Finish(console, kCommand, kExitOk);
}

// ---- query

class RemoteFilter {
 public:
  RemoteFilter(RedisClient* client, std::string name, const Stored& stored)
      : client_(client), name_(std::move(name)), spread_(stored.spread) {}

  // Sets answers[i] for each key.
  Status Ask(const std::vector<Slice>& keys, std::vector<bool>* answers) {
    answers->assign(keys.size(), true);
    std::map<std::uint64_t, std::vector<std::size_t>> of_part;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto& waiting = of_part[spread_.PartOf(keys[i])];
      waiting.push_back(i);
    }
    for (const auto& [part, indexes] : of_part) {
      for (std::size_t at = 0; at < indexes.size(); at += kItemsAtATime) {
        const std::size_t n = std::min(kItemsAtATime, indexes.size() - at);
        Status asked = AskPart(part, keys, {indexes.data() + at, n}, answers);
        if (!asked.ok()) return asked;
      }
    }
    return Status::Ok();
  }

 private:
  Status AskPart(std::uint64_t part, const std::vector<Slice>& keys,
                 std::span<const std::size_t> indexes,
                 std::vector<bool>* answers) {
    const std::string name = PartName(name_, part);
    std::vector<Slice> words = {"TAMIS.MEXISTS", name};
    for (const std::size_t i : indexes) words.push_back(keys[i]);
    const auto reply = Run(client_, words);
    if (!reply.ok()) return reply.status();
    if (reply->elements.size() != indexes.size()) {
      return Status::IoError(name + ": the reply is not one answer per key");
    }
    for (std::size_t i = 0; i < indexes.size(); ++i) {
      (*answers)[indexes[i]] = reply->elements[i].number != 0;
    }
    return Status::Ok();
  }

  RedisClient* client_;
  std::string name_;
  FilterSpread spread_;
};

// Prints the answers that were asked for.
class RemoteAnswers {
 public:
  RemoteAnswers(const RedisArgs& args, const Console& console,
                RemoteFilter* filter)
      : args_(args), console_(console), filter_(filter) {}

  Status Answer(const std::vector<Slice>& keys,
                const std::vector<Slice>& records) {
    if (Status asked = filter_->Ask(keys, &answers_); !asked.ok()) return asked;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      any_maybe_ = any_maybe_ || answers_[i];
      const std::string_view word = answers_[i] ? "maybe" : "no";
      if (!args_.only.empty() && args_.only != word) continue;
      console_.out->Write(word);
      console_.out->Write('\t');
      console_.out->Write(console_.out_is_terminal ? Printable(records[i])
                                                   : std::string(records[i]));
      console_.out->Write(args_.syntax.terminator());
    }
    return Status::Ok();
  }
  Status AnswerListed() {
    std::vector<std::string> decoded(args_.listed_keys.size());
    std::vector<Slice> keys;
    std::vector<Slice> records;
    for (std::size_t i = 0; i < args_.listed_keys.size(); ++i) {
      const std::string& text = args_.listed_keys[i];
      if (!DecodeKey(args_.syntax, text, &decoded[i])) {
        return BadListedKey(args_.syntax, text);
      }
      keys.push_back(decoded[i]);
      records.push_back(text);
    }
    return Answer(keys, records);
  }
  bool any_maybe() const { return any_maybe_; }

 private:
  const RedisArgs& args_;
  const Console& console_;
  RemoteFilter* filter_;
  std::vector<bool> answers_;
  bool any_maybe_ = false;
};

Status AnswerAll(const RedisArgs& args, const Console& console,
                 RemoteAnswers* answers) {
  Status status = answers->AnswerListed();
  if (!status.ok() || (args.operands.empty() && !args.listed_keys.empty())) {
    return status;
  }
  Progress progress(console);
  return ReadKeyFiles({.paths = args.operands, .syntax = args.syntax}, kCommand,
                      console, &progress, [&](const KeyReader& batch) {
                        return answers->Answer(batch.keys(), batch.records());
                      });
}

int RunRemoteQuery(const RedisArgs& args, const Console& console) {
  auto client = ClientFor(args);
  if (!client.ok()) return Fail(console, kCommand, client.status().message());
  const auto stored = ReadStored((*client).get(), args.what);
  if (!stored.ok()) return Fail(console, kCommand, stored.status().message());
  RemoteFilter filter((*client).get(), args.what, *stored);
  RemoteAnswers answers(args, console, &filter);
  const Status status = AnswerAll(args, console, &answers);
  if (!status.ok()) {
    console.out->Flush();
    return Fail(console, kCommand, status.message());
  }
  return Finish(console, kCommand,
                answers.any_maybe() ? kExitOk : kExitNegative);
}

}  // namespace

int RunRedis(const RedisArgs& args, const Console& console) {
  if (args.action == "push") return RunPush(args, console);
  if (args.action == "pull") return RunPull(args, console);
  if (args.action == "query") return RunRemoteQuery(args, console);
  return Fail(console, kCommand,
              fmt::format("'{}' is not push, pull or query; see 'tamis redis "
                          "--help'",
                          Printable(args.action)));
}

}  // namespace tamis::tools
