// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "LayerLaunches.hpp"
#include "RunLayers.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

template <class ExecutionSpace>
class NormLaunches {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedNorms::wait";

  NormLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
               std::vector<NormLayerData> layers)
      : m_plan(plan_norms(exec_space, std::span<NormLayerData>(layers))),
        m_layers(Impl::resident(exec_space, memory, layers)) {}

  void run(const ExecutionSpace& exec_space) {
    fused_norms(exec_space, m_plan, m_layers.const_view());
  }

 private:
  NormPlan m_plan;
  Buffer<NormLayerData, typename ExecutionSpace::memory_space> m_layers;
};

}  // namespace

struct KINDRED_HIDDEN PreparedNorms::State : Impl::LaunchState {
  using LaunchState::LaunchState;
};
struct KINDRED_HIDDEN PreparedLinears::State : Impl::LaunchState {
  using LaunchState::LaunchState;
};

PreparedNorms::PreparedNorms(Context& context, std::span<const NormLayer> layers, Space space,
                             const std::optional<Stream>& stream) try
    : m_state(std::make_unique<State>(
          Impl::prepare_launches<NormLaunches>(context, layers, space, stream))) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNorms");
}
void PreparedNorms::run() const try { m_state->run(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNorms::run");
}
void PreparedNorms::wait() const try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedNorms::wait");
}

PreparedLinears::PreparedLinears(Context& context, std::span<const LinearLayer> layers,
                                 bool reproducible, Space space,
                                 const std::optional<Stream>& stream) try
    : m_state(std::make_unique<State>(Impl::prepare_launches<Impl::LinearLaunches>(
          context, layers, space, stream, reproducible))) {
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinears");
}
void PreparedLinears::run() const try { m_state->run(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinears::run");
}
void PreparedLinears::wait() const try { m_state->wait(); } catch (...) {
  Impl::rethrow_translated("Kindred::PreparedLinears::wait");
}

void run_norm_layers(Context& context, std::span<const NormLayer> layers,
                     const NormOptions& options) try {
  constexpr double element_nanoseconds = 1;
  Impl::run_layers<Impl::QueuedNorm>(context, layers, options,
                                     Impl::norm_elements(layers) * element_nanoseconds,
                                     [&](std::span<const NormLayer> on_space, Space space) {
                                       return PreparedNorms(context, on_space, space);
                                     });
} catch (...) {
  Impl::rethrow_translated("Kindred::run_norm_layers");
}

void run_linear_layers(Context& context, std::span<const LinearLayer> layers,
                       const LinearOptions& options) try {
  constexpr double step_nanoseconds = 0.03;
  Impl::run_layers<Impl::QueuedLinear>(
      context, layers, options, Impl::linear_steps(layers) * step_nanoseconds,
      [&](std::span<const LinearLayer> on_space, Space space) {
        return PreparedLinears(context, on_space, options.reproducible, space);
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::run_linear_layers");
}

std::size_t linear_layers_workspace(const Context& context, std::span<const LinearLayer> layers,
                                    const LinearOptions& options) try {
  return Impl::queued_workspace<Impl::QueuedLinear>(context, layers, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::linear_layers_workspace");
}

}  // namespace Kindred
