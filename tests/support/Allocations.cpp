// SPDX-License-Identifier: Apache-2.0
#include "Allocations.hpp"

#include <cstdlib>
#include <new>
#include <thread>

namespace {
thread_local std::size_t count = 0;
thread_local std::size_t bytes_of_all = 0;
thread_local std::size_t until_failure = 0;
thread_local std::size_t failing_bytes = 0;
thread_local std::chrono::microseconds delay{0};
}  // namespace

std::size_t Kindred::Testing::allocations() { return count; }
std::size_t Kindred::Testing::allocated_bytes() { return bytes_of_all; }
void Kindred::Testing::fail_allocation(std::size_t nth, std::size_t least_bytes) {
  until_failure = nth;
  failing_bytes = least_bytes;
}

Kindred::Testing::SlowAllocations::SlowAllocations(std::chrono::microseconds each) { delay = each; }
Kindred::Testing::SlowAllocations::~SlowAllocations() { delay = {}; }

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++count;
  bytes_of_all += bytes;
  if (delay.count() > 0) std::this_thread::sleep_for(delay);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  // Callers of the non-throwing form can proceed without the memory.
  if (until_failure > 0 && bytes >= failing_bytes && --until_failure == 0) throw std::bad_alloc();
  if (void* data = operator new(bytes, std::nothrow)) return data;
  throw std::bad_alloc();
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
