// SPDX-License-Identifier: Apache-2.0
// scene.h -- a program that uses all of LevelDB's interface and prints what it
// gets.  It is built against LevelDB's headers and linked with LevelDB's
// library; the tests run it with that one and with ours, and compare the
// output.  So it prints nothing that LevelDB does not promise: no sizes of
// files, no numbers of tables.

#pragma once

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <leveldb/slice.h>
#include <leveldb/status.h>

struct Scene {
  std::string dir;  // exists, and is empty
  unsigned seed = 0;
};

// Each prints; see the files.
void RandomOperations(const Scene& scene);
void Statuses(const Scene& scene);
void Batches(const Scene& scene);
void Iterators(const Scene& scene);
void DefaultEnv(const Scene& scene);
void OwnEnv(const Scene& scene);
void Filters(const Scene& scene);
void Caches(const Scene& scene);
void Tables(const Scene& scene);
void Whole(const Scene& scene);
void Bases(const Scene& scene);

// ---- printing
inline std::string Printable(const leveldb::Slice& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    char piece[8];
    std::snprintf(piece, sizeof(piece),
                  byte > ' ' && byte <= '~' ? "%c" : "\\%02x", byte);
    text += piece;
  }
  return text;
}

// The name of the directory is replaced: it differs from run to run.
void Say(const Scene& scene, const char* what, const leveldb::Status& status);

inline std::uint64_t HashOf(const leveldb::Slice& bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  }
  return hash;
}

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  // From 0 to n - 1.
  unsigned Below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  bool Once(unsigned in) { return Below(in) == 0; }
  std::string Bytes(unsigned most, unsigned letters) {
    std::string bytes(Below(most + 1), '\0');
    for (char& byte : bytes) {
      const unsigned letter = Below(letters);
      byte = static_cast<char>(letter == 0 ? 0xff : 'A' + letter * 16 % 58);
    }
    return bytes;
  }

 private:
  std::mt19937_64 engine_;
};
