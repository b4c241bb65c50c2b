// SPDX-License-Identifier: Apache-2.0
// tamis/c.h: mutable filters, combining and folding.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "c/calls.h"
#include "c/objects.h"
#include "c/options.h"
#include "tamis/fold.h"
#include "tamis/formats.h"
#include "tamis/policy_settings.h"

namespace tamis {
namespace {

struct MutableOptions {
  bool concurrent = false;
  bool check_erasures = false;
};

constexpr NamedSetting<MutableOptions> kMutableSettings[] = {
    SettingOf<MutableOptions, &MutableOptions::concurrent>("concurrent"),
    SettingOf<MutableOptions, &MutableOptions::check_erasures>(
        "check_erasures"),
};

void Take(std::unique_ptr<ErasableFilter> filter, tamis_mutable* result) {
  result->erasable = filter.get();
  result->filter = std::move(filter);
}

void Take(std::unique_ptr<RotatingFilter> filter, tamis_mutable* result) {
  result->rotating = filter.get();
  result->filter = std::move(filter);
}

template <typename Filter>
void Take(std::unique_ptr<Filter> filter, tamis_mutable* result) {
  result->filter = std::move(filter);
}

// Takes the filter over, if there is one.
template <typename Filter>
Status TakeResult(Result<std::unique_ptr<Filter>> filter,
                  tamis_mutable* result) {
  if (!filter.ok()) return filter.status();
  Take(*std::move(filter), result);
  return Status::Ok();
}

Status MakeByPolicy(const char* spec, std::uint64_t planned_keys,
                    bool concurrent, tamis_mutable* result) {
  auto policy = MakePolicy(spec);
  if (!policy.ok()) return policy.status();
  result->policy = *std::move(policy);
  return concurrent
             ? TakeResult(result->policy->NewConcurrent(planned_keys), result)
             : TakeResult(result->policy->NewMutable(planned_keys), result);
}

Status Make(const char* spec, std::uint64_t planned_keys,
            const MutableOptions& options, tamis_mutable* result) {
  const auto settings = ParsePolicy(spec);
  if (!settings.ok()) return settings.status();
  const KindEntry* const kind = FindKind(settings->name);
  const bool erases = kind != nullptr && kind->erases;
  if (options.check_erasures && (!erases || options.concurrent)) {
    return Status::InvalidArgument(
        std::string(spec) +
        ": erasures can be checked only of a filter that erases keys, and is "
        "not concurrent; leave the option check_erasures out");
  }
  if (options.concurrent) {
    return MakeByPolicy(spec, planned_keys, /*concurrent=*/true, result);
  }
  if (erases) {
    auto filter = NewErasable(spec, planned_keys);
    if (filter.ok() && options.check_erasures) {
      filter = CheckErasures(*std::move(filter));
    }
    return TakeResult(std::move(filter), result);
  }
  if (kind != nullptr && kind->expires) {
    return TakeResult(NewRotating(spec, planned_keys), result);
  }
  return MakeByPolicy(spec, planned_keys, /*concurrent=*/false, result);
}

// Loads as the kind that can do most.
Status Load(Slice bytes, tamis_mutable* result) {
  Status loaded = TakeResult(LoadErasable(bytes), result);
  if (loaded.code() == StatusCode::kNotSupported) {
    loaded = TakeResult(LoadRotating(bytes), result);
  }
  if (loaded.code() == StatusCode::kNotSupported) {
    loaded = TakeResult(LoadMutable(bytes), result);
  }
  return loaded;
}

tamis_mutable* WithView(std::unique_ptr<tamis_mutable> made) noexcept {
  made->view.reader = made->filter.get();
  return made.release();
}

template <typename Keys>
int InsertAll(tamis_mutable* filter, std::size_t count, Keys keys,
              char** message) noexcept {
  return Call(message, [&] {
    Status status;
    ForPieces(count, keys, [&](std::span<const Slice> piece, std::size_t) {
      if (status.ok()) status = filter->filter->InsertMany(piece);
    });
    return status;
  });
}

// Of keys that a piece of a call has.  The first look at all of them overlaps
// their memory accesses; a key that is absent then may be one that the same
// piece has twice, and is looked at again.
// A key that a rotating filter has in an older generation is not new, and is
// inserted all the same, which renews it.
Status InsertNew(tamis_mutable* to, std::span<const Slice> keys,
                 unsigned char* new_keys, std::size_t* done) {
  MutableFilter* const filter = to->filter.get();
  const bool renews = to->rotating != nullptr;
  std::array<bool, kKeysAtATime> present;
  filter->MayContainMany(keys, std::span<bool>(present.data(), keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_new = !present[i] && !filter->MayContain(keys[i]);
    if (is_new || renews) {
      if (Status inserted = filter->Insert(keys[i]); !inserted.ok()) {
        return inserted;
      }
    }
    new_keys[i] = is_new ? 1 : 0;
    ++*done;
  }
  return Status::Ok();
}

}  // namespace
}  // namespace tamis

extern "C" {

int tamis_mutable_create(const char* spec, uint64_t planned_keys,
                         const tamis_options* options, tamis_mutable** filter,
                         char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    tamis::MutableOptions how;
    tamis::Status status = tamis::SetFrom<tamis::MutableOptions>(
        options, tamis::kMutableSettings, &how);
    if (!status.ok()) return status;
    auto result = std::make_unique<tamis_mutable>();
    status = tamis::Make(spec, planned_keys, how, result.get());
    if (status.ok()) *filter = tamis::WithView(std::move(result));
    return status;
  });
}

