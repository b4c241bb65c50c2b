// SPDX-License-Identifier: Apache-2.0
// store/remembered_settings.h -- the settings that a store remembers: read
// before anything that depends on them, written once the store is open.  A
// fault of the file does not prevent opening, unless settings that must be
// remembered cannot be.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/named_lines.h"
#include "store/settings_file.h"
#include "store/store_context.h"
#include "tamis/status.h"

namespace tamis {

// Used by one thread, while the store is opened or closed.
class RememberedSettings {
 public:
  // REQUIRES: the context outlives this
  explicit RememberedSettings(StoreContext& context) : context_(context) {}
  RememberedSettings(const RememberedSettings&) = delete;
  RememberedSettings& operator=(const RememberedSettings&) = delete;

  // Reads the file, if there is one.  What cannot be used is reported in the
  // info log.
  void Load();
  // Returns the remembered seed.
  std::optional<std::uint64_t> filter_seed() const;
  // Returns the seed of new filters, according to the options: the remembered
  // one, a new random one that will be remembered, or 0.
  std::uint64_t ChooseSeed();
  // Writes the file if anything in it changes.  `is_new`: the store was just
  // created.  An error: something that must be remembered cannot be.
  Status Save(bool is_new);

  // How often lookups of earlier openings asked each level.
  std::optional<AskedCounts> asked() const;
  // Writes that of this opening.  Nothing is written where settings are not.
  Status SaveAsked(const AskedCounts& asked);

 private:
  void TakeOptions();
  bool FileIsOurs() const noexcept;
  bool FileIsDamaged() const noexcept;
  Status CannotRemember() const;

  StoreContext& context_;
  std::vector<NamedLine> lines_;  // as remembered, or about to be
  bool has_changed_ = false;
  Status unread_;  // why the existing file is not used
};

}  // namespace tamis
