// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/layers/NormGradient.hpp>

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/layers/impl/Activation.hpp>
#include <kindred/core/layers/impl/ColumnSums.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>
#include <kindred/core/layers/impl/StoreElement.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <cstdint>

namespace Kindred {

namespace Impl {

/// What the gradients of a row need of its statistics.
struct alignas(16) NormRowFactors {
  NormScale scale;  ///< of the forward pass
  double mean;
  double factor;  ///< 1 / σ

  KOKKOS_INLINE_FUNCTION static NormRowFactors of(const NormSums& sums, float first,
                                                  std::uint64_t columns, float epsilon) {
    const auto count = static_cast<double>(columns);
    const double offset = sums.sum / count;
    double variance = sums.square / count - Arch::rounded_product(offset, offset);
    variance = variance < 0.0 ? 0.0 : variance;
    NormRowFactors out;
    out.scale = norm_moments(sums, first, columns, epsilon).scale;
    out.mean = static_cast<double>(first) + offset;
    out.factor = 1.0 / Kokkos::sqrt(variance + static_cast<double>(epsilon));
    // The forward pass gives NaN for a row with an infinity.
    if (out.scale.high != out.scale.high) out.factor = static_cast<double>(out.scale.high);
    return out;
  }
};

/// The elements of a layer. \tparam In of x and dx \tparam Out of the gradient
template <class In, class Out>
struct NormGradientElements {
  NormGradientData layer;
  NormRowFactors* rows;

  KOKKOS_INLINE_FUNCTION const In* x(std::uint64_t row) const {
    return reinterpret_cast<const In*>(layer.x) + row * layer.x_stride;
  }
  KOKKOS_INLINE_FUNCTION const Out* gradient(std::uint64_t row) const {
    return reinterpret_cast<const Out*>(layer.gradient) + row * layer.gradient_stride;
  }
  /// The normalised element and the gradient with respect to h, in double.
  struct Terms {
    double n;
    double a;
  };
  KOKKOS_INLINE_FUNCTION Terms terms(const NormRowFactors& by, std::uint64_t row,
                                     std::uint64_t column) const {
    const float value = Arch::to_float(x(row)[column]);
    const float gamma = layer.gamma == nullptr ? 1.0F : layer.gamma[column];
    const float beta = layer.beta == nullptr ? 0.0F : layer.beta[column];
    const float h =
        layer.activation == LayerActivation::none ? 0.0F : normalised(by.scale, value, gamma, beta);
    return {Arch::rounded_product(static_cast<double>(value) - by.mean, by.factor),
            activation_gradient(layer.activation, h, Arch::to_float(gradient(row)[column]))};
  }
  KOKKOS_INLINE_FUNCTION double gamma(std::uint64_t column) const {
    return layer.gamma == nullptr ? 1.0 : static_cast<double>(layer.gamma[column]);
  }
};

/// A work item: the factors of one row.
template <class ExecutionSpace, class In, class Out>
struct NormGradientFactors {
  NormGradientElements<In, Out> all;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const NormGradientData& layer = all.layer;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const In* x = all.x(row);
    const auto sums =
        sum_of_blocks<NormSums>(layer.columns, [&](std::uint64_t begin, std::uint32_t length) {
          return norm_sums(lanes, x + begin, static_cast<int>(length), x[0]);
        });
    if (lanes.is_leader())
      all.rows[row] = NormRowFactors::of(sums, Arch::to_float(x[0]), layer.columns, layer.epsilon);
  }
};

/// A work item: the gradient with respect to one row of x.
template <class ExecutionSpace, class In, class Out>
struct NormGradientRows {
  NormGradientElements<In, Out> all;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const NormGradientData& layer = all.layer;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const NormRowFactors by = all.rows[row];
    const auto block_sums = [&](std::uint64_t begin, std::uint32_t length) {
      const auto count = static_cast<int>(length);
      auto sum = lanes.zero();
      auto weighted = lanes.zero();
      for (int i = 0; i < count; i += 32) {
        lanes.for_each(count - i, [&](int lane) {
          const std::uint64_t column = begin + static_cast<std::uint64_t>(i + lane);
          const auto terms = all.terms(by, row, column);
          const double b = Arch::rounded_product(terms.a, all.gamma(column));
          lanes.of_lane(sum, lane) += b;
          lanes.of_lane(weighted, lane) += Arch::rounded_product(b, terms.n);
        });
      }
      return NormSums{lanes.tree_sum(sum), lanes.tree_sum(weighted)};
    };
    const auto sums = sum_of_blocks<NormSums>(layer.columns, block_sums);
    const auto columns = static_cast<double>(layer.columns);
    const double mean = sums.sum / columns;
    const double slope = sums.square / columns;
    In* to = reinterpret_cast<In*>(layer.dx) + row * layer.dx_stride;
    for (std::uint64_t i = 0; i < layer.columns; i += 32) {
      const std::uint64_t left = layer.columns - i;
      lanes.for_each(left < 32 ? static_cast<int>(left) : 32, [&](int lane) {
        const std::uint64_t column = i + static_cast<std::uint64_t>(lane);
        const auto terms = all.terms(by, row, column);
        const double b = Arch::rounded_product(terms.a, all.gamma(column));
        const double centred = (b - mean) - Arch::rounded_product(terms.n, slope);
        to[column] = Arch::round_canonical<In>(
            static_cast<float>(Arch::rounded_product(centred, by.factor)));
      });
    }
  }
};

