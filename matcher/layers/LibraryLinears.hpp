// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP
#define KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP

#include "HostLinearLayer.hpp"

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/core/common/Alignment.hpp>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

namespace Kindred::Impl {

/// Whether a library computes \p layer faster than `fused_linears`.
inline bool is_large(const LinearLayerData& layer) {
  constexpr std::uint64_t least = std::uint64_t{1} << 21U;
  const double all = static_cast<double>(layer.rows) * static_cast<double>(layer.inputs) *
                     static_cast<double>(layer.outputs);
  return all >= static_cast<double>(least);
}

/// \brief A linear layer by the library of a device. If the library can add the bias and apply ReLU
/// itself, y is written once; otherwise float32 products go through memory that fits into the cache
/// of the device, panel by panel. \tparam Gemm `DeviceGemm`
template <class ExecutionSpace, class Gemm>
class DeviceLinear {
 public:
  /// Whether the library can read and write the layer in units of 16 bytes.
  static bool takes(const LinearLayerData& layer) {
    const std::uint64_t unit = 16 / size_of(layer.input);
    const std::uint64_t output_unit = 16 / size_of(layer.output);
    return alignment_of(layer) >= 16 && layer.inputs % unit == 0 && layer.x_stride % unit == 0 &&
           layer.w_stride % unit == 0 && layer.outputs % output_unit == 0 &&
           layer.y_stride % output_unit == 0;
  }

  /// Prepares \p gemm for the layer. \throws SpaceUnavailable
  DeviceLinear(Gemm& gemm, const LinearLayerData& layer) : m_layer(layer) {
    m_shape.n = layer.outputs;
    m_shape.k = layer.inputs;
    m_shape.lda = layer.x_stride;
    m_shape.ldb = layer.w_stride;
    m_shape.input = type_of(layer.input);
    m_shape.choice = GemmChoice::fixed;
    m_shape.alignment = alignment_of(layer);
    if (!prepare_whole(gemm)) prepare_panels(gemm);
  }

  /// Floats of the products of a panel; 0 if the library writes y itself.
  std::size_t product_floats() const { return m_is_whole ? 0 : m_shape.m * m_shape.ldc; }

  /// Does not fence. \param products `product_floats` floats, aligned to 256 bytes
  void run(const ExecutionSpace& exec_space, Gemm& gemm, float* products) const {
    if (m_is_whole) {
      gemm.run(exec_space, m_shape, m_layer.x, m_layer.w, m_layer.y, m_layer.bias);
      if (m_is_ended)
        end(exec_space, 0, m_layer.rows, reinterpret_cast<const float*>(m_layer.y), m_shape.ldc);
      return;
    }
    for (std::uint64_t row = 0; row < m_layer.rows; row += m_shape.m) {
      GemmShape shape = m_shape;
      shape.m = std::min(m_shape.m, m_layer.rows - row);
      gemm.run(exec_space, shape, m_layer.x + row * m_layer.x_stride * size_of(m_layer.input),
               m_layer.w, products);
      end(exec_space, row, shape.m, products, shape.ldc);
    }
  }

 private:
  static constexpr std::size_t products_max = (std::size_t{32} << 20U) / sizeof(float);

  static GemmType type_of(DataType element) {
    if (element == DataType::float16) return GemmType::float16;
    return element == DataType::bfloat16 ? GemmType::bfloat16 : GemmType::float32;
  }
  /// Alignment of all arrays in bytes: 256, 16 or less.
  static std::uint32_t alignment_of(const LinearLayerData& layer) {
    for (const std::uint32_t bytes : {256U, 16U})
      if (begin_at(bytes, layer.x, layer.w, layer.y, layer.bias)) return bytes;
    return 4;
  }

  /// Whether the library can write y. GELU, of which the library only has an approximation, takes
  /// another pass: over y if it is float32, otherwise over panels.
  bool prepare_whole(Gemm& gemm) {
    const LinearLayerData& layer = m_layer;
    const bool is_gelu = layer.activation == LayerActivation::gelu;
    if (layer.output != DataType::float32 && (is_gelu || layer.output != layer.input)) return false;
    GemmShape shape = m_shape;
    shape.m = layer.rows;
    shape.ldc = layer.y_stride;
    shape.output = type_of(layer.output);
    const bool is_relu = layer.activation == LayerActivation::relu;
    shape.epilogue = layer.bias == nullptr
                         ? (is_relu ? GemmEpilogue::relu : GemmEpilogue::none)
                         : (is_relu ? GemmEpilogue::bias_relu : GemmEpilogue::bias);
    try {
      gemm.prepare(shape);
    } catch (const SpaceUnavailable&) {
      return false;
    }
    m_shape = shape;
    m_is_whole = true;
    m_is_ended = is_gelu;
    return true;
  }
  void prepare_panels(Gemm& gemm) {
    GemmShape& shape = m_shape;
    shape.ldc = (shape.n + 3) / 4 * 4;
    const std::uint64_t rows = std::max<std::uint64_t>(128, products_max / shape.ldc / 128 * 128);
    shape.m = std::min(rows, m_layer.rows);
    gemm.prepare(shape);
    if (const std::uint64_t rest = m_layer.rows % shape.m; rest != 0) {
      GemmShape last = shape;
      last.m = rest;
      gemm.prepare(last);
    }
  }
  void end(const ExecutionSpace& exec_space, std::uint64_t row, std::uint64_t rows,
           const float* products, std::uint64_t stride) const {
    const LinearLayerData& layer = m_layer;
    LinearEnd end;
    end.products = products;
    end.stride = stride;
    end.bias = m_is_whole ? nullptr : layer.bias;
    end.y = layer.y + row * layer.y_stride * size_of(layer.output);
    end.y_stride = layer.y_stride;
    end.rows = rows;
    end.outputs = layer.outputs;
    end.output = layer.output;
    end.activation = layer.activation;
    end_linear(exec_space, end);
  }

  LinearLayerData m_layer;
  GemmShape m_shape;
  bool m_is_whole = false;  ///< the library writes y itself
  bool m_is_ended = false;  ///< a kernel finishes y afterwards
};

/// \brief Linear layers by the library of a space; on a device, they share the memory of their
/// products.
template <class ExecutionSpace>
class LibraryLinears {
 public:
  static bool takes(const LinearLayerData& layer) {
    if constexpr (on_device) return linear::takes(layer);
    return true;
  }

  void add(const ExecutionSpace& exec_space, MemoryResource& memory, const LinearLayerData& layer) {
    if constexpr (on_device) {
      if (!m_gemm) m_gemm.emplace();
      const linear& added = m_layers.emplace_back(*m_gemm, layer);
      if (m_products.size() < added.product_floats())
        m_products = {memory, "Kindred::FusedLayers::products", added.product_floats()};
    } else {
      m_layers.emplace_back(exec_space, memory, layer);
    }
  }
  void run(const ExecutionSpace& exec_space) {
    for (const linear& layer : m_layers) {
      if constexpr (on_device)
        layer.run(exec_space, *m_gemm, m_products.data());
      else
        layer.run(exec_space);
    }
  }

 private:
  static constexpr bool on_device = Arch::is_device<ExecutionSpace>;
  using linear =
      std::conditional_t<on_device, DeviceLinear<ExecutionSpace, DeviceGemm>, HostLinearLayer>;

  std::optional<DeviceGemm> m_gemm;
  std::vector<linear> m_layers;
  Buffer<float, typename ExecutionSpace::memory_space> m_products;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP
