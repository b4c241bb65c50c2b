// SPDX-License-Identifier: Apache-2.0
#include "policy/settings.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/random_seed.h"

namespace tamis {

Status BadArgument(std::string_view argument, std::string_view what) {
  return Status::InvalidArgument(std::string("policy argument \"")
                                     .append(argument)
                                     .append("\": ")
                                     .append(what));
}

namespace {

// What a setting may be, and how that is said.
template <typename Number>
struct NumberLimits {
  bool (*allow)(Number);
  std::string_view rule;
};

constexpr double kMaxBitsPerKey = 10000;  // beyond it must be a mistake
constexpr std::uint64_t kMaxProbes = 255;
constexpr std::uint64_t kMaxFold = 4096;

constexpr NumberLimits<double> kBitsPerKeyLimits = {
    [](double n) { return n > 0 && n <= kMaxBitsPerKey; },
    "bits per key must be a number above 0, at most 10000"};
constexpr NumberLimits<double> kRateLimits = {
    [](double n) { return n > 0 && n < 1; },
    "a false-positive rate must lie between 0 and 1"};
constexpr NumberLimits<std::uint64_t> kBitsLimits = {
    [](std::uint64_t n) { return n > 0 && n <= kMaxBloomBits; },
    "m is a whole number of bits from 1 to 2^62"};
constexpr NumberLimits<std::uint64_t> kProbesLimits = {
    [](std::uint64_t n) { return n > 0 && n <= kMaxProbes; },
    "k is a whole number of probes from 1 to 255"};
constexpr NumberLimits<std::uint64_t> kFoldLimits = {
    [](std::uint64_t n) { return n <= kMaxFold && std::has_single_bit(n); },
    "fold is a power of two from 1 to 4096"};
constexpr NumberLimits<std::uint64_t> kArityLimits = {
    [](std::uint64_t n) { return n == 3 || n == 4; }, "arity is 3 or 4"};
constexpr NumberLimits<std::uint64_t> kGenerationsLimits = {
    [](std::uint64_t n) {
      return n >= kMinGenerations && n <= kMaxGenerations;
    },
    "generations is a whole number from 2 to 64"};
constexpr NumberLimits<double> kLifetimeLimits = {
    [](double n) { return n >= 0 && std::isfinite(n); },
    "lifetime is a number of seconds, 0 or more"};
constexpr NumberLimits<double> kQueriesLimits = {
    [](double n) { return n >= 0 && std::isfinite(n); },
    "queries is a number per key, 0 or more"};

std::optional<double> ParseNumber(std::string_view text,
                                  double /*type*/) noexcept {
  return ParseDouble(text);
}
std::optional<std::uint64_t> ParseNumber(std::string_view text,
                                         std::uint64_t /*type*/) noexcept {
  return ParseUint64(text);
}

// Sets a setting to the number that the text is.
template <typename Number, typename Setting>
Status SetNumber(std::string_view text, const NumberLimits<Number>& limits,
                 std::optional<Setting>* setting) {
  const std::optional<Number> number = ParseNumber(text, Number());
  if (!number || !limits.allow(*number)) return BadArgument(text, limits.rule);
  *setting = static_cast<Setting>(*number);
  return Status::Ok();
}

Status SetBitsPerKey(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kBitsPerKeyLimits, &settings->bits_per_key);
}
Status SetRate(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kRateLimits, &settings->rate);
}
Status SetBits(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kBitsLimits, &settings->bits);
}
Status SetProbes(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kProbesLimits, &settings->probes);
}
Status SetFold(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kFoldLimits, &settings->fold);
}
Status SetArity(std::string_view text, PolicySettings* settings) {
  if (text.size() != 1) return BadArgument(text, kArityLimits.rule);
  return SetNumber(text, kArityLimits, &settings->arity);
}
Status SetGenerations(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kGenerationsLimits, &settings->generations);
}
Status SetLifetime(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kLifetimeLimits, &settings->lifetime_seconds);
}
Status SetQueries(std::string_view text, PolicySettings* settings) {
  return SetNumber(text, kQueriesLimits, &settings->queries_per_key);
}

Status SetSeed(std::string_view text, PolicySettings* settings) {
  settings->seed = text == "random" ? RandomSeed() : ParseUint64(text);
  if (settings->seed.has_value()) return Status::Ok();
  return BadArgument(
      text, "a seed is a whole number from 0 to 2^64 - 1, or \"random\"");
}

Status SetVersion(std::string_view text, PolicySettings* settings) {
  settings->version = std::string(text);
  return Status::Ok();
}

Status SetSizingRule(std::string_view text, PolicySettings* settings) {
  if (text != "textbook" && text != "cassandra") {
    return BadArgument(text, "sizing is \"cassandra\" or \"textbook\"");
  }
  settings->textbook_sizing = text == "textbook";
  return Status::Ok();
}

