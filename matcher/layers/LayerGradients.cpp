// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LayerGradients.hpp>

#include "LayerLaunches.hpp"
#include "LinearGradientSteps.hpp"
#include "RunLayers.hpp"

#include <kindred/core/layers/NormGradient.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

template <class ExecutionSpace>
using Bytes = Buffer<std::byte, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace>
class NormGradientLaunches {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedNormGradients::wait";

  NormGradientLaunches(const ExecutionSpace& /*exec_space*/, MemoryResource& memory,
                       std::vector<NormGradientData> layers)
      : m_layers(std::move(layers)) {
    std::size_t bytes = 0;  // layers run one after the other and share it
    for (const NormGradientData& layer : m_layers)
      bytes = std::max(bytes, norm_gradient_workspace(layer));
    m_workspace = {memory, "Kindred::LayerGradients::workspace", bytes};
  }

  void run(const ExecutionSpace& exec_space) {
    for (const NormGradientData& layer : m_layers)
      norm_gradients(exec_space, layer, m_workspace.view());
  }

 private:
  std::vector<NormGradientData> m_layers;
  Bytes<ExecutionSpace> m_workspace;
};

/// The launches of a list: first the arguments of all activations, last all products.
template <class ExecutionSpace>
class LinearGradientLaunches {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedLinearGradients::wait";

  LinearGradientLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                         const std::vector<Impl::LinearGradientData>& layers, bool reproducible) {
    const auto take = [&](std::size_t bytes) {
      return m_operands.emplace_back(memory, "Kindred::LayerGradients::operands", bytes).data();
    };
    std::vector<LinearLayerData> arguments;
    std::vector<LinearLayerData> products;
    for (const Impl::LinearGradientData& layer : layers) {
      const Impl::LinearGradientSteps& steps = m_steps.emplace_back(layer, take);
      if (steps.argument()) arguments.push_back(*steps.argument());
      if (steps.dx()) products.push_back(*steps.dx());
      if (steps.dw()) products.push_back(*steps.dw());
    }
    m_arguments = std::make_unique<Linears>(exec_space, memory, arguments, reproducible);
    m_products = std::make_unique<Linears>(exec_space, memory, products, reproducible);
  }

  void run(const ExecutionSpace& exec_space) {
    m_arguments->run(exec_space);
    for (const Impl::LinearGradientSteps& steps : m_steps) steps.derive(exec_space);
    m_products->run(exec_space);
  }

 private:
  using Linears = Impl::LinearLaunches<ExecutionSpace>;

  std::vector<Bytes<ExecutionSpace>> m_operands;
  std::vector<Impl::LinearGradientSteps> m_steps;
  std::unique_ptr<Linears> m_arguments;
  std::unique_ptr<Linears> m_products;
};

}  // namespace

struct KINDRED_HIDDEN PreparedNormGradients::State : Impl::LaunchState {
  using LaunchState::LaunchState;
};
struct KINDRED_HIDDEN PreparedLinearGradients::State : Impl::LaunchState {
  using LaunchState::LaunchState;
};

PreparedNormGradients::PreparedNormGradients(Context& context, std::span<const NormGradient> layers,
                                             Space space, const std::optional<Stream>& stream) try
    : m_state(std::make_unique<State>(
          Impl::prepare_launches<NormGradientLaunches>(context, layers, space, stream))) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNormGradients");
}
void PreparedNormGradients::run() const try { m_state->run(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNormGradients::run");
}
void PreparedNormGradients::wait() const try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNormGradients::wait");
}

PreparedLinearGradients::PreparedLinearGradients(Context& context,
                                                 std::span<const LinearGradient> layers,
                                                 bool reproducible, Space space,
                                                 const std::optional<Stream>& stream) try
    : m_state(std::make_unique<State>(Impl::prepare_launches<LinearGradientLaunches>(
          context, layers, space, stream, reproducible))) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinearGradients");
}
void PreparedLinearGradients::run() const try { m_state->run(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinearGradients::run");
}
void PreparedLinearGradients::wait() const try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinearGradients::wait");
}

void run_norm_gradients(Context& context, std::span<const NormGradient> layers,
                        const NormOptions& options) try {
  constexpr double element_nanoseconds = 20;
  Impl::run_layers<Impl::QueuedNormGradient>(
      context, layers, options, Impl::norm_elements(layers) * element_nanoseconds,
      [&](std::span<const NormGradient> on_space, Space space) {
        return PreparedNormGradients(context, on_space, space);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::run_norm_gradients");
}

void run_linear_gradients(Context& context, std::span<const LinearGradient> layers,
                          const LinearOptions& options) try {
  constexpr double step_nanoseconds = 0.1;
  Impl::run_layers<Impl::QueuedLinearGradient>(
      context, layers, options, Impl::linear_steps(layers) * step_nanoseconds,
      [&](std::span<const LinearGradient> on_space, Space space) {
        return PreparedLinearGradients(context, on_space, options.reproducible, space);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::run_linear_gradients");
}

std::size_t norm_gradients_workspace(const Context& context, std::span<const NormGradient> layers,
                                     const NormOptions& options) try {
  return Impl::queued_workspace<Impl::QueuedNormGradient>(context, layers, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::norm_gradients_workspace");
}
std::size_t linear_gradients_workspace(const Context& context,
                                       std::span<const LinearGradient> layers,
                                       const LinearOptions& options) try {
  return Impl::queued_workspace<Impl::QueuedLinearGradient>(context, layers, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::linear_gradients_workspace");
}

}  // namespace Kindred
