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

template <class ExecutionSpace>
class LinearLaunches final : public Launches {
 public:
  LinearLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                 const std::vector<LinearLayerData>& layers, bool reproducible)
      : m_exec_space(exec_space) {
    std::vector<LinearLayerData> own;
    for (const LinearLayerData& layer : layers) {
      if (!reproducible && is_large(layer) && products::takes(layer)) {
        m_products.add(exec_space, memory, layer);
      } else {
        own.push_back(layer);
      }
    }
    m_units = plan_linears<ExecutionSpace>(own);
    m_layers = resident(exec_space, memory, own);
  }

  void run() override {
    m_products.run(m_exec_space);
    fused_linears(m_exec_space, m_units, m_layers.const_view());
  }
  void wait() const override { Arch::fence(m_exec_space, "Kindred::PreparedLinears::wait"); }

 private:
  using products = typename Impl::LinearsOf<ExecutionSpace>::type;

  static bool is_large(const LinearLayerData& layer) {
    constexpr std::uint64_t least = std::uint64_t{1} << 21U;
    const double all = static_cast<double>(layer.rows) * static_cast<double>(layer.inputs) *
                       static_cast<double>(layer.outputs);
    return all >= static_cast<double>(least);
  }

  ExecutionSpace m_exec_space;
  products m_products;
  std::uint64_t m_units = 0;
  Buffer<LinearLayerData, typename ExecutionSpace::memory_space> m_layers;
};

/// Prepares the launches of \p layers, which are validated if \p space is usable.
template <template <class> class Of, class Layer, class... Arguments>
std::unique_ptr<Launches> make(Context& context, std::span<const Layer> layers, Space space,
                               const std::optional<Stream>& stream, Arguments... arguments) {
  if (!context.is_usable(space)) throw SpaceUnavailable(context.info(space).why_not);
  const Impl::CurrentDeviceOf current(context, space);
  auto data = Impl::checked(layers, space);
  return Impl::with_instance(
      context, space, [&](const auto& exec_space) -> std::unique_ptr<Launches> {
        using execution_space = std::decay_t<decltype(exec_space)>;
        return std::make_unique<Of<execution_space>>(Impl::instance_on(exec_space, stream),
                                                     context.memory(space), std::move(data),
                                                     arguments...);
      });
}

/// Copies of host arrays in the memory of a device.
template <class ExecutionSpace>
class Copies {
 public:
  Copies(const ExecutionSpace& exec_space, MemoryResource& memory)
      : m_exec_space(exec_space), m_memory(memory) {}

  ConstMatrix take(const ConstMatrix& matrix) {
    ConstMatrix taken = matrix;
    const std::size_t bytes = Impl::extent_bytes(matrix);
    taken.values = {allocate(bytes), bytes};
    Impl::upload(m_exec_space, m_buffers.back().view(), matrix.values.data(), bytes);
    return taken;
  }
  std::span<const float> take(std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    const auto* data = reinterpret_cast<const float*>(allocate(bytes.size()));
    Impl::upload(m_exec_space, m_buffers.back().view(), bytes.data(), bytes.size());
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
        Impl::download(m_exec_space, to.values.data(), from.view(), to.rows * row_bytes);
        continue;
      }
      std::vector<std::byte> rows(to.rows * row_bytes);
      Impl::download(m_exec_space, rows.data(), from.view(), rows.size());
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

Space host_of(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

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
