// SPDX-License-Identifier: Apache-2.0
// support/cassandra_files.h -- components of sstables of Cassandra, written by
// docs/formats/cassandra.md.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tamis::testing {

template <typename T>
std::string Big(T value) {
  std::string bytes(sizeof(T), '\0');
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (sizeof(T) - 1 - i)));
  }
  return bytes;
}

// A length of 16 bits, and the text.
std::string Sized(const std::string& text);

// "da" is newer than its letters.
bool IsBefore(const std::string& version, const std::string& other);

// An Index.db, with promoted indexes of some bytes.
std::string IndexOf(const std::string& version,
                    const std::vector<std::string>& keys);

// A Statistics.db that records this rate.
std::string StatisticsOf(bool has_checksums, double rate);

// Lines of hexadecimal digits.
std::vector<std::string> KeysOf(const std::filesystem::path& path);

// "nb-7-big-", or as it is in that version.
std::string StemOf(const std::string& version);

// Filters of our own, which are Cassandra's byte for byte.
std::string FilterOf(const std::string& version,
                     const std::vector<std::string>& keys);

std::vector<std::string> NumberedKeys(int count);

}  // namespace tamis::testing
