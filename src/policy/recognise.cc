// Which format are these bytes in?  Certain where a magic number or a file
// name that engines give says so; else a guess by lengths that fit.

#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "formats/cassandra_version.h"
#include "formats/lab_layout.h"
#include "formats/tamis_container.h"
#include "policy/foreign_file.h"
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
  return {Certainty::kCertain, std::move(spec), std::move(reason), {}, ""};
}

RecognisedFormat ByCassandraName(std::string_view version, Slice bytes) {
  const std::string spec = "cassandra:" + std::string(version);
  if (!CassandraEraOf(version).has_value()) {
    RecognisedFormat unknown;
    unknown.reason = "its name says Cassandra, version " +
                     std::string(version) +
                     ", which is unknown to this library";
    return unknown;
  }
  return Certain(spec, bytes.empty() || FitsCassandra(bytes)
                           ? "its name and its length"
                           : "its name; its content does not fit");
}

RecognisedFormat GuessByContent(Slice bytes) {
  std::vector<std::string> specs;
  std::string reason = "its length fits its header";
  if (FitsCassandra(bytes)) {
    // The four eras share a layout: their bits tell nothing.
    specs = {"cassandra:oa", "cassandra:me", "cassandra:ka", "cassandra:hf"};
  }
  if (FitsLab(bytes)) specs.insert(specs.end(), {"lab", "md5"});
  if (specs.empty() && FitsLevelDb(bytes)) {
    specs = {"leveldb"};
    reason = "its last byte could be LevelDB's k";
  }
  if (specs.empty()) {
    return {Certainty::kUnknown, "", "no known format fits", {}, ""};
  }
  return {Certainty::kGuess,
          specs.front(),
          reason,
          {specs.begin() + 1, specs.end()},
          ""};
}

}  // namespace

RecognisedFormat RecogniseFormat(std::string_view file_name, Slice bytes) {
  if (bytes.starts_with(kTamisMagic)) {
    return Certain("tamis", "its magic number");
  }
  if (const std::string_view foreign = NameForeignFile(bytes);
      !foreign.empty()) {
    RecognisedFormat format;
    format.not_a_filter = foreign;
    format.reason = "it is " + format.not_a_filter + ", not a filter";
    return format;
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

  return GuessByContent(bytes);
}

}  // namespace tamis
