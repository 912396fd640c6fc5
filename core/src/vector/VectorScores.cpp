// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/VectorScores.hpp>

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

namespace Kindred {

namespace Impl {
namespace {

/// A work item: the norm of one row, and the widened row if there is a target.
template <class ExecutionSpace, class Element>
struct NormKernel {
  ElementRows<Element> rows;
  double* norms;
  double* wide;

  template <class Member>
  KOKKOS_INLINE_FUNCTION void operator()(const Member& member, std::uint64_t row) const {
    const Arch::Lanes<ExecutionSpace> lanes(member);
    using F64 = typename Arch::Lanes<ExecutionSpace>::F64;
    const ElementRow<Element> x = rows[row];
    const double sum = reproducible_sum(
        lanes, rows.dimension, [&](std::uint64_t i, int length, const F64& partial) {
          const F64 term = lanes.widen(x.load(lanes, i, length));
          if (wide != nullptr) lanes.store(wide + row * rows.dimension + i, term, length);
          return lanes.multiply_add(term, term, partial);
        });
    if (lanes.is_leader()) norms[row] = Kokkos::sqrt(sum);
  }
};

/// A work item: decodes one row.
template <class ExecutionSpace, class Element>
struct DecodeKernel {
  ElementRows<Element> rows;
  std::uint64_t begin;
  float* out;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t row) const {
    const Arch::Lanes<ExecutionSpace> lanes(member);
    const ElementRow<Element> x = rows[begin + row];
    float* to = out + row * rows.dimension;
    for (std::uint64_t i = 0; i < rows.dimension; i += 32) {
      const auto length = static_cast<int>(rows.dimension - i < 32 ? rows.dimension - i : 32);
      lanes.store(to + i, x.load(lanes, i, length), length);
    }
  }
};

/// Ranks a range of rows.
template <class ExecutionSpace>
struct RankCall : ScoreCall<float> {
  std::uint64_t first;  // row 0 is row `first` of the whole matrix
  RowFilter<ExecutionSpace> filter;
  Rank* ranks;

  KOKKOS_INLINE_FUNCTION static std::uint64_t row(std::uint64_t column) { return column; }
  KOKKOS_INLINE_FUNCTION bool passes(std::uint64_t query, std::uint64_t column) const {
    return filter.passes(query, first + column);
  }
  KOKKOS_INLINE_FUNCTION static constexpr bool lacks_norms() { return false; }
  KOKKOS_INLINE_FUNCTION static constexpr bool is_scattered() { return false; }
  KOKKOS_INLINE_FUNCTION void write(std::uint64_t query, std::uint64_t column, double sum,
                                    double norm) const {
    ranks[query * count + column] =
        passes(query, column)
            ? score_rank(metric, sum, query_norms[query], norm, rows.id(column, first))
            : rank_none;
  }
};

/// A work item: some candidates of one query.
template <class ExecutionSpace, class Element, class Term, bool Aligned>
struct CandidateKernel {
  using shape = VectorTileShape<ExecutionSpace>;
  using lanes_type = Arch::GroupLanes<ExecutionSpace, Aligned>;
  static constexpr int work_item_rows = shape::candidate_rows;
  static constexpr int group_rows = work_item_rows / lanes_type::groups;

  Metric metric;
  ElementRows<Element> rows;
  const std::uint32_t* ids;
  const std::uint32_t* work_item_queries;  // null: a query has `query_work_items`
  std::uint64_t query_work_items;
  const double* queries;
  const double* query_norms;
  Rank* ranks;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member,
                                         std::uint64_t work_item) const {
    const lanes_type lanes(member);
    const std::uint32_t* work_item_ids = ids + work_item * work_item_rows;
    const std::uint64_t query =
        work_item_queries == nullptr ? work_item / query_work_items : work_item_queries[work_item];
    const int first = lanes.group() * group_rows;
    double sums[1][group_rows] = {};
    if (work_item_ids[0] != no_candidate) {
      ElementRow<Element> x[group_rows];
      for (int r = 0; r < group_rows; ++r) {
        const std::uint32_t row = work_item_ids[first + r];
        x[r] = rows[row == no_candidate ? work_item_ids[0] : row];
      }
      const double* const y[1] = {queries + query * rows.dimension};
      tile_sums<Term, 1, group_rows, shape::scan_depth>(lanes, y, x, rows.dimension, sums);
    }
    if (!lanes.is_leader()) return;
    for (int r = 0; r < group_rows; ++r) {
      const std::uint32_t row = work_item_ids[first + r];
      ranks[work_item * work_item_rows + first + r] =
          row == no_candidate
              ? rank_none
              : score_rank(metric, sums[0][r], query_norms[query],
                           metric == Metric::cosine ? rows.norms[row] : 1.0, rows.id(row));
    }
  }
};

}  // namespace
}  // namespace Impl

template <class ExecutionSpace>
void vector_norms(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                  const ArrayView<double, ExecutionSpace>& norms) {
  const Impl::ArgumentCheck check("vector_norms");
  Impl::check_rows(check, rows, norms.size());
  check.is_aligned("norms", norms);
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    Launch::for_each_warp(
        exec_space, "Kindred::Vector::vector_norms::sum", norms.size(),
        Impl::NormKernel<ExecutionSpace, Element>{elements, norms.data(), nullptr});
  });
}

