// SPDX-License-Identifier: Apache-2.0
#include "base/mapping_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>

#include "tamis/env.h"

namespace tamis {
namespace {

// Slabs are never freed, only reused: the handler may be reading them.
struct Slab {
  std::array<MappingSlot, 128> slots;
  std::atomic<Slab*> next{nullptr};
};

static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<Slab*>::is_always_lock_free);

constinit Slab first_slab;

// Returns the slab after that one, which is allocated if necessary; null: no
// memory.
Slab* SlabAfter(Slab* slab) noexcept {
  if (Slab* next = slab->next.load(std::memory_order_acquire)) return next;
  Slab* made = new (std::nothrow) Slab;
  Slab* there = nullptr;
  if (made == nullptr || slab->next.compare_exchange_strong(there, made)) {
    return made;
  }
  delete made;  // another thread was faster
  return there;
}

bool Take(MappingSlot* slot) noexcept {
  bool is_taken = slot->is_taken.load(std::memory_order_relaxed);
  return !is_taken && slot->is_taken.compare_exchange_strong(is_taken, true);
}

bool Covers(const MappingSlot& slot, std::uintptr_t address) noexcept {
  const std::uintptr_t start = slot.start.load();
  if (start == 0 || address < start) return false;
  // While a slot is reassigned its start is 0.
  return address - start < slot.bytes.load() && slot.start.load() == start;
}

MappingSlot* FindMapping(std::uintptr_t address) noexcept {
  for (Slab* slab = &first_slab; slab != nullptr;
       slab = slab->next.load(std::memory_order_acquire)) {
    for (MappingSlot& slot : slab->slots) {
      if (Covers(slot, address)) return &slot;
    }
  }
  return nullptr;
}

// Maps a page of zeros over one that cannot be read.  Returns false if the
// system refuses.  Called by a handler: makes a system call, and nothing else.
bool CoverPage(std::uintptr_t address, bool is_writable) noexcept {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  const std::uintptr_t start = address / page * page;
  const int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const place = reinterpret_cast<void*>(start);
  return ::mmap(place, page, protection,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == place;
}

// The previous handler; null until ours is installed.
std::atomic<const struct sigaction*> previous{nullptr};

// Does what would have happened without our handler.
void PassOn(int signal, siginfo_t* info, void* context) noexcept {
  const struct sigaction* before = previous.load(std::memory_order_acquire);
  if ((before->sa_flags & SA_SIGINFO) != 0) {
    before->sa_sigaction(signal, info, context);
  } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
    before->sa_handler(signal);
  } else if (before->sa_handler == SIG_DFL || info->si_code > 0) {
    // A fault is raised again when we return; a signal that was sent must be
    // sent again, and stays pending until then.
    ::sigaction(signal, before, nullptr);
    if (info->si_code <= 0) ::raise(signal);
  }
}

void OnFault(int signal, siginfo_t* info, void* context) noexcept {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // Only a fault that the system itself raises has an address.
  MappingSlot* const slot = info->si_code > 0 ? FindMapping(address) : nullptr;
  bool is_covered = false;
  if (slot != nullptr) {
    // Set before other threads can read the zeros.
    slot->faulted.store(true);
    is_covered = CoverPage(address, slot->is_writable.load());
  }
  if (!is_covered) PassOn(signal, info, context);
  errno = error;
}

void InstallHandler() noexcept {
  static struct sigaction before;
  if (::sigaction(SIGBUS, nullptr, &before) != 0) return;
  struct sigaction ours = {};
  ours.sa_sigaction = &OnFault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ours.sa_mask = before.sa_mask;
  previous.store(&before, std::memory_order_release);
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace

void GuardMappings() noexcept {
  static std::once_flag once;
  std::call_once(once, InstallHandler);
}

void UnblockFaults() noexcept {
  sigset_t faults;
  ::sigemptyset(&faults);
  ::sigaddset(&faults, SIGBUS);
  ::pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

MappingSlot* RegisterMapping(const void* start, std::size_t bytes,
                             bool is_writable) noexcept {
  if (previous.load(std::memory_order_acquire) == nullptr) return nullptr;
  for (Slab* slab = &first_slab; slab != nullptr; slab = SlabAfter(slab)) {
    for (MappingSlot& slot : slab->slots) {
      if (!Take(&slot)) continue;
      slot.faulted.store(false);
      slot.is_writable.store(is_writable);
      slot.bytes.store(bytes);
      slot.start.store(reinterpret_cast<std::uintptr_t>(start));
      return &slot;
    }
  }
  return nullptr;
}

void UnregisterMapping(MappingSlot* slot) noexcept {
  if (slot == nullptr) return;
  slot->start.store(0);
  slot->is_taken.store(false);
}

}  // namespace tamis
