// SPDX-License-Identifier: Apache-2.0
// store/batch_history.h -- batches whose fate can be told from a store's
// contents: which of them are in it, and that no other trace is.
//
// Batch number i always holds the same changes, and among them its mark, a key
// that no other batch touches.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tamis/store.h"

namespace tamis::testing {

using Contents = std::map<std::string, std::string>;

WriteBatch BatchNumber(std::size_t number);

class BatchHistory {
 public:
  struct Attempt {
    bool sync = false;
    bool acknowledged = false;
    int life = 0;  // of the machine, if it has several
  };

  // Writes the next batch.  An error that names no file below `dir` fails the
  // running test.  True: acknowledged.
  bool Write(Store* store, bool sync, const std::string& dir = "/db");
  void SetLifeOfLast(int life) { attempts_.back().life = life; }
  // From now on those, and no others, are safe.
  void Settle(const std::vector<bool>& present);

  const std::vector<Attempt>& attempts() const { return attempts_; }

  // The open store holds what was acknowledged, and nothing else.
  void ExpectExactly(Store* store) const;
  // The store, opened again, holds some of the batches, each whole and in
  // order, and nothing else.  The answer says of each whether it is there.
  std::vector<bool> Survivors(Store* store) const;
  // Survivors(), and all that was acknowledged is among them.
  void ExpectKept(Store* store) const;

 private:
  Contents Expected(const std::vector<bool>& present) const;

  std::vector<Attempt> attempts_;
};

// By iterator; a failure fails the running test.
Contents ContentsOf(Store* store);
// By Get too.
void ExpectHolds(Store* store, const Contents& contents);
// Finds no problem.
void ExpectSound(Env* env, const std::string& dir = "/db");

// The number that the environment variable gives; else `otherwise`.
std::uint64_t NumberFrom(const char* variable, std::uint64_t otherwise);

}  // namespace tamis::testing
