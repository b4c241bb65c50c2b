// Which rows there are, and which one is taken.

#include "filters/kernels.h"

#include <array>
#include <cstdlib>

namespace tamis {
namespace {

#if defined(__x86_64__)
constexpr std::array kRows = {&kPortableKernels, &kAvx2Kernels, &kAvx512Kernels,
                              &kAvx512PopcntKernels};
#elif defined(__aarch64__)
constexpr std::array kRows = {&kPortableKernels, &kNeonKernels};
#else
constexpr std::array kRows = {&kPortableKernels};
#endif

}  // namespace

std::span<const Kernels* const> AllKernels() noexcept { return kRows; }

const Kernels* FindKernels(std::string_view name) noexcept {
  for (const Kernels* row : kRows) {
    if (row->name == name && row->runs_here()) return row;
  }
  return nullptr;
}

const Kernels& ChooseKernels(std::string_view wanted) noexcept {
  if (const Kernels* named = FindKernels(wanted)) return *named;
  const Kernels* best = kRows.front();
  for (const Kernels* row : kRows) {
    if (row->runs_here()) best = row;
  }
  return *best;
}

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = [&]() -> const Kernels& {
    const char* wanted = std::getenv("TAMIS_KERNELS");
    return ChooseKernels(wanted == nullptr ? "" : wanted);
  }();
  return active;
}

}  // namespace tamis
