// SPDX-License-Identifier: Apache-2.0
// tamis/c.h: the version, codes, policies and builders.
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/huge_pages.h"
#include "c/calls.h"
#include "c/objects.h"
#include "c/options.h"

namespace tamis {
namespace {

constexpr NamedSetting<BuildOptions> kBuildSettings[] = {
    SettingOf<BuildOptions, &BuildOptions::memory_bytes>("memory_bytes"),
    SettingOf<BuildOptions, &BuildOptions::temporary_folder>(
        "temporary_folder"),
    SettingOf<BuildOptions, &BuildOptions::threads>("threads"),
    SettingOf<BuildOptions, &BuildOptions::repeats>("repeats"),
    SettingOf<BuildOptions, &BuildOptions::exact_keys>("exact_keys"),
};

// A key that could not be added would be hidden, so the builder must then fail.
template <typename Keys>
void AddAll(tamis_builder* builder, std::size_t count, Keys keys) noexcept {
  const bool added = Try([&] {
    ForPieces(count, keys, [&](std::span<const Slice> piece, std::size_t) {
      builder->builder->AddMany(piece);
    });
  });
  if (!added) builder->is_out_of_memory = true;
}

}  // namespace
}  // namespace tamis

extern "C" {

const char* tamis_version() {
  return "0.5.0";  // a test compares it with the version of the package
}

const char* tamis_code_name(int code) {
  if (code < TAMIS_OK || code > TAMIS_FILTER_FULL) return "unknown";
  // The names are literals, which end with '\0'.
  return tamis::StatusCodeName(static_cast<tamis::StatusCode>(code)).data();
}

void tamis_use_allocator(void* (*allocate)(size_t bytes),
                         void (*release)(void* memory)) {
  tamis::UseMemorySource({.allocate = allocate, .release = release});
}

void tamis_free(void* memory) { std::free(memory); }

int tamis_policy_create(const char* spec, tamis_policy** policy,
                        char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    auto made = tamis::MakePolicy(spec);
    if (!made.ok()) return made.status();
    auto result = std::make_unique<tamis_policy>();
    result->name = std::string((*made)->name());
    result->policy = *std::move(made);
    *policy = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_policy_destroy(tamis_policy* policy) { delete policy; }

const char* tamis_policy_name(const tamis_policy* policy) {
  return policy->name.c_str();
}

int tamis_policy_predict(const tamis_policy* policy, uint64_t keys,
                         uint64_t* bytes, double* rate, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    const tamis::Estimate estimate = policy->policy->Predict(keys);
    if (!estimate.status.ok()) return estimate.status;
    if (bytes != nullptr) *bytes = estimate.bytes;
    if (rate != nullptr) *rate = estimate.false_positive_rate;
    return tamis::Status::Ok();
  });
}

double tamis_policy_rate_at(const tamis_policy* policy, uint64_t planned_keys,
                            uint64_t keys) {
  return policy->policy->RateAt(planned_keys, keys);
}

int tamis_builder_create(const tamis_policy* policy,
                         const tamis_options* options, tamis_builder** builder,
                         char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::BuildOptions build;
    tamis::Status set = tamis::SetFrom<tamis::BuildOptions>(
        options, tamis::kBuildSettings, &build);
    if (!set.ok()) return set;
    auto result = std::make_unique<tamis_builder>();
    result->policy = policy->policy;
    result->builder = policy->policy->NewBuilder(build);
    *builder = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_builder_destroy(tamis_builder* builder) { delete builder; }

void tamis_builder_add(tamis_builder* builder, const char* key, size_t length) {
  const bool added =
      tamis::Try([&] { builder->builder->Add(tamis::SliceOf(key, length)); });
  if (!added) builder->is_out_of_memory = true;
}

void tamis_builder_add_many(tamis_builder* builder, const char* const* keys,
                            const size_t* lengths, size_t count) {
  tamis::AddAll(builder, count, tamis::PairedKeys{keys, lengths});
}

void tamis_builder_add_fixed(tamis_builder* builder, const void* keys,
                             size_t width, size_t stride, size_t count) {
  tamis::AddAll(builder, count, tamis::FixedKeys{keys, width, stride});
}

int tamis_builder_finish(tamis_builder* builder, char** bytes, size_t* length,
                         char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    if (builder->is_out_of_memory) return tamis::OutOfMemory();
    std::string filter;
    tamis::Status finished = builder->builder->Finish(&filter);
    if (!finished.ok()) return finished;
    return tamis::CopyOut(filter, bytes, length);
  });
}

int tamis_builder_counted_keys(const tamis_builder* builder, uint64_t* keys) {
  const auto counted = builder->builder->counted_keys();
  if (!counted.has_value()) return 0;
  *keys = *counted;
  return 1;
}

}  // extern "C"
