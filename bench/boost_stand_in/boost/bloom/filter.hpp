// SPDX-License-Identifier: Apache-2.0
// No part of Boost, and no filter: the interface by which boost_filters.cc uses
// Boost.Bloom, so that it is compiled where Boost.Bloom is not installed.
// Nothing is linked with it.
#pragma once

#include <cstddef>

namespace boost::bloom {

template <typename T, std::size_t K, typename Subfilter, std::size_t Stride,
          typename Hash, typename Allocator>
class filter {
 public:
  explicit filter(std::size_t bits) : bits_(bits) {}

  void insert(const T&) {}
  template <typename Iterator>
  void insert(Iterator, Iterator) {}
  bool may_contain(const T&) const { return true; }
  template <typename Iterator, typename Function>
  void may_contain(Iterator first, Iterator last, Function function) const {
    for (; first != last; ++first) function(*first, may_contain(*first));
  }
  std::size_t capacity() const { return bits_; }

 private:
  std::size_t bits_;
};

}  // namespace boost::bloom
