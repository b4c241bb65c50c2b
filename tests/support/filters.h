// SPDX-License-Identifier: Apache-2.0
// support/filters.h -- the few lines that every test of a filter needs.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tamis/filter.h"

namespace tamis::testing {

// The policy of that text.  If there is none the test ends here.
std::unique_ptr<const FilterPolicy> PolicyOf(std::string_view spec);

// The filter of `keys`, in order; empty, and the running test fails, if it
// cannot be built.
std::string Build(const FilterPolicy& policy,
                  const std::vector<std::string>& keys);

// MayContain() of bytes that may be anything: an error at opening is "maybe",
// as it is for every engine.
bool AnswersMaybe(const FilterPolicy& policy, Slice filter, Slice key);

// The bytes that the filter saves; the running test fails if it cannot.
std::string Saved(const MutableFilter& filter);

// Inserts each key; the running test fails if one is refused.
void InsertAll(MutableFilter* filter, const std::vector<std::string>& keys);

// A copy that ends where its allocation ends, so that a sanitizer notices any
// read beyond it.
class ExactBytes {
 public:
  explicit ExactBytes(const std::string& from)
      : size_(from.size()), bytes_(new char[from.size()]) {
    from.copy(bytes_.get(), size_);
  }
  operator Slice() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// JSON text in hex, and a list of such.
std::string HexBytes(const nlohmann::json& text);
std::vector<std::string> KeysFromHex(const nlohmann::json& keys);

// One key per line in hex, as in *.keys files.
std::vector<std::string> KeysFromFile(const std::string& text);

// "<prefix><i>" for i in [0, count).
std::vector<std::string> NumberedKeys(std::string_view prefix,
                                      std::uint64_t count);

// Keys that have tripped others: every length from 0 to 300, bytes from 0x80
// upwards at every place of the tail, zero bytes.  All different.
std::vector<std::string> AwkwardKeys();

}  // namespace tamis::testing
