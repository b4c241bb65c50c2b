// SPDX-License-Identifier: Apache-2.0
// tamis db load: many pairs from a file or a pipe.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "db_commands.h"
#include "interrupt.h"
#include "json.h"
#include "pair_reader.h"
#include "progress.h"
#include "text.h"

namespace tamis::tools {
namespace {

// Large enough to make the cost of a batch negligible, small enough that little
// is unwritten when the input pauses.
constexpr std::uint32_t kBatchPairs = 1000;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

struct Loaded {
  std::uint64_t pairs = 0;
  std::uint64_t bytes = 0;  // of keys and values
  double seconds = 0;
  bool into_nothing = false;  // there were no pairs, so no store was created
};

// Gathers pairs and writes them in batches.
class Loader {
 public:
  Loader(Store* store, bool sync) : store_(store), sync_(sync) {}

  Status Add(const Pair& pair) {
    batch_.Put(pair.key, pair.value);
    gathered_bytes_ += pair.key.size() + pair.value.size();
    if (batch_.count() < kBatchPairs && batch_.bytes() < kBatchBytes) {
      return Status::Ok();
    }
    return Write();
  }

  // Writes what is left.  A synced write makes all before it durable, so one at
  // the end is enough.
  Status Finish() {
    Status written = Write();
    if (!written.ok() || !sync_) return written;
    return store_->Write({.sync = true}, WriteBatch());
  }

  // What was written so far.
  const Loaded& loaded() const { return loaded_; }

 private:
  Status Write() {
    if (batch_.count() == 0) return Status::Ok();
    Status written = store_->Write({}, batch_);
    if (!written.ok()) return written;
    loaded_.pairs += batch_.count();
    loaded_.bytes += gathered_bytes_;
    gathered_bytes_ = 0;
    batch_.Clear();
    return Status::Ok();
  }

  Store* store_;
  bool sync_;
  WriteBatch batch_;
  std::uint64_t gathered_bytes_ = 0;
  Loaded loaded_;
};

// The pairs of the input; the first can be read before there is a store.
class Pairs {
 public:
  Pairs(const DbLoadArgs& args, FileSource* source)
      : reader_(args.json_lines ? NewJsonPairReader(source)
                : args.binary   ? NewBinaryPairReader(source)
                                : NewLinePairReader(source, args.hex)) {}

  // What Next() will return.
  Result<bool> Peek() {
    if (!peeked_) got_ = reader_->Next(&pair_);
    peeked_ = true;
    return got_;
  }
  // As PairReader::Next().
  Result<bool> Next(Pair* pair) {
    if (!peeked_) return reader_->Next(pair);
    peeked_ = false;
    *pair = pair_;
    return got_;
  }
  std::uint64_t bytes_read() const { return reader_->bytes_read(); }

 private:
  std::unique_ptr<PairReader> reader_;
  bool peeked_ = false;
  Pair pair_;
  Result<bool> got_ = false;
};

// Loads pairs until the input ends or is not valid: pairs before that are
// written anyway.
Status LoadAll(Pairs* pairs, Progress* progress, Loader* loader) {
  for (;;) {
    Pair pair;
    Result<bool> got = pairs->Next(&pair);
    if (!got.ok() || !*got) {
      Status written = loader->Finish();
      if (!written.ok()) return written;
      return got.status();
    }
    Status added = loader->Add(pair);
    if (!added.ok()) return added;
    progress->Update(loader->loaded().pairs, pairs->bytes_read());
  }
}

// If the store is yet to be created: returns true once there is a pair.
Result<bool> HasFirst(Pairs* pairs) {
  Result<bool> first = pairs->Peek();
  if (first.ok()) return first;
  return Status(first.status().code(),
                first.status().message() + "; no store was made");
}

Status LoadInto(const DbLoadArgs& args, const Console& console, Pairs* pairs,
                std::uint64_t total_bytes, Loaded* loaded) {
  auto store = OpenToWrite(args.dir, args.write);
  if (!store.ok()) return store.status();
  Progress progress(console, total_bytes);
  Loader loader(store.value().get(), args.write.sync);
  Status status = LoadAll(pairs, &progress, &loader);
  progress.Say("closing the store");
  store.value().reset();
  *loaded = loader.loaded();
  if (status.ok()) return status;
  return Status(
      status.code(),
      fmt::format("{}; {} {} loaded", status.message(), Grouped(loaded->pairs),
                  Plural(loaded->pairs, "pair was", "pairs were")));
}

Status Load(const DbLoadArgs& args, const Console& console, Loaded* loaded) {
  // The input comes first: if it is missing, or does not start with a pair, no
  // store is created.
  auto source = FileSource::Open(args.file, console.in);
  if (!source.ok()) return source.status();
  if (auto options = StoreOptionsFrom(args.dir, args.write.tables);
      !options.ok()) {
    return options.status();
  }
  if (args.file == "-" && console.in_is_terminal) {
    Note(console, "db load",
         "reading pairs from the terminal; Ctrl-D on an empty line ends them");
  }
  const auto start = std::chrono::steady_clock::now();
  Pairs pairs(args, source.value().get());
  if (args.write.create && !HasStore(args.dir)) {
    Status may = CheckMayCreate(args.dir);
    if (!may.ok()) return may;
    const Result<bool> first = HasFirst(&pairs);
    if (!first.ok()) return first.status();
    loaded->into_nothing = !*first;
  }
  if (loaded->into_nothing) return Status::Ok();
  Status status =
      LoadInto(args, console, &pairs, source->total_bytes(), loaded);
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  loaded->seconds = taken.count();
  return status;
}

void Report(const DbLoadArgs& args, const Console& console,
            const Loaded& loaded) {
  if (loaded.into_nothing) {
    Warn(console, "db load", "no pairs came, so no store was made");
  }
  if (args.json) {
    Json object;
    object["pairs"] = loaded.pairs;
    object["bytes"] = loaded.bytes;
    object["seconds"] = loaded.seconds;
    console.out->Write(object.Text() + "\n");
  } else if (!loaded.into_nothing) {
    Note(console, "db load",
         fmt::format("{} {}, {} in {:.1f} seconds", Grouped(loaded.pairs),
                     Plural(loaded.pairs, "pair", "pairs"),
                     SizeText(loaded.bytes), loaded.seconds));
  }
}

}  // namespace

int RunDbLoad(const DbLoadArgs& args, const Console& console) {
  InterruptsEndInput interrupts;
  Loaded loaded;
  const Status status = Load(args, console, &loaded);
  if (!status.ok()) return Fail(console, "db load", status.message());
  Report(args, console, loaded);
  return Finish(console, "db load",
                interrupts.signal() == 0 ? int{kExitOk}
                                         : kExitSignal + interrupts.signal());
}

}  // namespace tamis::tools
