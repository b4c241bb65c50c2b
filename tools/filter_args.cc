#include "filter_args.h"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "numbers.h"
#include "tamis/formats.h"

namespace tamis::tools {
namespace {

// NAME of a known format, or cassandra:VERSION.  MakePolicy() takes more
// after the colon, but sizes have options of their own here.
Status CheckFormat(std::string_view format) {
  const std::string_view name = format.substr(0, format.find(':'));
  const auto known = KnownFormats();
  const bool is_known =
      std::any_of(known.begin(), known.end(),
                  [name](const FormatEntry& e) { return e.name == name; });
  if (!is_known) {
    return Status::InvalidArgument(
        fmt::format("unknown format '{}'; known: {}", format, FormatNames()));
  }
  if (name != format && name != "cassandra") {
    return Status::InvalidArgument(fmt::format(
        "'{}': only cassandra takes a version after the colon", format));
  }
  if (format.find_first_of(",=") != std::string_view::npos) {
    return Status::InvalidArgument(
        fmt::format("'{}': give sizes with --fpr or --bits-per-key", format));
  }
  return Status::Ok();
}

// "10" or "fpr=0.01".
Result<std::string> SizeArgument(const FilterArgs& args) {
  if (!args.fpr.empty() && !args.bits_per_key.empty()) {
    return Status::InvalidArgument(
        "--fpr and --bits-per-key exclude each other; give one");
  }
  if (!args.fpr.empty()) {
    auto rate = ParseRate(args.fpr);
    if (!rate.ok()) return rate.status();
    return fmt::format("fpr={}", *rate);
  }
  if (args.bits_per_key.empty()) return fmt::format("{}", kDefaultBitsPerKey);
  auto bits = ParsePositive(args.bits_per_key);
  if (!bits.ok()) return bits.status();
  return fmt::format("{}", *bits);
}

}  // namespace

void AddSizingOptions(CLI::App* app, FilterArgs* args) {
  app->add_option("--format", args->format,
                  "Format: " + FormatNames() + ", or cassandra:VERSION");
  app->add_option("--kind", args->kind, "Algorithm of the tamis format")
      ->check(CLI::IsMember({"classic", "bloom"}));
  auto* fpr = app->add_option("--fpr", args->fpr,
                              "Rate of false positives, such as 0.01 or 1%");
  auto* bits = app->add_option("--bits-per-key", args->bits_per_key,
                               "Bits per key (default 10)");
  fpr->excludes(bits);
}

void AddSeedOption(CLI::App* app, FilterArgs* args) {
  app->add_option("--seed", args->seed, "Seed of the hash (tamis only)");
}

void AddSizingRuleOption(CLI::App* app, FilterArgs* args) {
  app->add_option("--sizing", args->sizing, "Sizing rule (cassandra only)")
      ->check(CLI::IsMember({"textbook", "cassandra"}));
}

Result<std::string> SpecFrom(const FilterArgs& args,
                             const std::string& format) {
  const std::string chosen = args.format.empty() ? format : args.format;
  Status status = CheckFormat(chosen);
  if (!status.ok()) return status;
  const bool is_tamis = chosen == "tamis";
  const bool is_cassandra = chosen.starts_with("cassandra");
  if (!args.kind.empty() && !is_tamis) {
    return Status::InvalidArgument(
        fmt::format("--kind goes with --format tamis, not {}", chosen));
  }
  if (!args.seed.empty() && !is_tamis) {
    return Status::InvalidArgument(
        fmt::format("--seed goes with --format tamis, not {}", chosen));
  }
  if (!args.sizing.empty() && !is_cassandra) {
    return Status::InvalidArgument(
        fmt::format("--sizing goes with --format cassandra, not {}", chosen));
  }

  auto size = SizeArgument(args);
  if (!size.ok()) return size.status();
  const char separator = chosen.find(':') == std::string::npos ? ':' : ',';
  std::string spec = chosen + separator + *size;
  if (!args.seed.empty()) {
    auto seed = ParseSeed(args.seed);
    if (!seed.ok()) return seed.status();
    spec += fmt::format(",seed={}", *seed);
  }
  if (!args.sizing.empty()) spec += ",sizing=" + args.sizing;
  return spec;
}

std::string FormatNames() {
  std::string names;
  for (const FormatEntry& entry : KnownFormats()) {
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

}  // namespace tamis::tools
