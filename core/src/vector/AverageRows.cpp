// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/AverageRows.hpp>

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/math/LaneTree.hpp>
#include <kindred/core/math/ReproducibleSum.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <cstdint>
#include <span>

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

/// A work item: 32 elements of the average. \tparam Rows with `operator[]` and `dimension`
template <class ExecutionSpace, class Rows>
struct AverageRowsKernel {
  Rows rows;
  const float* weights;
  std::uint64_t count;
  float* out;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member, std::uint64_t group) const {
    using Sums = LaneSums<ExecutionSpace>;
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const std::uint64_t first = group * 32;
    const auto length = static_cast<int>(rows.dimension - first < 32 ? rows.dimension - first : 32);
    const auto block_sums = [&](std::uint64_t begin, std::uint32_t size) {
      const auto add = [&](Sums& sum, std::uint32_t i) {
        const auto weight = lanes.broadcast(weights[begin + i]);
        sum.value =
            lanes.multiply_add(rows[begin + i].load(lanes, first, length), weight, sum.value);
      };
      if constexpr (Arch::is_device<ExecutionSpace>) {
        return all_lanes<Sums>(size, add);
      } else {
        // The same in a loop: eight copies of what adds 32 elements would take long to compile.
        Sums four[8];
        for (std::uint32_t lane = 0; lane < 8; ++lane)
          four[lane] = four_lanes<Sums>(lane, size, add);
        return tree_of_four_lanes([&](std::uint32_t lane) { return four[lane]; });
      }
    };
    const double total =
        reproducible_sum(lanes, count, [&](std::uint64_t i, int size, const auto& sum) {
          return lanes.add(sum, lanes.widen(lanes.load(weights + i, size)));
        });
    const auto sums = sum_of_blocks<Sums>(count, block_sums);
    lanes.store(out + first, lanes.quotient(sums.value, total), length);
  }
};

}  // namespace Kindred::Impl

namespace Kindred {

namespace {

template <class Rows>
KINDRED_FLATTEN void average_here(const Rows& rows, std::span<const float> weights,
                                  std::uint64_t begin, std::uint64_t end, std::span<float> out) {
  const Impl::AverageRowsKernel<HostSpace, Rows> kernel{rows, weights.data(), weights.size(),
                                                        out.data()};
  for (std::uint64_t group = begin; group < end; ++group) kernel(0, group);
}

}  // namespace

template <class ExecutionSpace>
void average_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<const float, ExecutionSpace>& weights,
                  const ArrayView<float, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("average_rows");
  Impl::check_rows(check, rows, weights.size());
  check.is_aligned("weights", weights);
  check.has("out", out, rows.dimension);
  Impl::with_element(rows, [&]<class Rows>(const Rows& elements) {
    const auto launch = [&](const auto& kernel) {
      Launch::for_each_warp(exec_space, "Kindred::Vector::average_rows::average",
                            (rows.dimension + 31) / 32, kernel);
    };
    if constexpr (Arch::is_device<ExecutionSpace>) {
      launch(Impl::AverageRowsKernel<ExecutionSpace, Rows>{elements, weights.data(), weights.size(),
                                                           out.data()});
    } else {
      // What `average_rows_here` calls: the kernel takes long to compile.
      launch([=, given = std::span(weights.data(), weights.size()),
              averages = std::span(out.data(), out.size())](const auto&, std::uint64_t group) {
        average_here(elements, given, group, group + 1, averages);
      });
    }
  });
}

void average_rows_here(std::span<const float* const> rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out) {
  const Impl::ArgumentCheck check("average_rows_here");
  check.is_at_least("the size of rows", rows.size(), weights.size());
  check.is_at_most("end", end, quotient_up(out.size(), average_group));
  average_here(Impl::PointedRows{rows.data(), out.size()}, weights, begin, end, out);
}

void average_rows_here(const VectorRows<HostSpace>& rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out) {
  const Impl::ArgumentCheck check("average_rows_here");
  Impl::check_rows(check, rows, weights.size());
  check.is_at_least("the size of out", out.size(), rows.dimension);
  check.is_at_most("end", end, quotient_up(rows.dimension, average_group));
  Impl::with_element(
      rows, [&](const auto& elements) { average_here(elements, weights, begin, end, out); });
}

KINDRED_INSTANTIATE_FOR_SPACES(average_rows);

}  // namespace Kindred
