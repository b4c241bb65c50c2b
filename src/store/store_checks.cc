// SPDX-License-Identifier: Apache-2.0
#include "store/store_checks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "store/file_names.h"
#include "store/foreign_store.h"
#include "store/named_files.h"

namespace tamis {
namespace {

Env& EnvOf(const StoreOptions& options) {
  return options.env != nullptr ? *options.env : DefaultEnv();
}

Status OtherComparator(const std::string& dir, const std::string& its,
                       const Comparator& given) {
  return Status::InvalidArgument(dir + ": its keys are ordered by " + its +
                                 ", the options say " +
                                 std::string(given.name()))
      .With(Remedy::kUseComparator);
}

// Refuses to create a store where one has lost its CURRENT: a new one would
// remove what is left.  An interrupted creation leaves no table and at most an
// empty log.
Status RefuseLostStore(Env& env, const std::string& dir,
                       const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed.has_value()) continue;
    bool has_data = parsed->type == FileType::kTable;
    if (parsed->type == FileType::kLog) {
      const Result<std::uint64_t> bytes = env.FileSize(dir + "/" + name);
      if (bytes.status().code() == StatusCode::kNotFound) continue;
      if (!bytes.ok()) return bytes.status();
      has_data = *bytes > 0;
    }
    if (has_data) {
      return Status::Corruption(CurrentFileName(dir) +
                                " is missing, but there is " + name +
                                ": repair the store")
          .With(Remedy::kRepairStore);
    }
  }
  return Status::Ok();
}

// A manifest that is understood vouches for the tables that it names.  A
// truncated one of another engine may look like ours.
Status RefuseForeignFilesBeside(Env& env, const std::string& dir,
                                const std::vector<std::string>& names,
                                const Result<ManifestState>& state) {
  return RefuseForeignFiles(env, dir,
                            state.ok() ? UnnamedTables(*state, names) : names);
}

}  // namespace

Status NoStoreHere(const std::string& dir) {
  return Status::NotFound(dir + ": there is no store here");
}

Result<StoreDirectory> LookAtDirectory(Env& env, const std::string& dir) {
  StoreDirectory found;
  Result<std::vector<std::string>> names = env.List(dir);
  if (names.status().code() == StatusCode::kNotFound) return found;
  if (!names.ok()) return names.status();
  found.names = *std::move(names);
  found.exists = true;
  Status ours = RefuseForeignNames(env, dir, found.names);
  if (!ours.ok()) return ours;
  found.has_current = std::find(found.names.begin(), found.names.end(),
                                "CURRENT") != found.names.end();
  if (found.has_current) return found;
  ours = RefuseForeignFiles(env, dir, found.names);
  if (ours.ok()) ours = RefuseLostStore(env, dir, found.names);
  if (!ours.ok()) return ours;
  return found;
}

Result<ManifestState> ReadManifestFor(Env& env, const std::string& dir,
                                      const Comparator& comparator) {
  Result<ManifestState> state = ReadManifest(env, dir);
  const Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return state.ok() ? names.status() : state.status();
  const Status ours = RefuseForeignFilesBeside(env, dir, *names, state);
  if (!ours.ok()) return ours;
  if (!state.ok()) return state;
  if (!state->comparator.empty() && state->comparator != comparator.name()) {
    return OtherComparator(dir, state->comparator, comparator);
  }
  return state;
}

Status CheckIsStore(const std::string& dir, const StoreOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("a store needs a comparator");
  }
  Env& env = EnvOf(options);
  const Result<StoreDirectory> found = LookAtDirectory(env, dir);
  if (!found.ok()) return found.status();
  if (!found->has_current) return NoStoreHere(dir);
  return RefuseForeignFilesBeside(env, dir, found->names,
                                  ReadManifest(env, dir));
}

Status CheckMayRepair(const std::string& dir, const StoreOptions& options) {
  if (options.comparator == nullptr) {
    return Status::InvalidArgument("a store needs a comparator");
  }
  Env& env = EnvOf(options);
  const Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  Status may = RefuseForeignNames(env, dir, *names);
  if (may.ok()) may = RefuseForeignFiles(env, dir, *names);
  for (const std::string& name : *names) {
    const std::optional<FileName> parsed = ParseFileName(name);
    if (!parsed || parsed->type != FileType::kManifest) continue;
    ForEachEditPrefix(env, dir + "/" + name, [&](const EditPrefix& prefix) {
      const std::optional<std::string>& its = prefix.edit.comparator;
      if (may.ok() && its && !its->empty() &&
          *its != options.comparator->name()) {
        may = OtherComparator(dir, *its, *options.comparator);
      }
    });
  }
  return may;
}

}  // namespace tamis
