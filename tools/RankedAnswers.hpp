// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_RANKED_ANSWERS_HPP
#define KINDRED_TOOLS_RANKED_ANSWERS_HPP

#include "Batches.hpp"
#include "ReportHits.hpp"
#include "io/Matrix.hpp"
#include "io/NameTable.hpp"

#include <kindred/matcher/VectorIndex.hpp>

namespace Kindred::Tools {

/// \brief The rows found by queries that are rows themselves: printed as one line per query, or
/// written to files, all of them or none if one fails; and added to the report.
class RankedAnswers {
 public:
  /// Fails before any work where a file cannot be written. \param ids path of the ids; empty: not
  /// written \param scores the same for the scores
  RankedAnswers(std::string command, const std::string& ids, const std::string& scores);

  /// \brief Answers all \p queries by `call(rows, first, count)`, which returns the answers to
  /// these rows of the queries: an object with `results`, or with `ids` and `scores` of `count ×
  /// top` entries, where an id of −1 marks an empty place.
  /// \param width most results of a query in files \param names of the queries; null: their indices
  template <class Call>
  void answer(Session& session, Metric metric, const Matrix& queries, std::size_t width,
              const Call& call, const NameTable* names = nullptr) {
    begin(session, metric, queries.rows, width, names);
    answer_queries(session, queries.rows, width, [&](std::size_t first, std::size_t count) {
      const auto rows = queries.span().subspan(first * queries.columns, count * queries.columns);
      const auto results = session.timed(Phase::compute, [&] { return call(rows, first, count); });
      for (std::size_t i = 0; i < count; ++i) put(row_of(results, i), first + i);
    });
  }
  std::string& text() noexcept { return m_output.text(); }
  /// Writes everything, and warns if no query has a result.
  void finish();

 private:
  void begin(Session& session, Metric metric, std::size_t queries, std::size_t width,
             const NameTable* names);
  template <class Results>
  std::span<const ScoredId> row_of(const Results& results, std::size_t query) {
    if constexpr (requires { results.results; }) {
      return results.results[query];
    } else {
      m_row.clear();
      for (std::size_t at = query * results.top; at < (query + 1) * results.top; ++at) {
        if (results.ids[at] < 0) break;
        m_row.push_back({results.ids[at], results.scores[at]});
      }
      return m_row;
    }
  }
  void put(std::span<const ScoredId> row, std::size_t query);

  std::string m_command;
  std::optional<AtomicFile> m_ids;
  std::optional<AtomicFile> m_scores;
  Output m_output;
  std::optional<ReportHits> m_report;
  std::size_t m_queries = 0;
  std::size_t m_width = 0;
  float m_padding = 0;
  const NameTable* m_names = nullptr;
  std::uint64_t m_found = 0;
  std::vector<ScoredId> m_row;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_RANKED_ANSWERS_HPP
