// SPDX-License-Identifier: Apache-2.0
// posix_files.h -- the files of the operating system, for leveldb::Env.

#pragma once

#include <string>

#include <leveldb/env.h>

namespace tamis::dropin {

// As the methods of leveldb::Env that make them.
leveldb::Status NewPosixSequentialFile(const std::string& path,
                                       leveldb::SequentialFile** result);
leveldb::Status NewPosixRandomAccessFile(const std::string& path,
                                         leveldb::RandomAccessFile** result);
// `flags`: O_TRUNC or O_APPEND.
leveldb::Status NewPosixWritableFile(const std::string& path, int flags,
                                     leveldb::WritableFile** result);
leveldb::Status NewPosixLogger(const std::string& path,
                               leveldb::Logger** result);

}  // namespace tamis::dropin
