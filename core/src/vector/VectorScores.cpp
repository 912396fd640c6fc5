// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/VectorScores.hpp>

#include <kindred/core/common/Error.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <string>
#include <type_traits>

namespace Kindred {

namespace {

template <class ExecutionSpace, class Term>
void launch_rows(const ExecutionSpace& exec_space, const Impl::RowRange<ExecutionSpace>& range) {
  using shape = Impl::VectorTileShape<ExecutionSpace>;
  if (range.query_count < shape::tile_queries || shape::tile_queries == 1) {
    const char* label = "Kindred::Vector::score_rows::scan";
    const std::uint64_t work_items = (range.count + shape::scan_rows - 1) / shape::scan_rows;
    Impl::with_width<ExecutionSpace>(range.rows, [&](auto wide) {
      Launch::for_each_warp(exec_space, label, work_items,
                            Impl::ScanKernel<ExecutionSpace, Term, wide()>{range});
    });
    return;
  }
  const std::uint64_t row_work_items =
      (range.count + shape::work_item_rows - 1) / shape::work_item_rows;
  const std::uint64_t query_work_items =
      (range.query_count + shape::work_item_queries - 1) / shape::work_item_queries;
  Launch::for_each_warp(
      exec_space, "Kindred::Vector::score_rows::batch", row_work_items * query_work_items,
      Impl::BatchKernel<ExecutionSpace, Term>{range, row_work_items, query_work_items});
}

template <class Element, class Term, class ExecutionSpace>
void launch_candidates(const ExecutionSpace& exec_space, Metric metric,
                       const Impl::ElementRows<Element>& rows, const std::uint32_t* ids,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& work_item_queries,
                       const VectorQueries<ExecutionSpace>& queries, Rank* ranks) {
  Impl::with_width<ExecutionSpace>(rows, [&](auto wide) {
    Launch::for_each_warp(exec_space, "Kindred::Vector::score_candidates::gather",
                          work_item_queries.size(),
                          Impl::CandidateKernel<ExecutionSpace, Element, Term, wide()>{
                              metric, rows, ids, work_item_queries.data(), work_item_queries.size(),
                              queries.values.data(), queries.norms.data(), ranks});
  });
}

}  // namespace

template <class ExecutionSpace>
void vector_norms(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<double, ExecutionSpace>& norms) {
  const Impl::ArgumentCheck check("vector_norms");
  Impl::check_rows(check, rows, norms.size());
  check.is_aligned("norms", norms);
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    Launch::for_each_warp(
        exec_space, "Kindred::Vector::vector_norms::sum", norms.size(),
        Impl::NormKernel<ExecutionSpace, element>{elements, norms.size(), norms.data(), nullptr});
  });
}

template <class ExecutionSpace>
void decode_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                 std::uint64_t begin, std::uint64_t count,
                 const ArrayView<float, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("decode_rows");
  Impl::check_rows(check, rows, Impl::extent_sum(begin, count));
  check.has("out", out, Impl::extent_of(count, rows.dimension));
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    Launch::for_each_warp(
        exec_space, "Kindred::Vector::decode_rows::decode", count,
        Impl::DecodeKernel<ExecutionSpace, element>{elements, begin, count, out.data()});
  });
}

template <class ExecutionSpace>
void prepare_queries(const ExecutionSpace& exec_space,
                     const ArrayView<const float, ExecutionSpace>& values, std::uint64_t dimension,
                     const ArrayView<double, ExecutionSpace>& wide,
                     const ArrayView<double, ExecutionSpace>& norms) {
  const Impl::ArgumentCheck check("prepare_queries");
  check.has("values", values, Impl::extent_of(norms.size(), dimension));
  check.has("wide", wide, Impl::extent_of(norms.size(), dimension));
  check.is_aligned("norms", norms);
  Launch::for_each_warp(exec_space, "Kindred::Vector::prepare_queries::widen", norms.size(),
                        Impl::NormKernel<ExecutionSpace, float>{
                            {values.data(), nullptr, nullptr, nullptr, dimension, dimension},
                            norms.size(),
                            norms.data(),
                            wide.data()});
}

// Flattened: see `MatrixBlock` in impl/ScoreMatrixKernels.hpp.
[[gnu::flatten]] void prepare_queries_here(const ArrayView<const float, HostSpace>& values,
                                           std::uint64_t dimension,
                                           const ArrayView<double, HostSpace>& wide,
                                           const ArrayView<double, HostSpace>& norms) {
  const Impl::ArgumentCheck check("prepare_queries_here");
  check.has("values", values, Impl::extent_of(norms.size(), dimension));
  check.has("wide", wide, Impl::extent_of(norms.size(), dimension));
  check.is_aligned("norms", norms);
  const Arch::Lanes<HostSpace> lanes(0);
  for (std::size_t query = 0; query < norms.size(); ++query) {
    const float* from = values.data() + query * dimension;
    double* to = wide.data() + query * dimension;
    const double sum =
        reproducible_sum(lanes, dimension, [&](std::uint64_t i, int length, const auto& partial) {
          const auto term = lanes.widen(lanes.load(from + i, length));
          lanes.store(to + i, term, length);
          return lanes.multiply_add(term, term, partial);
        });
    norms(query) = Kokkos::sqrt(sum);
  }
}

template <class ExecutionSpace>
void score_rows(const ExecutionSpace& exec_space, Metric metric,
                const VectorRows<ExecutionSpace>& rows, std::uint64_t begin, std::uint64_t count,
                const ArrayView<float, ExecutionSpace>& tile,
                const RowFilter<ExecutionSpace>& filter,
                const VectorQueries<ExecutionSpace>& queries,
                const ArrayView<Rank, ExecutionSpace>& ranks) {
  const Impl::ArgumentCheck check("score_rows");
  const bool decoded = rows.element != VectorElement::float32;
  const std::uint64_t end = Impl::extent_sum(begin, count);
  Impl::check_rows(check, rows, end);
  Impl::check_norms(check, metric, rows, end);
  if (decoded) check.has("tile", tile, Impl::extent_of(count, rows.dimension));
  Impl::check_filter(check, filter, queries.count, end);
  Impl::check_queries(check, queries, rows.dimension);
  check.has("ranks", ranks, Impl::extent_of(queries.count, count));
  if (count == 0 || queries.count == 0) return;
  if (decoded) decode_rows(exec_space, rows, begin, count, tile);
  const std::uint64_t stride = decoded || rows.stride == 0 ? rows.dimension : rows.stride;
  const float* values =
      decoded ? tile.data() : reinterpret_cast<const float*>(rows.values.data()) + begin * stride;
  const Impl::RowRange<ExecutionSpace> range{
      metric,
      {values, nullptr, rows.norms.data() == nullptr ? nullptr : rows.norms.data() + begin,
       rows.ids.size() == 0 ? nullptr : rows.ids.data() + begin, rows.dimension, stride},
      begin,
      count,
      filter,
      queries.values.data(),
      queries.norms.data(),
      queries.count,
      ranks.data()};
  if (metric == Metric::l2) {
    launch_rows<ExecutionSpace, Impl::SquaredDifferenceTerm>(exec_space, range);
  } else {
    launch_rows<ExecutionSpace, Impl::DotTerm>(exec_space, range);
  }
}

template <class ExecutionSpace>
int candidate_tile() {
  return Impl::VectorTileShape<ExecutionSpace>::candidate_rows;
}

template <class ExecutionSpace>
void score_candidates(const ExecutionSpace& exec_space, Metric metric,
                      const VectorRows<ExecutionSpace>& rows,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& ids,
                      const ArrayView<const std::uint32_t, ExecutionSpace>& work_item_queries,
                      const VectorQueries<ExecutionSpace>& queries,
                      const ArrayView<Rank, ExecutionSpace>& ranks) {
  const Impl::ArgumentCheck check("score_candidates");
  const std::uint64_t places =
      Impl::extent_of(work_item_queries.size(), candidate_tile<ExecutionSpace>());
  Impl::check_rows(check, rows, 0);
  check.has("ids", ids, places);
  check.is_aligned("work_item_queries", work_item_queries);
  Impl::check_queries(check, queries, rows.dimension);
  check.has("ranks", ranks, places);
  Impl::with_element(rows, [&](const auto& elements) {
    using element = std::remove_cvref_t<decltype(*elements.values)>;
    if (metric == Metric::l2) {
      launch_candidates<element, Impl::SquaredDifferenceTerm>(
          exec_space, metric, elements, ids.data(), work_item_queries, queries, ranks.data());
    } else {
      launch_candidates<element, Impl::DotTerm>(exec_space, metric, elements, ids.data(),
                                                work_item_queries, queries, ranks.data());
    }
  });
}

#define KINDRED_INSTANTIATE(SPACE)                                  \
  template decltype(vector_norms<SPACE>) vector_norms<SPACE>;       \
  template decltype(decode_rows<SPACE>) decode_rows<SPACE>;         \
  template decltype(prepare_queries<SPACE>) prepare_queries<SPACE>; \
  template decltype(score_rows<SPACE>) score_rows<SPACE>;           \
  template decltype(candidate_tile<SPACE>) candidate_tile<SPACE>;   \
  template decltype(score_candidates<SPACE>) score_candidates<SPACE>;
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
