// Which policies there are, and what their text means: docs/policies.md.

#include <unistd.h>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/cassandra_filter.h"
#include "formats/cassandra_version.h"
#include "formats/lab_bloom.h"
#include "formats/leveldb_bloom.h"
#include "formats/md5_bloom.h"
#include "formats/parquet_sbbf.h"
#include "formats/rocksdb_filter.h"
#include "formats/tamis_filter.h"
#include "policy/spec.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

constexpr double kDefaultBitsPerKey = 10;  // 0.8 %: what engines ship with
constexpr double kMostBitsPerKey = 10000;  // beyond it must be a mistake
constexpr std::uint64_t kMostProbes = 255;

// Everything that arguments can say.
struct Settings {
  BloomSizing sizing;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> version;
  std::optional<bool> textbook;
};

Status Bad(std::string_view argument, std::string_view what) {
  return Status::InvalidArgument(std::string("policy argument \"")
                                     .append(argument)
                                     .append("\": ")
                                     .append(what));
}

Status SetBitsPerKey(std::string_view text, Settings* settings) {
  const std::optional<double> number = ParseDouble(text);
  if (!number || !(*number > 0) || *number > kMostBitsPerKey) {
    return Bad(text, "bits per key must be a number above 0, at most 10000");
  }
  settings->sizing.bits_per_key = *number;
  return Status::Ok();
}

Status SetRate(std::string_view text, Settings* settings) {
  const std::optional<double> number = ParseDouble(text);
  if (!number || !(*number > 0) || !(*number < 1)) {
    return Bad(text, "a false-positive rate must lie between 0 and 1");
  }
  settings->sizing.rate = *number;
  return Status::Ok();
}

Status SetBits(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number == 0 || *number > kMostBloomBits) {
    return Bad(text, "m is a whole number of bits from 1 to 2^62");
  }
  settings->sizing.bits = *number;
  return Status::Ok();
}

Status SetProbes(std::string_view text, Settings* settings) {
  const std::optional<std::uint64_t> number = ParseUint64(text);
  if (!number || *number == 0 || *number > kMostProbes) {
    return Bad(text, "k is a whole number of probes from 1 to 255");
  }
  settings->sizing.probes = static_cast<unsigned>(*number);
  return Status::Ok();
}

// One that nobody can foresee.
std::optional<std::uint64_t> RandomSeed() {
  std::uint64_t seed = 0;
  if (::getentropy(&seed, sizeof(seed)) != 0) return std::nullopt;
  return seed;
}

Status SetSeed(std::string_view text, Settings* settings) {
  settings->seed = text == "random" ? RandomSeed() : ParseUint64(text);
  if (settings->seed.has_value()) return Status::Ok();
  return Bad(text,
             "a seed is a whole number from 0 to 2^64 - 1, or \"random\"");
}

Status SetVersion(std::string_view text, Settings* settings) {
  settings->version = std::string(text);
  return Status::Ok();
}

Status SetSizingRule(std::string_view text, Settings* settings) {
  if (text != "textbook" && text != "cassandra") {
    return Bad(text, "sizing is \"cassandra\" or \"textbook\"");
  }
  settings->textbook = text == "textbook";
  return Status::Ok();
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
    Setter{"seed", SetSeed},
    Setter{"version", SetVersion},
    Setter{"sizing", SetSizingRule},
};

// A bare number means bits per key -- in "fpr:0.01", the rate -- and any
// other bare word a version.
std::string_view NameOfBareWord(std::string_view policy,
                                std::string_view word) {
  if (policy == "fpr") return "fpr";
  return ParseDouble(word).has_value() ? "bits" : "version";
}

Status CheckSizing(BloomSizing* sizing) {
  const int given = (sizing->bits_per_key > 0 ? 1 : 0) +
                    (sizing->rate > 0 ? 1 : 0) + (sizing->bits != 0 ? 1 : 0);
  if (given > 1) {
    return Status::InvalidArgument(
        "policy: give one of bits per key, fpr and m, not several");
  }
  if (sizing->bits != 0 && sizing->probes == 0) {
    return Status::InvalidArgument("policy: m needs k beside it");
  }
  if (sizing->rate > 0 && sizing->probes != 0) {
    return Status::InvalidArgument(
        "policy: fpr decides the number of probes; leave k out");
  }
  if (given == 0) sizing->bits_per_key = kDefaultBitsPerKey;
  return Status::Ok();
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
      return Bad(name,
                 "unknown; known are bits, fpr, m, k, seed, version, "
                 "sizing");
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return Bad(name, "given twice");
    }
    seen.push_back(name);
    Status set = setter->set(argument.value, &settings);
    if (!set.ok()) return set;
  }
  if (Status sizing = CheckSizing(&settings.sizing); !sizing.ok()) {
    return sizing;
  }
  return settings;
}

