// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_DEVICE_COPIES_HPP
#define KINDRED_MATCHER_LAYERS_DEVICE_COPIES_HPP

#include "LayerChecks.hpp"

#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

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

  ConstMatrix take(const ConstMatrix& matrix) {
    ConstMatrix taken = matrix;
    const std::size_t bytes = extent_bytes(matrix);
    taken.values = {allocate(bytes), bytes};
    upload(m_exec_space, m_buffers.back().view(), matrix.values.data(), bytes);
    return taken;
  }
  std::span<const float> take(std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    const auto* data = reinterpret_cast<const float*>(allocate(bytes.size()));
    upload(m_exec_space, m_buffers.back().view(), bytes.data(), bytes.size());
    return {data, values.size()};
  }
  /// The copy has no gaps between rows.
  MutableMatrix take(const MutableMatrix& matrix) {
    MutableMatrix taken = matrix;
    taken.stride = matrix.columns;
    const std::size_t bytes = matrix.rows * matrix.columns * size_of(matrix.element);
    taken.values = {allocate(bytes), bytes};
    m_results.push_back({m_buffers.size() - 1, matrix});
    return taken;
  }
  std::span<float> take(std::span<float> values) {
    auto* data = reinterpret_cast<float*>(allocate(values.size_bytes()));
    m_results.push_back({m_buffers.size() - 1, matrix_of(values, 1, values.size())});
    return {data, values.size()};
  }

  /// Copies all results back to the original arrays.
  void give_back() {
    for (const Result& result : m_results) {
      const MutableMatrix& to = result.to;
      const auto& from = m_buffers[result.buffer];
      const std::size_t row_bytes = to.columns * size_of(to.element);
      if (to.row_stride() == to.columns || to.rows < 2) {
        download(m_exec_space, to.values.data(), from.view(), to.rows * row_bytes);
        continue;
      }
      std::vector<std::byte> rows(to.rows * row_bytes);
      download(m_exec_space, rows.data(), from.view(), rows.size());
      for (std::size_t row = 0; row < to.rows; ++row) {
        std::memcpy(to.values.data() + row * to.row_stride() * size_of(to.element),
                    rows.data() + row * row_bytes, row_bytes);
      }
    }
  }

 private:
  struct Result {
    std::size_t buffer;
    MutableMatrix to;
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
