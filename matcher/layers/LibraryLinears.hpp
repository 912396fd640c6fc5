// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP
#define KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP

#include "HostLinearLayer.hpp"

#include <kindred/backends/vendor/DeviceGemm.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace Kindred::Impl {

/// \brief Linear layers by a library of the host.
template <class ExecutionSpace>
class HostLinears {
 public:
  static bool takes(const LinearLayerData&) { return true; }

  void add(const ExecutionSpace& exec_space, MemoryResource& memory, const LinearLayerData& layer) {
    m_layers.emplace_back(exec_space, memory, layer);
  }
  void run(const ExecutionSpace& exec_space) {
    for (const HostLinearLayer& layer : m_layers) layer.run(exec_space);
  }

 private:
  std::vector<HostLinearLayer> m_layers;
};

/// \brief Linear layers by the library of a device. If the library can add the bias and apply ReLU
/// itself, y is written once; otherwise float32 products go through memory that fits into the cache
/// of the device, panel by panel. \tparam Gemm `DeviceGemm`
template <class ExecutionSpace, class Gemm>
class DeviceLinears {
 public:
  /// Whether the library can read and write the layer in units of 16 bytes.
  static bool takes(const LinearLayerData& layer) {
    const std::uint64_t unit = 16 / size_of(layer.input);
    const std::uint64_t output_unit = 16 / size_of(layer.output);
    return alignment_of(layer) >= 16 && layer.inputs % unit == 0 && layer.x_stride % unit == 0 &&
           layer.w_stride % unit == 0 && layer.outputs % output_unit == 0 &&
           layer.y_stride % output_unit == 0;
  }

  void add(const ExecutionSpace&, MemoryResource& memory, const LinearLayerData& layer) {
    if (!m_gemm) m_gemm.emplace();
    Work work;
    work.layer = layer;
    GemmShape& shape = work.shape;
    shape.n = layer.outputs;
    shape.k = layer.inputs;
    shape.lda = layer.x_stride;
    shape.ldb = layer.w_stride;
    shape.input = type_of(layer.input);
    shape.choice = GemmChoice::fixed;
    shape.alignment = alignment_of(layer);
    if (!prepare_whole(work)) prepare_panels(memory, work);
    m_work.push_back(work);
  }

  void run(const ExecutionSpace& exec_space) {
    for (const Work& work : m_work) {
      if (work.is_whole) {
        m_gemm->run(exec_space, work.shape, work.layer.x, work.layer.w, work.layer.y,
                    work.layer.bias);
        if (work.is_ended) end(exec_space, work, 0, work.layer.rows, y_of(work), work.shape.ldc);
        continue;
      }
      const LinearLayerData& layer = work.layer;
      for (std::uint64_t row = 0; row < layer.rows; row += work.shape.m) {
        GemmShape shape = work.shape;
        shape.m = std::min(work.shape.m, layer.rows - row);
        m_gemm->run(exec_space, shape, layer.x + row * layer.x_stride * size_of(layer.input),
                    layer.w, m_products.data());
        end(exec_space, work, row, shape.m, m_products.data(), shape.ldc);
      }
    }
  }

 private:
  struct Work {
    LinearLayerData layer;
    GemmShape shape;
    bool is_whole = false;  ///< the library writes y itself
    bool is_ended = false;  ///< a kernel finishes y afterwards
  };

  static constexpr std::size_t products_max = (std::size_t{32} << 20U) / sizeof(float);

  static GemmType type_of(VectorElement element) {
    if (element == VectorElement::float16) return GemmType::float16;
    return element == VectorElement::bfloat16 ? GemmType::bfloat16 : GemmType::float32;
  }
  /// Alignment of all arrays in bytes: 256, 16 or less.
  static std::uint32_t alignment_of(const LinearLayerData& layer) {
    const auto address = [](const auto* data) { return reinterpret_cast<std::uintptr_t>(data); };
    const std::uintptr_t all =
        address(layer.x) | address(layer.w) | address(layer.y) | address(layer.bias);
    return all % 256 == 0 ? 256 : all % 16 == 0 ? 16 : 4;
  }
  static float* y_of(const Work& work) { return reinterpret_cast<float*>(work.layer.y); }

  /// Whether the library can write y. GELU, of which the library only has an approximation, takes
  /// another pass: over y if it is float32, otherwise over panels.
  bool prepare_whole(Work& work) {
    const LinearLayerData& layer = work.layer;
    const bool is_gelu = layer.activation == LayerActivation::gelu;
    if (layer.output != VectorElement::float32 && (is_gelu || layer.output != layer.input))
      return false;
    GemmShape shape = work.shape;
    shape.m = layer.rows;
    shape.ldc = layer.y_stride;
    shape.output = type_of(layer.output);
    const bool is_relu = layer.activation == LayerActivation::relu;
    shape.end = layer.bias == nullptr ? (is_relu ? GemmEnd::relu : GemmEnd::none)
                                      : (is_relu ? GemmEnd::bias_relu : GemmEnd::bias);
    try {
      m_gemm->prepare(shape);
    } catch (const SpaceUnavailable&) {
      return false;
    }
    work.shape = shape;
    work.is_whole = true;
    work.is_ended = is_gelu;
    return true;
  }
  void prepare_panels(MemoryResource& memory, Work& work) {
    GemmShape& shape = work.shape;
    shape.ldc = (shape.n + 3) / 4 * 4;
    const std::uint64_t rows = std::max<std::uint64_t>(128, products_max / shape.ldc / 128 * 128);
    shape.m = std::min(rows, work.layer.rows);
    m_gemm->prepare(shape);
    if (const std::uint64_t rest = work.layer.rows % shape.m; rest != 0) {
      GemmShape last = shape;
      last.m = rest;
      m_gemm->prepare(last);
    }
    if (m_products.size() < shape.m * shape.ldc)
      m_products = {memory, "Kindred::FusedLayers::products", shape.m * shape.ldc};
  }
  void end(const ExecutionSpace& exec_space, const Work& work, std::uint64_t row,
           std::uint64_t rows, const float* products, std::uint64_t stride) const {
    const LinearLayerData& layer = work.layer;
    LinearEnd end;
    end.products = products;
    end.stride = stride;
    end.bias = work.is_whole ? nullptr : layer.bias;
    end.y = layer.y + row * layer.y_stride * size_of(layer.output);
    end.y_stride = layer.y_stride;
    end.rows = rows;
    end.outputs = layer.outputs;
    end.output = layer.output;
    end.activation = layer.activation;
    end_linear(exec_space, end);
  }

  std::optional<Gemm> m_gemm;
  std::vector<Work> m_work;
  Buffer<float, typename ExecutionSpace::memory_space> m_products;
};

/// The product library of a space.
template <class ExecutionSpace>
struct LinearsOf {
  using type = DeviceLinears<ExecutionSpace, DeviceGemm>;
};
template <>
struct LinearsOf<HostSpace> {
  using type = HostLinears<HostSpace>;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LIBRARY_LINEARS_HPP
