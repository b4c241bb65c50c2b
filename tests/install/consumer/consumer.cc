// SPDX-License-Identifier: Apache-2.0
// Builds a filter, opens it and asks: what a user of the installed library
// does first.  Then asks for more memory than there is: that too must come
// back as a Status, from either kind of library.  And adds a filter of its own,
// with run-time types, which the library has not.  Exit 0: all is right.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "tamis/filter.h"

namespace {

class RulesNothingOut final : public tamis::FilterReader {
 public:
  bool MayContain(tamis::Slice) const noexcept override { return true; }
  tamis::FilterInfo Describe() const override { return {}; }
};

bool OwnFilterWorks() {
  const std::unique_ptr<tamis::FilterReader> own =
      std::make_unique<RulesNothingOut>();
  return dynamic_cast<RulesNothingOut*>(own.get()) != nullptr &&
         own->MayContain("any") && own->MayContainRange("a", "b");
}

}  // namespace

int main() {
  if (!OwnFilterWorks()) {
    std::puts("consumer: a filter of one's own does not work");
    return 1;
  }
  const auto policy = tamis::MakePolicy("bloom:10");
  if (!policy.ok()) {
    std::puts(policy.status().ToString().c_str());
    return 1;
  }
  const auto builder = policy->NewBuilder();
  builder->Add("apple");
  builder->Add("pear");
  std::string bytes;
  const tamis::Status status = builder->Finish(&bytes);
  if (!status.ok()) {
    std::puts(status.ToString().c_str());
    return 1;
  }
  const auto reader = policy->Open(bytes);
  if (!reader.ok()) {
    std::puts(reader.status().ToString().c_str());
    return 1;
  }
  const bool right = reader->MayContain("apple") &&
                     reader->MayContain("pear") &&
                     !reader->MayContain("a key never added");
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 50;
  if (policy->NewMutable(kTooMany).ok()) {
    std::puts("consumer: a filter of a pebibyte cannot be");
    return 1;
  }
  std::puts(right ? "consumer: right" : "consumer: wrong answers");
  return right ? 0 : 1;
}
