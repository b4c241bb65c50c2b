// Which format are these bytes in?  Certain where a magic number or a file
// name that engines give says so; else a guess by lengths that fit.

#include <array>
#include <string>
#include <utility>

#include "base/coding.h"
#include "formats/cassandra_version.h"
#include "formats/lab_layout.h"
#include "formats/tamis_container.h"
#include "tamis/bloom_math.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

bool FitsCassandra(Slice bytes) noexcept {
  if (bytes.size() < 16 || bytes.size() % 8 != 0) return false;
  const auto probes = LoadBig<std::uint32_t>(bytes.data());
  const std::uint64_t words = LoadBig<std::uint32_t>(bytes.data() + 4);
  return probes >= 1 && probes <= kMaxBloomProbes &&
         bytes.size() == 8 + 8 * words;
}

bool FitsLab(Slice bytes) {
  Result<ParsedBloom> parsed = ParseLab("", bytes, kMaxBloomProbes);
  return parsed.ok() && parsed->always_maybe.empty();
}

bool FitsLevelDb(Slice bytes) noexcept {
  if (bytes.size() < 9) return false;  // LevelDB's smallest
  const auto probes = static_cast<unsigned char>(bytes.back());
  return probes >= 1 && probes <= kMaxBloomProbes;
}

RecognisedFormat Certain(std::string spec, std::string reason) {
  return {Certainty::kCertain, std::move(spec), std::move(reason), {}};
}

RecognisedFormat ByCassandraName(std::string_view version, Slice bytes) {
  const std::string spec = "cassandra:" + std::string(version);
  if (!CassandraEraOf(version).has_value()) {
    return {Certainty::kGuess,
            "cassandra",
            "its name says Cassandra, version " + std::string(version) +
                ", which is unknown to this library",
            {}};
  }
  if (bytes.empty() || FitsCassandra(bytes)) {
    return Certain(spec, "its name and its length");
  }
  return Certain(spec, "its name; its length does not fit");
}

}  // namespace

RecognisedFormat RecogniseFormat(std::string_view file_name, Slice bytes) {
  if (bytes.starts_with(kTamisMagic)) {
    return Certain("tamis", "its magic number");
  }
  const std::string_view version = CassandraVersionIn(file_name);
  if (!version.empty()) return ByCassandraName(version, bytes);
  for (const FormatEntry& format : KnownFormats()) {
    if (file_name.size() > format.suffix.size() &&
        file_name.ends_with(format.suffix)) {
      if (format.name == "cassandra") break;  // its version decides: not known
      return Certain(std::string(format.name), "its name");
    }
  }

  RecognisedFormat guess;
  const auto add = [&guess](std::string spec) {
    if (guess.spec.empty()) {
      guess.spec = std::move(spec);
    } else {
      guess.alternatives.push_back(std::move(spec));
    }
  };
  const bool fits_header = FitsCassandra(bytes) || FitsLab(bytes);
  if (FitsCassandra(bytes)) {
    // The four eras share a layout: their bits tell nothing.
    for (const char* era : {"oa", "me", "ka", "hf"}) {
      add(std::string("cassandra:") + era);
    }
  }
  if (FitsLab(bytes)) {
    add("lab");
    add("md5");
  }
  if (!fits_header && FitsLevelDb(bytes)) add("leveldb");
  if (guess.spec.empty()) {
    guess.reason = "no known format fits";
    return guess;
  }
  guess.certainty = Certainty::kGuess;
  guess.reason = fits_header ? "its length fits its header"
                             : "its last byte could be LevelDB's k";
  return guess;
}

}  // namespace tamis
