// SPDX-License-Identifier: Apache-2.0
#include "sstable/manifest.h"

#include <limits>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "sstable/manifest_tags.h"
#include "store/log_reader.h"

namespace tamis {
namespace {

constexpr std::uint32_t kMaxLevel = 255;

// One record.
struct Edit {
  std::uint32_t family = 0;
  bool adds_family = false;
  bool drops_family = false;
  std::string family_name;
  std::string comparator;
  bool has_blob_files = false;
  std::uint64_t next_file_number = 0;  // 0: it has none
  std::vector<std::pair<std::uint32_t, std::uint64_t>> removed;  // level, file
  std::vector<std::pair<std::uint64_t, ManifestTable>> added;
};

// Reads the tags of one record.
class EditParser {
 public:
  explicit EditParser(Slice record) : in_(record) {}

  // Returns "" or what is wrong.
  std::string Parse(Edit* edit) {
    std::uint32_t tag;
    while (!in_.empty()) {
      if (!ReadVarint32(&in_, &tag)) return "a tag is cut off";
      if (!ParseOne(tag, edit)) {
        return unknown_ ? "tag " + std::to_string(tag) + " is unknown"
                        : "tag " + std::to_string(tag) + " is cut off";
      }
    }
    return "";
  }

 private:
  bool ParseOne(std::uint32_t tag, Edit* edit);
  bool ParseNewFile(std::uint32_t tag, Edit* edit);
  bool ParseFields(ManifestTable* table);
  bool Number() {
    std::uint64_t ignored;
    return ReadVarint64(&in_, &ignored);
  }
  bool Text(std::string* text) {
    Slice value;
    if (!ReadLengthPrefixed(&in_, &value)) return false;
    *text = std::string(value);
    return true;
  }
  bool Level(std::uint32_t* level) {
    return ReadVarint32(&in_, level) && *level <= kMaxLevel;
  }
  bool Unknown() {
    unknown_ = true;
    return false;
  }

