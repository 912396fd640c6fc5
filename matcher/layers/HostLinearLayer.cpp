// SPDX-License-Identifier: Apache-2.0
#include "HostLinearLayer.hpp"

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <atomic>

namespace Kindred::Impl {

namespace {

constexpr std::uint64_t rows_each = 128;
constexpr std::uint64_t outputs_each = 512;

std::size_t aligned_size(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

bool is_widened(DataType element) {
  if (element == DataType::float32) return false;
  return element == DataType::float16 ||
         !host_gemm_why_not(fastest_host_library(GemmType::bfloat16), GemmType::bfloat16).empty();
}

GemmShape shape_of(const LinearLayerData& layer) {
  const bool widened = is_widened(layer.input);
  GemmShape shape;
  shape.m = std::min(rows_each, layer.rows);
  shape.n = std::min(outputs_each, layer.outputs);
  shape.k = layer.inputs;
  shape.lda = widened ? layer.inputs : layer.x_stride;
  shape.ldb = widened ? layer.inputs : layer.w_stride;
  shape.ldc = shape.n;
  if (layer.input == DataType::bfloat16 && !widened) shape.input = GemmType::bfloat16;
  return shape;
}

/// Converts \p rows rows with a distance of \p stride elements to float32 without gaps.
template <class Element>
void widen(const std::byte* values, std::uint64_t rows, std::uint64_t columns, std::uint64_t stride,
           float* out) {
  const Arch::Lanes<HostSpace> lanes(0);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto* from = reinterpret_cast<const Element*>(values) + row * stride;
    float* to = out + row * columns;
    for (std::uint64_t i = 0; i < columns; i += 32) {
      const int length = static_cast<int>(std::min<std::uint64_t>(columns - i, 32));
      lanes.store(to + i, length == 32 ? lanes.load(from + i) : lanes.load(from + i, length),
                  length);
    }
  }
}

void widen(DataType element, const std::byte* values, std::uint64_t rows, std::uint64_t columns,
           std::uint64_t stride, float* out) {
  if (element == DataType::float16) {
    widen<Arch::Float16>(values, rows, columns, stride, out);
  } else {
    widen<Arch::BFloat16>(values, rows, columns, stride, out);
  }
}

}  // namespace

HostLinearLayer::HostLinearLayer(const HostSpace& exec_space, MemoryResource& memory,
                                 const LinearLayerData& layer)
    : m_layer(layer),
      m_is_widened(is_widened(layer.input)),
      m_gemm(fastest_host_library(shape_of(layer).input), shape_of(layer)),
      m_workers(static_cast<std::uint64_t>(std::max(1, Arch::concurrency(exec_space)))) {
  const GemmShape& shape = m_gemm.shape();
  m_packed_bytes = aligned_size(m_gemm.packed_bytes());
  m_products_bytes = aligned_size(shape.m * shape.n * sizeof(float));
  m_scratch_bytes = aligned_size(m_gemm.scratch_bytes());
  // For a block of w or a tile of x, one at a time.
  m_widened_bytes =
      m_is_widened ? aligned_size(std::max(shape.m, shape.n) * shape.k * sizeof(float)) : 0;
  m_local_bytes = m_packed_bytes + m_products_bytes + m_scratch_bytes + m_widened_bytes;
  m_local = Buffer<std::byte, Kokkos::HostSpace>(memory, "Kindred::FusedLayers::tiles",
                                                 m_workers * m_local_bytes + 64);
}

void HostLinearLayer::multiply(std::uint64_t worker, std::uint64_t block, std::uint64_t first_tile,
                               std::uint64_t last_tile, const Launch::SharedWork& work) const {
  const GemmShape& shape = m_gemm.shape();
  std::byte* base = m_local.data();
  base += (64 - reinterpret_cast<std::uintptr_t>(base) % 64) % 64 + worker * m_local_bytes;
  std::byte* packed = base;
  auto* products = reinterpret_cast<float*>(packed + m_packed_bytes);
  std::byte* scratch = packed + m_packed_bytes + m_products_bytes;
  auto* widened = reinterpret_cast<float*>(scratch + m_scratch_bytes);
  const std::size_t size = size_of(m_layer.input);

  const std::uint64_t new_output = block * shape.n;
  const std::uint64_t output = std::min(new_output, m_layer.outputs - shape.n);
  const std::byte* w = m_layer.w + output * m_layer.w_stride * size;
  if (m_is_widened) {
    widen(m_layer.input, w, shape.n, shape.k, m_layer.w_stride, widened);
    m_gemm.pack(widened, packed);
  } else {
    m_gemm.pack(w, packed);
  }
  for (std::uint64_t tile = first_tile; tile < last_tile && !work.is_over(); ++tile) {
    const std::uint64_t new_row = tile * shape.m;
    const std::uint64_t row = std::min(new_row, m_layer.rows - shape.m);
    const std::byte* x = m_layer.x + row * m_layer.x_stride * size;
    if (m_is_widened) {
      widen(m_layer.input, x, shape.m, shape.k, m_layer.x_stride, widened);
      m_gemm.run(widened, packed, products, scratch);
    } else {
      m_gemm.run(x, packed, products, scratch);
    }
    LinearEnd end;
    end.products = products + (new_row - row) * shape.n + (new_output - output);
    end.stride = shape.n;
    end.bias = m_layer.bias == nullptr ? nullptr : m_layer.bias + new_output;
    end.y = m_layer.y + (new_row * m_layer.y_stride + new_output) * size_of(m_layer.output);
    end.y_stride = m_layer.y_stride;
    end.rows = row + shape.m - new_row;
    end.outputs = output + shape.n - new_output;
    end.output = m_layer.output;
    end.activation = m_layer.activation;
    end_linear_here(end);
  }
}

void HostLinearLayer::run(const HostSpace& exec_space) const {
  const GemmShape& shape = m_gemm.shape();
  const std::uint64_t blocks = quotient_up(m_layer.outputs, shape.n);
  const std::uint64_t tiles = quotient_up(m_layer.rows, shape.m);
  // If there are few blocks, rows are divided too; then each share packs its block again.
  const std::uint64_t shares =
      std::min(tiles, blocks % m_workers == 0 ? 1 : quotient_up(2 * m_workers, blocks));
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](const std::uint64_t worker, const Launch::SharedWork& shared) {
    for (std::uint64_t item = next++; item < blocks * shares; item = next++) {
      if (shared.is_over()) return;
      const std::uint64_t share = item % shares;
      multiply(worker, item / shares, share * tiles / shares, (share + 1) * tiles / shares, shared);
    }
  };
  Launch::for_each_worker(exec_space, "Kindred::FusedLayers::host_products", m_workers, work);
}

}  // namespace Kindred::Impl
