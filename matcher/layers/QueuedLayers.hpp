// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_QUEUED_LAYERS_HPP
#define KINDRED_MATCHER_LAYERS_QUEUED_LAYERS_HPP

#include "LayerChecks.hpp"
#include "LibraryLinears.hpp"
#include "LinearGradientSteps.hpp"
#include "WorkspaceParts.hpp"

#include <kindred/core/common/ArrayView.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace Kindred::Impl {

// A layer of a call on a stream: what it launches is known once it has been constructed, and a
// launch reads nothing but the arrays of the layer, its workspace and the parameters of the kernel.

/// \brief The product library of calls, which is created when a layer uses it. \tparam Gemm
/// `DeviceGemm`
template <class Gemm>
using SharedGemm = std::optional<Gemm>;

/// \tparam Data the form of the layer that kernels take
template <class ExecutionSpace, class Gemm, class Data>
class QueuedLayer;

template <class ExecutionSpace, class Gemm>
class QueuedLayer<ExecutionSpace, Gemm, NormLayerData> {
 public:
  QueuedLayer(const ExecutionSpace& exec_space, SharedGemm<Gemm>&, const NormLayerData& layer, bool,
              WorkspaceParts&)
      : m_layer(layer), m_plan(plan_norms(exec_space, std::span(&m_layer, 1))) {}

  void run(const ExecutionSpace& exec_space, SharedGemm<Gemm>&) const {
    fused_norm(exec_space, m_plan, m_layer);
  }

 private:
  NormLayerData m_layer;
  NormPlan m_plan;
};

template <class ExecutionSpace, class Gemm>
class QueuedLayer<ExecutionSpace, Gemm, LinearLayerData> {
 public:
  QueuedLayer(const ExecutionSpace&, SharedGemm<Gemm>& gemm, const LinearLayerData& layer,
              bool reproducible, WorkspaceParts& parts)
      : m_layer(layer) {
    if (!reproducible && is_large(layer) && library::takes(layer)) {
      if (!gemm) gemm.emplace();
      m_library.emplace(*gemm, layer);
      m_products =
          reinterpret_cast<float*>(parts.take(m_library->product_floats() * sizeof(float)));
    } else {
      m_work_items = plan_linears<ExecutionSpace>(std::span(&m_layer, 1));
    }
  }

  void run(const ExecutionSpace& exec_space, SharedGemm<Gemm>& gemm) const {
    if (m_library) return m_library->run(exec_space, *gemm, m_products);
    fused_linear(exec_space, m_work_items, m_layer);
  }

 private:
  using library = DeviceLinear<ExecutionSpace, Gemm>;

  LinearLayerData m_layer;
  std::uint64_t m_work_items = 0;
  std::optional<library> m_library;
  float* m_products = nullptr;
};

template <class ExecutionSpace, class Gemm>
class QueuedLayer<ExecutionSpace, Gemm, NormGradientData> {
 public:
  QueuedLayer(const ExecutionSpace&, SharedGemm<Gemm>&, const NormGradientData& layer, bool,
              WorkspaceParts& parts)
      : m_layer(layer), m_bytes(norm_gradient_workspace(layer)), m_workspace(parts.take(m_bytes)) {}

  void run(const ExecutionSpace& exec_space, SharedGemm<Gemm>&) const {
    norm_gradients(exec_space, m_layer, ArrayView<std::byte, ExecutionSpace>(m_workspace, m_bytes));
  }

 private:
  NormGradientData m_layer;
  std::size_t m_bytes;
  std::byte* m_workspace;
};

template <class ExecutionSpace, class Gemm>
class QueuedLayer<ExecutionSpace, Gemm, LinearGradientData> {
 public:
  QueuedLayer(const ExecutionSpace& exec_space, SharedGemm<Gemm>& gemm,
              const LinearGradientData& layer, bool reproducible, WorkspaceParts& parts)
      : m_steps(layer, [&](std::size_t bytes) { return parts.take(bytes); }) {
    // The products run one after the other, so that their panels share memory.
    const WorkspaceParts operands = parts;
    const auto add = [&](std::optional<linear>& to, const std::optional<LinearLayerData>& product) {
      if (!product) return;
      WorkspaceParts own = operands;
      to.emplace(exec_space, gemm, *product, reproducible, own);
      parts.add(own);
    };
    add(m_argument, m_steps.argument());
    add(m_dx, m_steps.dx());
    add(m_dw, m_steps.dw());
  }

  void run(const ExecutionSpace& exec_space, SharedGemm<Gemm>& gemm) const {
    if (m_argument) m_argument->run(exec_space, gemm);
    m_steps.derive(exec_space);
    if (m_dx) m_dx->run(exec_space, gemm);
    if (m_dw) m_dw->run(exec_space, gemm);
  }

 private:
  using linear = QueuedLayer<ExecutionSpace, Gemm, LinearLayerData>;

  LinearGradientSteps m_steps;
  std::optional<linear> m_argument;
  std::optional<linear> m_dx;
  std::optional<linear> m_dw;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_QUEUED_LAYERS_HPP