  Slice in_;
  bool unknown_ = false;
};

bool EditParser::ParseOne(std::uint32_t tag, Edit* edit) {
  std::uint32_t level;
  std::string ignored;
  switch (tag) {
    case kComparatorTag:
      return Text(&edit->comparator);
    case kNextFileTag:
      return ReadVarint64(&in_, &edit->next_file_number);
    case kLogNumberTag:
    case kLastSequenceTag:
    case kPreviousLogTag:
    case kMinLogToKeepTag:
    case kMaxFamilyTag:
    case kAtomicGroupTag:
      return Number();
    case kCompactPointerTag:
      return Level(&level) && Text(&ignored);
    case kDeletedFileTag: {
      std::uint64_t file;
      if (!Level(&level) || !ReadVarint64(&in_, &file)) return false;
      edit->removed.emplace_back(level, file);
      return true;
    }
    case kNewFileTag:
    case kNewFile2Tag:
    case kNewFile3Tag:
    case kNewFile4Tag:
      return ParseNewFile(tag, edit);
    case kFamilyTag:
      return ReadVarint32(&in_, &edit->family);
    case kFamilyAddTag:
      edit->adds_family = true;
      return Text(&edit->family_name);
    case kFamilyDropTag:
      edit->drops_family = true;
      return true;
    case kBlobFileAdditionTag:  // number, blobs, bytes, method and checksum
      edit->has_blob_files = true;
      return Number() && Number() && Number() && Text(&ignored) &&
             Text(&ignored) && ParseFields(nullptr);
    case kBlobFileGarbageTag:  // number, blobs, bytes
      return Number() && Number() && Number() && ParseFields(nullptr);
    default:
      return (tag & kSkippableTag) != 0 ? Text(&ignored) : Unknown();
  }
}

bool EditParser::ParseNewFile(std::uint32_t tag, Edit* edit) {
  std::uint32_t level;
  std::uint64_t number;
  ManifestTable table;
  if (!Level(&level) || !ReadVarint64(&in_, &number)) return false;
  table.level = static_cast<int>(level);
  if (tag == kNewFile3Tag && !ReadVarint32(&in_, &table.path_id)) return false;
  if (!ReadVarint64(&in_, &table.bytes) || !Text(&table.smallest) ||
      !Text(&table.largest)) {
    return false;
  }
  // The sequence numbers.
  if (tag != kNewFileTag &&
      (!Number() || !ReadVarint64(&in_, &table.largest_sequence))) {
    return false;
  }
  if (tag == kNewFile4Tag && !ParseFields(&table)) return false;
  edit->added.emplace_back(number, std::move(table));
  return true;
}

// Fields of a number and a value each, up to the last one.
bool EditParser::ParseFields(ManifestTable* table) {
  std::uint32_t field;
  while (ReadVarint32(&in_, &field)) {
    if (field == kLastFieldTag) return true;
    // Of a blob file, 0 is the last field.
    if (table == nullptr && field == 0) return true;
    Slice value;
    if (!ReadLengthPrefixed(&in_, &value)) return false;
    if (table == nullptr) continue;
    if (field == kPathIdField) {
      if (value.size() != 1) return false;
      table->path_id = ByteAt(value, 0);
    } else if ((field & kUnskippableField) != 0) {
      return Unknown();
    }
  }
  return false;
}

void Apply(Edit edit, LevelManifest* manifest) {
  if (edit.adds_family) {
    manifest->families[edit.family] = std::move(edit.family_name);
  }
  if (edit.drops_family) {
    manifest->families.erase(edit.family);
    std::erase_if(manifest->tables, [&](const auto& row) {
      return row.second.family == edit.family;
    });
  }
  if (!edit.comparator.empty() && edit.family == 0) {
    manifest->comparator = std::move(edit.comparator);
  }
  manifest->has_blob_files |= edit.has_blob_files;
  if (edit.next_file_number != 0) {
    manifest->next_file_number = edit.next_file_number;
  }
  for (const auto& [level, file] : edit.removed) {
    const auto found = manifest->tables.find(file);
    // A table that moves is removed from one level and added to the next.
    if (found != manifest->tables.end() &&
        found->second.level == static_cast<int>(level)) {
      manifest->tables.erase(found);
    }
  }
  for (auto& [number, table] : edit.added) {
    table.family = edit.family;
    manifest->tables[number] = std::move(table);
  }
}

Result<std::string> ReadWhole(Env& env, const std::string& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  const auto file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const std::uint64_t size = (*file)->size();
  if (size > kMaxBytes) {
    return Status::ResourceExhausted(path +
                                     ": offset 0: it is longer than "
                                     "1 GiB, as no manifest is");
  }
  std::string scratch;
  const auto read = (*file)->Read(0, static_cast<std::size_t>(size), &scratch);
  if (!read.ok()) return read.status();
  return std::string(*read);
}

}  // namespace

LevelManifest ParseLevelManifest(Slice contents) {
  LevelManifest manifest;
  LogReader reader(contents);
  Slice record;
  while (reader.Next(&record)) {
    Edit edit;
    const std::string wrong = EditParser(record).Parse(&edit);
    if (!wrong.empty() && manifest.damage.empty()) {
      manifest.damage = "the record that ends at offset " +
                        std::to_string(reader.end_of_record()) +
                        " is not understood: " + wrong;
    }
    if (wrong.empty()) Apply(std::move(edit), &manifest);
  }
  if (manifest.damage.empty()) manifest.damage = reader.damage();
  return manifest;
}

Result<LevelManifest> ReadLevelManifest(const std::string& dir, Env& env) {
  Result<std::string> current = ReadWhole(env, dir + "/CURRENT");
  if (!current.ok()) return current.status();
  while (!current->empty() && current->back() == '\n') current->pop_back();
  if (!current->starts_with("MANIFEST-") ||
      current->find('/') != std::string::npos) {
    return Status::Corruption(dir +
                              "/CURRENT: offset 0: it does not name a "
                              "manifest");
  }
  const std::string path = dir + "/" + *current;
  const Result<std::string> contents = ReadWhole(env, path);
  if (!contents.ok()) return contents.status();
  LevelManifest manifest = ParseLevelManifest(*contents);
  if (!manifest.damage.empty()) {
    manifest.damage = path + ": " + manifest.damage;
  }
  return manifest;
}

}  // namespace tamis
