// SPDX-License-Identifier: Apache-2.0
// tamis/key_parts.h -- one set of keys divided by hash into parts, each with a
// filter of its own in a file of its own: for sets that are too large for one
// machine, and for kinds that cannot be merged.  Workers build the parts
// without knowing of each other; a reader asks the one part that can have a
// key. docs/formats/key-parts.md has the rule, so that any program can follow
// it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tamis/export.h"
#include "tamis/filter.h"
#include "tamis/filter_file.h"

namespace tamis {

// How keys are divided.  Equal counts divide them equally, on every machine and
// in every version.
struct KeyParts {
  // There are never more parts.
  static constexpr std::uint64_t kMaxCount = 16384;

  std::uint64_t count = 1;  // 1 to kMaxCount

  // Returns the part that a key is in, less than `count`.
  TAMIS_EXPORT std::uint64_t PartOf(Slice key) const noexcept;

  // Returns the seed that the filter of a part must have: no other part has it,
  // of this count or another, so a file in the wrong place is noticed.
  // REQUIRES: part < count
  TAMIS_EXPORT std::uint64_t SeedOf(std::uint64_t part) const noexcept;

  // Returns "part-00003-of-00016.tamis".  REQUIRES: part < count
  TAMIS_EXPORT std::string FileName(std::uint64_t part) const;
};

// A part that answers "maybe" to every key, and why.
struct MissingPart {
  std::uint64_t part = 0;  // its number
  Status status;           // why it has no filter
};

// The filters of all parts, in one folder, which answer as one filter does.
// Immutable, so safe to share among threads; files are mapped as by FilterFile.
class TAMIS_EXPORT FilterFolder : public FilterReader {
 public:
  // Opens the parts in a folder.  A part that is missing, damaged or another
  // part's answers "maybe", and missing() names it.
  // NotFound: the folder is not there, or has no parts.  InvalidArgument: it
  // has parts of different counts.  IoError: it cannot be read.
  static Result<std::unique_ptr<const FilterFolder>> Open(
      const std::string& folder, FileAccess access = FileAccess::kMap);

  // How the keys are divided.
  virtual const KeyParts& parts() const noexcept = 0;
  // The parts without a filter, in their order.
  virtual const std::vector<MissingPart>& missing() const noexcept = 0;

  // As FilterFile::status(), of any of the files.
  virtual Status status() const = 0;
};

}  // namespace tamis