int tamis_mutable_load(const char* bytes, size_t length, tamis_mutable** filter,
                       char** message) {
  return tamis::Call(message, [&] {
    auto result = std::make_unique<tamis_mutable>();
    tamis::Status status =
        tamis::Load(tamis::SliceOf(bytes, length), result.get());
    if (status.ok()) *filter = tamis::WithView(std::move(result));
    return status;
  });
}

void tamis_mutable_destroy(tamis_mutable* filter) { delete filter; }

int tamis_mutable_insert(tamis_mutable* filter, const char* key, size_t length,
                         char** message) {
  return tamis::Call(message, [&] {
    return filter->filter->Insert(tamis::SliceOf(key, length));
  });
}

int tamis_mutable_insert_many(tamis_mutable* filter, const char* const* keys,
                              const size_t* lengths, size_t count,
                              char** message) {
  return tamis::InsertAll(filter, count, tamis::PairedKeys{keys, lengths},
                          message);
}

int tamis_mutable_insert_fixed(tamis_mutable* filter, const void* keys,
                               size_t width, size_t stride, size_t count,
                               char** message) {
  return tamis::InsertAll(filter, count, tamis::FixedKeys{keys, width, stride},
                          message);
}

int tamis_mutable_insert_new(tamis_mutable* filter, const char* const* keys,
                             const size_t* lengths, size_t count,
                             unsigned char* new_keys, size_t* done,
                             char** message) {
  *done = 0;
  return tamis::Call(message, [&] {
    tamis::Status status;
    tamis::ForPieces(
        count, tamis::PairedKeys{keys, lengths},
        [&](std::span<const tamis::Slice> piece, std::size_t first) {
          if (!status.ok()) return;
          status = tamis::InsertNew(filter, piece, new_keys + first, done);
        });
    return status;
  });
}

uint64_t tamis_mutable_count(const tamis_mutable* filter, const char* key,
                             size_t length) {
  const tamis::Slice slice = tamis::SliceOf(key, length);
  if (filter->erasable != nullptr) return filter->erasable->Count(slice);
  return filter->filter->MayContain(slice) ? 1 : 0;
}

int tamis_mutable_erase(tamis_mutable* filter, const char* key, size_t length,
                        char** message) {
  return tamis::Call(message, [&] {
    if (filter->erasable == nullptr) {
      return tamis::Status::NotSupported(
          "keys cannot be erased from this kind of filter; make one that can, "
          "as cuckoo or counting");
    }
    return filter->erasable->Erase(tamis::SliceOf(key, length));
  });
}

int tamis_mutable_rotate(tamis_mutable* filter, char** message) {
  return tamis::Call(message, [&] {
    if (filter->rotating == nullptr) {
      return tamis::Status::NotSupported(
          "this kind of filter has no generations; make one that has, as "
          "rotating");
    }
    return filter->rotating->Rotate();
  });
}

uint64_t tamis_mutable_rotations(const tamis_mutable* filter) {
  return filter->rotating == nullptr ? 0 : filter->rotating->rotations();
}

uint64_t tamis_mutable_generation_keys(const tamis_mutable* filter,
                                       unsigned age) {
  if (filter->rotating == nullptr) return 0;
  return filter->rotating->generation_keys(age);
}

int tamis_mutable_newest_may_contain(const tamis_mutable* filter,
                                     const char* key, size_t length) {
  const tamis::Slice slice = tamis::SliceOf(key, length);
  const bool maybe = filter->rotating == nullptr
                         ? filter->filter->MayContain(slice)
                         : filter->rotating->NewestMayContain(slice);
  return maybe ? 1 : 0;
}

const tamis_filter* tamis_mutable_filter(const tamis_mutable* filter) {
  return &filter->view;
}

int tamis_mutable_save(const tamis_mutable* filter, char** bytes,
                       size_t* length, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    std::string saved;
    tamis::Status status = filter->filter->Save(&saved);
    return status.ok() ? tamis::CopyOut(saved, bytes, length) : status;
  });
}

int tamis_mutable_save_piece(const tamis_mutable* filter, uint64_t offset,
                             char* piece, size_t capacity, size_t* length,
                             uint64_t* total, char** message) {
  return tamis::Call(message, [&] {
    return filter->filter->SavePiece(offset, {piece, capacity}, length, total);
  });
}

int tamis_combine(const tamis_policy* policy, const char* const* filters,
                  const size_t* lengths, size_t count, int intersect,
                  char** bytes, size_t* length, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    std::vector<tamis::Slice> inputs;
    inputs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      inputs.push_back(tamis::SliceOf(filters[i], lengths[i]));
    }
    std::string combined;
    tamis::Status status = policy->policy->Combine(
        inputs,
        intersect != 0 ? tamis::SetOperation::kIntersection
                       : tamis::SetOperation::kUnion,
        &combined);
    return status.ok() ? tamis::CopyOut(combined, bytes, length) : status;
  });
}

int tamis_fold(const char* filter, size_t filter_length, uint64_t divisor,
               char** bytes, size_t* length, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    std::string folded;
    const auto result = tamis::FoldFilter(tamis::SliceOf(filter, filter_length),
                                          divisor, &folded);
    if (!result.ok()) return result.status();
    return tamis::CopyOut(folded, bytes, length);
  });
}

int tamis_fold_rate(const char* filter, size_t filter_length, uint64_t divisor,
                    double* rate, char** message) {
  return tamis::Call(message, [&]() -> tamis::Status {
    const auto result =
        tamis::RateWhenFolded(tamis::SliceOf(filter, filter_length), divisor);
    if (!result.ok()) return result.status();
    *rate = *result;
    return tamis::Status::Ok();
  });
}

}  // extern "C"
