// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/ScoreMatrix.hpp>

#include <kindred/core/math/Exp.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>
#include <kindred/core/vector/impl/VectorScoresKernels.hpp>

#include <algorithm>

namespace Kindred {

namespace {

/// \p score transformed by \p curve.
KOKKOS_INLINE_FUNCTION float on_curve(const ScoreCurve& curve, float score) {
  if (!curve.is_sigmoid) return score;
  const double width = curve.temperature > 0.05 ? curve.temperature : 0.05;
  return with_canonical_nan(
      static_cast<float>(portable_sigmoid((static_cast<double>(score) - curve.threshold) / width)));
}

/// Writes the scores of any rows.
template <class Element>
struct MatrixCall : Impl::ScoreCall<Element> {
  ScoreCurve curve;
  const std::uint32_t* row_of;    // of a column; null: column c is row c
  const std::uint32_t* place_of;  // of a column; null: its number
  float* out;
  std::uint64_t stride;

  template <class ExecutionSpace>
  MatrixCall(Metric metric, const ScoreCurve& score_curve, const Impl::ElementRows<Element>& rows,
             std::uint64_t count, const VectorQueries<ExecutionSpace>& queries, float* scores,
             const ScoreColumns<ExecutionSpace>& columns)
      : Impl::ScoreCall<Element>{metric,
                                 rows,
                                 count,
                                 queries.values.data(),
                                 queries.norms.data(),
                                 queries.count},
        curve(score_curve),
        row_of(columns.rows.size() == 0 ? nullptr : columns.rows.data()),
        place_of(columns.places.size() == 0 ? nullptr : columns.places.data()),
        out(scores),
        stride(columns.stride == 0 ? count : columns.stride) {}

  KOKKOS_INLINE_FUNCTION std::uint64_t row(std::uint64_t column) const {
    return row_of == nullptr ? column : row_of[column];
  }
  KOKKOS_INLINE_FUNCTION bool passes(std::uint64_t, std::uint64_t) const { return true; }
  KOKKOS_INLINE_FUNCTION bool lacks_norms() const {
    return this->metric == Metric::cosine && this->rows.norms == nullptr;
  }
  KOKKOS_INLINE_FUNCTION bool is_scattered() const { return row_of != nullptr; }
  KOKKOS_INLINE_FUNCTION void write(std::uint64_t query, std::uint64_t column, double sum,
                                    double norm) const {
    const Rank rank = Impl::score_rank(this->metric, sum, this->query_norms[query], norm, 0);
    const std::uint64_t place = place_of == nullptr ? column : place_of[column];
    out[query * stride + place] = on_curve(curve, score_of(this->metric, rank));
  }
};

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
  check.has_if_given("columns.places", columns.places, count);
  Impl::check_rows(check, rows, has_columns ? 0 : count);
  if (!has_columns && score_matrix_reads_norms<ExecutionSpace>(queries.count))
    Impl::check_norms(check, metric, rows, count);
  Impl::check_queries(check, queries, rows.dimension);
  check.has(
      "out", out,
      Impl::extent_of_rows(queries.count, columns.places.size() == 0 ? count : stride, stride));
  if (count == 0 || queries.count == 0) return;
  Impl::with_element(rows, [&](const auto& elements) {
    const MatrixCall call(metric, curve, elements, count, queries, out.data(), columns);
    // Dynamic, so that a core that is busy with other work delays no one.
    Impl::score_all<Launch::Dynamic>(exec_space, "Kindred::Vector::score_matrix::scan",
                                     "Kindred::Vector::score_matrix::batch", call,
                                     Impl::VectorTileShape<ExecutionSpace>::matrix_queries);
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
    // Column `begin` is the first one of the output.
    const MatrixCall call(metric, curve, elements, end, queries, out - begin, columns);
    Impl::score_here(call, begin);
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(score_matrix_reads_norms);
KINDRED_INSTANTIATE_FOR_SPACES(score_matrix);

}  // namespace Kindred
