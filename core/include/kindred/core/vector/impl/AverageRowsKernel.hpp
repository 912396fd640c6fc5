// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_AVERAGE_ROWS_KERNEL_HPP
#define KINDRED_CORE_VECTOR_IMPL_AVERAGE_ROWS_KERNEL_HPP

#include <kindred/core/math/LaneTree.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Sums of 32 adjacent elements, one per lane.
template <class ExecutionSpace>
struct LaneSums {
  using lanes_type = Arch::Lanes<ExecutionSpace>;
  typename lanes_type::F64 value;

  KOKKOS_INLINE_FUNCTION friend LaneSums operator+(const LaneSums& a, const LaneSums& b) {
    return {lanes_type(0).add(a.value, b.value)};
  }
};

/// Float32 rows that are anywhere.
struct PointedRows {
  const float* const* rows;
  std::uint64_t dimension;

  KOKKOS_INLINE_FUNCTION ElementRow<float> operator[](std::uint64_t row) const {
    return {rows[row], 1.0F};
  }
};

/// \brief The elements `first … first + 32` of the average.
/// \tparam Rows with `operator[]` and `dimension`
template <class ExecutionSpace, class Rows>
KOKKOS_INLINE_FUNCTION void average_group_of(const Arch::Lanes<ExecutionSpace>& lanes,
                                             const Rows& rows, const float* weights,
                                             std::uint64_t count, std::uint64_t first, float* out) {
  using Sums = LaneSums<ExecutionSpace>;
  const auto length = static_cast<int>(rows.dimension - first < 32 ? rows.dimension - first : 32);
  const auto block_sums = [&](std::uint64_t block) {
    const std::uint64_t begin = block * reproducible_block;
    const auto size = static_cast<std::uint32_t>(
        count - begin < reproducible_block ? count - begin : reproducible_block);
    return all_lanes<Sums>(size, [&](Sums& sum, std::uint32_t i) {
      const auto weight = lanes.broadcast(weights[begin + i]);
      sum.value = lanes.multiply_add(rows[begin + i].load(lanes, first, length), weight, sum.value);
    });
  };
  const double total =
      reproducible_sum(lanes, count, [&](std::uint64_t i, int size, const auto& sum) {
        return lanes.add(sum, lanes.widen(lanes.load(weights + i, size)));
      });
  const Sums sums =
      pairwise_tree_sum<Sums>((count + reproducible_block - 1) / reproducible_block, block_sums);
  lanes.store(out + first, lanes.quotient(sums.value, total), length);
}

/// A work item: 32 elements of the average.
template <class ExecutionSpace, class Element>
struct AverageRowsKernel {
  ElementRows<Element> rows;
  const float* weights;
  std::uint64_t count;
  float* out;

  KOKKOS_INLINE_FUNCTION void operator()(const WorkItemMember<ExecutionSpace>& member) const {
    const std::uint64_t first = work_item_of(member) * 32;
    if (first >= rows.dimension) return;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    average_group_of<ExecutionSpace>(lanes, rows, weights, count, first, out);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_AVERAGE_ROWS_KERNEL_HPP
