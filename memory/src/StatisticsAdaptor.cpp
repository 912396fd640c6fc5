// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <algorithm>

namespace Kindred {

void* StatisticsAdaptor::allocate(std::size_t bytes, const std::string& label) {
  if (bytes == 0) return m_upstream.allocate(bytes, label);
  Impl::require_same_process();
  void* data = nullptr;
  try {
    data = m_upstream.allocate(bytes, label);
  } catch (...) {
    const std::lock_guard lock(m_counts.mutex);
    ++m_counts.statistics.failures;
    throw;
  }
  const std::lock_guard lock(m_counts.mutex);
  m_counts.statistics.bytes_in_use += bytes;
  m_counts.statistics.bytes_total += bytes;
  m_counts.statistics.bytes_peak =
      std::max(m_counts.statistics.bytes_peak, m_counts.statistics.bytes_in_use);
  ++m_counts.statistics.allocations_in_use;
  ++m_counts.statistics.allocations_total;
  return data;
}

void StatisticsAdaptor::deallocate(void* data, std::size_t bytes) noexcept {
  // In a forked child, another thread may have held the lock, and the upstream one of its own.
  if (Arch::is_forked()) return;
  m_upstream.deallocate(data, bytes);
  if (bytes == 0) return;
  const std::lock_guard lock(m_counts.mutex);
  m_counts.statistics.bytes_in_use -= bytes;
  --m_counts.statistics.allocations_in_use;
}

MemoryStatistics StatisticsAdaptor::statistics() const {
  Impl::require_same_process();
  const std::lock_guard lock(m_counts.mutex);
  return m_counts.statistics;
}

}  // namespace Kindred
