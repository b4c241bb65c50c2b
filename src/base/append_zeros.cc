// SPDX-License-Identifier: Apache-2.0
#include "base/append_zeros.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "base/growing_pages.h"
#include "base/huge_pages.h"
#include "base/no_throw.h"
#include "base/worker_threads.h"

namespace tamis {
namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;
// Below this, starting a thread takes as long as the work itself.
constexpr std::size_t kManyBytes = 16 * kBytesAtOnce;

// Makes the system back the memory after the string's end with pages. REQUIRES:
// the string has the capacity for so many bytes
void Populate(std::string* dst, std::size_t bytes, unsigned threads) {
  const std::size_t page = PageBytes();
  char* const start = dst->data() + dst->size();
  // Only whole pages that belong to the string alone.
  const std::size_t skipped =
      page - reinterpret_cast<std::uintptr_t>(start) % page;
  const std::size_t whole = (bytes - skipped) / page * page;
  // A hint: it cannot fail.
  static_cast<void>(RunTasks(
      threads, (whole + kBytesAtOnce - 1) / kBytesAtOnce,
      [&](std::size_t task, unsigned) {
        const std::size_t at = task * kBytesAtOnce;
        PopulatePages(start + skipped + at, std::min(kBytesAtOnce, whole - at));
        return Status::Ok();
      }));
}

}  // namespace

Status AppendZeros(std::string* dst, std::uint64_t count, unsigned threads) {
  if (count <= dst->max_size() - dst->size()) {
    try {
      const auto bytes = static_cast<std::size_t>(count);
      if (threads > 1 && bytes >= kManyBytes) {
        dst->reserve(dst->size() + bytes);
        Populate(dst, bytes, threads);
      }
      dst->resize(dst->size() + bytes);
      return Status::Ok();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
  }
  return NoThrow([&] {
    return Status::ResourceExhausted("no memory for a filter of " +
                                     std::to_string(count) + " bytes");
  });
}

}  // namespace tamis
