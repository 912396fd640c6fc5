// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/ThreadSlots.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>

namespace Kindred::Impl {

std::size_t thread_number() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

std::size_t thread_slot_count() noexcept {
  constexpr unsigned most = 64;
  static const std::size_t count =
      std::bit_ceil(std::clamp(std::thread::hardware_concurrency(), 1U, most));
  return count;
}

}  // namespace Kindred::Impl
