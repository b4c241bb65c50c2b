// SPDX-License-Identifier: Apache-2.0
// sstable/engine.h -- what each engine's folder provides.  A further engine is
// a folder with a function that returns its row, and that function's name in
// sstable/engines.cc.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/env.h"
#include "tamis/result.h"
#include "tamis/sstable.h"

namespace tamis {

// The files of one directory, by name in ascending order.
struct DirectoryFiles {
  std::string path;  // without '/' at the end
  std::vector<std::string> names;
  Env* env = &DefaultEnv();

  std::string PathOf(std::string_view name) const {
    return path + "/" + std::string(name);
  }
  bool Has(std::string_view name) const noexcept;
};

struct SstableEngineRow {
  std::string_view name;
  // True if a file with these last bytes (up to kTailBytes, or all of a shorter
  // file) is an sstable of this engine, or a component of one.
  bool (*recognises)(std::string_view file_name, Slice tail);
  // Adds the engine's sstables in a directory to *listing.
  void (*list)(const DirectoryFiles& files, SstableListing* listing);
  // As OpenSstable().  REQUIRES: `env` outlives the sstable
  Result<std::unique_ptr<const Sstable>> (*open)(Env& env,
                                                 const FoundSstable& found);

  static constexpr std::size_t kTailBytes = 64;
};

// In the order in which they are tried.
std::vector<SstableEngineRow> SstableEngines();

// Returns the last bytes of a file, at most SstableEngineRow::kTailBytes.
Result<std::string> ReadTail(Env& env, const std::string& path);

// As OpenSstable(), of files of that Env.
Result<std::unique_ptr<const Sstable>> OpenSstableIn(Env& env,
                                                     const FoundSstable& found);

// An sstable of which only this is known.
std::unique_ptr<const Sstable> NewUnreadableSstable(const FoundSstable& found,
                                                    const std::string& why);

// Returns what was found as far as the listing knows it.
SstableInfo InfoOf(const FoundSstable& found);

}  // namespace tamis
