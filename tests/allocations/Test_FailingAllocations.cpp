// SPDX-License-Identifier: Apache-2.0
// Replaces the global operator new of this program, so that chosen allocations fail.
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "PublicCalls.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>

#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> is_counting{false};
std::atomic<std::size_t> count{0};
std::atomic<std::size_t> first_failure{0};
std::atomic<bool> all_later_fail{false};
std::atomic<bool> has_failed{false};

// The functions of core/arch/launch/CurrentDevice.hpp that make instances; absent without a device.
extern "C" void make_on_device() asm("_ZN7Kindred4Arch19new_device_instanceEi")
    __attribute__((weak));
extern "C" void make_on_stream() asm("_ZN7Kindred4Arch18instance_on_streamEP11CUstream_st")
    __attribute__((weak));

/// Whether \p address is in oneDNN, which ends the process if it cannot allocate a kernel, or in
/// what makes an instance of a device, where Kokkos does so. Kindred asks for more memory before.
bool ends_the_process(void* address) noexcept {
  for (void (*const make)() : {make_on_device, make_on_stream}) {
    constexpr std::uintptr_t code_size = 512;
    const auto begin = reinterpret_cast<std::uintptr_t>(make);
    if (begin != 0 && reinterpret_cast<std::uintptr_t>(address) - begin < code_size) return true;
  }
  Dl_info place{};
  return dladdr(address, &place) != 0 && std::strstr(place.dli_fname, "libdnnl") != nullptr;
}

/// Whether a function that ends the process where it has no memory allocates.
bool is_unguarded() noexcept {
  std::array<void*, 64> frames{};
  const int frame_count = backtrace(frames.data(), static_cast<int>(frames.size()));
  return std::any_of(frames.begin(), frames.begin() + frame_count, ends_the_process);
}

bool fails() noexcept {
  if (!is_counting.load(std::memory_order_relaxed)) return false;
  const std::size_t number = count.fetch_add(1) + 1;
  const std::size_t first = first_failure.load();
  if (number != first && !(number > first && all_later_fail.load())) return false;
  if (is_unguarded()) {
    if (number == first) first_failure = number + 1;
    return false;
  }
  has_failed = true;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes == 0 ? 1 : bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* const data = allocate(bytes, alignment)) return data;
  throw std::bad_alloc();
}

/// Frees memory, and overwrites it, so that what still uses it does not succeed by chance.
void release(void* data) noexcept {
  if (data != nullptr) std::memset(data, 0xEF, malloc_usable_size(data));
  std::free(data);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* data) noexcept { release(data); }
void operator delete(void* data, std::size_t) noexcept { release(data); }
void operator delete(void* data, std::align_val_t) noexcept { release(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { release(data); }
void operator delete(void* data, std::align_val_t, const std::nothrow_t&) noexcept {
  release(data);
}

namespace Kindred::Testing {

FailingAllocations::FailingAllocations(std::size_t nth, Failing which) noexcept {
  first_failure = nth;
  all_later_fail = which == Failing::rest;
  has_failed = false;
  count = 0;
  is_counting = true;
}

bool FailingAllocations::end() noexcept {
  is_counting = false;
  return has_failed;
}

}  // namespace Kindred::Testing

namespace FailingAllocationsTest {

using Kindred::Testing::Failing;
using Kindred::Testing::FailingAllocations;

/// Called through a pointer, or the compiler may leave out an allocation that is not used.
void* (*volatile allocate_now)(std::size_t, const std::nothrow_t&) = &operator new;

TEST(FailingAllocations, FailOnceOrFromThenOnAndOnAllThreads) {
  const auto succeeds = [] {
    void* const data = allocate_now(1, std::nothrow);
    operator delete(data);
    return data != nullptr;
  };
  FailingAllocations one(2, Failing::one);
  EXPECT_TRUE(succeeds());
  EXPECT_FALSE(succeeds());
  EXPECT_TRUE(succeeds());
  EXPECT_TRUE(one.end());
  std::atomic<bool> is_started{false};
  std::atomic<bool> is_failing{false};
  std::atomic<bool> other_succeeded{true};
  std::thread other([&] {
    is_started = true;
    while (!is_failing) std::this_thread::yield();
    other_succeeded = succeeds();
  });
  while (!is_started) std::this_thread::yield();
  FailingAllocations rest(1, Failing::rest);
  is_failing = true;
  other.join();
  const bool succeeded = succeeds();
  EXPECT_TRUE(rest.end());
  EXPECT_FALSE(succeeded);
  EXPECT_FALSE(other_succeeded);
  EXPECT_TRUE(succeeds());
}

// Which product a search uses depends on the time that others took, so it can be the first of its
// shape while memory is missing.
TEST(OutOfMemory, OfTheFirstProductOfAShapeIsTyped) {
  using namespace Kindred;
  const Impl::HostGemmChoice fastest = Impl::fastest_host_gemm();
  Impl::GemmShape shape{
      .m = 8, .n = 0, .k = 64, .lda = 64, .ldb = 64, .ldc = 0, .input = fastest.input};
  Testing::expect_typed("HostGemm", [&] {
    shape.n += 16;
    shape.ldc = shape.n;
    try {
      const Impl::HostGemm product(fastest.library, shape);
      return product.packed_bytes() >= shape.n * shape.k;
    } catch (...) {
      Impl::rethrow_translated("HostGemm");
    }
  });
}

/// With a device, the driver and the CUDA runtime allocate too, and end the process if that fails.
struct HostOnly : testing::Environment {
  void SetUp() override {
    if (Kindred::Testing::shared_context().is_usable(Kindred::Space::cuda))
      GTEST_SKIP() << "CUDA ends a process whose allocations fail";
  }
};
// Owned by GoogleTest.
const auto* const host_only =
    testing::AddGlobalTestEnvironment(new HostOnly);  // NOLINT(cppcoreguidelines-owning-memory)

}  // namespace FailingAllocationsTest
