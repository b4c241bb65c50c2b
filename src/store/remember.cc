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
  Result<std::vector<NamedLine>> lines =
      ReadSettingsFile(context_.env, context_.dir);
  if (lines.ok()) {
    settings_ = *std::move(lines);
    return;
  }
  if (lines.status().code() == StatusCode::kNotFound) return;
  settings_unread_ = lines.status();
  context_.info_log.Write("settings not used: " + settings_unread_.message());
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
      SettingsFileName(context_.dir) +
      " is not a file of settings that this version writes, so nothing can be "
      "remembered there; move it away");
}

// The seed of new filters, and which others lookups hash by.
Status StoreImpl::ChooseSeeds() {
  const std::optional<std::uint64_t> remembered =
      SettingsOf(settings_).filter_seed;
  std::uint64_t seed = 0;
  if (context_.options.filter_seed == FilterSeed::kRandomPerStore) {
    if (remembered) {
      seed = *remembered;
    } else if (!context_.options.read_only && SettingsAreOurs()) {
      const std::optional<std::uint64_t> drawn = RandomSeed();
      if (drawn) {
        seed = *drawn;
        SetSettings({.filter_seed = seed}, &settings_);
        settings_changed_ = true;
      } else {
        context_.info_log.Write("the system has no random seed to give");
      }
    }
  }
  if (context_.filter != nullptr && context_.options.filter_policy == nullptr) {
    Result<std::unique_ptr<const FilterPolicy>> made =
        MakeSeededPolicy(context_.options.filter, seed);
    if (!made.ok()) return made.status();
    context_.filter = *std::move(made);
  }
  LineSeeds& seeds = context_.tables.seeds;
  seeds.own = seed;
  if (context_.filter != nullptr) {
    seeds.own = LineSeedOf(*context_.filter).value_or(seed);
  }
  seeds.other = seeds.own == 0 ? remembered.value_or(0) : 0;
  context_.wanted = WantedShape::Of(context_.options, context_.filter,
                                    context_.filters_fit, seed);
  return Status::Ok();
}

Status StoreImpl::SaveSettings(bool is_new) {
  if (is_new || context_.options.remember_settings) {
    StoreSettings now;
    if (context_.options.filter_policy == nullptr) {
      now.filter = context_.options.filter;
    } else {
      now.filter_policy = std::string(context_.options.filter_policy->name());
    }
    now.leveldb_filter_bits = context_.options.leveldb_filter_bits;
    now.compression = context_.options.compression;
    now.zstd_level = context_.options.zstd_level;
    now.block_bytes = context_.options.block_bytes;
    now.restart_interval = context_.options.restart_interval;
    now.table_bytes = context_.options.table_bytes;
    const std::string before = SettingsToText(settings_);
    SetSettings(now, &settings_);
    settings_changed_ |= SettingsToText(settings_) != before;
  }
  if (!settings_changed_ && !SettingsAreDamaged()) return Status::Ok();
  if (!SettingsAreOurs()) {
    return context_.options.remember_settings ? CannotRemember() : Status::Ok();
  }
  Status saved;
  if (SettingsAreDamaged()) {
    saved = context_.env.Rename(SettingsFileName(context_.dir),
                                DamagedSettingsFileName(context_.dir));
  }
  if (saved.ok()) {
    saved = WriteSettingsFile(context_.env, context_.dir, settings_);
  }
  if (saved.ok()) return saved;
  context_.info_log.Write("settings not remembered: " + saved.message());
  return context_.options.remember_settings ? saved : Status::Ok();
}

}  // namespace tamis
