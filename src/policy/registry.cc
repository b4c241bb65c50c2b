// SPDX-License-Identifier: Apache-2.0
#include "policy/registry.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
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
#include "policy/prefix_policy.h"
#include "policy/settings.h"
#include "policy/spec.h"
#include "policy/table_policy.h"
#include "tamis/filter.h"
#include "tamis/formats.h"
#include "tamis/policy_settings.h"
#include "tamis/prefix.h"

namespace tamis {
namespace {

using PolicyResult = Result<std::unique_ptr<const FilterPolicy>>;

// Bits per key if no size is given.
constexpr double kUsualBits = 10;  // 0.8 %: what engines ship with
constexpr double kNoBits = 0;      // a rate is always given

PolicyResult MakeChoosing(const PolicySettings& settings) {
  FilterNeed need;
  need.rate = settings.rate.value_or(0);
  need.lifetime_seconds =
      settings.lifetime_seconds.value_or(need.lifetime_seconds);
  need.queries_per_key =
      settings.queries_per_key.value_or(need.queries_per_key);
  return NewChoosingPolicy(need, settings.seed.value_or(0));
}
template <RocksDbKind kKind>
PolicyResult MakeRocksDb(const PolicySettings& settings) {
  return NewRocksDbPolicy(kKind, SizingOf(settings));
}
PolicyResult MakeParquet(const PolicySettings& settings) {
  return NewParquetPolicy(SizingOf(settings));
}
PolicyResult MakeLevelDb(const PolicySettings& settings) {
  return NewLevelDbBloomPolicy(SizingOf(settings));
}
PolicyResult MakeCassandra(const PolicySettings& settings) {
  return NewCassandraPolicy(
      {.version =
           settings.version.value_or(std::string(kNewestCassandraVersion)),
       .sizing = SizingOf(settings),
       .textbook_sizing = settings.textbook_sizing.value_or(false)});
}
PolicyResult MakeLab(const PolicySettings& settings) {
  return NewLabPolicy(SizingOf(settings));
}
PolicyResult MakeMd5(const PolicySettings& settings) {
  return NewMd5Policy(SizingOf(settings));
}

// The meaning of a name: a kind of the .tamis container, or what make() makes.
struct Maker {
  std::string_view name;
  PolicyResult (*make)(const PolicySettings&) = nullptr;
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

Status CheckApplies(const Maker& maker, const PolicySettings& settings) {
  if (maker.weighs_costs() && !settings.rate) {
    return BadArgument("fpr", "needs a rate, as in \"fpr:0.01\"");
  }
  if (settings.probes.value_or(0) > maker.max_probes) {
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
  if (settings.textbook_sizing.has_value() && !maker.takes_version) {
    return Status::InvalidArgument("policy: only cassandra takes sizing=");
  }
  if (settings.fold.value_or(1) > 1 && !maker.folds()) {
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
  if ((settings.lifetime_seconds || settings.queries_per_key) &&
      !maker.weighs_costs()) {
    return Refuse(maker, " does not weigh costs; only fpr does");
  }
  if (settings.prefix_extractor) {
    const bool takes_hashes =
        maker.weighs_costs() ||
        (maker.kind != nullptr && !RowOf(maker.kind->kind).answers_ranges);
    if (!takes_hashes) return Refuse(maker, " takes no prefixes");
    const auto known = MakePrefixExtractor(*settings.prefix_extractor);
    if (!known.ok()) return known.status();
  }
  if (maker.named_bits > 0 && HasSize(settings)) {
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

// What settings request.
struct Order {
  Maker maker;
  PolicySettings settings;  // with the default size if none was given
};

Result<Maker> FindMaker(std::string_view name) {
  const std::optional<Maker> maker = MakerNamed(name);
  if (maker.has_value()) return *maker;
  return Status::InvalidArgument("no policy is called \"" + std::string(name) +
                                 "\"; known are " + KnownNames());
}

Result<PolicySettings> ParseText(std::string_view text) {
  const std::optional<PrefixText> prefixed = SplitPrefixText(text);
  if (prefixed) text = prefixed->keys;
  Result<PolicySpec> spec = ParseSpec(text);
  if (!spec.ok()) return spec.status();
  const Result<Maker> maker = FindMaker(spec->name);
  if (!maker.ok()) return maker.status();
  Result<PolicySettings> settings = ReadSettings(*spec);
  if (!settings.ok()) return settings.status();
  if (prefixed) settings->prefix_extractor = prefixed->extractor;
  if (Status applies = CheckApplies(*maker, *settings); !applies.ok()) {
    return applies;
  }
  return settings;
}

// REQUIRES: the settings are checked
Order OrderOf(const Maker& maker, PolicySettings settings) {
  if (!HasSize(settings)) settings.bits_per_key = maker.usual_bits;
  return {maker, std::move(settings)};
}

Result<Order> ReadOrder(std::string_view text) {
  Result<PolicySettings> settings = ParseText(text);
  if (!settings.ok()) return settings.status();
  const std::optional<Maker> maker = MakerNamed(settings->name);
  return OrderOf(*maker, *std::move(settings));
}

Result<Order> CheckOrder(const PolicySettings& settings) {
  const Result<Maker> maker = FindMaker(settings.name);
  if (!maker.ok()) return maker.status();
  if (Status fits = CheckSettings(settings); !fits.ok()) return fits;
  if (Status applies = CheckApplies(*maker, settings); !applies.ok()) {
    return applies;
  }
  return OrderOf(*maker, settings);
}

// `usual_seed` is for orders without one, of kinds that take one.
PolicyResult Make(Result<Order> order, std::uint64_t usual_seed) {
  if (!order.ok()) return order.status();
  const Maker& maker = order->maker;
  if (maker.takes_seed && !order->settings.seed.has_value()) {
    order->settings.seed = usual_seed;
  }
  PolicyResult made =
      maker.kind == nullptr
          ? maker.make(order->settings)
          : NewTamisPolicy(maker.kind->kind, ForKind(order->settings));
  const auto& extractor = order->settings.prefix_extractor;
  if (!extractor || !made.ok()) return made;
  return AddPrefixes(*extractor, *std::move(made));
}

// Normalizes all names of a kind, and all settings of the same size: "fuse8"
// and "fuse:fpr=0.01" become "fuse:8".
void NameByKind(Order* order) {
  if (order->maker.kind == nullptr) return;
  const TamisKindRow& row = RowOf(order->maker.kind->kind);
  order->maker.name = row.name;
  if (row.bits_of == nullptr) return;
  PolicySettings& settings = order->settings;
  settings.bits_per_key = row.bits_of(SizingOf(settings));
  settings.rate.reset();
  settings.bits.reset();
  settings.probes.reset();
  settings.fold.reset();
}

// "name:a=1,b=2", argument by argument.
class PolicyText {
 public:
  explicit PolicyText(std::string_view name) : text_(name) {}

  template <typename Setting>
  void AddNumber(std::string_view name, const std::optional<Setting>& setting,
                 std::optional<Setting> usual = {}) {
    if (!setting || setting == usual) return;
    if constexpr (std::is_floating_point_v<Setting>) {
      Add(name, NumberText(*setting));
    } else {
      Add(name, std::to_string(*setting));
    }
  }
  void Add(std::string_view name, std::string_view value) {
    text_.append(1, mark_).append(name).append("=").append(value);
    mark_ = ',';
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  char mark_ = ':';
};

// Returns every setting by name, in a fixed order, without those that have
// their default.
std::string TextOf(Order order) {
  NameByKind(&order);
  const PolicySettings& settings = order.settings;
  PolicyText text(order.maker.name);
  text.AddNumber("bits", settings.bits_per_key);
  text.AddNumber("fpr", settings.rate);
  text.AddNumber("m", settings.bits);
  text.AddNumber("k", settings.probes);
  text.AddNumber("fold", settings.fold, {std::uint64_t{1}});
  text.AddNumber("seed", settings.seed);
  if (settings.version && *settings.version != kNewestCassandraVersion) {
    text.Add("version", *settings.version);
  }
  if (settings.textbook_sizing.value_or(false)) text.Add("sizing", "textbook");
  const TamisSettings usual;
  text.AddNumber("arity", settings.arity, {usual.arity});
  text.AddNumber("generations", settings.generations, {usual.generations});
  const FilterNeed need;
  text.AddNumber("lifetime", settings.lifetime_seconds,
                 {need.lifetime_seconds});
  text.AddNumber("queries", settings.queries_per_key, {need.queries_per_key});
  if (!settings.prefix_extractor) return text.Take();
  const auto extractor = MakePrefixExtractor(*settings.prefix_extractor);
  return JoinPrefixText(
      extractor.ok() ? (*extractor)->name() : *settings.prefix_extractor,
      text.Take());
}

}  // namespace

std::span<const FormatEntry> KnownFormats() noexcept { return kFormats; }

Result<std::unique_ptr<const FilterPolicy>> MakePolicy(std::string_view text) {
  return NoThrow([&] { return ThrowingNothing(Make(ReadOrder(text), 0)); });
}

Result<std::unique_ptr<const FilterPolicy>> MakePolicy(
    const PolicySettings& settings) {
  return NoThrow(
      [&] { return ThrowingNothing(Make(CheckOrder(settings), 0)); });
}

Result<PolicySettings> ParsePolicy(std::string_view text) {
  return NoThrow([&] { return ParseText(text); });
}

Result<KindOrder> ReadKindOrder(std::string_view text) {
  Result<Order> order = ReadOrder(text);
  if (!order.ok()) return order.status();
  if (order->settings.prefix_extractor) {
    return Status::InvalidArgument(
        "policy prefix: its filters are built from all their keys at once");
  }
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
  return NoThrow([&] { return Make(ReadOrder(text), seed); });
}

}  // namespace tamis
