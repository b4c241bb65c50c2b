// SPDX-License-Identifier: Apache-2.0
#include "formats/cassandra/version.h"

#include <algorithm>
#include <array>

namespace tamis {
namespace {

struct KnownVersion {
  std::string_view version;
  CassandraEra era;
};

// Exact names, not ranges: a future version may change the rules, and reading
// it by the wrong ones would hide keys.  ms and mt are ScyllaDB's.
constexpr std::array kVersions = {
    KnownVersion{"f", CassandraEra::kMurmur2},
    KnownVersion{"g", CassandraEra::kMurmur2},
    KnownVersion{"h", CassandraEra::kMurmur2},
    KnownVersion{"ha", CassandraEra::kMurmur2},
    KnownVersion{"hb", CassandraEra::kMurmur2},
    KnownVersion{"hc", CassandraEra::kMurmur2},
    KnownVersion{"hd", CassandraEra::kMurmur2},
    KnownVersion{"he", CassandraEra::kMurmur2},
    KnownVersion{"hf", CassandraEra::kMurmur2},
    KnownVersion{"ia", CassandraEra::kMurmur3},
    KnownVersion{"ib", CassandraEra::kMurmur3},
    KnownVersion{"ic", CassandraEra::kMurmur3},
    KnownVersion{"ja", CassandraEra::kMurmur3},
    KnownVersion{"jb", CassandraEra::kMurmur3},
    KnownVersion{"ka", CassandraEra::kMurmur3},
    KnownVersion{"la", CassandraEra::kMurmur3},
    KnownVersion{"lb", CassandraEra::kMurmur3},
    KnownVersion{"ma", CassandraEra::kSwapped},
    KnownVersion{"mb", CassandraEra::kSwapped},
    KnownVersion{"mc", CassandraEra::kSwapped},
    KnownVersion{"md", CassandraEra::kSwapped},
    KnownVersion{"me", CassandraEra::kSwapped},
    KnownVersion{"ms", CassandraEra::kSwapped},
    KnownVersion{"mt", CassandraEra::kSwapped},
    KnownVersion{"na", CassandraEra::kNativeOrder},
    KnownVersion{"nb", CassandraEra::kNativeOrder},
    KnownVersion{"nc", CassandraEra::kNativeOrder},
    KnownVersion{"oa", CassandraEra::kNativeOrder},
    KnownVersion{"da", CassandraEra::kNativeOrder},
};

constexpr std::string_view kFirstVersionOfNewNames = "la";

bool LooksLikeVersion(std::string_view text) noexcept {
  return (text.size() == 1 || text.size() == 2) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 'a' && c <= 'z'; });
}

// Removes the part after the last '-' from *text and returns it.
std::string_view CutLastPart(std::string_view* text) noexcept {
  const std::size_t dash = text->rfind('-');
  const std::string_view part =
      dash == std::string_view::npos ? *text : text->substr(dash + 1);
  *text = dash == std::string_view::npos ? std::string_view()
                                         : text->substr(0, dash);
  return part;
}

bool IsNumber(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

}  // namespace

std::optional<CassandraEra> CassandraEraOf(std::string_view version) noexcept {
  for (const KnownVersion& known : kVersions) {
    if (known.version == version) return known.era;
  }
  return std::nullopt;
}

std::string_view CassandraVersionIn(std::string_view file_name) noexcept {
  constexpr std::string_view kEnding = "-Filter.db";
  if (!file_name.ends_with(kEnding)) return {};
  std::string_view rest =
      file_name.substr(0, file_name.size() - kEnding.size());
  const std::string_view last = CutLastPart(&rest);
  const std::string_view middle = CutLastPart(&rest);
  // Since 2.2: version-generation-format.
  if (last == "big" || last == "bti") {
    return LooksLikeVersion(rest) ? rest : std::string_view();
  }
  // Before, that is up to version ka: [keyspace-]table-version-generation.
  const std::optional<CassandraEra> era = CassandraEraOf(middle);
  const bool known_then = era.has_value() && *era <= CassandraEra::kMurmur3 &&
                          middle < kFirstVersionOfNewNames;
  return IsNumber(last) && !rest.empty() && known_then ? middle
                                                       : std::string_view();
}

}  // namespace tamis
