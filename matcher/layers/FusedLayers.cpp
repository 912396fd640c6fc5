// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>

#include "DeviceCopies.hpp"
#include "LayerLaunches.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

template <class ExecutionSpace>
class NormLaunches final : public Impl::Launches {
 public:
  NormLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
               std::vector<NormLayerData> layers)
      : m_exec_space(exec_space),
        m_plan(plan_norms(exec_space, std::span<NormLayerData>(layers))),
        m_layers(Impl::resident(exec_space, memory, layers)) {}

  void run() override { fused_norms(m_exec_space, m_plan, m_layers.const_view()); }
  void wait() const override { Arch::fence(m_exec_space, "Kindred::PreparedNorms::wait"); }

 private:
  ExecutionSpace m_exec_space;
  NormPlan m_plan;
  Buffer<NormLayerData, typename ExecutionSpace::memory_space> m_layers;
};

/// A rough estimate of the time that one thread needs for \p layers.
double nanoseconds_of(std::span<const NormLayer> layers) {
  constexpr double of_element = 1;
  double all = 0;
  for (const NormLayer& layer : layers)
    all += of_element * static_cast<double>(layer.x.rows) * static_cast<double>(layer.x.columns);
  return all;
}
double nanoseconds_of(std::span<const LinearLayer> layers) {
  constexpr double of_step = 0.03;
  double all = 0;
  for (const LinearLayer& layer : layers)
    all += of_step * static_cast<double>(layer.x.rows) * static_cast<double>(layer.x.columns) *
           static_cast<double>(layer.w.rows);
  return all;
}

}  // namespace

struct KINDRED_HIDDEN PreparedNorms::State {
  explicit State(std::unique_ptr<Impl::Launches> prepared) : launches(std::move(prepared)) {}

  std::unique_ptr<Impl::Launches> launches;
};
struct KINDRED_HIDDEN PreparedLinears::State {
  explicit State(std::unique_ptr<Impl::Launches> prepared) : launches(std::move(prepared)) {}

  std::unique_ptr<Impl::Launches> launches;
};

PreparedNorms::PreparedNorms(Context& context, std::span<const NormLayer> layers, Space space,
                             const std::optional<Stream>& stream)
    : m_state(std::make_unique<State>(
          Impl::prepare_launches<NormLaunches>(context, layers, space, stream))) {}
PreparedNorms::~PreparedNorms() = default;
PreparedNorms::PreparedNorms(PreparedNorms&&) noexcept = default;
PreparedNorms& PreparedNorms::operator=(PreparedNorms&&) noexcept = default;
void PreparedNorms::run() const { m_state->launches->run(); }
void PreparedNorms::wait() const { m_state->launches->wait(); }

PreparedLinears::PreparedLinears(Context& context, std::span<const LinearLayer> layers,
                                 bool reproducible, Space space,
                                 const std::optional<Stream>& stream)
    : m_state(std::make_unique<State>(Impl::prepare_launches<Impl::LinearLaunches>(
          context, layers, space, stream, reproducible))) {}
PreparedLinears::~PreparedLinears() = default;
PreparedLinears::PreparedLinears(PreparedLinears&&) noexcept = default;
PreparedLinears& PreparedLinears::operator=(PreparedLinears&&) noexcept = default;
void PreparedLinears::run() const { m_state->launches->run(); }
void PreparedLinears::wait() const { m_state->launches->wait(); }

void run_norm_layers(Context& context, std::span<const NormLayer> layers,
                     const NormOptions& options) {
  const Space chosen =
      options.space.value_or(Impl::host_space_for(context, nanoseconds_of(layers)));
  if (chosen != Space::cuda) return PreparedNorms(context, layers, chosen).run();
  Impl::run_copies(
      context, layers,
      [](auto& copies, const NormLayer& layer) {
        NormLayer taken = layer;
        taken.x = copies.take(layer.x);
        taken.y = copies.take(layer.y);
        taken.gamma = copies.take(layer.gamma);
        taken.beta = copies.take(layer.beta);
        taken.mean = copies.take(layer.mean);
        taken.variance = copies.take(layer.variance);
        return taken;
      },
      [&](std::span<const NormLayer> taken) { return PreparedNorms(context, taken, Space::cuda); });
}

void run_linear_layers(Context& context, std::span<const LinearLayer> layers,
                       const LinearOptions& options) {
  const Space chosen =
      options.space.value_or(Impl::host_space_for(context, nanoseconds_of(layers)));
  if (chosen != Space::cuda)
    return PreparedLinears(context, layers, options.reproducible, chosen).run();
  Impl::run_copies(
      context, layers,
      [](auto& copies, const LinearLayer& layer) {
        LinearLayer taken = layer;
        taken.x = copies.take(layer.x);
        taken.w = copies.take(layer.w);
        taken.bias = copies.take(layer.bias);
        taken.y = copies.take(layer.y);
        return taken;
      },
      [&](std::span<const LinearLayer> taken) {
        return PreparedLinears(context, taken, options.reproducible, Space::cuda);
      });
}

}  // namespace Kindred
