// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_STATISTICS_ADAPTOR_HPP
#define KINDRED_MEMORY_STATISTICS_ADAPTOR_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/memory/MemoryResource.hpp>

#include <cstdint>
#include <mutex>

namespace KINDRED_PUBLIC Kindred {

/// \brief Totals of the allocations of a resource. Bytes are the requested ones; allocations of 0
/// bytes are not counted.
struct MemoryStatistics {
  std::uint64_t bytes_in_use = 0;
  std::uint64_t bytes_peak = 0;   ///< maximum in use at any time
  std::uint64_t bytes_total = 0;  ///< sum over all allocations
  std::uint64_t allocations_in_use = 0;
  std::uint64_t allocations_total = 0;
  std::uint64_t failures = 0;  ///< allocations that the upstream resource refused

  friend bool operator==(const MemoryStatistics&, const MemoryStatistics&) = default;
};

/// \brief Counts bytes and allocations of the upstream resource. Thread-safe and exact: if it is
/// the upstream of a `LimitAdaptor`, the peak never exceeds the limit.
class StatisticsAdaptor final : public MemoryResource {
 public:
  /// \param upstream must outlive this
  explicit StatisticsAdaptor(MemoryResource& upstream) : m_upstream(upstream), m_counts(m_own) {}
  /// Adds its counts to those of \p shared. \param upstream,shared must outlive this
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
