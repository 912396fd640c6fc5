// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_UPSTREAM_MEMORY_HPP
#define KINDRED_TESTS_SUPPORT_UPSTREAM_MEMORY_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <atomic>
#include <cstdlib>

namespace Kindred::Testing {

/// A memory resource of the host that can be made to fail and that records the bytes it holds, with
/// `malloc`, so that AddressSanitizer detects writes beyond its end.
class UpstreamMemory final : public MemoryResource {
 public:
  void* allocate(std::size_t bytes, const std::string& label) override {
    if (bytes == 0) return nullptr;
    void* const data = fails ? nullptr : std::malloc(bytes);
    if (data == nullptr) throw OutOfMemory("host", bytes, label, "made to fail");
    const std::uint64_t now = held += bytes;
    for (std::uint64_t most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
    }
    return data;
  }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    if (data == nullptr) return;
    std::free(data);
    held -= bytes;
  }
  std::string_view space() const noexcept override { return "host"; }

  std::atomic<bool> fails{false};
  std::atomic<std::uint64_t> held{0};
  std::atomic<std::uint64_t> peak{0};
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_UPSTREAM_MEMORY_HPP