template <TamisKind kKind>
PolicyResult MakeTamis(const Settings& settings) {
  return NewTamisPolicy(kKind, settings.sizing, settings.seed.value_or(0));
}
template <RocksDbKind kKind>
PolicyResult MakeRocksDb(const Settings& settings) {
  return NewRocksDbPolicy(kKind, settings.sizing);
}
PolicyResult MakeParquet(const Settings& settings) {
  return NewParquetPolicy(settings.sizing);
}
PolicyResult MakeLevelDb(const Settings& settings) {
  return NewLevelDbBloomPolicy(settings.sizing);
}
PolicyResult MakeCassandra(const Settings& settings) {
  return NewCassandraPolicy(
      {.version =
           settings.version.value_or(std::string(kNewestCassandraVersion)),
       .sizing = settings.sizing,
       .textbook_sizing = settings.textbook.value_or(false)});
}
PolicyResult MakeLab(const Settings& settings) {
  return NewLabPolicy(settings.sizing);
}
PolicyResult MakeMd5(const Settings& settings) {
  return NewMd5Policy(settings.sizing);
}

struct Maker {
  std::string_view name;
  PolicyResult (*make)(const Settings&);
  unsigned most_probes;
  bool takes_seed = false;
  bool takes_version = false;
};
constexpr auto MakeDefault = MakeTamis<TamisKind::kLineBloom>;
constexpr std::array kMakers = {
    Maker{"bloom", MakeDefault, 32, true},  // the default kind
    Maker{"fpr", MakeDefault, 32, true},    // the default kind, by rate
    Maker{"tamis", MakeDefault, 32, true},
    Maker{"splitblock", MakeTamis<TamisKind::kSplitBlock>, 8, true},
    Maker{"classic", MakeTamis<TamisKind::kClassicBloom>, 255, true},
    Maker{"leveldb", MakeLevelDb, 30},
    Maker{"rocksdb", MakeRocksDb<RocksDbKind::kBloom>, 30},
    Maker{"rocksdb-legacy", MakeRocksDb<RocksDbKind::kLegacyBloom>, 127},
    Maker{"rocksdb-ribbon", MakeRocksDb<RocksDbKind::kRibbon>, 255},
    Maker{"cassandra", MakeCassandra, 30, false, true},
    Maker{"parquet", MakeParquet, 8},
    Maker{"lab", MakeLab, 30},
    Maker{"md5", MakeMd5, 255},
};

Status CheckApplies(const Maker& maker, const Settings& settings) {
  if (maker.name == "fpr" && !(settings.sizing.rate > 0)) {
    return Bad("fpr", "needs a rate, as in \"fpr:0.01\"");
  }
  if (settings.sizing.probes > maker.most_probes) {
    return Status::InvalidArgument(
        "policy: " + std::string(maker.name) + " makes at most " +
        std::to_string(maker.most_probes) + " probes per key");
  }
  if (settings.seed.has_value() && !maker.takes_seed) {
    return Status::InvalidArgument("policy: " + std::string(maker.name) +
                                   " has no seed");
  }
  if (settings.version.has_value() && !maker.takes_version) {
    return Bad(
        *settings.version,
        "not a number, and " + std::string(maker.name) + " has no versions");
  }
  if (settings.textbook.has_value() && !maker.takes_version) {
    return Status::InvalidArgument("policy: only cassandra takes sizing=");
  }
  return Status::Ok();
}

std::string KnownNames() {
  std::string names;
  for (const Maker& maker : kMakers) {
    if (!names.empty()) names += ", ";
    names += maker.name;
  }
  return names;
}

constexpr std::array kFormats = {
    FormatEntry{"tamis", "Tamis's own container, all kinds", ".tamis", true,
                false},
    FormatEntry{"leveldb", "LevelDB's leveldb.BuiltinBloomFilter2", ".leveldb",
                false, true},
    FormatEntry{"rocksdb", "RocksDB's Bloom filter, format_version 5 and later",
                ".rocksdb", false, false},
    FormatEntry{"rocksdb-legacy", "RocksDB's Bloom filter up to version 4",
                ".rocksdb-legacy", false, true},
    FormatEntry{"rocksdb-ribbon", "RocksDB's Standard128 Ribbon filter",
                ".rocksdb-ribbon", false, false},
    FormatEntry{"cassandra", "Cassandra's Filter.db, versions f to oa and da",
                "-Filter.db", false, true},
    FormatEntry{"parquet", "Parquet's split-block filter with its header",
                ".parquet-bloom", false, false},
    FormatEntry{"lab", "teaching format: FNV-1a and SplitMix64", ".lab", false,
                false},
    FormatEntry{"md5", "teaching format: the halves of MD5", ".md5bloom", false,
                false},
};

}  // namespace

std::span<const FormatEntry> KnownFormats() noexcept { return kFormats; }

Result<std::unique_ptr<const FilterPolicy>> MakePolicy(std::string_view text) {
  Result<PolicySpec> spec = ParseSpec(text);
  if (!spec.ok()) return spec.status();
  for (const Maker& maker : kMakers) {
    if (maker.name != spec->name) continue;
    Result<Settings> settings = ReadSettings(*spec);
    if (!settings.ok()) return settings.status();
    if (Status applies = CheckApplies(maker, *settings); !applies.ok()) {
      return applies;
    }
    return maker.make(*settings);
  }
  return Status::InvalidArgument("no policy is called \"" +
                                 std::string(spec->name) + "\"; known are " +
                                 KnownNames());
}

}  // namespace tamis
