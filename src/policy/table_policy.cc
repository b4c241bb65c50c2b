// SPDX-License-Identifier: Apache-2.0
#include "policy/table_policy.h"

#include <array>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "formats/tamis/line_view.h"
#include "tamis/policy_settings.h"

namespace tamis {
namespace {

Status Unfit(const std::string& what) { return Status::InvalidArgument(what); }

Status Build(const FilterPolicy& policy, std::size_t keys, std::string* bytes) {
  const std::unique_ptr<FilterBuilder> builder = policy.NewBuilder();
  if (builder == nullptr) return Unfit("it makes no builder");
  for (std::size_t i = 0; i < keys; ++i) {
    builder->Add("key " + std::to_string(i));
  }
  return builder->Finish(bytes);
}

Status TrySize(const FilterPolicy& policy, std::size_t keys) {
  const std::string of_keys =
      " filter of " + std::to_string(keys) + (keys == 1 ? " key" : " keys");
  std::string bytes;
  if (Status built = Build(policy, keys, &bytes); !built.ok()) {
    const bool is_unfit = built.code() != StatusCode::kResourceExhausted;
    return Status(is_unfit ? StatusCode::kInvalidArgument : built.code(),
                  "no" + of_keys + " can be built: " + built.message());
  }
  const auto reader = policy.Open(bytes);
  if (reader.status().code() == StatusCode::kResourceExhausted) {
    return reader.status();
  }
  if (!reader.ok() || *reader == nullptr) {
    return Unfit("its own" + of_keys +
                 " does not open: " + reader.status().message());
  }
  for (std::size_t i = 0; i < keys; ++i) {
    if (!reader->MayContain("key " + std::to_string(i))) {
      return Unfit("its own" + of_keys + " denies one that was added");
    }
  }
  return Status::Ok();
}

// Returns the filter of one key; empty: it cannot be built.
std::string OfOneKey(const FilterPolicy& policy) {
  std::string bytes;
  try {
    if (!Build(policy, 1, &bytes).ok()) bytes.clear();
  } catch (const std::exception&) {
    bytes.clear();
  }
  return bytes;
}

}  // namespace

Status CheckFitsTables(std::string_view text) {
  const Result<PolicySettings> settings = ParsePolicy(text);
  if (!settings.ok()) return settings.status();
  if (settings->prefix_extractor) {
    return Unfit(
        "prefixes of a store's keys are an option of their own, "
        "prefix_extractor; leave \"prefix:\" out here");
  }
  if (!settings->bits.has_value()) return Status::Ok();
  const std::string& name = settings->name;
  return Unfit(
      "m is one size for tables of any number of keys; give bits per key, as "
      "in \"" +
      name + ":10\", or a rate, as in \"" + name + ":fpr=0.01\"");
}

Status TryPolicy(const FilterPolicy& policy) {
  // The second and third may be more than a fixed size holds.
  constexpr std::array<std::size_t, 3> kSizes = {1, 20, 300};
  try {
    for (const std::size_t keys : kSizes) {
      if (Status fits = TrySize(policy, keys); !fits.ok()) return fits;
    }
  } catch (const std::bad_alloc&) {
    return Status::ResourceExhausted("no memory to try it");
  } catch (const std::exception& thrown) {
    return Unfit(std::string("it throws: ") + thrown.what());
  }
  return Status::Ok();
}

std::string KindOf(const FilterPolicy& policy) {
  const std::string bytes = OfOneKey(policy);
  const auto reader = policy.Open(bytes);
  return reader.ok() ? reader->Describe().kind : std::string();
}

std::optional<std::uint64_t> LineSeedOf(const FilterPolicy& policy) {
  const std::string bytes = OfOneKey(policy);
  const std::optional<LineView> lines = ViewLines(bytes);
  return lines ? std::optional(lines->seed) : std::nullopt;
}

}  // namespace tamis
