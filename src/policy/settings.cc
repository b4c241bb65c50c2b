// SPDX-License-Identifier: Apache-2.0
#include "policy/settings.h"

#include <algorithm>
#include <array>
#include <bit>
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

constexpr double kMaxBitsPerKey = 10000;  // beyond it must be a mistake
constexpr std::uint64_t kMaxProbes = 255;
constexpr std::uint64_t kMaxFold = 4096;

Status SetBitsPerKey(std::string_view text, Settings* settings) {
  const std::optional<double> number = ParseDouble(text);
  if (!number || !(*number > 0) || *number > kMaxBitsPerKey) {
    return BadArgument(text,
                       "bits per key must be a number above 0, at most 10000");
  }
  settings->sizing.bits_per_key = *number;
  return Status::Ok();
}

Status SetRate(std::string_view text, Settings* settings) {
  const std::optional<double> number = ParseDouble(text);
  if (!number || !(*number > 0) || !(*number < 1)) {
    return BadArgument(text, "a false-positive rate must be between 0 and 1");
  }
  settings->sizing.rate = *number;
  return Status::Ok();
}

Status SetBits(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number == 0 || *number > kMaxBloomBits) {
    return BadArgument(text, "m is a whole number of bits from 1 to 2^62");
  }
  settings->sizing.bits = *number;
  return Status::Ok();
}

Status SetProbes(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number == 0 || *number > kMaxProbes) {
    return BadArgument(text, "k is a whole number of probes from 1 to 255");
  }
  settings->sizing.probes = static_cast<unsigned>(*number);
  return Status::Ok();
}

Status SetFold(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number > kMaxFold || !std::has_single_bit(*number)) {
    return BadArgument(text, "fold is a power of two from 1 to 4096");
  }
  settings->sizing.fold = *number;
  return Status::Ok();
}

Status SetSeed(std::string_view text, Settings* settings) {
  settings->seed = text == "random" ? RandomSeed() : ParseUint64(text);
  if (settings->seed.has_value()) return Status::Ok();
  return BadArgument(
      text, "a seed is a whole number from 0 to 2^64 - 1, or \"random\"");
}

Status SetVersion(std::string_view text, Settings* settings) {
  settings->version = std::string(text);
  return Status::Ok();
}

Status SetSizingRule(std::string_view text, Settings* settings) {
  if (text != "textbook" && text != "cassandra") {
    return BadArgument(text, "sizing is \"cassandra\" or \"textbook\"");
  }
  settings->textbook = text == "textbook";
  return Status::Ok();
}

Status SetArity(std::string_view text, Settings* settings) {
  if (text != "3" && text != "4") return BadArgument(text, "arity is 3 or 4");
  settings->arity = text == "3" ? 3 : 4;
  return Status::Ok();
}

Status SetGenerations(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number < kMinGenerations || *number > kMaxGenerations) {
    return BadArgument(text, "generations is a whole number from 2 to 64");
  }
  settings->generations = static_cast<unsigned>(*number);
  return Status::Ok();
}

Status SetNotNegative(std::string_view text, std::string_view what,
                      std::optional<double>* number) {
  *number = ParseDouble(text);
  if (number->has_value() && **number >= 0) return Status::Ok();
  return BadArgument(text, what);
}

Status SetLifetime(std::string_view text, Settings* settings) {
  return SetNotNegative(text, "lifetime is a number of seconds, 0 or more",
                        &settings->lifetime);
}

Status SetQueries(std::string_view text, Settings* settings) {
  return SetNotNegative(text, "queries is a number per key, 0 or more",
                        &settings->queries);
}

struct Setter {
  std::string_view name;
  Status (*set)(std::string_view, Settings*);
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

Status CheckSizing(const BloomSizing& sizing) {
  const int given = (sizing.bits_per_key > 0 ? 1 : 0) +
                    (sizing.rate > 0 ? 1 : 0) + (sizing.bits != 0 ? 1 : 0);
  if (given > 1) {
    return Status::InvalidArgument(
        "policy: give one of bits per key, fpr and m, not several");
  }
  if (sizing.bits != 0 && sizing.probes == 0) {
    return Status::InvalidArgument("policy: m needs k beside it");
  }
  if (sizing.rate > 0 && sizing.probes != 0) {
    return Status::InvalidArgument(
        "policy: fpr decides the number of probes; leave k out");
  }
  return Status::Ok();
}

}  // namespace

TamisSettings ForKind(const Settings& settings) noexcept {
  const TamisSettings usual;
  return {.sizing = settings.sizing,
          .seed = settings.seed.value_or(usual.seed),
          .arity = settings.arity.value_or(usual.arity),
          .generations = settings.generations.value_or(usual.generations)};
}

bool HasSize(const BloomSizing& sizing) noexcept {
  return sizing.bits_per_key > 0 || sizing.rate > 0 || sizing.bits != 0;
}

Result<Settings> ReadSettings(const PolicySpec& spec) {
  Settings settings;
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
  if (Status sizing = CheckSizing(settings.sizing); !sizing.ok()) {
    return sizing;
  }
  return settings;
}

}  // namespace tamis
