// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/VectorScores.hpp>

#include <kindred/core/vector/impl/VectorScores_Impl.hpp>

namespace Kindred {

namespace {

template <class ExecutionSpace, class Term>
void launch_rows(const ExecutionSpace& exec_space, Metric metric,
                 const VectorRows<ExecutionSpace>& rows, std::uint64_t begin, std::uint64_t count,
                 const std::uint8_t* filter, const VectorQueries<ExecutionSpace>& queries,
                 Rank* ranks) {
  using shape = Arch::VectorShape<ExecutionSpace>;
  const std::uint64_t row_units = (count + shape::unit_rows - 1) / shape::unit_rows;
  const std::uint64_t query_units = (queries.count + shape::unit_queries - 1) / shape::unit_queries;
  Impl::for_each_unit(exec_space, "Kindred::Vector::score_rows::scan", row_units * query_units,
                      Impl::RowKernel<ExecutionSpace, Term>{
                          metric, rows.values.data(), rows.norms.data(), rows.dimension, begin,
                          count, filter, queries.values.data(), queries.norms.data(), queries.count,
                          ranks, row_units, query_units});
}

template <class ExecutionSpace, class Term>
void launch_candidates(const ExecutionSpace& exec_space, Metric metric,
                       const VectorRows<ExecutionSpace>& rows, const std::uint32_t* ids,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& unit_queries,
                       const VectorQueries<ExecutionSpace>& queries, Rank* ranks) {
  Impl::for_each_unit(
      exec_space, "Kindred::Vector::score_candidates::gather", unit_queries.size(),
      Impl::CandidateKernel<ExecutionSpace, Term>{
          metric, rows.values.data(), rows.norms.data(), rows.dimension, ids, unit_queries.data(),
          unit_queries.size(), queries.values.data(), queries.norms.data(), ranks});
}

}  // namespace

template <class ExecutionSpace>
void vector_norms(const ExecutionSpace& exec_space,
                  const ArrayView<const float, ExecutionSpace>& values, std::uint64_t dimension,
                  const ArrayView<double, ExecutionSpace>& norms) {
  Impl::for_each_unit(exec_space, "Kindred::Vector::vector_norms::sum", norms.size(),
                      Impl::NormKernel<ExecutionSpace>{values.data(), norms.size(), dimension,
                                                       norms.data(), nullptr});
}

template <class ExecutionSpace>
void prepare_queries(const ExecutionSpace& exec_space,
                     const ArrayView<const float, ExecutionSpace>& values, std::uint64_t dimension,
                     const ArrayView<double, ExecutionSpace>& wide,
                     const ArrayView<double, ExecutionSpace>& norms) {
  Impl::for_each_unit(exec_space, "Kindred::Vector::prepare_queries::widen", norms.size(),
                      Impl::NormKernel<ExecutionSpace>{values.data(), norms.size(), dimension,
                                                       norms.data(), wide.data()});
}

template <class ExecutionSpace>
void score_rows(const ExecutionSpace& exec_space, Metric metric,
                const VectorRows<ExecutionSpace>& rows, std::uint64_t begin, std::uint64_t count,
                const ArrayView<const std::uint8_t, ExecutionSpace>& filter,
                const VectorQueries<ExecutionSpace>& queries,
                const ArrayView<Rank, ExecutionSpace>& ranks) {
  const std::uint8_t* passes = filter.size() == 0 ? nullptr : filter.data();
  if (metric == Metric::l2) {
    launch_rows<ExecutionSpace, Impl::SquaredDifferenceTerm>(exec_space, metric, rows, begin, count,
                                                             passes, queries, ranks.data());
  } else {
    launch_rows<ExecutionSpace, Impl::DotTerm>(exec_space, metric, rows, begin, count, passes,
                                               queries, ranks.data());
  }
}

template <class ExecutionSpace>
int candidate_unit() {
  return Arch::VectorShape<ExecutionSpace>::candidate_rows;
}

template <class ExecutionSpace>
void score_candidates(const ExecutionSpace& exec_space, Metric metric,
                      const VectorRows<ExecutionSpace>& rows,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& ids,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& unit_queries,
                      const VectorQueries<ExecutionSpace>& queries,
                      const ArrayView<Rank, ExecutionSpace>& ranks) {
  if (metric == Metric::l2) {
    launch_candidates<ExecutionSpace, Impl::SquaredDifferenceTerm>(
        exec_space, metric, rows, ids.data(), unit_queries, queries, ranks.data());
  } else {
    launch_candidates<ExecutionSpace, Impl::DotTerm>(exec_space, metric, rows, ids.data(),
                                                     unit_queries, queries, ranks.data());
  }
}

#define KINDRED_INSTANTIATE(SPACE)                                                                \
  template void vector_norms<SPACE>(const SPACE&, const ArrayView<const float, SPACE>&,           \
                                    std::uint64_t, const ArrayView<double, SPACE>&);              \
  template void prepare_queries<SPACE>(const SPACE&, const ArrayView<const float, SPACE>&,        \
                                       std::uint64_t, const ArrayView<double, SPACE>&,            \
                                       const ArrayView<double, SPACE>&);                          \
  template void score_rows<SPACE>(const SPACE&, Metric, const VectorRows<SPACE>&, std::uint64_t,  \
                                  std::uint64_t, const ArrayView<const std::uint8_t, SPACE>&,     \
                                  const VectorQueries<SPACE>&, const ArrayView<Rank, SPACE>&);    \
  template int candidate_unit<SPACE>();                                                           \
  template void score_candidates<SPACE>(                                                          \
      const SPACE&, Metric, const VectorRows<SPACE>&,                                             \
      const ArrayView<const std::uint32_t, SPACE>&, const ArrayView<const std::uint32_t, SPACE>&, \
      const VectorQueries<SPACE>&, const ArrayView<Rank, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
