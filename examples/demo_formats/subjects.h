// SPDX-License-Identifier: Apache-2.0
// What the demonstration fills and queries: one filter of each format.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::demo {

struct Cost {
  std::uint64_t bytes = 0;
  unsigned probes = 0;
  double expected_rate = 0;
};

// Calls must match: Add* Finish, then the rest.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string_view name() const = 0;  // up to 22 letters
  virtual void Add(std::string_view key) = 0;
  virtual void Finish() = 0;
  virtual bool MayContain(std::string_view key) const = 0;
  virtual Cost cost() const = 0;
};

std::vector<std::unique_ptr<Subject>> AllSubjects();

}  // namespace tamis::demo
