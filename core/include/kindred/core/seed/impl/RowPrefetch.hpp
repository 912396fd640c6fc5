// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_ROW_PREFETCH_HPP
#define KINDRED_CORE_SEED_IMPL_ROW_PREFETCH_HPP

#include <kindred/core/arch/AsyncCopy.hpp>
#include <kindred/core/arch/simd/Vec4.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The rows that a thread processes, four adjacent elements each, read together.
template <class In>
struct Vec4Rows {
  const In* from;
  std::uint64_t step;  ///< elements from one row to the next
  unsigned count;
};

/// \brief Reads rows ahead of their use into the team's scratch: `depth` rows are in flight.
template <class In, unsigned batch_, unsigned depth>
class QueuedRows {
 public:
  static constexpr unsigned batch = batch_;
  static constexpr std::size_t thread_bytes = depth * sizeof(Arch::Vec4<In>);

  KOKKOS_INLINE_FUNCTION void begin(std::byte* memory, unsigned thread, unsigned threads,
                                    const Vec4Rows<In>& rows) {
    m_slots = reinterpret_cast<Arch::Vec4<In>*>(memory) + thread;
    m_threads = threads;
    m_next = rows.from;
    m_left = rows.count;
    KINDRED_UNROLL
    for (unsigned j = 0; j < depth; j += batch) start(rows, j);
  }
  /// Calls `take(rows)` for full batches, then for single rows, and `halfway()` once, also in
  /// threads without rows.
  template <class Take, class TakeOne, class Halfway>
  KOKKOS_INLINE_FUNCTION void each(const Vec4Rows<In>& rows, const Take& take,
                                   const TakeOne& take_one, const Halfway& halfway) {
    const unsigned half = rows.count / 2 / batch * batch;
    unsigned slot = 0;
    unsigned j = 0;
    KINDRED_NO_UNROLL
    for (; j + batch <= rows.count; j += batch) {
      if (j == half) halfway();
      Arch::await_copies<depth / batch - 1>();
      Arch::Vec4<In> here[batch];
      KINDRED_UNROLL
      for (unsigned i = 0; i < batch; ++i) here[i] = m_slots[(slot + i) * m_threads];
      start(rows, slot);
      take(here);
      slot = slot + batch == depth ? 0 : slot + batch;
    }
    if (rows.count < batch) halfway();
    Arch::await_copies<0>();
    KINDRED_NO_UNROLL
    for (unsigned i = 0; j < rows.count; ++j, ++i) take_one(m_slots[(slot + i) * m_threads]);
  }

 private:
  /// Starts the next batch of the remaining rows.
  KOKKOS_INLINE_FUNCTION void start(const Vec4Rows<In>& rows, unsigned slot) {
    KINDRED_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (i < m_left) Arch::copy_async(m_slots + (slot + i) * m_threads, m_next);
      m_next += rows.step;
    }
    m_left = m_left > batch ? m_left - batch : 0;
    Arch::end_copy_batch();
  }
  Arch::Vec4<In>* m_slots;
  unsigned m_threads;
  const In* m_next;
  unsigned m_left;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_ROW_PREFETCH_HPP
