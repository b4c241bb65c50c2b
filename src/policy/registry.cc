// Which policies there are, and what their text means: docs/policies.md.

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/cassandra_filter.h"
#include "formats/cassandra_version.h"
#include "formats/lab_bloom.h"
#include "formats/leveldb_bloom.h"
#include "formats/md5_bloom.h"
#include "formats/parquet_sbbf.h"
#include "formats/rocksdb_filter.h"
#include "formats/tamis_filter.h"
#include "policy/choosing_policy.h"
#include "policy/kind_settings.h"
#include "policy/no_throw_policy.h"
#include "policy/settings.h"
#include "policy/spec.h"
#include "policy/table_policy.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

// Bits per key where no size is given.
constexpr double kUsualBits = 10;  // 0.8 %: what engines ship with
constexpr double kNoBits = 0;      // the kind knows its own

template <TamisKind kKind>
PolicyResult MakeTamis(const Settings& settings) {
  return NewTamisPolicy(kKind, settings.sizing, settings.seed.value_or(0));
}
PolicyResult MakeChoosing(const Settings& settings) {
  FilterNeed need;
  need.rate = settings.sizing.rate;
  need.lifetime_seconds = settings.lifetime.value_or(need.lifetime_seconds);
  need.queries_per_key = settings.queries.value_or(need.queries_per_key);
  return NewChoosingPolicy(need, settings.seed.value_or(0));
}
PolicyResult MakeFuse(const Settings& settings) {
  return ReadingEveryKind(NewTamisFusePolicy(
      {.cell_bits = FuseCellsFrom(settings),
       .arity = settings.arity.value_or(FuseSettings().arity)},
      settings.seed.value_or(0)));
}
template <unsigned kCellBits>
PolicyResult MakeFuseOf(const Settings& settings) {
  if (HasSize(settings.sizing)) {
    return Status::InvalidArgument("policy: fuse" + std::to_string(kCellBits) +
                                   " says its size; leave others out");
  }
  Settings sized = settings;
  sized.sizing.bits_per_key = kCellBits;
  return MakeFuse(sized);
}
PolicyResult MakeRotating(const Settings& settings) {
  return ReadingEveryKind(NewTamisRotatingPolicy(RotatingFrom(settings),
                                                 settings.seed.value_or(0)));
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
  double usual_bits = kUsualBits;
  bool takes_seed = false;
  bool takes_version = false;
  bool folds = false;
};
constexpr auto MakeDefault = MakeTamis<TamisKind::kLineBloom>;
constexpr std::array kMakers = {
    // The default kind.
    Maker{"bloom", MakeDefault, 32, kUsualBits, true, false, true},
    Maker{"fpr", MakeChoosing, 32, kNoBits, true},  // by rate and cost
    Maker{"tamis", MakeDefault, 32, kUsualBits, true, false, true},
    Maker{"splitblock", MakeTamis<TamisKind::kSplitBlock>, 8, kUsualBits, true,
          false, true},
    Maker{"classic", MakeTamis<TamisKind::kClassicBloom>, 255, kUsualBits, true,
          false, true},
    Maker{"ribbon", MakeTamis<TamisKind::kRibbon>, 255, 8, true},
    Maker{"fuse", MakeFuse, 255, 8, true},
    Maker{"fuse8", MakeFuseOf<8>, 255, kNoBits, true},
    Maker{"fuse16", MakeFuseOf<16>, 255, kNoBits, true},
    Maker{"fuse32", MakeFuseOf<32>, 255, kNoBits, true},
    Maker{"counting", MakeTamis<TamisKind::kCounting>, 32, kUsualCountingBits,
          true},
    Maker{"cuckoo", MakeTamis<TamisKind::kCuckoo>, 255, kUsualCuckooBits, true},
    Maker{"scalable", MakeTamis<TamisKind::kScalable>, 32, kUsualScalableBits,
          true},
    Maker{"rotating", MakeRotating, 32, kUsualRotatingBits, true},
    Maker{"leveldb", MakeLevelDb, 30},
    Maker{"rocksdb", MakeRocksDb<RocksDbKind::kBloom>, 30},
    Maker{"rocksdb-legacy", MakeRocksDb<RocksDbKind::kLegacyBloom>, 127},
    Maker{"rocksdb-ribbon", MakeRocksDb<RocksDbKind::kRibbon>, 255},
    Maker{"cassandra", MakeCassandra, 30, kUsualBits, false, true},
    Maker{"parquet", MakeParquet, 8},
    Maker{"lab", MakeLab, 30},
    Maker{"md5", MakeMd5, 255},
};

Status Refuse(const Maker& maker, std::string_view what) {
  return Status::InvalidArgument(
      std::string("policy: ").append(maker.name).append(what));
}

