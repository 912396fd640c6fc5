// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/ScoreMatrix.hpp>

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/impl/ScoreMatrixKernels.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

#include <algorithm>
#include <type_traits>

namespace Kindred {

namespace {

template <class Element, class ExecutionSpace>
Impl::MatrixCall<Element> call_of(Metric metric, const ScoreCurve& curve,
                                  const Impl::ElementRows<Element>& rows, std::uint64_t count,
                                  const VectorQueries<ExecutionSpace>& queries, float* out,
                                  const ScoreColumns<ExecutionSpace>& columns) {
  return {metric,
          curve,
          rows,
          columns.rows.size() == 0 ? nullptr : columns.rows.data(),
          count,
          queries.values.data(),
          queries.norms.data(),
          queries.count,
          out,
          columns.stride == 0 ? count : columns.stride};
}

/// Calls `function(term)` with a value of the type of the terms of \p metric.
template <class Function>
void with_term(Metric metric, const Function& function) {
  if (metric == Metric::l2) return function(Impl::SquaredDifferenceTerm{});
  function(Impl::DotTerm{});
}

template <class Term, class ExecutionSpace, class Element>
void launch(const ExecutionSpace& exec_space, const Impl::MatrixCall<Element>& call) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    using shape = Impl::VectorTileShape<ExecutionSpace>;
    if (call.query_count < shape::tile_queries) {
      Impl::with_width<ExecutionSpace>(call.rows, [&](auto wide) {
        Launch::for_each_warp(exec_space, "Kindred::Vector::score_matrix::scan",
                              (call.count + shape::scan_rows - 1) / shape::scan_rows,
                              Impl::MatrixScanKernel<ExecutionSpace, Element, Term, wide()>{call});
      });
    } else {
      const Impl::MatrixTileKernel<ExecutionSpace, Element, Term> kernel{call};
      Launch::for_each_warp(exec_space, "Kindred::Vector::score_matrix::tile", kernel.work_items(),
                            kernel);
    }
  } else {
    // Items are scheduled dynamically, so that a core that is busy with other work delays no one.
    const Impl::MatrixBlocks<Element, Term> kernel{call};
    Launch::for_each_index<Launch::Dynamic>(exec_space, "Kindred::Vector::score_matrix::block",
                                            kernel.work_items(), kernel);
  }
}

}  // namespace

template <class ExecutionSpace>
bool score_matrix_reads_norms([[maybe_unused]] std::uint64_t queries) {
  return Arch::is_device<ExecutionSpace> &&
         queries >= static_cast<std::uint64_t>(Impl::VectorTileShape<ExecutionSpace>::tile_queries);
}

template <class ExecutionSpace>
void score_matrix(const ExecutionSpace& exec_space, Metric metric, const ScoreCurve& curve,
                  const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                  const VectorQueries<ExecutionSpace>& queries,
                  const ArrayView<float, ExecutionSpace>& out,
                  const ScoreColumns<ExecutionSpace>& columns) {
  const Impl::ArgumentCheck check("score_matrix");
  const bool has_columns = columns.rows.size() != 0;
  const std::uint64_t stride = columns.stride == 0 ? count : columns.stride;
  check.is_at_least("columns.stride", stride, count);
  check.has_if_given("columns.rows", columns.rows, count);
  Impl::check_rows(check, rows, has_columns ? 0 : count);
  if (!has_columns && score_matrix_reads_norms<ExecutionSpace>(queries.count))
    Impl::check_norms(check, metric, rows, count);
  Impl::check_queries(check, queries, rows.dimension);
  check.has("out", out, Impl::extent_of_rows(queries.count, count, stride));
  if (count == 0 || queries.count == 0) return;
  Impl::with_element(rows, [&](const auto& elements) {
    const auto call = call_of(metric, curve, elements, count, queries, out.data(), columns);
    with_term(metric, [&](auto term) { launch<decltype(term)>(exec_space, call); });
  });
}

void score_matrix_here(Metric metric, const ScoreCurve& curve, const VectorRows<HostSpace>& rows,
                       std::uint64_t begin, std::uint64_t end,
                       const VectorQueries<HostSpace>& queries, float* out,
                       const ScoreColumns<HostSpace>& columns) {
  const Impl::ArgumentCheck check("score_matrix_here");
  check.is_at_least("end", end, begin);
  if (queries.count > 1) check.is_at_least("columns.stride", columns.stride, end - begin);
  check.has_if_given("columns.rows", columns.rows, end);
  Impl::check_rows(check, rows, columns.rows.size() != 0 ? 0 : end);
  Impl::check_queries(check, queries, rows.dimension);
  check.is_array("out", out, Impl::extent_of(queries.count, end - begin));
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    auto call = call_of(metric, curve, elements, end, queries, out, columns);
    call.out -= begin;
    with_term(metric, [&](auto term) {
      using block = Impl::MatrixBlock<element, decltype(term)>;
      for (std::uint64_t query = 0; query < queries.count; query += block::queries)
        block(call).score(begin, end, query, std::min(queries.count, query + block::queries));
    });
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                                    \
  template decltype(score_matrix_reads_norms<SPACE>) score_matrix_reads_norms<SPACE>; \
  template decltype(score_matrix<SPACE>) score_matrix<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
