// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Recall.hpp>

#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cmath>

namespace Kindred::Perf {

namespace {

constexpr std::size_t top = 10;

constexpr HnswSettings settings{.metric = Metric::l2};

/// Rows around centres that depend only on the seed; \p stream distinguishes rows from queries.
Values<float> clustered(std::size_t count, std::size_t dimension, std::size_t clusters,
                        std::uint64_t seed, std::uint64_t stream, int threads) {
  const Values<float> centres = normal_rows(clusters, dimension, seed, threads);
  Values<float> out = normal_rows(count, dimension, seed + stream, threads);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t centre = random_word(seed + stream + 100, i) % clusters;
    for (std::size_t d = 0; d < dimension; ++d)
      out[i * dimension + d] += centres[centre * dimension + d];
  }
  return out;
}

class HnswProblem : public Problem {
 public:
  explicit HnswProblem(std::shared_ptr<const ClusteredRows> rows) : m_rows(std::move(rows)) {
    arguments = {{"rows", static_cast<std::int64_t>(m_rows->rows.size() / m_rows->dimension)},
                 {"dimension", static_cast<std::int64_t>(m_rows->dimension)}};
  }
  void write(JobFolder& folder) const override {
    const std::size_t dimension = m_rows->dimension;
    folder.add<float>("rows", "<f4", m_rows->rows, {m_rows->rows.size() / dimension, dimension});
    folder.parameters["space"] = to_string(settings.metric);
    folder.parameters["m"] = settings.m;
    folder.parameters["ef_construction"] = settings.ef_construction;
  }

 protected:
  std::shared_ptr<const ClusteredRows> m_rows;
};

class HnswBuildProblem final : public HnswProblem {
 public:
  explicit HnswBuildProblem(std::shared_ptr<const ClusteredRows> rows)
      : HnswProblem(std::move(rows)) {
    name = "BM_Hnsw_build";
    job = "hnsw_build";
    unit = "rows";
    items = static_cast<double>(arguments[0].second);
  }
  bool reaches(Space space) const override { return space != Space::cuda; }
  DispatchRecord run(std::optional<Space>) override {
    m_built = hnsw_index(*m_rows).statistics();
    DispatchRecord record;
    record.chosen = Space::openmp;
    record.threads = m_rows->context->threads();
    return record;
  }
  std::uint64_t digest() const override { return m_built.links; }
  std::string check() const override {
    return m_built.unreachable == 0
               ? std::string()
               : std::to_string(m_built.unreachable) + " rows cannot be reached";
  }

 private:
  HnswStatistics m_built;
};

class HnswSearchProblem final : public HnswProblem {
 public:
  HnswSearchProblem(std::shared_ptr<const ClusteredRows> rows,
                    std::shared_ptr<const HnswIndex> index, std::size_t ef)
      : HnswProblem(std::move(rows)), m_index(std::move(index)) {
    name = "BM_Hnsw_search";
    arguments.emplace_back("ef", static_cast<std::int64_t>(ef));
    arguments.emplace_back("recall_in_10000", 0);
    job = "hnsw_search";
    unit = "queries";
    items = static_cast<double>(m_rows->queries.size() / m_rows->dimension);
    m_options.top = top;
    m_options.ef = ef;
  }
  bool reaches(Space space) const override { return space != Space::cuda; }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_index->search(m_rows->queries, m_options);
    arguments.back().second = std::lround(1e4 * recall(m_answer.ids));
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::int64_t id : m_answer.ids) digest.add(static_cast<std::uint64_t>(id));
    for (const float score : m_answer.scores) digest.add(score);
    return digest.value();
  }
  std::string check() const override {
    constexpr double least = 0.5;
    return recall(m_answer.ids) >= least ? "" : "less than half of the nearest rows were found";
  }
  void write(JobFolder& folder) const override {
    HnswProblem::write(folder);
    const auto queries = static_cast<std::size_t>(items);
    folder.add<float>("queries", "<f4", m_rows->queries, {queries, m_rows->dimension});
    folder.add<std::int64_t>("truth", "int64", m_rows->nearest, {queries, top});
    folder.parameters["top"] = top;
    folder.parameters["recall"] = recall(m_answer.ids);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    return "= recall " + std::to_string(recall(answer.ids)) + ", ours " +
           std::to_string(recall(m_answer.ids));
  }

 private:
  double recall(std::span<const std::int64_t> ids) const {
    return recall_of(ids, m_rows->nearest, top).share();
  }

  std::shared_ptr<const HnswIndex> m_index;
  HnswSearchOptions m_options;
  HnswResults m_answer;
};

}  // namespace

ClusteredRows::ClusteredRows(Context& made_in, std::size_t count, std::size_t query_count,
                             std::uint64_t seed)
    : context(&made_in), dimension(128) {
  constexpr std::size_t rows_per_cluster = 100;
  const std::size_t clusters = std::max<std::size_t>(1, count / rows_per_cluster);
  rows = clustered(count, dimension, clusters, seed, 1, made_in.threads());
  queries = clustered(query_count, dimension, clusters, seed, 2, made_in.threads());
  SearchOptions options;
  options.metric = settings.metric;
  options.top = top;
  nearest = VectorIndex(made_in, rows, dimension).search(queries, options).ids;
}

HnswIndex hnsw_index(const ClusteredRows& rows) {
  return HnswIndex::build(*rows.context, rows.rows, rows.dimension, settings);
}
std::unique_ptr<Problem> hnsw_build_problem(std::shared_ptr<const ClusteredRows> rows) {
  return std::make_unique<HnswBuildProblem>(std::move(rows));
}
std::unique_ptr<Problem> hnsw_search_problem(std::shared_ptr<const ClusteredRows> rows,
                                             std::shared_ptr<const HnswIndex> index,
                                             std::size_t ef) {
  return std::make_unique<HnswSearchProblem>(std::move(rows), std::move(index), ef);
}

}  // namespace Kindred::Perf
