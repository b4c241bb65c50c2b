// SPDX-License-Identifier: Apache-2.0
#include "store/version_edit.h"

#include <cassert>

#include "base/coding.h"

namespace tamis {
namespace {

// Stored in files.  LevelDB once used 8, so we must not.
enum class Tag : std::uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kRemovedFile = 6,
  kAddedFile = 7,
  kPreviousLogNumber = 9,
};

void AppendTag(std::string* dst, Tag tag) {
  AppendVarint32(dst, static_cast<std::uint32_t>(tag));
}

void AppendLevel(std::string* dst, int level) {
  assert(level >= 0 && level < kStoreLevels);
  AppendVarint32(dst, static_cast<std::uint32_t>(level));
}

void AppendNumber(std::string* dst, Tag tag,
                  const std::optional<std::uint64_t>& number) {
  if (!number.has_value()) return;
  AppendTag(dst, tag);
  AppendVarint64(dst, *number);
}

bool ReadNumber(Slice* in, std::optional<std::uint64_t>* number) {
  std::uint64_t value;
  if (!ReadVarint64(in, &value)) return false;
  *number = value;
  return true;
}

bool ReadSequence(Slice* in, std::optional<Sequence>* sequence) {
  return ReadNumber(in, sequence) && **sequence <= kMaxSequence;
}

bool ReadLevel(Slice* in, int* level) {
  std::uint32_t value;
  if (!ReadVarint32(in, &value)) return false;
  if (value >= static_cast<std::uint32_t>(kStoreLevels)) return false;
  *level = static_cast<int>(value);
  return true;
}

bool ReadInternalKey(Slice* in, std::string* key) {
  Slice bytes;
  if (!ReadLengthPrefixed(in, &bytes) || !IsInternalKey(bytes)) return false;
  *key = bytes;
  return true;
}

bool ReadComparator(Slice* in, VersionEdit* edit) {
  Slice name;
  if (!ReadLengthPrefixed(in, &name)) return false;
  edit->comparator = std::string(name);
  return true;
}

bool ReadCompactPointer(Slice* in, VersionEdit* edit) {
  std::pair<int, std::string> pointer;
  if (!ReadLevel(in, &pointer.first)) return false;
  if (!ReadInternalKey(in, &pointer.second)) return false;
  edit->compact_pointers.push_back(std::move(pointer));
  return true;
}

bool ReadRemovedFile(Slice* in, VersionEdit* edit) {
  std::pair<int, std::uint64_t> file;
  if (!ReadLevel(in, &file.first)) return false;
  if (!ReadVarint64(in, &file.second)) return false;
  edit->removed.push_back(file);
  return true;
}

bool ReadAddedFile(Slice* in, VersionEdit* edit) {
  std::pair<int, FileMetadata> file;
  FileMetadata& metadata = file.second;
  if (!ReadLevel(in, &file.first)) return false;
  if (!ReadVarint64(in, &metadata.number)) return false;
  if (!ReadVarint64(in, &metadata.bytes)) return false;
  if (!ReadInternalKey(in, &metadata.smallest)) return false;
  if (!ReadInternalKey(in, &metadata.largest)) return false;
  edit->added.push_back(std::move(file));
  return true;
}

constexpr char kUnknownTag[] = "tag (unknown)";

// Returns null, or what was not understood.
const char* ReadItem(Tag tag, Slice* in, VersionEdit* edit) {
  switch (tag) {
    case Tag::kComparator:
      return ReadComparator(in, edit) ? nullptr : "comparator's name";
    case Tag::kLogNumber:
      return ReadNumber(in, &edit->log_number) ? nullptr : "log's number";
    case Tag::kPreviousLogNumber:
      return ReadNumber(in, &edit->previous_log_number)
                 ? nullptr
                 : "previous log's number";
    case Tag::kNextFileNumber:
      return ReadNumber(in, &edit->next_file_number) ? nullptr
                                                     : "next file's number";
    case Tag::kLastSequence:
      return ReadSequence(in, &edit->last_sequence) ? nullptr
                                                    : "last sequence number";
    case Tag::kCompactPointer:
      return ReadCompactPointer(in, edit) ? nullptr : "compaction pointer";
    case Tag::kRemovedFile:
      return ReadRemovedFile(in, edit) ? nullptr : "removed file";
    case Tag::kAddedFile:
      return ReadAddedFile(in, edit) ? nullptr : "added file";
  }
  return kUnknownTag;
}

// Returns the bytes, with those that are not printable as \xNN.
std::string Printable(Slice bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\' && c != '\'') {
      text += c;
    } else {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
  }
  return text;
}

