// SPDX-License-Identifier: Apache-2.0
// store/remembered_settings.h -- what a store remembers of its settings: read
// before anything that depends on it, written once the store is open.  No fault
// of the file stops opening, but for one that keeps from being remembered what
// the options say is to be.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/named_lines.h"
#include "store/store_context.h"
#include "tamis/status.h"

namespace tamis {

// Used by one thread, while the store is opened.
class RememberedSettings {
 public:
  // REQUIRES: the context outlives this
  explicit RememberedSettings(StoreContext& context) : context_(context) {}
  RememberedSettings(const RememberedSettings&) = delete;
  RememberedSettings& operator=(const RememberedSettings&) = delete;

  // Reads the file, if there is one.  What cannot be used is noted in the info
  // log.
  void Load();
  // The seed that is remembered.
  std::optional<std::uint64_t> filter_seed() const;
  // The seed of new filters: the one that is remembered, or one that is drawn
  // and will be, or 0, as the options say.
  std::uint64_t ChooseSeed();
  // Writes the file if anything in it is to change.  `is_new`: the store was
  // made just now.  An error: something cannot be remembered that must be.
  Status Save(bool is_new);

 private:
  void TakeOptions();
  bool FileIsOurs() const noexcept;
  bool FileIsDamaged() const noexcept;
  Status CannotRemember() const;

  StoreContext& context_;
  std::vector<NamedLine> lines_;  // as remembered, or about to be
  bool has_changed_ = false;
  Status unread_;  // why the file that is there is not used
};

}  // namespace tamis