/// The terms of dβ, a, and of dγ, a·n.
template <class In, class Out>
struct NormGradientTerms {
  NormGradientElements<In, Out> all;

  KOKKOS_INLINE_FUNCTION NormSums operator()(std::uint64_t row, std::uint64_t column) const {
    const auto terms = all.terms(all.rows[row], row, column);
    return {terms.a, Arch::rounded_product(terms.a, terms.n)};
  }
};
struct NormGradientSums {
  float* dgamma;
  float* dbeta;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t column, const NormSums& sums) const {
    if (dbeta != nullptr)
      dbeta[column] = Arch::round_canonical<float>(static_cast<float>(sums.sum));
    if (dgamma != nullptr)
      dgamma[column] = Arch::round_canonical<float>(static_cast<float>(sums.square));
  }
};

}  // namespace Impl

std::size_t norm_gradient_workspace(const NormGradientData& layer) {
  const std::size_t of_rows = layer.rows * sizeof(Impl::NormRowFactors);
  if (layer.dgamma == nullptr && layer.dbeta == nullptr) return of_rows;
  return of_rows +
         Impl::ColumnSums::of(layer.rows).segments * layer.columns * sizeof(Impl::NormSums);
}

namespace {

template <class In, class Out, class ExecutionSpace>
void launch(const ExecutionSpace& exec_space, const NormGradientData& layer, std::byte* workspace) {
  const Impl::NormGradientElements<In, Out> all{layer,
                                                reinterpret_cast<Impl::NormRowFactors*>(workspace)};
  Launch::for_each_warp(exec_space, "Kindred::Layers::norm_gradients::factors", layer.rows,
                        Impl::NormGradientFactors<ExecutionSpace, In, Out>{all});
  if (layer.dgamma != nullptr || layer.dbeta != nullptr) {
    // Before dx, which may replace the gradient.
    auto* partial =
        reinterpret_cast<Impl::NormSums*>(workspace + layer.rows * sizeof(Impl::NormRowFactors));
    Impl::sum_columns(
        exec_space,
        {"Kindred::Layers::norm_gradients::segments", "Kindred::Layers::norm_gradients::columns"},
        layer.rows, layer.columns, Impl::NormGradientTerms<In, Out>{all}, partial,
        Impl::NormGradientSums{layer.dgamma, layer.dbeta});
  }
  Launch::for_each_warp(exec_space, "Kindred::Layers::norm_gradients::rows", layer.rows,
                        Impl::NormGradientRows<ExecutionSpace, In, Out>{all});
}

}  // namespace

template <class ExecutionSpace>
void norm_gradients(const ExecutionSpace& exec_space, const NormGradientData& layer,
                    const ArrayView<std::byte, ExecutionSpace>& workspace) {
  const Impl::ArgumentCheck check("norm_gradients");
  const std::uint64_t elements = Impl::extent_of(layer.rows, layer.columns);
  check.is_float("layer.input", layer.input);
  check.is_float("layer.output", layer.output);
  check.is_array("layer.x", layer.x, elements, size_of(layer.input));
  check.is_array("layer.gradient", layer.gradient, elements, size_of(layer.output));
  check.is_array("layer.dx", layer.dx, elements, size_of(layer.input));
  check.is_aligned("layer.gamma", layer.gamma, alignof(float));
  check.is_aligned("layer.beta", layer.beta, alignof(float));
  check.is_aligned("layer.dgamma", layer.dgamma, alignof(float));
  check.is_aligned("layer.dbeta", layer.dbeta, alignof(float));
  if (layer.rows > 1) check.is_at_least("layer.dx_stride", layer.dx_stride, layer.columns);
  check.has("workspace", workspace, layer.columns == 0 ? 0 : norm_gradient_workspace(layer));
  check.is_aligned("workspace", workspace.data(), 16);
  if (layer.columns == 0) return;
  Impl::with_float_type_here(layer.input, [&](auto in) {
    Impl::with_float_type_here(layer.output, [&](auto out) {
      launch<decltype(in), decltype(out)>(exec_space, layer, workspace.data());
    });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(norm_gradients);

}  // namespace Kindred
