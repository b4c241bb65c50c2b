// SPDX-License-Identifier: Apache-2.0
#include "db_store.h"

#include <sys/stat.h>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/file_descriptor.h"
#include "key_reader.h"
#include "tamis/env.h"
#include "tamis/store_settings.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kNoFilter = "none";

Compression CompressionNamed(const std::string& name) {
  if (name == "none") return Compression::kNone;
  return name == "zstd" ? Compression::kZstd : Compression::kSnappy;
}

bool IsThere(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

// For reproducible files, as in our own documents.
FilterSeed SeedFromEnvironment() {
  const char* const wanted = std::getenv("TAMIS_FILTER_SEED");
  return wanted != nullptr && std::string_view(wanted) == "fixed"
             ? FilterSeed::kFixed
             : FilterSeed::kRandomPerStore;
}

// Returns the same Status with a longer message.
Status Followed(const Status& status, std::string_view words) {
  return Status(status.code(), status.message() + std::string(words));
}

// Returns ok if the options of new tables are known: from what the store
// remembers, from the arguments, or, if nothing was ever remembered, from the
// defaults.
Status CheckKnown(const std::string& dir,
                  const Result<StoreSettings>& remembered,
                  const NewTableArgs& args) {
  constexpr std::string_view kWayOut =
      "so it is not known how tables are to be written: say it with --filter "
      "and --compression, or move the file away to go by the defaults";
  if (!args.filter.empty() && !args.compression.empty()) return Status::Ok();
  const std::string file = dir + "/TAMIS";
  if (!remembered.ok()) {
    if (!IsThere(file)) return Status::Ok();
    return Followed(remembered.status(), fmt::format("; {}", kWayOut));
  }
  if (remembered->filter_policy && args.filter.empty()) {
    return Status::NotSupported(fmt::format(
        "{}: its filters are of a program's own policy, {}, which the command "
        "does not have: use that program, or say with --filter what its tables "
        "are to have instead",
        dir, *remembered->filter_policy));
  }
  if (!remembered->not_understood.empty()) {
    return Status::NotSupported(
        fmt::format("{}: '{}' is not understood; {}", file,
                    remembered->not_understood.front(), kWayOut));
  }
  const std::string damaged = file + ".damaged";
  if (remembered->filter || remembered->filter_policy ||
      remembered->compression || !IsThere(damaged)) {
    return Status::Ok();
  }
  return Status::Corruption(fmt::format(
      "{}: is what is left of the settings that the store remembered, {} (with "
      "--remember it is remembered again)",
      damaged, kWayOut));
}

// What a directory without a store contains instead.
struct Holdings {
  bool parts_of_a_store = false;
  bool rocksdb = false;  // whose files these may be
};

// Returns true for file names of LevelDB and Tamis.
bool IsPartOfAStore(const std::string& name) {
  if (name.starts_with("MANIFEST-")) return true;
  const std::size_t dot = name.find('.');
  if (dot == 0 || dot == std::string::npos ||
      name.find_first_not_of("0123456789") != dot) {
    return false;
  }
  const std::string_view suffix = std::string_view(name).substr(dot);
  return suffix == ".log" || suffix == ".ldb" || suffix == ".sst";
}

Holdings LookInto(const std::vector<std::string>& names) {
  Holdings found;
  for (const std::string& name : names) {
    found.parts_of_a_store |= IsPartOfAStore(name);
    found.rocksdb |= name == "IDENTITY" || name.starts_with("OPTIONS-");
  }
  return found;
}

// Returns true if the library found no store, or one that has lost its CURRENT,
// rather than one with another part missing.
bool IsMissing(const Status& status, const std::string& dir) {
  return (status.code() == StatusCode::kNotFound ||
          status.code() == StatusCode::kCorruption) &&
         !HasStore(dir);
}

}  // namespace

bool HasStore(const std::string& dir) { return IsThere(dir + "/CURRENT"); }

Status MissingStore(const std::string& dir, bool may_create) {
  const std::string_view create = may_create ? "; --create makes one" : "";
  struct stat info;
  int error = ::stat((dir + "/CURRENT").c_str(), &info) == 0 ? 0 : errno;
  if (error == EACCES) return SystemError(dir, error);
  error = ::stat(dir.c_str(), &info) == 0 ? 0 : errno;
  if (error == ENOTDIR || (error == 0 && !S_ISDIR(info.st_mode))) {
    return Status::NotFound(
        fmt::format("{}: is no directory, so there is no store here", dir));
  }
  if (error != 0 && error != ENOENT) return SystemError(dir, error);
  auto names = DefaultEnv().List(dir);
  if (error == 0 && !names.ok()) return names.status();
  const Holdings found = names.ok() ? LookInto(*names) : Holdings();
  if (found.rocksdb) {
    return Status::NotFound(fmt::format(
        "{}: there is no store here, but files of a RocksDB database", dir));
  }
  if (found.parts_of_a_store) {
    return Status::NotFound(
        fmt::format("{}: the files of a store are here, but its CURRENT is "
                    "missing; copy the directory, then 'tamis db repair' makes "
                    "a new one of what can be read",
                    dir));
  }
  return Status::NotFound(
      fmt::format("{}: there is no store here{}", dir, create));
}

namespace {

// The store refuses what is too much.
Status SetBits(std::string_view option, const std::string& bits, unsigned* to) {
  if (bits.empty()) return Status::Ok();
  const char* const end = bits.data() + bits.size();
  const auto [last, error] = std::from_chars(bits.data(), end, *to);
  if (error == std::errc() && last == end) return Status::Ok();
  return Status::InvalidArgument(fmt::format(
      "{} '{}': not a number of bits per key, such as 10", option, bits));
}

Status SetPrefixExtractor(const std::string& text, StoreOptions* options) {
  if (text.empty()) return Status::Ok();
  options->prefix_extractor = text == kNoFilter ? "" : text;
  if (options->prefix_extractor.empty()) return Status::Ok();
  const Status made = MakePrefixExtractor(text).status();
  return made.ok() ? made
                   : made.WithMessage("--prefix-extractor: " + made.message());
}

}  // namespace

