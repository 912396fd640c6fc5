// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_NORM_GRADIENT_KERNELS_HPP
#define KINDRED_CORE_LAYERS_IMPL_NORM_GRADIENT_KERNELS_HPP

#include <kindred/core/layers/ColumnSums.hpp>
#include <kindred/core/layers/NormGradient.hpp>
#include <kindred/core/layers/impl/ActivationGradient.hpp>
#include <kindred/core/layers/impl/NormRow.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <cstdint>

namespace Kindred::Impl {

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

/// The reproducible sums of two numbers per column. \param block sums of one block of columns
template <class Block>
KOKKOS_INLINE_FUNCTION NormSums sums_over_blocks(std::uint64_t columns, const Block& block) {
  return pairwise_tree_sum<NormSums>(
      (columns + reproducible_block - 1) / reproducible_block, [&](std::uint64_t b) {
        const std::uint64_t begin = b * reproducible_block;
        const std::uint64_t left = columns - begin;
        return block(begin,
                     static_cast<int>(left < reproducible_block ? left : reproducible_block));
      });
}

/// A work item: the factors of one row.
template <class ExecutionSpace, class In, class Out>
struct NormGradientFactors {
  NormGradientElements<In, Out> all;

  KOKKOS_INLINE_FUNCTION void operator()(const WorkItemMember<ExecutionSpace>& member) const {
    const std::uint64_t row = work_item_of(member);
    const NormGradientData& layer = all.layer;
    if (row >= layer.rows) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const In* x = all.x(row);
    const NormSums sums = sums_over_blocks(layer.columns, [&](std::uint64_t begin, int count) {
      return norm_sums(lanes, x + begin, count, x[0]);
    });
    if (lanes.is_leader())
      all.rows[row] = NormRowFactors::of(sums, Arch::to_float(x[0]), layer.columns, layer.epsilon);
  }
};

/// A work item: the gradient with respect to one row of x.
template <class ExecutionSpace, class In, class Out>
struct NormGradientRows {
  NormGradientElements<In, Out> all;

  KOKKOS_INLINE_FUNCTION void operator()(const WorkItemMember<ExecutionSpace>& member) const {
    const std::uint64_t row = work_item_of(member);
    const NormGradientData& layer = all.layer;
    if (row >= layer.rows) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const NormRowFactors by = all.rows[row];
    const NormSums sums = sums_over_blocks(layer.columns, [&](std::uint64_t begin, int count) {
      auto sum = lanes.zero();
      auto weighted = lanes.zero();
      for (int i = 0; i < count; i += 32) {
        for_each_lane(lanes, count - i, [&](int lane) {
          const std::uint64_t column = begin + static_cast<std::uint64_t>(i + lane);
          const auto terms = all.terms(by, row, column);
          const double b = Arch::rounded_product(terms.a, all.gamma(column));
          add(sum, lane, b);
          add(weighted, lane, Arch::rounded_product(b, terms.n));
        });
      }
      return NormSums{lanes.tree_sum(sum), lanes.tree_sum(weighted)};
    });
    const auto columns = static_cast<double>(layer.columns);
    const double mean = sums.sum / columns;
    const double slope = sums.square / columns;
    In* to = reinterpret_cast<In*>(layer.dx) + row * layer.dx_stride;
    for (std::uint64_t i = 0; i < layer.columns; i += 32) {
      const std::uint64_t left = layer.columns - i;
      for_each_lane(lanes, left < 32 ? static_cast<int>(left) : 32, [&](int lane) {
        const std::uint64_t column = i + static_cast<std::uint64_t>(lane);
        const auto terms = all.terms(by, row, column);
        const double b = Arch::rounded_product(terms.a, all.gamma(column));
        const double centred = (b - mean) - Arch::rounded_product(terms.n, slope);
        to[column] = Arch::round_canonical<In>(
            static_cast<float>(Arch::rounded_product(centred, by.factor)));
      });
    }
  }

 private:
  /// Calls \p body with the lanes below \p count that this thread carries.
  template <class Body>
  KOKKOS_INLINE_FUNCTION static void for_each_lane(
      [[maybe_unused]] const Arch::Lanes<ExecutionSpace>& lanes, int count, const Body& body) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      if (lanes.lane() < count) body(lanes.lane());
    } else {
      for (int lane = 0; lane < (count < 32 ? count : 32); ++lane) body(lane);
    }
  }
  template <class Sum>
  KOKKOS_INLINE_FUNCTION static void add(Sum& sum, [[maybe_unused]] int lane, double term) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
      sum += term;
    } else {
      sum.lane[lane] += term;
    }
  }
};

/// An index: the rows of one segment of one column.
template <class In, class Out>
struct NormGradientSegments {
  NormGradientElements<In, Out> all;
  ColumnSums sums;
  NormSums* partial;  ///< segments × columns: of a, and of a·n

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    const NormGradientData& layer = all.layer;
    const std::uint64_t column = i % layer.columns;
    const std::uint64_t first = i / layer.columns * sums.rows;
    const std::uint64_t last = layer.rows - first < sums.rows ? layer.rows : first + sums.rows;
    NormSums out{0, 0};
    for (std::uint64_t row = first; row < last; ++row) {
      const auto terms = all.terms(all.rows[row], row, column);
      out.sum += terms.a;
      out.square += Arch::rounded_product(terms.a, terms.n);
    }
    partial[i] = out;
  }
};

/// An index: one column of dγ and dβ.
struct NormGradientColumns {
  const NormSums* partial;
  std::uint64_t segments;
  std::uint64_t columns;
  float* dgamma;
  float* dbeta;

  KOKKOS_FUNCTION void operator()(std::uint64_t column) const {
    const NormSums all = pairwise_tree_sum<NormSums>(
        segments, [&](std::uint64_t segment) { return partial[segment * columns + column]; });
    if (dbeta != nullptr) dbeta[column] = Arch::round_canonical<float>(static_cast<float>(all.sum));
    if (dgamma != nullptr)
      dgamma[column] = Arch::round_canonical<float>(static_cast<float>(all.square));
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_NORM_GRADIENT_KERNELS_HPP
