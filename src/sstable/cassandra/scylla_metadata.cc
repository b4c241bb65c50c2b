// SPDX-License-Identifier: Apache-2.0
#include "sstable/cassandra/scylla_metadata.h"

#include <cstdint>

#include "base/coding.h"

namespace tamis {
namespace {

// Entries of a tag, a length and so many bytes.
constexpr std::size_t kHeadBytes = 8;
constexpr std::uint32_t kLastKnownTag = 11;
constexpr std::uint32_t kComponentDigests = 12;

}  // namespace

std::string WhyFilterIsBound(Slice scylla_db) {
  constexpr std::string_view kNotUnderstood =
      "its Scylla.db is not understood, and may have checksums of components";
  if (scylla_db.size() < sizeof(std::uint32_t)) {
    return std::string(kNotUnderstood);
  }
  const auto count = LoadBig<std::uint32_t>(scylla_db.data());
  scylla_db.remove_prefix(sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (scylla_db.size() < kHeadBytes) return std::string(kNotUnderstood);
    const auto tag = LoadBig<std::uint32_t>(scylla_db.data());
    const auto bytes = LoadBig<std::uint32_t>(scylla_db.data() + 4);
    if (tag == kComponentDigests) {
      return "its Scylla.db has checksums of the components: it and Filter.db "
             "would have to change at the same moment, and an sstable of that "
             "kind was never at hand to try it; ScyllaDB rewrites filters by "
             "nodetool upgradesstables";
    }
    if (tag > kLastKnownTag) {
      return "its Scylla.db has metadata of the unknown kind " +
             std::to_string(tag);
    }
    if (scylla_db.size() - kHeadBytes < bytes) {
      return std::string(kNotUnderstood);
    }
    scylla_db.remove_prefix(kHeadBytes + bytes);
  }
  return scylla_db.empty() ? "" : std::string(kNotUnderstood);
}

}  // namespace tamis
