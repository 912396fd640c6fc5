// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_STATISTICS_ADAPTOR_HPP
#define KINDRED_MEMORY_STATISTICS_ADAPTOR_HPP

#include <kindred/memory/MemoryResource.hpp>

#include <cstdint>
#include <mutex>

namespace Kindred {

/// \brief What went through a resource so far. Bytes are those asked for; an allocation of none is
/// not counted.
struct MemoryStatistics {
  std::uint64_t bytes_in_use = 0;
  std::uint64_t bytes_peak = 0;   ///< most in use at a time
  std::uint64_t bytes_total = 0;  ///< of all allocations ever made
  std::uint64_t allocations_in_use = 0;
  std::uint64_t allocations_total = 0;
  std::uint64_t failures = 0;  ///< allocations that the resource below refused

  friend bool operator==(const MemoryStatistics&, const MemoryStatistics&) = default;
};

/// \brief Counts bytes and allocations of the resource below it. Thread-safe, and exact: below a
/// `LimitAdaptor` the peak never exceeds its limit.
class StatisticsAdaptor final : public MemoryResource {
 public:
  /// \param upstream outlives this
  explicit StatisticsAdaptor(MemoryResource& upstream) : m_upstream(upstream), m_counts(m_own) {}
  /// Counts into \p shared what goes through this. \param upstream,shared outlive this
  StatisticsAdaptor(MemoryResource& upstream, StatisticsAdaptor& shared)
      : m_upstream(upstream), m_counts(shared.m_counts) {}

  void* allocate(std::size_t bytes, const std::string& label) override;
  void deallocate(void* data, std::size_t bytes) noexcept override;
  std::string_view space() const noexcept override { return m_upstream.space(); }

  /// A consistent snapshot.
  MemoryStatistics statistics() const;

 private:
  struct Counts {
    std::mutex mutex;
    MemoryStatistics statistics;
  };

  MemoryResource& m_upstream;
  mutable Counts m_own;
  Counts& m_counts;
};

}  // namespace Kindred

#endif  // KINDRED_MEMORY_STATISTICS_ADAPTOR_HPP
