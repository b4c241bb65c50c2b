#include "base/append_zeros.h"

#include <new>
#include <stdexcept>

namespace tamis {

Status AppendZeros(std::string* dst, std::uint64_t count) {
  if (count <= dst->max_size() - dst->size()) {
    try {
      dst->resize(dst->size() + static_cast<std::size_t>(count));
      return Status::Ok();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
  }
  return Status::ResourceExhausted("no memory for a filter of " +
                                   std::to_string(count) + " bytes");
}

}  // namespace tamis
