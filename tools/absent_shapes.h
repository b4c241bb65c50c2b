// SPDX-License-Identifier: Apache-2.0
// absent_shapes.h -- makes keys that an sstable does not store and that look
// like those that it does.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tamis::tools {

// The same keys for the same calls.
class AbsentShapes {
 public:
  explicit AbsentShapes(std::uint64_t seed = 1) : state_(seed) {}

  // Sets *like to `key` with one to three of its last characters replaced by
  // others of their class: digits by digits, small letters by small letters.
  void Change(std::string_view key, std::string* like);
  // Appends a character of the class of the last one.
  void Lengthen(std::string_view key, std::string* like);

  // Sets *absent to a key between the first and the last of `keys` that is none
  // of them, close to a random one; if all of its shape are there, one that is
  // a byte longer.  False: none was found.
  // REQUIRES: the keys are ordered, upwards or downwards
  bool Between(std::span<const std::string_view> keys, std::string* absent);

  std::uint64_t Random();

 private:
  std::uint64_t state_;
};

}  // namespace tamis::tools
