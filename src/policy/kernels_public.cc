#include "filters/kernels.h"
#include "tamis/kernels.h"

namespace tamis {

std::string_view ActiveKernelsName() noexcept { return ActiveKernels().name; }

std::vector<std::string_view> RunnableKernelsNames() {
  std::vector<std::string_view> names;
  for (const Kernels* row : AllKernels()) {
    if (row->runs_here()) names.push_back(row->name);
  }
  return names;
}

}  // namespace tamis
