// SPDX-License-Identifier: Apache-2.0
#include "store/named_files.h"

#include <cstdint>
#include <optional>
#include <set>

#include "store/file_names.h"

namespace tamis {

MissingFiles FindMissingFiles(const ManifestState& state,
                              const std::string& dir,
                              const std::vector<std::string>& names) {
  std::set<std::uint64_t> tables;
  std::set<std::uint64_t> logs;
  for (const std::string& name : names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed) continue;
    if (parsed->type == FileType::kTable) tables.insert(parsed->number);
    if (parsed->type == FileType::kLog) logs.insert(parsed->number);
  }
  MissingFiles missing;
  for (const auto& level : state.files) {
    for (const FileMetadata& metadata : level) {
      if (tables.contains(metadata.number)) continue;
      missing.tables.push_back(TableFileName(dir, metadata.number));
    }
  }
  if (state.log_number != 0 && !logs.contains(state.log_number)) {
    missing.log = LogFileName(dir, state.log_number);
  }
  missing.has_unnamed_tables = !UnnamedTables(state, names).empty();
  return missing;
}

std::string WordsForMissingLog(const MissingFiles& missing) {
  const std::string words =
      missing.log + ": the manifest names it, and it is missing";
  if (!missing.has_unnamed_tables) return words;
  return words +
         ", while there are tables that the manifest does not name: it seems "
         "to be old, or cut off; repair the store";
}

std::vector<std::string> UnnamedTables(const ManifestState& state,
                                       const std::vector<std::string>& names) {
  std::vector<std::string> unnamed;
  for (const std::string& name : names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (parsed && parsed->type == FileType::kTable &&
        !state.named.contains(parsed->number)) {
      unnamed.push_back(name);
    }
  }
  return unnamed;
}

}  // namespace tamis
