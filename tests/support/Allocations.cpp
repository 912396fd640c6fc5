// SPDX-License-Identifier: Apache-2.0
#include "Allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;
thread_local std::size_t bytes_of_all = 0;
}  // namespace

std::size_t Kindred::Testing::allocations() { return count; }
std::size_t Kindred::Testing::allocated_bytes() { return bytes_of_all; }

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++count;
  bytes_of_all += bytes;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(std::size_t bytes) {
  if (void* data = operator new(bytes, std::nothrow)) return data;
  throw std::bad_alloc();
}
void operator delete(void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
