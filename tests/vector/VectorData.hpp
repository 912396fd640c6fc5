// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP

#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/reference/Reference.hpp>

#include "ToHost.hpp"
#include "ToSpace.hpp"
#include "VectorKinds.hpp"

namespace Kindred::Testing {

/// Rows, and what a kernel is asked about them.
struct Question {
  StoredRows rows;
  std::vector<float> queries;
  Metric metric = Metric::cosine;
  std::size_t top = 10;
  std::vector<std::uint8_t> passes = {};  ///< one byte per row, or per query and row; empty: all
  std::vector<std::uint32_t> ids = {};    ///< of the rows; empty: their numbers

  std::size_t count() const { return queries.size() / rows.dimension; }
  std::span<const float> query(std::size_t i) const { return row_of(queries, rows.dimension, i); }
  std::string text() const {
    return described(rows.element, metric, rows.count(), "x", rows.dimension, "top", top);
  }

  bool is_shared() const { return passes.size() <= rows.count(); }
  /// Lets about one row in \p every pass, for all queries or for each other ones.
  void filter(bool per_query, std::uint64_t every) {
    passes.resize((per_query ? count() : 1) * rows.count());
    for (auto& pass : passes) pass = random_below(every) == 0 ? 1 : 0;
  }
  bool lets(std::size_t query_number, std::size_t row) const {
    return passes.empty() || passes[(is_shared() ? 0 : query_number * rows.count()) + row] != 0;
  }
  /// The bits of `passes`.
  std::vector<std::uint64_t> filter_bits() const {
    const std::uint64_t words = filter_words(rows.count());
    std::vector<std::uint64_t> out(passes.size() / std::max<std::size_t>(1, rows.count()) * words);
    for (std::size_t i = 0; i < passes.size(); ++i)
      out[i / rows.count() * words + i % rows.count() / 64] |= std::uint64_t{passes[i] != 0}
                                                               << i % rows.count() % 64;
    return out;
  }

  Rank rank(std::size_t query_number, std::size_t row) const {
    const float score = Reference::score(metric, query(query_number), rows.row(row));
    const std::uint32_t id = ids.empty() ? static_cast<std::uint32_t>(row) : ids[row];
    return metric == Metric::l2 ? rank_ascending(score, id) : rank_descending(score, id);
  }
  /// The ranks of \p listed rows that pass for a query, without duplicates, by the reference.
  std::vector<Rank> ranked(std::size_t query_number, std::span<const std::uint32_t> listed) const {
    std::vector<Rank> out;
    for (const std::uint32_t row : listed)
      if (lets(query_number, row)) out.push_back(rank(query_number, row));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
  /// The ranks of all rows that pass, for every query.
  std::vector<std::vector<Rank>> ranked() const {
    std::vector<std::uint32_t> all(rows.count());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<std::vector<Rank>> out;
    for (std::size_t i = 0; i < count(); ++i) out.push_back(ranked(i, all));
    return out;
  }
};

/// Random rows and queries.
inline Question random_question(std::size_t count, std::size_t dimension, std::size_t queries,
                                DataType element = DataType::float32) {
  return {StoredRows::near(element, normal_values(count * dimension), dimension),
          normal_values(queries * dimension)};
}

/// Calls `check(asked, ranked)` for every metric and for those \p tops that are not more than the
/// rows; `ranked` are all ranks of the reference.
template <class Check>
void for_each_metric(Question asked, const std::vector<std::size_t>& tops, const Check& check) {
  for (const Metric metric : all_metrics) {
    asked.metric = metric;
    const auto ranked = asked.ranked();
    for (const std::size_t top : tops) {
      asked.top = top;
      if (top <= asked.rows.count()) check(asked, ranked);
    }
  }
}

/// The \p top best of each list, which has no result in its last places if it is shorter.
inline std::vector<Rank> best_of(const std::vector<std::vector<Rank>>& ranked, std::size_t top) {
  std::vector<Rank> out;
  for (std::vector<Rank> ranks : ranked) {
    ranks.resize(top, rank_none);
    out.insert(out.end(), ranks.begin(), ranks.end());
  }
  return out;
}

/// Rows, their norms, prepared queries and a filter on a space.
template <class ExecutionSpace>
struct VectorData {
  VectorData(const ExecutionSpace& exec_space, const Question& asked)
      : values(to_space(exec_space, asked.rows.values)),
        scales(to_space(exec_space, asked.rows.scales)),
        norms("norms", asked.rows.count()),
        ids(to_space(exec_space, asked.ids)),
        floats(to_space(exec_space, asked.queries)),
        wide("wide", asked.queries.size()),
        query_norms("query_norms", asked.count()),
        words(to_space(exec_space, asked.filter_bits())),
        view{values, asked.rows.element, scales, norms, ids, asked.rows.dimension},
        prepared{floats, wide, query_norms, asked.count()},
        filter{words, asked.is_shared() ? 0 : filter_words(asked.rows.count())} {
    vector_norms<ExecutionSpace>(exec_space, view, norms);
    prepare_queries<ExecutionSpace>(exec_space, floats, asked.rows.dimension, wide, query_norms);
  }