Result<StoreOptions> StoreOptionsFrom(const std::string& dir,
                                      const NewTableArgs& args) {
  StoreOptions options;
  options.filter_seed = SeedFromEnvironment();
  const auto remembered = ReadStoreSettings(dir);
  Status known = CheckKnown(dir, remembered, args);
  if (!known.ok()) return known;
  if (remembered.ok()) remembered->ApplyTo(&options);
  options.remember_settings = args.remember;
  Status set =
      SetBits("--block-filter", args.block_filter, &options.block_filter_bits);
  if (set.ok()) {
    set = SetBits("--range-filter", args.range_filter,
                  &options.range_filter_bits);
  }
  if (set.ok()) set = SetPrefixExtractor(args.prefix_extractor, &options);
  if (!set.ok()) return set;
  if (!args.compression.empty()) {
    options.compression = CompressionNamed(args.compression);
  }
  if (args.filter.empty()) return options;
  const bool had_none = options.filter.empty();
  // It is for all levels, and of the size that it says.
  options.filter_per_level.clear();
  options.filter_memory_bytes.reset();
  options.filter = args.filter == kNoFilter ? "" : args.filter;
  if (options.filter.empty()) {
    options.leveldb_filter_bits = 0;
    return options;
  }
  // "none" meant both.
  if (had_none) {
    options.leveldb_filter_bits = StoreOptions().leveldb_filter_bits;
  }
  auto policy = MakePolicy(options.filter);
  if (!policy.ok()) {
    return Status::InvalidArgument("--filter: " + policy.status().message());
  }
  return options;
}

namespace {

// Returns the first key after all that start with `prefix`; nothing if there is
// none.
std::optional<std::string> EndOfPrefix(std::string prefix) {
  while (prefix.ends_with('\xff')) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  ++prefix.back();
  return prefix;
}

}  // namespace

Result<RangeArgs> DecodedRange(const RangeArgs& args, bool hex) {
  RangeArgs decoded = args;
  if (args.prefix.has_value()) {
    auto prefix = ArgumentBytes("--prefix", *args.prefix, hex);
    if (!prefix.ok()) return prefix.status();
    decoded.to = EndOfPrefix(*prefix);
    decoded.from = *std::move(prefix);
    return decoded;
  }
  if (args.from.has_value()) {
    auto from = ArgumentBytes("--from", *args.from, hex);
    if (!from.ok()) return from.status();
    decoded.from = *std::move(from);
  }
  if (args.to.has_value()) {
    auto to = ArgumentBytes("--to", *args.to, hex);
    if (!to.ok()) return to.status();
    decoded.to = *std::move(to);
  }
  return decoded;
}

Result<std::string> ArgumentBytes(std::string_view name,
                                  const std::string& text, bool hex) {
  if (!hex) return text;
  std::string bytes;
  if (DecodeHex(text, &bytes)) return bytes;
  return Status::InvalidArgument(
      fmt::format("{} '{}': {}", name, text, HexProblem(text)));
}

Result<std::unique_ptr<Store>> OpenToRead(const std::string& dir,
                                          FilterLoading loading) {
  StoreOptions options;
  options.read_only = true;
  options.filter_loading = loading;
  // Scans use the prefixes that the tables have, if they are known here.
  const auto remembered = ReadStoreSettings(dir);
  if (remembered.ok() && remembered->prefix_extractor) {
    options.prefix_extractor = *remembered->prefix_extractor;
  }
  auto store = Store::Open(dir, options);
  if (IsMissing(store.status(), dir)) return MissingStore(dir);
  if (!store.ok()) return InDbWords(store.status());
  return store;
}

Result<std::unique_ptr<Store>> OpenToWrite(const std::string& dir,
                                           const DbWriteArgs& args) {
  auto options = StoreOptionsFrom(dir, args.tables);
  if (!options.ok()) return options.status();
  options->create_if_missing = args.create;
  auto store = Store::Open(dir, *options);
  const StatusCode code = store.status().code();
  if (args.create && code == StatusCode::kNotFound && !HasStore(dir)) {
    return Followed(store.status(),
                    "; the directory above that of a new store must be there");
  }
  if (IsMissing(store.status(), dir) || code == StatusCode::kAlreadyExists) {
    return MissingStore(dir, args.may_create);
  }
  if (!store.ok()) return InDbWords(store.status());
  return store;
}

Status CheckMayCreate(const std::string& dir) {
  StoreOptions options;
  options.read_only = true;
  const Status opened = Store::Open(dir, options).status();
  if (opened.ok() || opened.code() == StatusCode::kNotFound) {
    return Status::Ok();
  }
  return IsMissing(opened, dir) ? MissingStore(dir) : InDbWords(opened);
}

Status InDbWords(const Status& status) {
  // The order of the keys is the only refusal that a user of the command cannot
  // resolve.
  if (status.remedy() == Remedy::kUseComparator) {
    return Followed(status,
                    "; the command knows the order by bytes only: use the "
                    "library, with the comparator of that name");
  }
  if (status.code() == StatusCode::kCorruption &&
      status.remedy() != Remedy::kRepairStore) {
    return Followed(status,
                    "; 'tamis db check' tells more, 'tamis db repair' saves "
                    "what can be read");
  }
  return status;
}

}  // namespace tamis::tools
