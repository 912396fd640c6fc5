// SPDX-License-Identifier: Apache-2.0
#include "common/ProblemFactories.hpp"
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <kindred/matcher/Recall.hpp>
#include <kindred/matcher/RowFunctions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace Kindred::Perf {

namespace {

/// Rows around 200 centres.
Values<float> clustered_rows(std::size_t count, std::size_t dimension, std::uint64_t seed,
                             std::uint64_t centre_seed, int threads) {
  Values<float> rows = normal_rows(count, dimension, seed, threads);
  const Values<float> centres = normal_rows(200, dimension, centre_seed, 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t centre = random_word(seed + 9, i / dimension) % 200;
    rows[i] = 0.6F * rows[i] + centres[centre * dimension + i % dimension];
  }
  return rows;
}

/// The same cosine search by every path; the int8-quantized copy exists beforehand, as in a store.
class SearchWork final : public Work {
 public:
  /// \param percent share of the rows that may be returned
  SearchWork(Context& context, std::size_t rows, std::size_t queries, double percent,
             std::uint64_t seed)
      : m_rows(context, rows, 768, seed), m_queries(normal_rows(queries, 768, seed + 1, 1)) {
    kind = "search";
    unit = "rows";
    items = static_cast<double>(rows * queries);
    for (std::size_t row = 0; row < rows; ++row)
      m_filter.push_back(static_cast<double>(random_word(seed + 5, row) % 10000) < 100 * percent);
    SearchOptions quantized;
    quantized.path = SearchPath::quantized;
    m_rows.index.search(std::span(m_queries).first(768), quantized);
  }
  void write(JobFolder& folder) const override {
    folder.add<float>("rows", "float32", m_rows.values, {m_rows.index.size(), 768});
    folder.add<float>("queries", "float32", m_queries, {m_queries.size() / 768, 768});
    if (filters()) folder.add<std::uint8_t>("filter", "uint8", m_filter, {m_filter.size()});
    folder.parameters["top"] = m_options.top;
  }
  void run(Space space) const override { m_report = search(space, filters()).report; }
  void run_beside(Space space) const override { search(space, false); }
  double bytes_read() const override {
    return search_bytes(m_report, Metric::cosine, DataType::float32,
                        static_cast<double>(m_rows.index.size()), 768);
  }
  Json reported() const override {
    return {{"path", m_report.path},
            {"prefiltered", m_report.prefiltered},
            {"survivors", m_report.survivors}};
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const SearchResults ours = search({}, filters());
    const std::string wrong = compare_values(ours.scores, answer.scores, 1e-5);
    if (!wrong.empty()) return wrong;
    const double same = recall_of(ours.ids, answer.ids, m_options.top).share();
    return same >= 0.99 ? "" : "only " + std::to_string(same) + " of the ids are the same";
  }

 private:
  bool filters() const { return !beside.empty(); }
  SearchResults search(std::optional<Space> space, bool filtered) const {
    SearchOptions options = m_options;
    options.space = space;
    if (filtered) options.filter = m_filter;
    return m_rows.index.search(m_queries, options);
  }

  RowSet m_rows;
  Values<float> m_queries;
  std::vector<std::uint8_t> m_filter;
  SearchOptions m_options;
  mutable SearchReport m_report;
};

class ApproximateSearchWork final : public Work {
 public:
  ApproximateSearchWork(Context& context, std::size_t rows, std::size_t dimension,
                        std::size_t queries, std::uint64_t seed)
      : m_dimension(dimension),
        m_rows(clustered_rows(rows, dimension, seed, seed + 8, context.threads())),
        m_queries(clustered_rows(queries, dimension, seed + 1, seed + 8, 1)),
        m_index(context, m_rows, dimension) {
    kind = "hnsw";
    unit = "rows";
    items = static_cast<double>(rows * queries);
    bytes = static_cast<double>(m_rows.size() * sizeof(float));
    m_options.metric = Metric::l2;
  }
  void write(JobFolder& folder) const override {
    folder.add<float>("rows", "float32", m_rows, {m_index.size(), m_dimension});
    folder.add<float>("queries", "float32", m_queries,
                      {m_queries.size() / m_dimension, m_dimension});
    folder.parameters["top"] = m_options.top;
  }
  void run(Space space) const override {
    SearchOptions options = m_options;
    options.space = space;
    m_index.search(m_queries, options);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const SearchResults ours = m_index.search(m_queries, m_options);
    return "= recall " + std::to_string(recall_of(answer.ids, ours.ids, m_options.top).share());
  }

