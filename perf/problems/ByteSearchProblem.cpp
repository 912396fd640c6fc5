// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>

namespace Kindred::Perf {

namespace {

constexpr float byte_scale = 1.0F / 128;

VectorIndex byte_index(Context& context, std::size_t count, std::size_t dimension,
                       std::uint64_t seed) {
  const Values<std::int8_t> values = byte_rows(count, dimension, seed, context.threads());
  const std::vector<float> scales(count, byte_scale);
  VectorIndexOptions options;
  return {context, VectorSpan(DataType::int8, std::as_bytes(std::span(values)), dimension, scales),
          options};
}

class ByteSearchProblem final : public Problem {
 public:
  ByteSearchProblem(std::shared_ptr<const ByteRowSet> rows, Metric metric, std::size_t top)
      : m_rows(std::move(rows)), m_query(normal_rows(1, m_rows->dimension, m_rows->seed + 1, 1)) {
    m_options.metric = metric;
    m_options.top = top;
    name = "BM_Search_int8_" + std::string(to_string(metric));
    arguments = {{"rows", static_cast<std::int64_t>(m_rows->index.size())},
                 {"dimension", static_cast<std::int64_t>(m_rows->dimension)},
                 {"queries", 1},
                 {"k", static_cast<std::int64_t>(top)}};
    items = static_cast<double>(m_rows->index.size());
  }
  bool reaches(Space space) const override { return m_rows->index.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_rows->index.search(m_query, m_options);
    bytes =
        search_bytes(m_answer.report, m_options.metric, DataType::int8, items, m_rows->dimension);
    multiply_adds = static_cast<double>(m_answer.report.survivors * m_rows->dimension);
    return m_answer.record;
  }
  std::uint64_t digest() const override { return digest_of(m_answer); }
  std::string check() const override {
    const bool nearest = m_options.metric == Metric::l2;
    for (std::size_t i = 0; i < m_answer.ids.size(); ++i) {
      const auto id = static_cast<std::uint64_t>(m_answer.ids[i]);
      if (reference(id) != m_answer.scores[i])
        return difference("score", id, m_answer.scores[i], reference(id));
    }
    for (const std::uint64_t id : sample(m_rows->index.size())) {
      const float score = reference(id);
      const float last = m_answer.scores.back();
      const bool better = nearest ? score < last : score > last;
      if (better && std::find(m_answer.ids.begin(), m_answer.ids.end(),
                              static_cast<std::int64_t>(id)) == m_answer.ids.end())
        return "row " + std::to_string(id) + " is missing";
    }
    return {};
  }

 private:
  float reference(std::uint64_t id) const {
    std::vector<float> row(m_rows->dimension);
    for (std::size_t d = 0; d < row.size(); ++d)
      row[d] = byte_scale * byte_value(m_rows->seed, id * row.size() + d);
    return Reference::score(m_options.metric, m_query, row);
  }

  std::shared_ptr<const ByteRowSet> m_rows;
  Values<float> m_query;
  SearchOptions m_options;
  SearchResults m_answer;
};

}  // namespace

ByteRowSet::ByteRowSet(Context& context, std::size_t count, std::size_t columns,
                       std::uint64_t row_seed)
    : seed(row_seed), dimension(columns), index(byte_index(context, count, columns, row_seed)) {}

std::unique_ptr<Problem> byte_search_problem(std::shared_ptr<const ByteRowSet> rows, Metric metric,
                                             std::size_t top) {
  return std::make_unique<ByteSearchProblem>(std::move(rows), metric, top);
}

}  // namespace Kindred::Perf
