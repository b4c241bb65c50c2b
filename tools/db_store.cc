#include "db_store.h"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "filter_args.h"
#include "key_reader.h"
#include "tamis/store_settings.h"

namespace tamis::tools {
namespace {

constexpr std::string_view kNoFilter = "none";

Compression CompressionNamed(const std::string& name) {
  if (name == "none") return Compression::kNone;
  return name == "zstd" ? Compression::kZstd : Compression::kSnappy;
}

// The same Status with more words.
Status Followed(const Status& status, std::string_view words) {
  return Status(status.code(), status.message() + std::string(words));
}

}  // namespace

void AddNewTableOptions(CLI::App* app, NewTableArgs* args) {
  AddText(app, "--filter", &args->filter,
          "Filter of the tables written now: bloom:12, splitblock:10, none, "
          "... (default: as the store remembers, or bloom:10)");
  app->add_option("--compression", args->compression,
                  "Of the tables written now (default: as the store "
                  "remembers, or snappy)")
      ->check(CLI::IsMember({"none", "snappy", "zstd"}));
}

void AddRememberOption(CLI::App* app, NewTableArgs* args) {
  app->add_flag("--remember", args->remember,
                "The store remembers --filter and --compression for later");
}

Result<StoreOptions> StoreOptionsFrom(const std::string& dir,
                                      const NewTableArgs& args) {
  StoreOptions options;
  const auto remembered = ReadStoreSettings(dir);
  if (remembered.ok()) remembered->ApplyTo(&options);
  options.remember_settings = args.remember;
  if (!args.compression.empty()) {
    options.compression = CompressionNamed(args.compression);
  }
  if (args.filter.empty()) return options;
  const bool had_none = options.filter.empty();
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

void AddWriteOptions(CLI::App* app, DbWriteArgs* args) {
  app->add_flag("--sync", args->sync,
                "Wait until what is written survives the machine");
  AddNewTableOptions(app, &args->tables);
  AddRememberOption(app, &args->tables);
}

void AddCreateOption(CLI::App* app, DbWriteArgs* args) {
  args->may_create = true;
  app->add_flag("--create", args->create, "Make the store if there is none");
}

void AddRangeOptions(CLI::App* app, RangeArgs* args) {
  app->add_option_function<std::string>(
      "--from", [args](const std::string& key) { args->from = key; },
      "The first key (default: the store's first)");
  app->add_option_function<std::string>(
      "--to", [args](const std::string& key) { args->to = key; },
      "The key to stop before (default: after the store's last)");
}

Result<RangeArgs> DecodedRange(const RangeArgs& args, bool hex) {
  RangeArgs decoded = args;
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

void AddDirectory(CLI::App* app, std::string* dir) {
  app->add_option("DIR", *dir, "The store's directory")
      ->required()
      ->check([](const std::string& name) {
        return std::string(name.empty() ? "no directory" : "");
      });
}

void AddHexOption(CLI::App* app, bool* hex) {
  app->add_flag("--hex", *hex, "Keys and values as hexadecimal digits");
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
  auto store = Store::Open(dir, options);
  if (!store.ok()) return InDbWords(store.status());
  return store;
}

Result<std::unique_ptr<Store>> OpenToWrite(const std::string& dir,
                                           const DbWriteArgs& args) {
  auto options = StoreOptionsFrom(dir, args.tables);
  if (!options.ok()) return options.status();
  options->create_if_missing = args.create;
  auto store = Store::Open(dir, *options);
  if (store.status().code() == StatusCode::kNotFound && !args.create &&
      args.may_create) {
    return Followed(store.status(), "; --create makes one");
  }
  if (!store.ok()) return InDbWords(store.status());
  return store;
}

Status InDbWords(const Status& status) {
  // Of what the library refuses, all that a user of the command cannot mend is
  // the order of the keys.
  if (status.code() == StatusCode::kInvalidArgument &&
      status.message().find("keys are ordered by") != std::string::npos) {
    return Followed(status,
                    "; the command knows the order by bytes only: use the "
                    "library, with the comparator of that name");
  }
  if (status.code() == StatusCode::kCorruption &&
      status.message().find("repair") == std::string::npos) {
    return Followed(status,
                    "; 'tamis db check' tells more, 'tamis db repair' saves "
                    "what can be read");
  }
  return status;
}

}  // namespace tamis::tools