std::string KeyText(Slice key) {
  if (!IsInternalKey(key)) return "bad key '" + Printable(key) + "'";
  return "'" + Printable(UserKeyOf(key)) + "' @ " +
         std::to_string(SequenceOf(key)) +
         (TypeOf(key) == ValueType::kValue ? "" : " deleted");
}

void AddLine(std::string* text, std::string_view name,
             const std::optional<std::uint64_t>& number) {
  if (!number.has_value()) return;
  *text += name;
  *text += " " + std::to_string(*number) + "\n";
}

}  // namespace

void VersionEdit::AppendTo(std::string* dst) const {
  if (comparator.has_value()) {
    AppendTag(dst, Tag::kComparator);
    AppendLengthPrefixed(dst, *comparator);
  }
  AppendNumber(dst, Tag::kLogNumber, log_number);
  AppendNumber(dst, Tag::kPreviousLogNumber, previous_log_number);
  AppendNumber(dst, Tag::kNextFileNumber, next_file_number);
  AppendNumber(dst, Tag::kLastSequence, last_sequence);
  for (const auto& [level, key] : compact_pointers) {
    AppendTag(dst, Tag::kCompactPointer);
    AppendLevel(dst, level);
    AppendLengthPrefixed(dst, key);
  }
  for (const auto& [level, number] : removed) {
    AppendTag(dst, Tag::kRemovedFile);
    AppendLevel(dst, level);
    AppendVarint64(dst, number);
  }
  for (const auto& [level, file] : added) {
    AppendTag(dst, Tag::kAddedFile);
    AppendLevel(dst, level);
    AppendVarint64(dst, file.number);
    AppendVarint64(dst, file.bytes);
    AppendLengthPrefixed(dst, file.smallest);
    AppendLengthPrefixed(dst, file.largest);
  }
}

EditPrefix ReadEditPrefix(Slice record) {
  EditPrefix prefix;
  std::uint32_t tag = 0;
  while (ReadVarint32(&record, &tag)) {
    const char* const wrong = ReadItem(Tag{tag}, &record, &prefix.edit);
    if (wrong == nullptr) continue;
    if (wrong == kUnknownTag) prefix.unknown_tag = tag;
    break;
  }
  return prefix;
}

Result<VersionEdit> VersionEdit::Parse(Slice record) {
  VersionEdit edit;
  for (Slice rest = record; !rest.empty();) {
    const std::size_t at = record.size() - rest.size();
    std::uint32_t tag = 0;  // stays unknown if it cannot be read
    static_cast<void>(ReadVarint32(&rest, &tag));
    const char* const wrong = ReadItem(Tag{tag}, &rest, &edit);
    if (wrong != nullptr) {
      return Status::Corruption("manifest: a " + std::string(wrong) +
                                " that is not understood, at byte " +
                                std::to_string(at) + " of a record");
    }
  }
  return edit;
}

std::string VersionEdit::ToText() const {
  std::string text;
  if (comparator.has_value()) text += "comparator " + *comparator + "\n";
  AddLine(&text, "log", log_number);
  AddLine(&text, "previous log", previous_log_number);
  AddLine(&text, "next file", next_file_number);
  AddLine(&text, "last sequence", last_sequence);
  for (const auto& [level, key] : compact_pointers) {
    text += "compact pointer, level " + std::to_string(level) + ": " +
            KeyText(key) + "\n";
  }
  for (const auto& [level, number] : removed) {
    text += "removed, level " + std::to_string(level) + ": file " +
            std::to_string(number) + "\n";
  }
  for (const auto& [level, file] : added) {
    text += "added, level " + std::to_string(level) + ": file " +
            std::to_string(file.number) + ", " + std::to_string(file.bytes) +
            " bytes, " + KeyText(file.smallest) + " to " +
            KeyText(file.largest) + "\n";
  }
  return text;
}

}  // namespace tamis