  Array<ExecutionSpace, std::byte> values;
  Array<ExecutionSpace, float> scales;
  Array<ExecutionSpace, double> norms;
  Array<ExecutionSpace, std::uint32_t> ids;
  Array<ExecutionSpace, float> floats;
  Array<ExecutionSpace, double> wide, query_norms;
  Array<ExecutionSpace, std::uint64_t> words;
  VectorRows<ExecutionSpace> view;
  VectorQueries<ExecutionSpace> prepared;
  RowFilter<ExecutionSpace> filter;
};

/// The ranks of rows `begin … begin + count` on \p space.
inline std::vector<Rank> ranks_of_rows(Context& context, Space space, const Question& asked,
                                       std::size_t begin, std::size_t count) {
  return Impl::with_instance(context, space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const VectorData<execution_space> data(exec_space, asked);
    const bool is_float = asked.rows.element == DataType::float32;
    const Array<execution_space, float> tile("tile", is_float ? 0 : count * asked.rows.dimension);
    const Array<execution_space, Rank> ranks("ranks", asked.count() * count);
    score_rows<execution_space>(exec_space, asked.metric, data.view, begin, count, tile,
                                data.filter, data.prepared, ranks);
    return to_host(exec_space, ranks);
  });
}

/// Expects the reference's ranks of the rows \p candidates on \p space, in work items that are
/// filled differently, one of them not at all; item i is scored for query `i % queries`.
inline void expect_candidate_ranks(Context& context, Space space, const Question& asked,
                                   const std::vector<std::uint32_t>& candidates) {
  Impl::with_instance(context, space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const auto tile = static_cast<std::size_t>(candidate_tile<execution_space>());
    std::vector<std::uint32_t> places, owners;
    std::vector<Rank> expected;
    for (std::size_t next = 0; next < candidates.size();) {
      const std::size_t item = owners.size();
      owners.push_back(static_cast<std::uint32_t>(item % asked.count()));
      const std::size_t filled = item == 4 ? 0 : 1 + item % tile;
      for (std::size_t i = 0; i < tile; ++i) {
        const bool is_given = i < filled && next < candidates.size();
        places.push_back(is_given ? candidates[next++] : no_candidate);
        expected.push_back(is_given ? asked.rank(owners.back(), places.back()) : rank_none);
      }
    }
    const VectorData<execution_space> data(exec_space, asked);
    const Array<execution_space, Rank> ranks("ranks", places.size());
    score_candidates<execution_space>(exec_space, asked.metric, data.view,
                                      to_space(exec_space, places), to_space(exec_space, owners),
                                      data.prepared, ranks);
    EXPECT_EQ(to_host(exec_space, ranks), expected) << asked.text() << " on " << to_string(space);
  });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP
