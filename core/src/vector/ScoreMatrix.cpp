// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/ScoreMatrix.hpp>

#include <kindred/core/vector/impl/ScoreMatrixKernels.hpp>

namespace Kindred {

namespace {

template <class Term, class ExecutionSpace, class Element>
void launch(const ExecutionSpace& exec_space, Metric metric, const ScoreCurve& curve,
            const Impl::ElementRows<Element>& rows, std::uint64_t count,
            const VectorQueries<ExecutionSpace>& queries, float* out) {
  using shape = Impl::VectorTileShape<ExecutionSpace>;
  const auto run = [&](auto kernel) {
    kernel.metric = metric;
    kernel.curve = curve;
    kernel.rows = rows;
    kernel.count = count;
    kernel.queries = queries.values.data();
    kernel.query_norms = queries.norms.data();
    kernel.query_count = queries.count;
    kernel.out = out;
    Impl::for_each_work_item(exec_space, "Kindred::Vector::score_matrix::tile", kernel.work_items(),
                             kernel);
  };
  if (queries.count >= shape::tile_queries) {
    run(Impl::MatrixKernel<ExecutionSpace, Element, Term, shape::tile_queries, shape::tile_rows>{});
  } else {
    run(Impl::MatrixKernel<ExecutionSpace, Element, Term, 1, shape::single_rows>{});
  }
}

}  // namespace

template <class ExecutionSpace>
void score_matrix(const ExecutionSpace& exec_space, Metric metric, const ScoreCurve& curve,
                  const VectorRows<ExecutionSpace>& rows, std::uint64_t count,
                  const VectorQueries<ExecutionSpace>& queries,
                  const ArrayView<float, ExecutionSpace>& out) {
  if (count == 0 || queries.count == 0) return;
  Impl::with_element(rows, [&](const auto& elements) {
    if (metric == Metric::l2) {
      launch<Impl::SquaredDifferenceTerm>(exec_space, metric, curve, elements, count, queries,
                                          out.data());
    } else {
      launch<Impl::DotTerm>(exec_space, metric, curve, elements, count, queries, out.data());
    }
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                           \
  template void score_matrix<SPACE>(const SPACE&, Metric, const ScoreCurve&, \
                                    const VectorRows<SPACE>&, std::uint64_t, \
                                    const VectorQueries<SPACE>&, const ArrayView<float, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
