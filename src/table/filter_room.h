// SPDX-License-Identifier: Apache-2.0
// table/filter_room.h -- the memory that the filters of a store may take, and
// take.  The limit is hard: a filter is not loaded unless there is room for it.

#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

namespace tamis {

// Thread-safe, without a lock.
class FilterRoom {
 public:
  static constexpr std::uint64_t kNoLimit =
      std::numeric_limits<std::uint64_t>::max();

  FilterRoom() = default;
  FilterRoom(const FilterRoom&) = delete;
  FilterRoom& operator=(const FilterRoom&) = delete;

  std::uint64_t limit() const noexcept {
    return limit_.load(std::memory_order_relaxed);
  }
  bool is_limited() const noexcept { return limit() != kNoLimit; }
  // Below held(): nothing can be taken until enough is returned.
  void set_limit(std::uint64_t bytes) noexcept {
    limit_.store(bytes, std::memory_order_relaxed);
  }
  std::uint64_t held() const noexcept {
    return held_.load(std::memory_order_relaxed);
  }

  // True: so much could be taken at this moment.
  bool HasLeft(std::uint64_t bytes) const noexcept {
    const std::uint64_t most = limit();
    const std::uint64_t now = held();
    return now <= most && bytes <= most - now;
  }

  // False: there is no room, and nothing was taken.
  [[nodiscard]] bool Take(std::uint64_t bytes) noexcept {
    std::uint64_t held = held_.load(std::memory_order_relaxed);
    do {
      const std::uint64_t most = limit();
      if (held > most || bytes > most - held) return false;
    } while (!held_.compare_exchange_weak(held, held + bytes,
                                          std::memory_order_relaxed));
    return true;
  }
  // REQUIRES: so much was taken
  void Return(std::uint64_t bytes) noexcept {
    held_.fetch_sub(bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> limit_{kNoLimit};
  std::atomic<std::uint64_t> held_{0};
};

// Room that was taken, until this object is destroyed.
class FilterLease {
 public:
  FilterLease() = default;
  // REQUIRES: room->Take(bytes) returned true; the room outlives this
  FilterLease(FilterRoom* room, std::uint64_t bytes) noexcept
      : room_(room), bytes_(bytes) {}
  FilterLease(FilterLease&& other) noexcept
      : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
  FilterLease& operator=(FilterLease&& other) noexcept {
    std::swap(room_, other.room_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  FilterLease(const FilterLease&) = delete;
  FilterLease& operator=(const FilterLease&) = delete;
  ~FilterLease() {
    if (room_ != nullptr) room_->Return(bytes_);
  }

 private:
  FilterRoom* room_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace tamis
