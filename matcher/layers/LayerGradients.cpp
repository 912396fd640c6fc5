// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/LayerGradients.hpp>

#include "DeviceCopies.hpp"
#include "LayerLaunches.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/layers/LinearGradient.hpp>
#include <kindred/core/layers/NormGradient.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

template <class ExecutionSpace>
using Bytes = Buffer<std::byte, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace>
class NormGradientLaunches final : public Impl::LaunchesOn<ExecutionSpace> {
 public:
  NormGradientLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                       std::vector<NormGradientData> layers)
      : Impl::LaunchesOn<ExecutionSpace>(exec_space, "Kindred::PreparedNormGradients::wait"),
        m_layers(std::move(layers)) {
    std::size_t bytes = 0;  // layers run one after the other and share it
    for (const NormGradientData& layer : m_layers)
      bytes = std::max(bytes, norm_gradients_workspace(layer));
    m_workspace = {memory, "Kindred::LayerGradients::workspace", bytes};
  }

  void run() override {
    for (const NormGradientData& layer : m_layers)
      norm_gradients(this->exec_space(), layer, m_workspace.view());
  }

 private:
  std::vector<NormGradientData> m_layers;
  Bytes<ExecutionSpace> m_workspace;
};

/// \brief The argument of the activation is computed like a layer without one; dx and dw are
/// computed like layers whose operands are transposed copies, padded with zeros.
template <class ExecutionSpace>
class LinearGradientLaunches final : public Impl::LaunchesOn<ExecutionSpace> {
 public:
  LinearGradientLaunches(const ExecutionSpace& exec_space, MemoryResource& memory,
                         const std::vector<Impl::LinearGradientData>& layers, bool reproducible)
      : Impl::LaunchesOn<ExecutionSpace>(exec_space, "Kindred::PreparedLinearGradients::wait") {
    std::vector<LinearLayerData> arguments;
    std::vector<LinearLayerData> products;
    for (const Impl::LinearGradientData& layer : layers) add(memory, layer, arguments, products);
    m_arguments = std::make_unique<Linears>(exec_space, memory, arguments, reproducible);
    m_products = std::make_unique<Linears>(exec_space, memory, products, reproducible);
  }

  void run() override {
    const ExecutionSpace& exec_space = this->exec_space();
    m_arguments->run();
    for (const Work& work : m_work) {
      linear_derivatives(exec_space, work.derivative);
      if (work.wt.size() > 0)
        transpose_padded(exec_space, work.layer.input, work.layer.w, work.layer.outputs,
                         work.layer.inputs, work.layer.w_stride, work.wt.data());
      if (work.xt.size() > 0)
        transpose_padded(exec_space, work.layer.input, work.layer.x, work.layer.rows,
                         work.layer.inputs, work.layer.x_stride, work.xt.data());
      if (work.layer.dbias != nullptr)
        column_sums(exec_space, work.layer.input, work.derivative.dz, work.layer.rows,
                    work.layer.outputs, padded_to_linear_gradient(work.layer.outputs),
                    work.layer.dbias, work.sums.data());
    }
    m_products->run();
  }

 private:
  using Linears = Impl::LinearLaunches<ExecutionSpace>;

  struct Work {
    Impl::LinearGradientData layer;
    LinearDerivative derivative;
    Bytes<ExecutionSpace> z, dz, dzt, wt, xt, sums;
  };

