// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_DEVICE_BATCHES_HPP
#define KINDRED_MATCHER_BULK_DEVICE_BATCHES_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Alignment of the arrays of a batch on a device, in bytes.
inline constexpr std::uint64_t device_alignment = 256;
/// Shorter arrays are copied to a device together.
inline constexpr std::uint64_t packed_bytes = std::uint64_t{1} << 18U;

inline std::uint64_t device_bytes(std::uint64_t bytes) {
  return quotient_up(bytes, device_alignment) * device_alignment;
}

/// \brief Size of a batch in bytes: the requested size, or else the best one for the operation, but
/// at most half of the remaining budget. \param kept size of the existing batch buffer, which can
/// be reused
inline std::uint64_t batch_bytes_of(Context& context, Space space, Operation operation,
                                    std::uint64_t requested, std::uint64_t kept) {
  if (requested != 0) return requested;
  const std::uint64_t budget = context.info(space).memory_budget;
  const std::uint64_t used = context.memory_statistics(space).bytes_in_use;
  const std::uint64_t left = budget - std::min(budget, used - std::min(used, kept));
  return std::max<std::uint64_t>(1,
                                 std::min(context.dispatcher().batch_bytes(operation), left / 2));
}

/// \brief Allocates \p buffer with \p want bytes, halving the size after every failure, down to \p
/// least. Returns the number of failures. \throws OutOfMemory if \p least does not fit either; \p
/// buffer is then empty
template <class MemorySpace>
std::size_t make_batch_buffer(Buffer<std::byte, MemorySpace>& buffer, MemoryResource& memory,
                              std::uint64_t& want, std::uint64_t least) {
  std::size_t splits = 0;
  while (buffer.bytes() < want) {
    buffer = Buffer<std::byte, MemorySpace>();  // avoids holding both buffers
    try {
      buffer = Buffer<std::byte, MemorySpace>(memory, "Kindred::Bulk::batch", want);
    } catch (const OutOfMemory&) {
      if (want <= least) throw;
      want = std::max(least, want / 2);
      ++splits;
    }
  }
  return splits;
}

/// \brief Packs copies of host arrays into a buffer on a device.
template <class ExecutionSpace>
class BatchCopies {
 public:
  using view_type = ArrayView<std::byte, ExecutionSpace>;

  BatchCopies(const ExecutionSpace& exec_space, view_type buffer)
      : m_exec_space(exec_space), m_buffer(std::move(buffer)) {}

  /// The address of the next array. \param from null: no upload \param to null: no download \param
  /// aligned false: directly after the previous array
  std::byte* add(const void* from, void* to, std::uint64_t bytes, bool aligned = true) {
    if (aligned) m_used = device_bytes(m_used);
    m_arrays.push_back({from, to, bytes, m_used});
    m_used += bytes;
    return m_buffer.data() + m_arrays.back().place;
  }
  void upload_all() {
    if (is_packed()) {
      m_packed.resize(m_used);
      for (const Array& array : m_arrays) {
        if (array.from != nullptr && array.bytes > 0)
          std::memcpy(m_packed.data() + array.place, array.from, array.bytes);
      }
      start_upload(m_exec_space, m_buffer, m_packed.data(), m_used);
      return;
    }
    for (const Array& array : m_arrays) {
      if (array.from != nullptr)
        start_upload(m_exec_space, part(array), static_cast<const std::byte*>(array.from),
                     array.bytes);
    }
  }
  /// Fences. \throws DeviceLost, which another space makes up for unless a result that replaces its
  /// input may have been written
  void download_all() try {
    if (is_packed()) {
      m_packed.resize(m_used);
      download(m_exec_space, m_packed.data(), m_buffer, m_used);
      for (const Array& array : m_arrays) {
        if (array.to != nullptr && array.bytes > 0)
          std::memcpy(array.to, m_packed.data() + array.place, array.bytes);
      }
      return;
    }
    for (const Array& array : m_arrays) {
      if (array.to != nullptr)
        download(m_exec_space, static_cast<std::byte*>(array.to), part(array), array.bytes);
    }
  } catch (const DeviceLost& error) {
    const bool replaces = std::ranges::any_of(m_arrays, [&](const Array& array) {
      return array.to != nullptr &&
             std::ranges::find(m_arrays, array.to, &Array::from) != m_arrays.end();
    });
    if (!replaces || is_packed()) throw;
    throw LostAmidResults(std::string(error.what()) +
                          "; results that replace their inputs are written in part");
  }

 private:
  struct Array {
    const void* from;
    void* to;
    std::uint64_t bytes;
    std::uint64_t place;
  };

  bool is_packed() const { return m_arrays.size() > 1 && m_used / m_arrays.size() < packed_bytes; }
  view_type part(const Array& array) const {
    return Kokkos::subview(m_buffer, std::pair(array.place, array.place + array.bytes));
  }

  ExecutionSpace m_exec_space;
  view_type m_buffer;
  std::vector<Array> m_arrays;
  std::vector<std::byte> m_packed;
  std::uint64_t m_used = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_DEVICE_BATCHES_HPP
