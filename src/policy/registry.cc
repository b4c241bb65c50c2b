// SPDX-License-Identifier: Apache-2.0
#include "policy/registry.h"

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/no_throw.h"
#include "formats/cassandra/filter.h"
#include "formats/cassandra/version.h"
#include "formats/leveldb/bloom.h"
#include "formats/parquet/sbbf.h"
#include "formats/rocksdb/filter.h"
#include "formats/tamis/any_kind.h"
#include "formats/teaching/lab_bloom.h"
#include "formats/teaching/md5_bloom.h"
#include "policy/choosing_policy.h"
#include "policy/kinds.h"
#include "policy/no_throw_policy.h"
#include "policy/settings.h"
#include "policy/spec.h"
#include "policy/table_policy.h"
#include "tamis/filter.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

// Bits per key if no size is given.
constexpr double kUsualBits = 10;  // 0.8 %: what engines ship with
constexpr double kNoBits = 0;      // a rate is always given

PolicyResult MakeChoosing(const Settings& settings) {
  FilterNeed need;
  need.rate = settings.sizing.rate;
  need.lifetime_seconds = settings.lifetime.value_or(need.lifetime_seconds);
  need.queries_per_key = settings.queries.value_or(need.queries_per_key);
  return NewChoosingPolicy(need, settings.seed.value_or(0));
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

// The meaning of a name: a kind of the .tamis container, or what make() makes.
struct Maker {
  std::string_view name;
  PolicyResult (*make)(const Settings&) = nullptr;
  unsigned max_probes = 0;
  double usual_bits = kUsualBits;
  bool takes_seed = false;
  bool takes_version = false;
  const KindRow* kind = nullptr;
  double named_bits = 0;  // the size that the name implies; 0: none

  bool folds() const noexcept {
    return kind != nullptr && RowOf(kind->kind).unit.bits != 0;
  }
  bool has_arity() const noexcept {
    return kind != nullptr && kind->has_arity();
  }
  bool has_generations() const noexcept {
    return kind != nullptr && RowOf(kind->kind).new_rotating != nullptr;
  }
  bool weighs_costs() const noexcept { return make == MakeChoosing; }
};
constexpr Maker kChoosing = {.name = "fpr",
                             .make = MakeChoosing,
                             .max_probes = 32,
                             .usual_bits = kNoBits,
                             .takes_seed = true};
constexpr std::array kForeign = {
    Maker{.name = "leveldb", .make = MakeLevelDb, .max_probes = 30},
    Maker{.name = "rocksdb",
          .make = MakeRocksDb<RocksDbKind::kBloom>,
          .max_probes = 30},
    Maker{.name = "rocksdb-legacy",
          .make = MakeRocksDb<RocksDbKind::kLegacyBloom>,
          .max_probes = 127},
    Maker{.name = "rocksdb-ribbon",
          .make = MakeRocksDb<RocksDbKind::kRibbon>,
          .max_probes = 255},
    Maker{.name = "cassandra",
          .make = MakeCassandra,
          .max_probes = 30,
          .takes_version = true},
    Maker{.name = "parquet", .make = MakeParquet, .max_probes = 8},
    Maker{.name = "lab", .make = MakeLab, .max_probes = 30},
    Maker{.name = "md5", .make = MakeMd5, .max_probes = 255},
};

Maker MakerOf(const KindRow& row, std::string_view name, double named_bits) {
  return {.name = name,
          .max_probes = row.max_probes,
          .usual_bits = named_bits > 0 ? named_bits : row.usual_bits,
          .takes_seed = true,
          .kind = &row,
          .named_bits = named_bits};
}

// Calls visit(maker) for each name, in the order in which they are listed,
// until it returns true.
template <typename Visit>
void VisitMakers(const Visit& visit) {
  const std::span<const KindRow> rows = KindRows();
  for (const KindRow& row : rows) {
    if (visit(MakerOf(row, RowOf(row.kind).name, 0))) return;
    for (const SizedName& sized : row.sized_names) {
      if (sized.bits > 0 && visit(MakerOf(row, sized.name, sized.bits))) return;
    }
    if (&row != &rows.front()) continue;
    // The default kind also has the name of its format.
    if (visit(kChoosing) || visit(MakerOf(row, "tamis", 0))) return;
  }
  for (const Maker& maker : kForeign) {
    if (visit(maker)) return;
  }
}

std::optional<Maker> MakerNamed(std::string_view name) {
  std::optional<Maker> found;
  VisitMakers([&](const Maker& maker) {
    if (maker.name == name) found = maker;
    return found.has_value();
  });
  return found;
}

Status Refuse(const Maker& maker, std::string_view what) {
  return Status::InvalidArgument(
      std::string("policy: ").append(maker.name).append(what));
}

Status CheckApplies(const Maker& maker, const Settings& settings) {
  if (maker.weighs_costs() && !(settings.sizing.rate > 0)) {
    return BadArgument("fpr", "needs a rate, as in \"fpr:0.01\"");
  }
  if (settings.sizing.probes > maker.max_probes) {
    return Refuse(maker, " makes at most " + std::to_string(maker.max_probes) +
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
  if (settings.sizing.fold > 1 && !maker.folds()) {
    const std::string can =
        NamesOfKinds([](const KindEntry& kind) { return kind.fold_unit != 0; });
    return Refuse(maker, " cannot be folded; " + can + " can");
  }
  if (settings.arity.has_value() && !maker.has_arity()) {
    return Refuse(maker, " has no arity");
  }
  if (settings.generations.has_value() && !maker.has_generations()) {
    return Refuse(maker, " has no generations");
  }
  if ((settings.lifetime || settings.queries) && !maker.weighs_costs()) {
    return Refuse(maker, " does not weigh costs; only fpr does");
  }
  if (maker.named_bits > 0 && HasSize(settings.sizing)) {
    return Refuse(maker, " says its size; leave others out");
  }
  return Status::Ok();
}

std::string KnownNames() {
  std::string names;
  VisitMakers([&](const Maker& maker) {
    if (!names.empty()) names += ", ";
    names += maker.name;
    return false;
  });
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

// What a spec requests.
struct Order {
  Maker maker;
  Settings settings;  // with the default size if none was given
};

Result<Order> ReadOrder(std::string_view text) {
  Result<PolicySpec> spec = ParseSpec(text);
  if (!spec.ok()) return spec.status();
  const std::optional<Maker> maker = MakerNamed(spec->name);
  if (!maker.has_value()) {
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
  return Order{*maker, *std::move(settings)};
}

// `usual_seed` is for specs without a seed, of kinds that take one.
PolicyResult Make(std::string_view text, std::uint64_t usual_seed) {
  Result<Order> order = ReadOrder(text);
  if (!order.ok()) return order.status();
  const Maker& maker = order->maker;
  if (maker.takes_seed && !order->settings.seed.has_value()) {
    order->settings.seed = usual_seed;
  }
  if (maker.kind == nullptr) return maker.make(order->settings);
  return NewTamisPolicy(maker.kind->kind, ForKind(order->settings));
}

// Returns the shortest text that parses to the same number.
std::string NumberText(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return std::string(digits.data(), end);
}

// Normalizes all names of a kind, and all specs of the same size: "fuse8" and
// "fuse:fpr=0.01" become "fuse:8".
void NameByKind(Order* order) {
  if (order->maker.kind == nullptr) return;
  const TamisKindRow& row = RowOf(order->maker.kind->kind);
  order->maker.name = row.name;
  if (row.bits_of == nullptr) return;
  BloomSizing& sizing = order->settings.sizing;
  sizing = {.bits_per_key = row.bits_of(sizing)};
}

// Returns every setting by name, in a fixed order, without those that have
// their default.
std::string TextOf(Order order) {
  NameByKind(&order);
  const Settings& settings = order.settings;
  const BloomSizing& sizing = settings.sizing;
  std::string text(order.maker.name);
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
  add_whole("arity", settings.arity, TamisSettings().arity);
  add_whole("generations", settings.generations, TamisSettings().generations);
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

Result<KindOrder> ReadKindOrder(std::string_view text) {
  Result<Order> order = ReadOrder(text);
  if (!order.ok()) return order.status();
  KindOrder kind;
  kind.name = order->maker.name;
  if (order->maker.kind != nullptr) kind.row = &RowOf(order->maker.kind->kind);
  kind.settings = ForKind(order->settings);
  return kind;
}

std::string CanonicalText(std::string_view text) {
  // A random seed differs each time.
  if (text.find("random") != std::string_view::npos) return std::string(text);
  Result<Order> order = ReadOrder(text);
  return order.ok() ? TextOf(*std::move(order)) : std::string(text);
}

Result<std::unique_ptr<const FilterPolicy>> MakeSeededPolicy(
    std::string_view text, std::uint64_t seed) {
  return NoThrow([&] { return Make(text, seed); });
}

}  // namespace tamis
