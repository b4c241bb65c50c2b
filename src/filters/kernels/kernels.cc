// SPDX-License-Identifier: Apache-2.0
// Which kernel sets there are, and which one is chosen.

#include "filters/kernels/kernels.h"

#include <array>
#include <cstdlib>

#include "tamis/kernels.h"

namespace tamis {
namespace {

#if defined(__x86_64__)
constexpr std::array kSets = {&kPortableKernels, &kAvx2Kernels, &kAvx512Kernels,
                              &kAvx512PopcntKernels};
#elif defined(__aarch64__)
constexpr std::array kSets = {&kPortableKernels, &kNeonKernels};
#else
constexpr std::array kSets = {&kPortableKernels};
#endif

}  // namespace

bool Kernels::runs_here() const noexcept { return runs_on(ThisCpu()); }

std::span<const Kernels* const> AllKernels() noexcept { return kSets; }

const Kernels* FindKernels(std::string_view name) noexcept {
  for (const Kernels* row : kSets) {
    if (row->name == name && row->runs_here()) return row;
  }
  return nullptr;
}

const Kernels& BestKernels(const Cpu& cpu) noexcept {
  const Kernels* best = kSets.front();
  for (const Kernels* row : kSets) {
    if (row->runs_on(cpu) && row->pays_off_on(cpu)) best = row;
  }
  return *best;
}

const Kernels& ChooseKernels(std::string_view wanted) noexcept {
  const Kernels* named = FindKernels(wanted);
  return named != nullptr ? *named : BestKernels(ThisCpu());
}

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = [&]() -> const Kernels& {
    const char* wanted = std::getenv("TAMIS_KERNELS");
    return ChooseKernels(wanted == nullptr ? "" : wanted);
  }();
  return active;
}

std::string_view ActiveKernelsName() noexcept { return ActiveKernels().name; }

std::vector<std::string_view> RunnableKernelsNames() {
  std::vector<std::string_view> names;
  for (const Kernels* kernels : AllKernels()) {
    if (kernels->runs_here()) names.push_back(kernels->name);
  }
  return names;
}

}  // namespace tamis