Status CheckApplies(const Maker& maker, const Settings& settings) {
  if (maker.name == "fpr" && !(settings.sizing.rate > 0)) {
    return BadArgument("fpr", "needs a rate, as in \"fpr:0.01\"");
  }
  if (settings.sizing.probes > maker.most_probes) {
    return Refuse(maker, " makes at most " + std::to_string(maker.most_probes) +
                             " probes per key");
  }
  if (settings.seed.has_value() && !maker.takes_seed) {
    return Refuse(maker, " has no seed");
  }
  if (settings.version.has_value() && !maker.takes_version) {
    return BadArgument(
        *settings.version,
        "not a number, and " + std::string(maker.name) + " has no versions");
  }
  if (settings.textbook.has_value() && !maker.takes_version) {
    return Status::InvalidArgument("policy: only cassandra takes sizing=");
  }
  if (settings.sizing.fold > 1 && !maker.folds) {
    return Refuse(maker,
                  " cannot be folded; bloom, splitblock and classic can");
  }
  if (settings.arity.has_value() && !maker.name.starts_with("fuse")) {
    return Refuse(maker, " has no arity");
  }
  if (settings.generations.has_value() && maker.name != "rotating") {
    return Refuse(maker, " has no generations");
  }
  if ((settings.lifetime || settings.queries) && maker.name != "fpr") {
    return Refuse(maker, " does not weigh costs; only fpr does");
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

// What a text asks for.
struct Order {
  const Maker* maker = nullptr;
  Settings settings;  // with the usual size where none was given
};

Result<Order> ReadOrder(std::string_view text) {
  Result<PolicySpec> spec = ParseSpec(text);
  if (!spec.ok()) return spec.status();
  const auto* maker =
      std::find_if(kMakers.begin(), kMakers.end(),
                   [&](const Maker& m) { return m.name == spec->name; });
  if (maker == kMakers.end()) {
    return Status::InvalidArgument("no policy is called \"" +
                                   std::string(spec->name) + "\"; known are " +
                                   KnownNames());
  }
  Result<Settings> settings = ReadSettings(*spec);
  if (!settings.ok()) return settings.status();
  if (Status applies = CheckApplies(*maker, *settings); !applies.ok()) {
    return applies;
  }
  if (!HasSize(settings->sizing)) {
    settings->sizing.bits_per_key = maker->usual_bits;
  }
  return Order{maker, *std::move(settings)};
}

// `usual_seed` is for texts without one, of kinds that take one.
PolicyResult Make(std::string_view text, std::uint64_t usual_seed) {
  Result<Order> order = ReadOrder(text);
  if (!order.ok()) return order.status();
  if (order->maker->takes_seed && !order->settings.seed.has_value()) {
    order->settings.seed = usual_seed;
  }
  return order->maker->make(order->settings);
}

// The first name under which the same is made.
std::string_view FirstNameOf(const Maker& maker) {
  const auto* const first =
      std::find_if(kMakers.begin(), kMakers.end(),
                   [&](const Maker& m) { return m.make == maker.make; });
  return first->name;
}

// The shortest text that is read as the same number.
std::string NumberText(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return std::string(digits.data(), end);
}

// "fuse8" and "fuse:fpr=0.01" are "fuse:8".
void NameCells(Order* order) {
  constexpr std::string_view kFuse = "fuse";
  if (!order->maker->name.starts_with(kFuse)) return;
  const std::optional<double> named =
      ParseDouble(order->maker->name.substr(kFuse.size()));
  order->settings.sizing = {.bits_per_key =
                                named.value_or(FuseCellsFrom(order->settings))};
  order->maker = std::find_if(kMakers.begin(), kMakers.end(),
                              [&](const Maker& m) { return m.name == kFuse; });
}

// Every setting by name, in one order, and left out where it is the usual one.
std::string TextOf(Order order) {
  NameCells(&order);
  const Settings& settings = order.settings;
  const BloomSizing& sizing = settings.sizing;
  std::string text(FirstNameOf(*order.maker));
  char mark = ':';
  const auto add = [&](bool is_said, std::string_view name,
                       const std::string& value) {
    if (!is_said) return;
    text.append(1, mark).append(name).append("=").append(value);
    mark = ',';
  };
  const auto add_whole = [&](std::string_view name, const auto& value,
                             std::uint64_t usual) {
    if (value) add(*value != usual, name, std::to_string(*value));
  };
  add(sizing.bits_per_key > 0, "bits", NumberText(sizing.bits_per_key));
  add(sizing.rate > 0, "fpr", NumberText(sizing.rate));
  add(sizing.bits != 0, "m", std::to_string(sizing.bits));
  add(sizing.probes != 0, "k", std::to_string(sizing.probes));
  add(sizing.fold > 1, "fold", std::to_string(sizing.fold));
  add(settings.seed.has_value(), "seed",
      std::to_string(settings.seed.value_or(0)));
  add(settings.version.value_or(std::string(kNewestCassandraVersion)) !=
          kNewestCassandraVersion,
      "version", settings.version.value_or(""));
  add(settings.textbook.value_or(false), "sizing", "textbook");
  add_whole("arity", settings.arity, FuseSettings().arity);
  add_whole("generations", settings.generations,
            RotatingSettings().generations);
  const FilterNeed usual;
  const double lifetime = settings.lifetime.value_or(usual.lifetime_seconds);
  add(lifetime != usual.lifetime_seconds, "lifetime", NumberText(lifetime));
  const double queries = settings.queries.value_or(usual.queries_per_key);
  add(queries != usual.queries_per_key, "queries", NumberText(queries));
  return text;
}

}  // namespace

std::span<const FormatEntry> KnownFormats() noexcept { return kFormats; }

Result<std::unique_ptr<const FilterPolicy>> MakePolicy(std::string_view text) {
  return NoThrow([&] { return ThrowingNothing(Make(text, 0)); });
}

std::string CanonicalText(std::string_view text) {
  // A seed that is drawn is another each time.
  if (text.find("random") != std::string_view::npos) return std::string(text);
  Result<Order> order = ReadOrder(text);
  return order.ok() ? TextOf(*std::move(order)) : std::string(text);
}

Result<std::unique_ptr<const FilterPolicy>> MakeSeededPolicy(
    std::string_view text, std::uint64_t seed) {
  return NoThrow([&] { return Make(text, seed); });
}

}  // namespace tamis