template <class ExecutionSpace>
void decode_rows(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
                 std::uint64_t begin, std::uint64_t count,
                 const ArrayView<float, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("decode_rows");
  Impl::check_rows(check, rows, Impl::extent_sum(begin, count));
  check.has("out", out, Impl::extent_of(count, rows.dimension));
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    Launch::for_each_warp(exec_space, "Kindred::Vector::decode_rows::decode", count,
                          Impl::DecodeKernel<ExecutionSpace, Element>{elements, begin, out.data()});
  });
}

namespace {

/// Checks the arguments of `prepare_queries` and returns its kernel.
template <class ExecutionSpace>
Impl::NormKernel<ExecutionSpace, float> query_kernel(
    const Impl::ArgumentCheck& check, const ArrayView<const float, ExecutionSpace>& values,
    std::uint64_t dimension, const ArrayView<double, ExecutionSpace>& wide,
    const ArrayView<double, ExecutionSpace>& norms) {
  check.has("values", values, Impl::extent_of(norms.size(), dimension));
  check.has("wide", wide, Impl::extent_of(norms.size(), dimension));
  check.is_aligned("norms", norms);
  return {
      {values.data(), nullptr, nullptr, nullptr, dimension, dimension}, norms.data(), wide.data()};
}

}  // namespace

template <class ExecutionSpace>
void prepare_queries(const ExecutionSpace& exec_space,
                     const ArrayView<const float, ExecutionSpace>& values, std::uint64_t dimension,
                     const ArrayView<double, ExecutionSpace>& wide,
                     const ArrayView<double, ExecutionSpace>& norms) {
  const Impl::ArgumentCheck check("prepare_queries");
  const auto kernel = query_kernel<ExecutionSpace>(check, values, dimension, wide, norms);
  Launch::for_each_warp(exec_space, "Kindred::Vector::prepare_queries::widen", norms.size(),
                        kernel);
}

KINDRED_FLATTEN void prepare_queries_here(const ArrayView<const float, HostSpace>& values,
                                          std::uint64_t dimension,
                                          const ArrayView<double, HostSpace>& wide,
                                          const ArrayView<double, HostSpace>& norms) {
  const Impl::ArgumentCheck check("prepare_queries_here");
  const auto kernel = query_kernel<HostSpace>(check, values, dimension, wide, norms);
  for (std::uint64_t query = 0; query < norms.size(); ++query) kernel(0, query);
}

template <class ExecutionSpace>
void score_rows(const ExecutionSpace& exec_space, Metric metric,
                const VectorRows<ExecutionSpace>& rows, std::uint64_t begin, std::uint64_t count,
                const ArrayView<float, ExecutionSpace>& tile,
                const RowFilter<ExecutionSpace>& filter,
                const VectorQueries<ExecutionSpace>& queries,
                const ArrayView<Rank, ExecutionSpace>& ranks) {
  const Impl::ArgumentCheck check("score_rows");
  const bool decoded = rows.element != DataType::float32;
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
  const Impl::RankCall<ExecutionSpace> call{
      {metric,
       {values, nullptr, rows.norms.data() == nullptr ? nullptr : rows.norms.data() + begin,
        rows.ids.size() == 0 ? nullptr : rows.ids.data() + begin, rows.dimension, stride},
       count,
       queries.values.data(),
       queries.norms.data(),
       queries.count},
      begin,
      filter,
      ranks.data()};
  Impl::score_all<Launch::Coarse>(exec_space, "Kindred::Vector::score_rows::scan",
                                  "Kindred::Vector::score_rows::batch", call,
                                  Impl::VectorTileShape<ExecutionSpace>::work_item_queries);
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
  const std::uint64_t tile = candidate_tile<ExecutionSpace>();
  const std::uint64_t work_items =
      work_item_queries.size() != 0 ? work_item_queries.size() : ids.size() / tile;
  Impl::check_rows(check, rows, 0);
  check.has("ids", ids, Impl::extent_of(work_items, tile));
  check.is_aligned("work_item_queries", work_item_queries);
  Impl::check_queries(check, queries, rows.dimension);
  check.has("ranks", ranks, Impl::extent_of(work_items, tile));
  if (work_items == 0) return;
  check.is_at_least("queries.count", queries.count, 1);
  const std::uint32_t* owners = work_item_queries.size() != 0 ? work_item_queries.data() : nullptr;
  const std::uint64_t each = work_items / queries.count;
  if (owners == nullptr) check.is_multiple("the number of work items", work_items, queries.count);
  Impl::with_element(rows, [&]<class Element>(const Impl::ElementRows<Element>& elements) {
    Impl::with_term(metric, [&]<class Term>(Term) {
      Impl::with_alignment<ExecutionSpace>(elements, [&](auto aligned) {
        Launch::for_each_warp(exec_space, "Kindred::Vector::score_candidates::gather", work_items,
                              Impl::CandidateKernel<ExecutionSpace, Element, Term, aligned()>{
                                  metric, elements, ids.data(), owners, each, queries.values.data(),
                                  queries.norms.data(), ranks.data()});
      });
    });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(vector_norms);
KINDRED_INSTANTIATE_FOR_SPACES(decode_rows);
KINDRED_INSTANTIATE_FOR_SPACES(prepare_queries);
KINDRED_INSTANTIATE_FOR_SPACES(score_rows);
KINDRED_INSTANTIATE_FOR_SPACES(candidate_tile);
KINDRED_INSTANTIATE_FOR_SPACES(score_candidates);

}  // namespace Kindred
