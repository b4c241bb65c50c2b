// SPDX-License-Identifier: Apache-2.0
// tamis/c.h: filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "c/calls.h"
#include "c/objects.h"
#include "c/options.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

struct OpenFileOptions {
  std::string format;
  std::string access = "map";
};

constexpr NamedSetting<OpenFileOptions> kOpenFileSettings[] = {
    SettingOf<OpenFileOptions, &OpenFileOptions::format>("format"),
    SettingOf<OpenFileOptions, &OpenFileOptions::access>("access"),
};

// Returns the policy for bytes whose format nobody named.
Result<std::shared_ptr<const FilterPolicy>> Recognised(Slice bytes) {
  const RecognisedFormat found = RecogniseFormat("", bytes);
  if (found.certainty == Certainty::kUnknown) {
    return Status::InvalidArgument("not recognised as a filter (" +
                                   found.reason + ")");
  }
  if (found.certainty == Certainty::kGuess) {
    std::string message = "may be " + found.spec;
    for (const std::string& other : found.alternatives) message += ", " + other;
    return Status::InvalidArgument(message +
                                   ", which is a guess; pass a policy");
  }
  auto policy = MakePolicy(found.spec);
  if (!policy.ok()) return policy.status();
  return std::shared_ptr<const FilterPolicy>(*std::move(policy));
}

Status OpenBytes(const tamis_policy* policy, Slice bytes, bool copy,
                 tamis_filter** filter) {
  auto result = std::make_unique<tamis_filter>();
  if (policy != nullptr) {
    result->policy = policy->policy;
  } else {
    auto recognised = Recognised(bytes);
    if (!recognised.ok()) return recognised.status();
    result->policy = *std::move(recognised);
  }
  result->bytes = bytes;
  if (copy) {
    auto memory = FilterMemory::Copy(bytes);
    if (!memory.ok()) return memory.status();
    result->memory = *std::move(memory);
    result->bytes = result->memory->bytes();
  }
  auto opened = result->policy->Open(result->bytes);
  if (!opened.ok()) return opened.status();
  result->opened = *std::move(opened);
  result->reader = result->opened.get();
  *filter = result.release();
  return Status::Ok();
}

template <typename Keys>
void AskAll(const tamis_filter* filter, std::size_t count, Keys keys,
            unsigned char* answers) noexcept {
  if (filter == nullptr) {
    std::fill_n(answers, count, static_cast<unsigned char>(1));
    return;
  }
  std::array<bool, kKeysAtATime> some{};
  ForPieces(count, keys, [&](std::span<const Slice> piece, std::size_t first) {
    filter->reader->MayContainMany(piece, {some.data(), piece.size()});
    std::copy_n(some.begin(), piece.size(), answers + first);
  });
}

std::string AsJson(const FilterInfo& info) {
  JsonObject object;
  object.Add("format", JsonQuoted(info.format));
  object.Add("kind", JsonQuoted(info.kind));
  object.Add("hash", JsonQuoted(info.hash));
  object.Add("bits", info.bits);
  object.Add("set_bits", info.set_bits);
  object.Add("probes", std::uint64_t{info.probes});
  object.Add("rate", JsonNumber(info.rate));
  // A filter whose bits are all set may have any number of keys.
  object.Add("keys_by_fill", std::isfinite(info.keys_by_fill)
                                 ? JsonNumber(info.keys_by_fill)
                                 : std::string("null"));
  object.Add("keys", info.keys ? std::to_string(*info.keys) : "null");
  object.Add("seed", info.seed ? std::to_string(*info.seed) : "null");
  object.Add("always_maybe", JsonQuoted(info.always_maybe));
  return object.Finish();
}

}  // namespace
}  // namespace tamis

extern "C" {

int tamis_filter_open(const tamis_policy* policy, const char* bytes,
                      size_t length, tamis_filter** filter, char** message) {
  return tamis::Call(message, [&] {
    return tamis::OpenBytes(policy, tamis::SliceOf(bytes, length),
                            /*copy=*/true, filter);
  });
}

int tamis_filter_open_in_place(const tamis_policy* policy, const char* bytes,
                               size_t length, tamis_filter** filter,
                               char** message) {
  return tamis::Call(message, [&] {
    return tamis::OpenBytes(policy, tamis::SliceOf(bytes, length),
                            /*copy=*/false, filter);
  });
}

int tamis_filter_open_file(const char* path, const tamis_options* options,
                           tamis_filter** filter, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::OpenFileOptions how;
    tamis::Status set = tamis::SetFrom<tamis::OpenFileOptions>(
        options, tamis::kOpenFileSettings, &how);
    if (!set.ok()) return set;
    if (how.access != "map" && how.access != "load") {
      return tamis::BadSetting("access", how.access);
    }
    auto file =
        tamis::FilterFile::Open(path, how.format,
                                how.access == "load" ? tamis::FileAccess::kLoad
                                                     : tamis::FileAccess::kMap);
    if (!file.ok()) return file.status();
    auto result = std::make_unique<tamis_filter>();
    result->file = *std::move(file);
    result->reader = &result->file->reader();
    result->bytes = result->file->bytes();
    *filter = result.release();
    return tamis::Status::Ok();
  });
}

void tamis_filter_destroy(tamis_filter* filter) { delete filter; }

int tamis_filter_may_contain(const tamis_filter* filter, const char* key,
                             size_t length) {
  if (filter == nullptr) return 1;
  return filter->reader->MayContain(tamis::SliceOf(key, length)) ? 1 : 0;
}

void tamis_filter_may_contain_many(const tamis_filter* filter,
                                   const char* const* keys,
                                   const size_t* lengths, size_t count,
                                   unsigned char* answers) {
  tamis::AskAll(filter, count, tamis::PairedKeys{keys, lengths}, answers);
}

void tamis_filter_may_contain_fixed(const tamis_filter* filter,
                                    const void* keys, size_t width,
                                    size_t stride, size_t count,
                                    unsigned char* answers) {
  tamis::AskAll(filter, count, tamis::FixedKeys{keys, width, stride}, answers);
}

int tamis_filter_may_contain_range(const tamis_filter* filter, const char* low,
                                   size_t low_length, const char* high,
                                   size_t high_length) {
  if (filter == nullptr) return 1;
  return filter->reader->MayContainRange(tamis::SliceOf(low, low_length),
                                         tamis::SliceOf(high, high_length))
             ? 1
             : 0;
}

int tamis_filter_describe(const tamis_filter* filter, char** json,
                          size_t* length, char** message) {
  return tamis::Call(message, [&] {
    return tamis::CopyOut(tamis::AsJson(filter->reader->Describe()), json,
                          length);
  });
}

const char* tamis_filter_bytes(const tamis_filter* filter, size_t* length) {
  *length = filter->bytes.size();
  return filter->bytes.data();
}

int tamis_filter_status(const tamis_filter* filter, char** message) {
  return tamis::Call(message, [&] {
    return filter->file == nullptr ? tamis::Status::Ok()
                                   : filter->file->status();
  });
}

int tamis_filter_write_file(const char* path, const char* bytes, size_t length,
                            int replace, char** message) {
  return tamis::Call(message, [&] {
    return tamis::WriteFilterFile(
        path, tamis::SliceOf(bytes, length),
        replace != 0 ? tamis::IfExists::kReplace : tamis::IfExists::kFail);
  });
}

}  // extern "C"
