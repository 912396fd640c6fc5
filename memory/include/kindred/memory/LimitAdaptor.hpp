// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_LIMIT_ADAPTOR_HPP
#define KINDRED_MEMORY_LIMIT_ADAPTOR_HPP

#include <kindred/memory/MemoryResource.hpp>

#include <atomic>
#include <cstdint>

namespace Kindred {

/// \brief The budget: reserves bytes before they are allocated and refuses allocations that would
/// exceed the limit.
///
/// Thread-safe and lock-free. Bytes are released only after the upstream resource has freed them,
/// so that the allocated bytes never exceed the limit. It counts the requested bytes, without the
/// allocator's overhead.
class LimitAdaptor final : public MemoryResource {
 public:
  /// \param upstream must outlive this \param limit maximum number of bytes in use at any time
  LimitAdaptor(MemoryResource& upstream, std::uint64_t limit)
      : m_upstream(upstream), m_limit(limit), m_used(m_own_used) {}
  /// Shares the budget of \p shared for another upstream. \param upstream,shared must outlive this
  LimitAdaptor(MemoryResource& upstream, LimitAdaptor& shared)
      : m_upstream(upstream), m_limit(shared.m_limit), m_used(shared.m_used) {}

  void* allocate(std::size_t bytes, const std::string& label) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  std::string_view space() const noexcept override { return m_upstream.space(); }

  /// The limit in bytes.
  std::uint64_t limit() const noexcept { return m_limit; }
  /// Bytes that are currently reserved, ≤ `limit()`.
  std::uint64_t used() const noexcept { return m_used.load(std::memory_order_relaxed); }

 private:
  MemoryResource& m_upstream;
  std::uint64_t m_limit;
  std::atomic<std::uint64_t> m_own_used{0};
  std::atomic<std::uint64_t>& m_used;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_LIMIT_ADAPTOR_HPP