  void add(MemoryResource& memory, const Impl::LinearGradientData& layer,
           std::vector<LinearLayerData>& arguments, std::vector<LinearLayerData>& products) {
    const std::uint64_t rows = padded_to_linear_gradient(layer.rows);
    const std::uint64_t outputs = padded_to_linear_gradient(layer.outputs);
    const auto allocate = [&](std::uint64_t across, std::uint64_t along, std::size_t size) {
      return Bytes<ExecutionSpace>(
          memory, "Kindred::LayerGradients::operands",
          size_product("rows × columns × bytes of an operand", {across, along, size}));
    };
    const std::size_t size = size_of(layer.input);
    Work work;
    work.layer = layer;
    LinearDerivative& derivative = work.derivative;
    if (layer.activation != LayerActivation::none) {
      work.z = allocate(layer.rows, outputs, sizeof(float));
      LinearLayerData& argument = arguments.emplace_back();
      argument.x = layer.x;
      argument.w = layer.w;
      argument.bias = layer.bias;
      argument.y = work.z.data();
      argument.rows = layer.rows;
      argument.inputs = layer.inputs;
      argument.outputs = layer.outputs;
      argument.x_stride = layer.x_stride;
      argument.w_stride = layer.w_stride;
      argument.y_stride = outputs;
      argument.input = layer.input;
      derivative.z = reinterpret_cast<const float*>(work.z.data());
      derivative.z_stride = outputs;
    }
    work.dz = allocate(layer.rows, outputs, size);
    derivative.gradient = layer.gradient;
    derivative.dz = work.dz.data();
    derivative.rows = layer.rows;
    derivative.outputs = layer.outputs;
    derivative.gradient_stride = layer.gradient_stride;
    derivative.output = layer.output;
    derivative.input = layer.input;
    derivative.activation = layer.activation;
    LinearLayerData product;
    product.outputs = layer.inputs;
    product.input = layer.input;
    if (layer.dx != nullptr) {  // dz · W
      work.wt = allocate(layer.inputs, outputs, size);
      product.x = work.dz.data();
      product.w = work.wt.data();
      product.y = layer.dx;
      product.rows = layer.rows;
      product.inputs = product.x_stride = product.w_stride = outputs;
      product.y_stride = layer.dx_stride;
      product.output = layer.dx_element;
      products.push_back(product);
    }
    if (layer.dw != nullptr) {  // dzᵀ · x
      work.dzt = allocate(layer.outputs, rows, size);
      derivative.transposed = work.dzt.data();
      work.xt = allocate(layer.inputs, rows, size);
      product.x = work.dzt.data();
      product.w = work.xt.data();
      product.y = layer.dw;
      product.rows = layer.outputs;
      product.inputs = product.x_stride = product.w_stride = rows;
      product.y_stride = layer.dw_stride;
      product.output = layer.dw_element;
      products.push_back(product);
    }
    if (layer.dbias != nullptr)
      work.sums = Bytes<ExecutionSpace>(memory, "Kindred::LayerGradients::sums",
                                        column_sums_workspace(layer.rows, layer.outputs));
    m_work.push_back(std::move(work));
  }

  std::vector<Work> m_work;
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
                                             Space space, const std::optional<Stream>& stream)
    : m_state(std::make_unique<State>(
          Impl::prepare_launches<NormGradientLaunches>(context, layers, space, stream))) {}
PreparedNormGradients::~PreparedNormGradients() = default;
PreparedNormGradients::PreparedNormGradients(PreparedNormGradients&&) noexcept = default;
PreparedNormGradients& PreparedNormGradients::operator=(PreparedNormGradients&&) noexcept = default;
void PreparedNormGradients::run() const { m_state->launches->run(); }
void PreparedNormGradients::wait() const { m_state->launches->wait(); }

PreparedLinearGradients::PreparedLinearGradients(Context& context,
                                                 std::span<const LinearGradient> layers,
                                                 bool reproducible, Space space,
                                                 const std::optional<Stream>& stream)
    : m_state(std::make_unique<State>(Impl::prepare_launches<LinearGradientLaunches>(
          context, layers, space, stream, reproducible))) {}
PreparedLinearGradients::~PreparedLinearGradients() = default;
PreparedLinearGradients::PreparedLinearGradients(PreparedLinearGradients&&) noexcept = default;
PreparedLinearGradients& PreparedLinearGradients::operator=(PreparedLinearGradients&&) noexcept =
    default;
void PreparedLinearGradients::run() const { m_state->launches->run(); }
void PreparedLinearGradients::wait() const { m_state->launches->wait(); }

void run_norm_gradients(Context& context, std::span<const NormGradient> layers,
                        const NormOptions& options) {
  constexpr double element_nanoseconds = 20;
  Impl::run_layers(
      context, layers, options.space, Impl::norm_elements(layers) * element_nanoseconds,
      [](auto& copies, const NormGradient& layer) {
        NormGradient taken = layer;
        taken.x = copies.take(layer.x);
        taken.gradient = copies.take(layer.gradient);
        taken.dx = copies.take(layer.dx);
        taken.gamma = copies.take(layer.gamma);
        taken.beta = copies.take(layer.beta);
        taken.dgamma = copies.take(layer.dgamma);
        taken.dbeta = copies.take(layer.dbeta);
        return taken;
      },
      [&](std::span<const NormGradient> on_space, Space space) {
        return PreparedNormGradients(context, on_space, space);
      });
}

void run_linear_gradients(Context& context, std::span<const LinearGradient> layers,
                          const LinearOptions& options) {
  constexpr double step_nanoseconds = 0.1;
  Impl::run_layers(
      context, layers, options.space, Impl::linear_steps(layers) * step_nanoseconds,
      [](auto& copies, const LinearGradient& layer) {
        LinearGradient taken = layer;
        taken.x = copies.take(layer.x);
        taken.w = copies.take(layer.w);
        taken.bias = copies.take(layer.bias);
        taken.gradient = copies.take(layer.gradient);
        if (!layer.dx.values.empty()) taken.dx = copies.take(layer.dx);
        if (!layer.dw.values.empty()) taken.dw = copies.take(layer.dw);
        taken.dbias = copies.take(layer.dbias);
        return taken;
      },
      [&](std::span<const LinearGradient> on_space, Space space) {
        return PreparedLinearGradients(context, on_space, options.reproducible, space);
      });
}

}  // namespace Kindred
