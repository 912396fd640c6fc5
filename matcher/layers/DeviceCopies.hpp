// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_DEVICE_COPIES_HPP
#define KINDRED_MATCHER_LAYERS_DEVICE_COPIES_HPP

#include "LayerChecks.hpp"

#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// Copies of host arrays in the memory of a device.
template <class ExecutionSpace>
class DeviceCopies {
 public:
  DeviceCopies(const ExecutionSpace& exec_space, MemoryResource& memory)
      : m_exec_space(exec_space), m_memory(memory) {}

  ConstArray take(const ConstArray& matrix) {
    const ByteRange range(matrix);
    const std::size_t bytes = range.end - range.begin;
    std::byte* const data = allocate(bytes);
    upload(m_exec_space, m_buffers.back().view(), static_cast<const std::byte*>(matrix.data()),
           bytes);
    const std::array strides{matrix.stride(0), matrix.stride(1)};
    return {data, matrix.type(), matrix.shape(), strides, ArrayMemory::device};
  }
  std::span<const float> take(std::span<const float> values) {
    return {static_cast<const float*>(take(matrix_array(values, 1, values.size())).data()),
            values.size()};
  }
  /// The copy has no gaps between rows.
  Array take(const Array& matrix) {
    std::byte* const data = allocate(matrix.size() * size_of(matrix.type()));
    m_results.push_back({m_buffers.size() - 1, matrix});
    return {data, matrix.type(), matrix.shape(), {}, ArrayMemory::device};
  }
  std::span<float> take(std::span<float> values) {
    return {static_cast<float*>(take(matrix_array(values, 1, values.size())).data()),
            values.size()};
  }

  /// Copies all results back to the original arrays.
  void give_back() {
    for (const auto& [buffer, to] : m_results) {
      const auto& from = m_buffers[buffer];
      auto* const data = static_cast<std::byte*>(to.data());
      const std::size_t bytes = to.size() * size_of(to.type());
      if (to.is_contiguous()) {
        download(m_exec_space, data, from.view(), bytes);
        continue;
      }
      std::vector<std::byte> copy(bytes);
      download(m_exec_space, copy.data(), from.view(), bytes);
      const auto rows = static_cast<std::size_t>(to.extent(0));
      const std::size_t row_bytes = bytes / rows;
      const std::size_t step = static_cast<std::size_t>(to.stride(0)) * size_of(to.type());
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(data + row * step, copy.data() + row * row_bytes, row_bytes);
    }
  }

 private:
  struct Result {
    std::size_t buffer;
    Array to;
  };

  std::byte* allocate(std::size_t bytes) {
    return m_buffers.emplace_back(m_memory, "Kindred::FusedLayers::copies", bytes).data();
  }

  ExecutionSpace m_exec_space;
  MemoryResource& m_memory;
  std::vector<Buffer<std::byte, typename ExecutionSpace::memory_space>> m_buffers;
  std::vector<Result> m_results;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_DEVICE_COPIES_HPP
