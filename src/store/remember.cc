// What a store remembers of its settings: read before anything that depends on
// it, written once the store is open.  No fault of the file stops opening, but
// for one that keeps from being remembered what the options say is to be.

#include <utility>

#include "base/random_seed.h"
#include "policy/table_policy.h"
#include "store/settings_file.h"
#include "store/store_impl.h"

namespace tamis {

void StoreImpl::LoadSettings() {
  Result<std::vector<NamedLine>> lines = ReadSettingsFile(env_, dir_);
  if (lines.ok()) {
    settings_ = *std::move(lines);
    return;
  }
  if (lines.status().code() == StatusCode::kNotFound) return;
  settings_unread_ = lines.status();
  info_log_->Write("settings not used: " + settings_unread_.message());
}

// True: the file is not there, or one that we may write.
bool StoreImpl::SettingsAreOurs() const noexcept {
  return settings_unread_.ok() || SettingsAreDamaged();
}
bool StoreImpl::SettingsAreDamaged() const noexcept {
  return settings_unread_.code() == StatusCode::kCorruption;
}

// Why nothing can be remembered in a file that is not ours.
Status StoreImpl::CannotRemember() const {
  if (settings_unread_.code() != StatusCode::kNotSupported) {
    return Status(
        settings_unread_.code(),
        settings_unread_.message() + "; so nothing can be remembered there");
  }
  return Status::NotSupported(
      SettingsFileName(dir_) +
      " is not a file of settings that this version writes, so nothing can be "
      "remembered there; move it away");
}

// The seed of new filters, and which others lookups hash by.
Status StoreImpl::ChooseSeeds() {
  const std::optional<std::uint64_t> remembered =
      SettingsOf(settings_).filter_seed;
  std::uint64_t seed = 0;
  if (options_.filter_seed == FilterSeed::kRandomPerStore) {
    if (remembered) {
      seed = *remembered;
    } else if (!options_.read_only && SettingsAreOurs()) {
      const std::optional<std::uint64_t> drawn = RandomSeed();
      if (drawn) {
        seed = *drawn;
        SetSettings({.filter_seed = seed}, &settings_);
        settings_changed_ = true;
      } else {
        info_log_->Write("the system has no random seed to give");
      }
    }
  }
  if (filter_ != nullptr && options_.filter_policy == nullptr) {
    Result<std::unique_ptr<const FilterPolicy>> made =
        MakeSeededPolicy(options_.filter, seed);
    if (!made.ok()) return made.status();
    filter_ = *std::move(made);
  }
  LineSeeds& seeds = table_context_.seeds;
  seeds.own = seed;
  if (filter_ != nullptr) {
    seeds.own = LineSeedOf(*filter_).value_or(seed);
  }
  seeds.other = seeds.own == 0 ? remembered.value_or(0) : 0;
  wanted_ = WantedShape::Of(options_, filter_, filters_fit_, seed);
  return Status::Ok();
}

Status StoreImpl::SaveSettings(bool is_new) {
  if (is_new || options_.remember_settings) {
    StoreSettings now;
    if (options_.filter_policy == nullptr) {
      now.filter = options_.filter;
    } else {
      now.filter_policy = std::string(options_.filter_policy->name());
    }
    now.leveldb_filter_bits = options_.leveldb_filter_bits;
    now.compression = options_.compression;
    now.zstd_level = options_.zstd_level;
    now.block_bytes = options_.block_bytes;
    now.restart_interval = options_.restart_interval;
    now.table_bytes = options_.table_bytes;
    const std::string before = SettingsToText(settings_);
    SetSettings(now, &settings_);
    settings_changed_ |= SettingsToText(settings_) != before;
  }
  if (!settings_changed_ && !SettingsAreDamaged()) return Status::Ok();
  if (!SettingsAreOurs()) {
    return options_.remember_settings ? CannotRemember() : Status::Ok();
  }
  Status saved;
  if (SettingsAreDamaged()) {
    saved = env_.Rename(SettingsFileName(dir_), DamagedSettingsFileName(dir_));
  }
  if (saved.ok()) {
    saved = WriteSettingsFile(env_, dir_, settings_);
  }
  if (saved.ok()) return saved;
  info_log_->Write("settings not remembered: " + saved.message());
  return options_.remember_settings ? saved : Status::Ok();
}

}  // namespace tamis
