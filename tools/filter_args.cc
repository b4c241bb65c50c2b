// SPDX-License-Identifier: Apache-2.0
#include "filter_args.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/random_seed.h"
#include "numbers.h"
#include "tamis/formats.h"

namespace tamis::tools {
namespace {

constexpr double kMaxBitsPerKey = 10000;  // as MakePolicy() has it

// Returns the kind of that name, the default for an empty one, or null.
const KindEntry* KindNamed(std::string_view name) {
  return name.empty() ? &KnownKinds().front() : FindKind(name);
}

// The name of kinds such as fuse8 implies a size.
bool IsSizedByName(const KindEntry& kind) { return kind.usual_bits == 0; }

Status Named(std::string_view option, const Status& status) {
  return Status(status.code(), fmt::format("{}: {}", option, status.message()));
}

// What the library calls the filter: the kind that was chosen of those of the
// tamis format, or the format, which may have a version behind a colon.
PolicySettings NamedAs(const FilterArgs& args, const std::string& format) {
  PolicySettings settings;
  const std::size_t colon = format.find(':');
  settings.name = args.kind.empty() ? format.substr(0, colon) : args.kind;
  if (colon != std::string::npos) settings.version = format.substr(colon + 1);
  return settings;
}

Status TakeSeed(const FilterArgs& args, PolicySettings* settings) {
  if (args.seed.empty()) return Status::Ok();
  if (args.seed == "random") {
    settings->seed = RandomSeed();
    return settings->seed.has_value()
               ? Status::Ok()
               : Status::IoError("--seed: the system has no random number");
  }
  auto seed = ParseSeed(args.seed);
  if (!seed.ok()) return Named("--seed", seed.status());
  settings->seed = *seed;
  return Status::Ok();
}

Status CheckSizeOptions(const FilterArgs& args, const KindEntry* kind) {
  if (kind != nullptr && IsSizedByName(*kind) &&
      (!args.fpr.empty() || !args.bits_per_key.empty())) {
    return Status::InvalidArgument(
        fmt::format("--kind {} is a size of its own; leave {} out", args.kind,
                    args.fpr.empty() ? "--bits-per-key" : "--fpr"));
  }
  if (!args.fpr.empty() && !args.bits_per_key.empty()) {
    return Status::InvalidArgument(
        "--fpr and --bits-per-key exclude each other; give one");
  }
  return Status::Ok();
}

// Takes no size where none was given and the kind has its own.
Status TakeSize(const FilterArgs& args, PolicySettings* settings) {
  const KindEntry* kind = KindNamed(args.kind);
  Status fits = CheckSizeOptions(args, kind);
  if (!fits.ok()) return fits;
  if (!args.fpr.empty()) {
    auto rate = ParseRate(args.fpr);
    if (!rate.ok()) return Named("--fpr", rate.status());
    settings->rate = *rate;
    return Status::Ok();
  }
  if (args.bits_per_key.empty()) {
    const bool is_usual =
        kind != nullptr && kind->usual_bits == kDefaultBitsPerKey;
    if (is_usual) settings->bits_per_key = kDefaultBitsPerKey;
    return Status::Ok();
  }
  auto bits = ParsePositive(args.bits_per_key);
  if (!bits.ok()) return Named("--bits-per-key", bits.status());
  if (*bits > kMaxBitsPerKey) {
    return Status::InvalidArgument(
        fmt::format("--bits-per-key: '{}' is too large; the most is 10,000",
                    args.bits_per_key));
  }
  settings->bits_per_key = *bits;
  return Status::Ok();
}

Status TakeSizingRule(const FilterArgs& args, PolicySettings* settings) {
  if (args.sizing.empty()) return Status::Ok();
  if (args.sizing != "textbook" && args.sizing != "cassandra") {
    return Status::InvalidArgument(fmt::format(
        "--sizing: '{}' is neither cassandra nor textbook", args.sizing));
  }
  settings->textbook_sizing = args.sizing == "textbook";
  return Status::Ok();
}

// Ok if every option that was given goes with the format.
Status CheckGoTogether(const FilterArgs& args, const std::string& format) {
  const bool is_tamis = format == "tamis";
  if (!args.kind.empty() && !is_tamis) {
    return Status::InvalidArgument(
        fmt::format("--kind goes with --format tamis, not {}", format));
  }
  if (KindNamed(args.kind) == nullptr) {
    return Status::InvalidArgument(
        fmt::format("--kind: unknown kind '{}'", args.kind));
  }
  if (!args.seed.empty() && !is_tamis) {
    return Status::InvalidArgument(
        fmt::format("--seed goes with --format tamis, not {}", format));
  }
  if (!args.sizing.empty() && !format.starts_with("cassandra")) {
    return Status::InvalidArgument(
        fmt::format("--sizing goes with --format cassandra, not {}", format));
  }
  return Status::Ok();
}

bool IsKnownFormat(std::string_view name) {
  const auto known = KnownFormats();
  return std::any_of(known.begin(), known.end(),
                     [name](const FormatEntry& e) { return e.name == name; });
}

// Returns true for a format without settings, for cassandra with or without a
// version after a colon.  MakePolicy() checks that version.
bool IsBareFormat(std::string_view format) {
  const std::size_t colon = format.find(':');
  if (colon == std::string_view::npos) return IsKnownFormat(format);
  const std::string_view version = format.substr(colon + 1);
  const bool is_number =
      !version.empty() && version[0] >= '0' && version[0] <= '9';
  return format.substr(0, colon) == "cassandra" && !is_number &&
         version.find_first_of(",=") == std::string_view::npos;
}

Status CheckBareFormat(std::string_view format) {
  if (!format.ends_with(':')) return Status::Ok();
  return Status::InvalidArgument(fmt::format(
      "'{}': no version after the colon; write it, as in cassandra:nb, or "
      "leave the colon out for the newest",
      format));
}

Status CheckPolicy(std::string_view option, const std::string& policy) {
  const std::string_view name =
      std::string_view(policy).substr(0, policy.find(':'));
  const bool is_known = name == "fpr" || name == "fuse" ||
                        IsKnownFormat(name) || FindKind(name) != nullptr;
  if (!is_known && option == "--format") {
    return Status::InvalidArgument(
        fmt::format("unknown format '{}'; known: {}", policy, FormatNames()));
  }
  const auto made = MakePolicy(policy);
  return made.ok() ? Status::Ok() : Named(option, made.status());
}

}  // namespace

std::vector<std::string_view> KindNames() {
  std::vector<std::string_view> names;
  for (const KindEntry& kind : KnownKinds()) names.push_back(kind.name);
  return names;
}

Result<FilterArgs> Sorted(const FilterArgs& args) {
  FilterArgs sorted = args;
  if (!args.policy.empty()) {
    Status known = CheckPolicy("--policy", args.policy);
    if (!known.ok()) return known;
    return sorted;
  }
  if (args.format.empty()) return sorted;
  if (IsBareFormat(args.format)) {
    Status complete = CheckBareFormat(args.format);
    if (!complete.ok()) return complete;
    return sorted;
  }
  Status known = CheckPolicy("--format", args.format);
  if (!known.ok()) return known;
  const struct {
    std::string_view option;
    const std::string& text;
  } kOthers[] = {{"--kind", args.kind},
                 {"--fpr", args.fpr},
                 {"--bits-per-key", args.bits_per_key},
                 {"--seed", args.seed},
                 {"--sizing", args.sizing}};
  for (const auto& other : kOthers) {
    if (other.text.empty()) continue;
    return Status::InvalidArgument(
        fmt::format("--format {} says all about the filter; leave {} out",
                    args.format, other.option));
  }
  sorted.policy = args.format;
  sorted.format.clear();
  return sorted;
}

Result<std::string> FormatToRead(std::string_view format) {
  if (IsBareFormat(format)) {
    Status complete = CheckBareFormat(format);
    if (!complete.ok()) return complete;
    return std::string(format);
  }
  Status known = CheckPolicy("--format", std::string(format));
  if (!known.ok()) return known;
  const std::string_view name = format.substr(0, format.find(':'));
  return std::string(IsKnownFormat(name) ? name : "tamis");
}

Result<PolicySettings> SettingsFrom(const FilterArgs& args,
                                    const std::string& format) {
  if (!args.policy.empty()) return ParsePolicy(args.policy);
  const std::string chosen = args.format.empty() ? format : args.format;
  Status fits = CheckGoTogether(args, chosen);
  if (!fits.ok()) return fits;
  PolicySettings settings = NamedAs(args, chosen);
  fits = TakeSize(args, &settings);
  if (fits.ok()) fits = TakeSeed(args, &settings);
  if (fits.ok()) fits = TakeSizingRule(args, &settings);
  if (!fits.ok()) return fits;
  return settings;
}

namespace {

// Makes a filter foldable, in case it turns out too large: as often as that
// makes it at most 1 % larger.
std::optional<std::uint64_t> FoldFor(const KindEntry& kind,
                                     std::uint64_t bits) {
  constexpr std::uint64_t kMaxFold = 64;
  constexpr std::uint64_t kMinUnits = 100;  // for each that may be added
  if (kind.fold_unit == 0) return std::nullopt;
  const std::uint64_t most =
      std::min(kMaxFold, bits / kind.fold_unit / kMinUnits);
  if (most < 2) return std::nullopt;
  return std::bit_floor(most);
}

}  // namespace

Result<PolicySettings> FixedSettings(const FilterArgs& args,
                                     const Estimate& size) {
  if (!args.policy.empty()) {
    return Status::InvalidArgument(
        "--plan-keys goes with --format, --kind and a size, not with a whole "
        "policy; give that a fixed size as in bloom:m=512,k=6");
  }
  const std::string format = args.format.empty() ? "tamis" : args.format;
  const KindEntry& kind = *KindNamed(args.kind);
  if (format == "rocksdb-ribbon") {
    return Status::InvalidArgument(
        "--plan-keys goes with any format but rocksdb-ribbon, whose size "
        "follows from the keys that come");
  }
  if (kind.per_m == 0) {
    return Status::InvalidArgument(fmt::format(
        "--plan-keys does not go with --kind {}, whose size follows from the "
        "keys that come",
        kind.name));
  }
  PolicySettings settings = NamedAs(args, format);
  const unsigned unit =
      kind.per_m * (kind.storage == KindStorage::kSlots ? size.probes : 1);
  settings.bits = size.bits / unit;
  settings.probes = size.probes;
  if (format == "tamis") settings.fold = FoldFor(kind, size.bits);
  Status seeded = TakeSeed(args, &settings);
  if (!seeded.ok()) return seeded;
  return settings;
}

std::string KindsThat(bool KindEntry::*can) {
  std::vector<std::string_view> names;
  for (const KindEntry& kind : KnownKinds()) {
    if (kind.*can) names.push_back(kind.name);
  }
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
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