struct Setter {
  std::string_view name;
  Status (*set)(std::string_view, PolicySettings*);
};
constexpr std::array kSetters = {
    Setter{"bits", SetBitsPerKey},
    Setter{"fpr", SetRate},
    Setter{"m", SetBits},
    Setter{"k", SetProbes},
    Setter{"fold", SetFold},
    Setter{"seed", SetSeed},
    Setter{"version", SetVersion},
    Setter{"sizing", SetSizingRule},
    Setter{"arity", SetArity},
    Setter{"generations", SetGenerations},
    Setter{"lifetime", SetLifetime},
    Setter{"queries", SetQueries},
};

// A bare number means bits per key -- in "fpr:0.01", the rate -- and any
// other bare word a version.
std::string_view NameOfBareWord(std::string_view policy,
                                std::string_view word) {
  if (policy == "fpr") return "fpr";
  return ParseDouble(word).has_value() ? "bits" : "version";
}

std::string ShownAs(double number) { return NumberText(number); }
std::string ShownAs(std::uint64_t number) { return std::to_string(number); }

// Ok where the setting is absent or within its limits.
template <typename Number, typename Setting>
Status CheckNumber(const std::optional<Setting>& setting,
                   const NumberLimits<Number>& limits) {
  if (!setting || limits.allow(*setting)) return Status::Ok();
  return BadArgument(ShownAs(Number{*setting}), limits.rule);
}

Status CheckLimits(const PolicySettings& settings) {
  for (const Status& within : {
           CheckNumber(settings.bits_per_key, kBitsPerKeyLimits),
           CheckNumber(settings.rate, kRateLimits),
           CheckNumber(settings.bits, kBitsLimits),
           CheckNumber(settings.probes, kProbesLimits),
           CheckNumber(settings.fold, kFoldLimits),
           CheckNumber(settings.arity, kArityLimits),
           CheckNumber(settings.generations, kGenerationsLimits),
           CheckNumber(settings.lifetime_seconds, kLifetimeLimits),
           CheckNumber(settings.queries_per_key, kQueriesLimits),
       }) {
    if (!within.ok()) return within;
  }
  return Status::Ok();
}

}  // namespace

std::string NumberText(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return std::string(digits.data(), end);
}

Status CheckSettings(const PolicySettings& settings) {
  if (Status within = CheckLimits(settings); !within.ok()) return within;
  const int sizes = int{settings.bits_per_key.has_value()} +
                    int{settings.rate.has_value()} +
                    int{settings.bits.has_value()};
  if (sizes > 1) {
    return Status::InvalidArgument(
        "policy: give one of bits per key, fpr and m, not several");
  }
  if (settings.bits && !settings.probes) {
    return Status::InvalidArgument("policy: m needs k beside it");
  }
  if (settings.rate && settings.probes) {
    return Status::InvalidArgument(
        "policy: fpr decides the number of probes; leave k out");
  }
  return Status::Ok();
}

BloomSizing SizingOf(const PolicySettings& settings) noexcept {
  return {.bits_per_key = settings.bits_per_key.value_or(0),
          .rate = settings.rate.value_or(0),
          .bits = settings.bits.value_or(0),
          .probes = settings.probes.value_or(0),
          .fold = settings.fold.value_or(1)};
}

bool HasSize(const PolicySettings& settings) noexcept {
  return settings.bits_per_key || settings.rate || settings.bits;
}

TamisSettings ForKind(const PolicySettings& settings) noexcept {
  const TamisSettings usual;
  return {.sizing = SizingOf(settings),
          .seed = settings.seed.value_or(usual.seed),
          .arity = settings.arity.value_or(usual.arity),
          .generations = settings.generations.value_or(usual.generations)};
}

Result<PolicySettings> ReadSettings(const PolicySpec& spec) {
  PolicySettings settings;
  settings.name = spec.name;
  std::vector<std::string_view> seen;
  for (const SpecArgument& argument : spec.arguments) {
    const std::string_view name =
        argument.name.empty() ? NameOfBareWord(spec.name, argument.value)
                              : argument.name;
    const auto* setter =
        std::find_if(kSetters.begin(), kSetters.end(),
                     [&](const Setter& s) { return s.name == name; });
    if (setter == kSetters.end()) {
      return BadArgument(
          name,
          "unknown; known are bits, fpr, m, k, fold, seed, version, sizing, "
          "arity, generations, lifetime, queries");
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return BadArgument(name, "given twice");
    }
    seen.push_back(name);
    Status set = setter->set(argument.value, &settings);
    if (!set.ok()) return set;
  }
  if (Status fits = CheckSettings(settings); !fits.ok()) return fits;
  return settings;
}

}  // namespace tamis
