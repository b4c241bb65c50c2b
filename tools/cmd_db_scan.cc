// SPDX-License-Identifier: Apache-2.0
// tamis db scan and count: the entries of a store, in order.

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "base/coding.h"
#include "db_commands.h"
#include "json.h"
#include "numbers.h"
#include "pair_text.h"
#include "progress.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Writes one pair in the requested form.
class PairWriter {
 public:
  PairWriter(const DbScanArgs& args, Output* out) : args_(args), out_(out) {}

  void Write(Slice key, Slice value) {
    text_.clear();
    if (args_.binary) {
      AppendFixed32(&text_, static_cast<std::uint32_t>(key.size()));
      AppendFixed32(&text_, static_cast<std::uint32_t>(value.size()));
      text_ += key;
      text_ += value;
    } else if (args_.json) {
      Json object;
      SetBytes(&object, "key", key, args_.hex);
      if (!args_.keys_only) SetBytes(&object, "value", value, args_.hex);
      text_ = object.Text() + "\n";
    } else {
      Append(key);
      if (!args_.keys_only) {
        text_ += '\t';
        Append(value);
      }
      text_ += '\n';
    }
    out_->Write(text_);
  }

 private:
  void Append(Slice bytes) {
    if (args_.hex) {
      text_ += ToHex(bytes);
    } else {
      AppendEscaped(bytes, &text_);
    }
  }

  const DbScanArgs& args_;
  Output* out_;
  std::string text_;
};

// Of an iterator over the range.
ReadOptions OptionsOf(const RangeArgs& range) {
  ReadOptions options;
  if (range.from) options.lower_bound = *range.from;
  if (range.to) options.upper_bound = *range.to;
  return options;
}

Result<std::uint64_t> LimitOf(const DbScanArgs& args) {
  if (args.limit.empty()) return UINT64_MAX;
  auto limit = ParseCount(args.limit);
  if (limit.ok()) return limit;
  return Status::InvalidArgument("--limit: " + limit.status().message());
}

Status Scan(const DbScanArgs& args, const Console& console) {
  auto limit = LimitOf(args);
  if (!limit.ok()) return limit.status();
  auto range = DecodedRange(args.range, args.hex);
  if (!range.ok()) return range.status();
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return store.status();
  const auto it = store->NewIterator(OptionsOf(*range));
  PairWriter writer(args, console.out);
  std::uint64_t left = *limit;
  if (args.reverse) {
    it->SeekToLast();
  } else {
    it->SeekToFirst();
  }
  while (left > 0 && it->Valid()) {
    writer.Write(it->key(), it->value());
    if (console.out->error() != 0) return Status::Ok();  // Finish() reports it
    --left;
    if (args.reverse) {
      it->Prev();
    } else {
      it->Next();
    }
  }
  return it->Valid() ? Status::Ok() : InDbWords(it->status());
}

Result<std::uint64_t> Count(const DbCountArgs& args, const Console& console) {
  auto range = DecodedRange(args.range, args.hex);
  if (!range.ok()) return range.status();
  auto store = OpenToRead(args.dir);
  if (!store.ok()) return store.status();
  constexpr std::uint64_t kBetweenLooks = 4096;
  Progress progress(console);
  const auto it = store->NewIterator(OptionsOf(*range));
  std::uint64_t keys = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (++keys % kBetweenLooks == 0) progress.Update(keys, 0);
  }
  if (!it->Valid() && !it->status().ok()) return InDbWords(it->status());
  return keys;
}

}  // namespace

int RunDbCount(const DbCountArgs& args, const Console& console) {
  const auto keys = Count(args, console);
  if (!keys.ok()) return Fail(console, "db count", keys.status().message());
  Json object;
  object["keys"] = *keys;
  console.out->Write((args.json ? object.Text() : std::to_string(*keys)) +
                     "\n");
  return Finish(console, "db count", kExitOk);
}

int RunDbScan(const DbScanArgs& args, const Console& console) {
  if (args.binary && console.out_is_terminal) {
    return Fail(console, "db scan",
                "will not write --binary to the terminal; redirect standard "
                "output");
  }
  const Status scanned = Scan(args, console);
  if (!scanned.ok()) {
    console.out->Flush();
    return Fail(console, "db scan", scanned.message());
  }
  return Finish(console, "db scan", kExitOk);
}

}  // namespace tamis::tools
