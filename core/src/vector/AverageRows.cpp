// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/AverageRows.hpp>

#include <kindred/core/vector/impl/AverageRowsKernel.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

#include <type_traits>

namespace Kindred {

template <class ExecutionSpace>
void average_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<const float, ExecutionSpace>& weights,
                  const ArrayView<float, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("average_rows");
  Impl::check_rows(check, rows, weights.size());
  check.is_aligned("weights", weights);
  check.has("out", out, rows.dimension);
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    Impl::for_each_work_item(exec_space, "Kindred::Vector::average_rows::average",
                             (rows.dimension + 31) / 32,
                             Impl::AverageRowsKernel<ExecutionSpace, element>{
                                 elements, weights.data(), weights.size(), out.data()});
  });
}

namespace {

// Flattened, as the functions of `MatrixBlock`.
template <class Rows>
[[gnu::noinline, gnu::flatten]] void average_here(const Rows& rows, std::span<const float> weights,
                                                  std::uint64_t begin, std::uint64_t end,
                                                  std::span<float> out) {
  const Arch::Lanes<HostSpace> lanes(0);
  for (std::uint64_t group = begin; group < end; ++group) {
    Impl::average_group_of<HostSpace>(lanes, rows, weights.data(), weights.size(),
                                      group * average_group, out.data());
  }
}

}  // namespace

void average_rows_here(std::span<const float* const> rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out) {
  const Impl::ArgumentCheck check("average_rows_here");
  check.is_at_least("the size of rows", rows.size(), weights.size());
  check.is_at_most("end", end, (out.size() + average_group - 1) / average_group);
  average_here(Impl::PointedRows{rows.data(), out.size()}, weights, begin, end, out);
}

void average_rows_here(const VectorRows<HostSpace>& rows, std::span<const float> weights,
                       std::uint64_t begin, std::uint64_t end, std::span<float> out) {
  const Impl::ArgumentCheck check("average_rows_here");
  Impl::check_rows(check, rows, weights.size());
  check.is_at_least("the size of out", out.size(), rows.dimension);
  check.is_at_most("end", end, (rows.dimension + average_group - 1) / average_group);
  Impl::with_element(
      rows, [&](const auto& elements) { average_here(elements, weights, begin, end, out); });
}

#define KINDRED_INSTANTIATE(SPACE)                                          \
  template void average_rows<SPACE>(const SPACE&, const VectorRows<SPACE>&, \
                                    const ArrayView<const float, SPACE>&,   \
                                    const ArrayView<float, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