 private:
  std::size_t m_dimension;
  Values<float> m_rows;
  Values<float> m_queries;
  VectorIndex m_index;
  SearchOptions m_options;
};

class ScoreWork final : public Work {
 public:
  ScoreWork(Context& context, std::size_t rows, std::size_t candidates, std::uint64_t seed)
      : m_rows(context, rows, 768, seed), m_query(normal_rows(1, 768, seed + 1, 1)) {
    kind = "score";
    unit = "candidates";
    items = static_cast<double>(candidates);
    bytes = items * 768 * sizeof(float);
    // A prime stride visits rows out of order and none twice per list. The lists rotate over 256
    // MiB of rows, so that the rows do not stay in the caches.
    m_lists.resize(std::clamp<std::size_t>((256U << 20U) / (candidates * 768 * 4), 1, 256));
    std::size_t next = 0;
    for (Ragged<std::uint64_t>& list : m_lists) {
      for (std::size_t i = 0; i < candidates; ++i)
        list.values.push_back((next++ * 104729 + 7) % rows);
      list.close_row();
    }
  }
  void write(JobFolder& folder) const override {
    std::vector<std::int64_t> ids;
    for (const Ragged<std::uint64_t>& list : m_lists)
      ids.insert(ids.end(), list.values.begin(), list.values.end());
    folder.add<float>("rows", "float32", m_rows.values, {m_rows.index.size(), 768});
    folder.add<float>("queries", "float32", m_query, {1, 768});
    folder.add<std::int64_t>("ids", "int64", ids, {m_lists.size(), ids.size() / m_lists.size()});
    folder.parameters["top"] = m_options.top;
  }
  void run(Space space) const override {
    std::optional<PreparedScore>& prepared = m_prepared[space_index(space)];
    if (!prepared) {
      SearchOptions options = m_options;
      options.space = space;
      prepared.emplace(m_rows.index, m_lists[0].values.size(), options);
    }
    prepared->score(m_query, m_lists[m_turn++ % m_lists.size()].values);
  }
  /// The first answer of the peers is for the first list.
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    const ScoreResults ours = m_rows.index.score(m_query, m_lists[0], m_options);
    std::vector<std::int64_t> ids;
    std::vector<double> scores;
    for (const ScoredId& entry : ours.results.values) {
      ids.push_back(entry.id);
      scores.push_back(entry.score);
    }
    const std::string wrong = compare_values(scores, answer.scores, 1e-5);
    if (!wrong.empty()) return wrong;
    return ids == answer.ids ? "" : "the ids differ";
  }

 private:
  RowSet m_rows;
  Values<float> m_query;
  std::vector<Ragged<std::uint64_t>> m_lists;
  mutable std::size_t m_turn = 0;
  mutable std::array<std::optional<PreparedScore>, space_count> m_prepared;
  SearchOptions m_options;
};

/// One query with rows of the caller, without an index.
class RowWork final : public Work {
 public:
  /// \param ranks whether only the best rows are wanted
  RowWork(Context& context, std::size_t rows, bool ranks, std::uint64_t seed)
      : m_context(context),
        m_ranks(ranks),
        m_rows(normal_rows(rows, 768, seed, 1)),
        m_query(normal_rows(1, 768, seed + 1, 1)),
        m_scores(ranks ? top : rows),
        m_ids(ranks ? top : 0) {
    kind = ranks ? "top_rows" : "row_scores";
    unit = "rows";
    items = static_cast<double>(rows);
    bytes = static_cast<double>(m_rows.size() * sizeof(float));
  }
  void write(JobFolder& folder) const override {
    folder.add<float>("rows", "float32", m_rows, {m_rows.size() / 768, 768});
    folder.add<float>("queries", "float32", m_query, {1, 768});
    folder.parameters["top"] = top;
  }
  void run(Space space) const override {
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(m_rows.size() / 768), 768};
    const ConstArray rows(m_rows.data(), DataType::float32, shape);
    const ConstArray query(std::span<const float>(m_query.data(), m_query.size()));
    const RowOptions options{Metric::cosine, space};
    const Array scores{std::span<float>(m_scores)};
    if (m_ranks)
      return top_rows(m_context, query, rows, scores, Array(std::span<std::int64_t>(m_ids)),
                      options);
    row_scores(m_context, query, rows, scores, options);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    run(Space::serial);
    const std::string wrong = compare_values(m_scores, answer.scores, 1e-5);
    if (!wrong.empty() || !m_ranks) return wrong;
    return m_ids == answer.ids ? "" : "the ids differ";
  }

 private:
  static constexpr std::size_t top = 10;

  Context& m_context;
  bool m_ranks;
  Values<float> m_rows;
  Values<float> m_query;
  mutable std::vector<float> m_scores;
  mutable std::vector<std::int64_t> m_ids;
};

}  // namespace

std::unique_ptr<Work> search_work(Context& context, std::size_t rows, std::size_t queries,
                                  double percent, std::uint64_t seed) {
  return std::make_unique<SearchWork>(context, rows, queries, percent, seed);
}
std::unique_ptr<Work> approximate_search_work(Context& context, std::size_t rows,
                                              std::size_t dimension, std::size_t queries,
                                              std::uint64_t seed) {
  return std::make_unique<ApproximateSearchWork>(context, rows, dimension, queries, seed);
}
std::unique_ptr<Work> score_work(Context& context, std::size_t rows, std::size_t candidates,
                                 std::uint64_t seed) {
  return std::make_unique<ScoreWork>(context, rows, candidates, seed);
}

std::unique_ptr<Work> row_work(Context& context, std::size_t rows, bool ranks, std::uint64_t seed) {
  return std::make_unique<RowWork>(context, rows, ranks, seed);
}

}  // namespace Kindred::Perf
