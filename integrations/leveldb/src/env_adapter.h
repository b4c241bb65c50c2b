// SPDX-License-Identifier: Apache-2.0
// env_adapter.h -- a program's Env as one of ours: every file of a store goes
// through it.

#pragma once

#include <memory>

#include <leveldb/env.h>

#include "tamis/env.h"

namespace tamis::dropin {

// Null: the program uses LevelDB's default, and Tamis its own.
// REQUIRES: `theirs` outlives the result
std::unique_ptr<Env> AdaptEnv(leveldb::Env* theirs);

// Returns a file of a program as one of ours.  REQUIRES: it outlives the result
std::unique_ptr<ReadableFile> AdaptFile(const leveldb::RandomAccessFile* file,
                                        std::uint64_t bytes);

// Returns an error of an Env about a file as one of ours.
Status AboutFile(const std::string& path, const leveldb::Status& status);

}  // namespace tamis::dropin
