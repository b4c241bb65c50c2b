// SPDX-License-Identifier: Apache-2.0
// Mutable filters: one from which keys are erased, one from which they expire,
// and how to save and load them.
//
//   c++ -std=c++20 mutable.cc $(pkg-config --cflags --libs tamis)

#include <cstdio>
#include <string>

#include "tamis/mutable_filter.h"

namespace {

// A session store: users who log out are erased.
bool Sessions() {
  const auto sessions = tamis::NewErasable("cuckoo:fpr=0.01", 10'000);
  if (!sessions.ok()) return false;
  for (const char* user : {"ada", "grace", "edsger"}) {
    if (!sessions->Insert(user).ok()) return false;  // full: nothing changed
  }
  if (!sessions->Erase("grace").ok()) return false;

  std::string bytes;  // WriteFilterFile() makes a file of it, safely
  if (!sessions->Save(&bytes).ok()) return false;
  const auto later = tamis::LoadErasable(bytes);
  if (!later.ok()) return false;
  for (const char* user : {"ada", "grace", "edsger"}) {
    std::printf("%s: %s\n", user, later->MayContain(user) ? "maybe" : "no");
  }
  return later->MayContain("ada") && later->MayContain("edsger");
}

// A crawler: pages seen within the last three to four hours are skipped.
bool Crawler() {
  const auto seen =
      tamis::NewRotating("rotating:fpr=0.01,generations=4", 100'000);
  if (!seen.ok()) return false;
  if (!seen->Insert("https://example.org/").ok()) return false;
  for (int hour = 1; hour <= 4; ++hour) {
    if (!seen->Rotate().ok()) return false;
    std::printf("after %d h: %s\n", hour,
                seen->MayContain("https://example.org/") ? "seen" : "new");
  }
  return !seen->MayContain("https://example.org/");
}

}  // namespace

int main() { return Sessions() && Crawler() ? 0 : 1; }
