// SPDX-License-Identifier: Apache-2.0
// c/options.h -- settings by name and text, as tamis/c.h takes them.

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/objects.h"
#include "tamis/filter.h"
#include "tamis/status.h"
#include "tamis/store_options.h"

namespace tamis {

// Each assigns what the text says.  Returns false if it says nothing such.
bool ReadSetting(std::string_view text, bool* value);
bool ReadSetting(std::string_view text, double* value);
bool ReadSetting(std::string_view text, std::string* value);
bool ReadSetting(std::string_view text, std::vector<std::string>* value);
bool ReadSetting(std::string_view text, Compression* value);
bool ReadSetting(std::string_view text, FilterUse* value);
bool ReadSetting(std::string_view text, FilterLoading* value);
bool ReadSetting(std::string_view text, FilterSeed* value);
bool ReadSetting(std::string_view text, RepeatedKeys* value);
bool ReadSignedSetting(std::string_view text, std::int64_t* value);
bool ReadUnsignedSetting(std::string_view text, std::uint64_t* value);
bool ReadSetting(std::string_view text, std::integral auto* value) {
  if constexpr (std::is_signed_v<std::remove_pointer_t<decltype(value)>>) {
    std::int64_t number = 0;
    if (!ReadSignedSetting(text, &number)) return false;
    if (!std::in_range<std::remove_pointer_t<decltype(value)>>(number)) {
      return false;
    }
    *value = static_cast<std::remove_pointer_t<decltype(value)>>(number);
  } else {
    std::uint64_t number = 0;
    if (!ReadUnsignedSetting(text, &number)) return false;
    if (!std::in_range<std::remove_pointer_t<decltype(value)>>(number)) {
      return false;
    }
    *value = static_cast<std::remove_pointer_t<decltype(value)>>(number);
  }
  return true;
}
template <typename T>
bool ReadSetting(std::string_view text, std::optional<T>* value) {
  return ReadSetting(text, &value->emplace());
}

// One option of `Target`: its name, and the function that sets it.
template <typename Target>
struct NamedSetting {
  std::string_view name;
  bool (*set)(std::string_view text, Target* target);
};

// The setting of one member.
template <typename Target, auto kMember>
constexpr NamedSetting<Target> SettingOf(std::string_view name) {
  return {name, [](std::string_view text, Target* target) {
            return ReadSetting(text, &(target->*kMember));
          }};
}

Status UnknownSetting(std::string_view name, const std::string& known);
Status BadSetting(std::string_view name, std::string_view text);

// Sets what `options` has; null: nothing.  InvalidArgument: a name is not among
// `settings`, or a text makes no sense; *target may be half set then.
template <typename Target>
Status SetFrom(const tamis_options* options,
               std::span<const NamedSetting<Target>> settings, Target* target) {
  if (options == nullptr) return Status::Ok();
  for (const auto& [name, text] : options->values) {
    const NamedSetting<Target>* found = nullptr;
    std::string known;
    for (const NamedSetting<Target>& setting : settings) {
      if (setting.name == name) found = &setting;
      if (!known.empty()) known += ", ";
      known += setting.name;
    }
    if (found == nullptr) return UnknownSetting(name, known);
    if (!found->set(text, target)) return BadSetting(name, text);
  }
  return Status::Ok();
}

// The options of tamis_store_open().
std::span<const NamedSetting<StoreOptions>> StoreSettingNames() noexcept;

}  // namespace tamis
