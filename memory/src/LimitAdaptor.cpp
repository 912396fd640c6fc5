// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/LimitAdaptor.hpp>

#include <kindred/core/common/Error.hpp>

namespace Kindred {

void* LimitAdaptor::allocate(std::size_t bytes, const std::string& label) {
  std::uint64_t used = m_used.load(std::memory_order_relaxed);
  do {
    if (bytes > m_limit - used) {
      throw OutOfMemory(std::string(space()), bytes, label,
                        "the budget is " + std::to_string(m_limit) + " bytes and " +
                            std::to_string(used) +
                            " are in use; raise the budget or use smaller batches");
    }
  } while (!m_used.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  try {
    return m_upstream.allocate(bytes, label);
  } catch (...) {
    m_used.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
}

void LimitAdaptor::deallocate(void* data, std::size_t bytes) noexcept {
  m_upstream.deallocate(data, bytes);
  m_used.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace Kindred
