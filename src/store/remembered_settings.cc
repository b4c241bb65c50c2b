// SPDX-License-Identifier: Apache-2.0
#include "store/remembered_settings.h"

#include <string>
#include <utility>

#include "base/random_seed.h"
#include "store/settings_file.h"

namespace tamis {

void RememberedSettings::Load() {
  Result<std::vector<NamedLine>> lines =
      ReadSettingsFile(context_.env, context_.dir);
  if (lines.ok()) {
    lines_ = *std::move(lines);
    return;
  }
  if (lines.status().code() == StatusCode::kNotFound) return;
  unread_ = lines.status();
  context_.info_log.Write("settings not used: " + unread_.message());
}

// Returns true if there is no file, or one that we may write.
bool RememberedSettings::FileIsOurs() const noexcept {
  return unread_.ok() || FileIsDamaged();
}
bool RememberedSettings::FileIsDamaged() const noexcept {
  return unread_.code() == StatusCode::kCorruption;
}

// Returns why nothing can be remembered in a file that is not ours.
Status RememberedSettings::CannotRemember() const {
  if (unread_.code() != StatusCode::kNotSupported) {
    return unread_.WithMessage(unread_.message() +
                               "; so nothing can be remembered there");
  }
  return Status::NotSupported(
      SettingsFileName(context_.dir) +
      " is not a file of settings that this version writes, so nothing can be "
      "remembered there; move it away");
}

std::optional<std::uint64_t> RememberedSettings::filter_seed() const {
  return SettingsOf(lines_).filter_seed;
}

std::uint64_t RememberedSettings::ChooseSeed() {
  if (context_.options.filter_seed != FilterSeed::kRandomPerStore) return 0;
  if (const std::optional<std::uint64_t> remembered = filter_seed()) {
    return *remembered;
  }
  if (context_.options.read_only || !FileIsOurs()) return 0;
  const std::optional<std::uint64_t> drawn = RandomSeed();
  if (!drawn) {
    context_.info_log.Write("the system has no random seed");
    return 0;
  }
  SetSettings({.filter_seed = *drawn}, &lines_);
  has_changed_ = true;
  return *drawn;
}

// Makes the options the settings to remember.
void RememberedSettings::TakeOptions() {
  const StoreOptions& options = context_.options;
  StoreSettings now;
  if (options.filter_policy == nullptr) {
    now.filter = options.filter;
  } else {
    now.filter_policy = std::string(options.filter_policy->name());
  }
  now.filter_per_level = options.filter_per_level;
  now.filter_memory_bytes = options.filter_memory_bytes;
  const bool has_own_size =
      options.filter_parts_above != StoreOptions().filter_parts_above;
  if (has_own_size) now.filter_parts_above = options.filter_parts_above;
  now.leveldb_filter_bits = options.leveldb_filter_bits;
  if (options.block_filter_bits != 0) {
    now.block_filter_bits = options.block_filter_bits;
  }
  if (options.range_filter_bits != 0) {
    now.range_filter_bits = options.range_filter_bits;
  }
  if (options.custom_prefix_extractor != nullptr) {
    now.custom_prefix_extractor =
        std::string(options.custom_prefix_extractor->name());
  } else if (!options.prefix_extractor.empty()) {
    now.prefix_extractor = options.prefix_extractor;
  }
  const bool has_prefixes = now.custom_prefix_extractor || now.prefix_extractor;
  now.compression = options.compression;
  now.zstd_level = options.zstd_level;
  now.block_bytes = options.block_bytes;
  now.restart_interval = options.restart_interval;
  now.table_bytes = options.table_bytes;
  const std::string before = SettingsToText(lines_);
  SetSettings(now, &lines_);
  if (!now.filter_memory_bytes) RemoveSetting(kFilterMemorySetting, &lines_);
  if (!now.block_filter_bits) RemoveSetting(kBlockFilterBitsSetting, &lines_);
  if (!now.range_filter_bits) RemoveSetting(kRangeFilterBitsSetting, &lines_);
  if (!has_prefixes) RemoveSetting(kPrefixExtractorSetting, &lines_);
  if (!has_own_size) RemoveSetting(kFilterPartsSetting, &lines_);
  has_changed_ |= SettingsToText(lines_) != before;
}

std::optional<AskedCounts> RememberedSettings::asked() const {
  return AskedIn(lines_);
}

Status RememberedSettings::SaveAsked(const AskedCounts& asked) {
  // If settings could not be written before, they are not now.
  if (context_.options.read_only || !FileIsOurs() || FileIsDamaged()) {
    return Status::Ok();
  }
  SetAsked(asked, &lines_);
  return WriteSettingsFile(context_.env, context_.dir, lines_);
}

Status RememberedSettings::Save(bool is_new) {
  const bool must_save = context_.options.remember_settings;
  if (is_new || must_save) TakeOptions();
  if (!has_changed_ && !FileIsDamaged()) return Status::Ok();
  if (!FileIsOurs()) return must_save ? CannotRemember() : Status::Ok();
  Status saved;
  if (FileIsDamaged()) {
    saved = context_.env.Rename(SettingsFileName(context_.dir),
                                DamagedSettingsFileName(context_.dir));
  }
  if (saved.ok()) {
    saved = WriteSettingsFile(context_.env, context_.dir, lines_);
  }
  if (saved.ok()) return saved;
  context_.info_log.Write("settings not remembered: " + saved.message());
  return must_save ? saved : Status::Ok();
}

}  // namespace tamis
