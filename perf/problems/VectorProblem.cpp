// SPDX-License-Identifier: Apache-2.0
#include <kindred/reference/Reference.hpp>

#include <kindred/matcher/Recall.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include "common/Timing.hpp"
#include "machine/DeviceCalls.hpp"
#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <array>

namespace Kindred::Perf {

namespace {

/// Base of `search` and `score` problems: rows, queries and a metric.
class VectorProblem : public Problem {
 public:
  VectorProblem(std::shared_ptr<const RowSet> rows, std::size_t queries, std::size_t top,
                std::uint64_t seed)
      : m_rows(std::move(rows)),
        m_query_count(queries),
        m_queries(normal_rows(queries, m_rows->dimension, seed + 1, 1)) {
    m_options.top = top;
  }
  bool reaches(Space space) const override { return m_rows->index.bytes(space) > 0; }
  void write(JobFolder& folder) const override {
    const std::size_t dimension = m_rows->dimension;
    folder.add<float>("rows", "float32", m_rows->values, {row_count(), dimension});
    folder.add<float>("queries", "float32", m_queries, {m_query_count, dimension});
    folder.parameters["top"] = m_options.top;
  }

 protected:
  std::size_t row_count() const { return m_rows->index.size(); }
  std::span<const float> row(std::uint64_t id) const {
    return std::span(m_rows->values).subspan(id * m_rows->dimension, m_rows->dimension);
  }
  /// Checks the answer to a query against \p candidates.
  std::string check_ranking(std::span<const ScoredId> answer,
                            std::span<const std::uint64_t> candidates,
                            std::size_t query = 0) const {
    const std::size_t dimension = m_rows->dimension;
    const auto values = std::span(m_queries).subspan(query * dimension, dimension);
    const auto reference = [&](std::uint64_t id) {
      return Reference::score(m_options.metric, values, row(id));
    };
    const auto precedes = [](float score_a, std::int64_t a, float score_b, std::int64_t b) {
      return score_a != score_b ? score_a > score_b : a < b;
    };
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto id = static_cast<std::uint64_t>(answer[i].id);
      if (reference(id) != answer[i].score)
        return difference("score", id, answer[i].score, reference(id));
      if (i > 0 && !precedes(answer[i - 1].score, answer[i - 1].id, answer[i].score, answer[i].id))
        return "the order is not total";
    }
    for (const std::uint64_t id : candidates) {
      const float score = reference(id);
      const auto same = [&](const ScoredId& entry) {
        return static_cast<std::uint64_t>(entry.id) == id;
      };
      const bool full = answer.size() == m_options.top;
      if (full &&
          precedes(answer.back().score, answer.back().id, score, static_cast<std::int64_t>(id)))
        continue;
      if (std::none_of(answer.begin(), answer.end(), same))
        return "row " + std::to_string(id) + " is missing";
    }
    return {};
  }

  /// Times `call(queries, scores, ids, options)` on arrays on the device, of which \p calls are
  /// enqueued, and compares the results of call 0 with `expected(query, place)`.
  template <class Call, class Expected>
  Queued queued_on_device(int repeats, std::size_t calls, const Call& call,
                          const Expected& expected) {
    Context& context = *m_rows->context;
    const DeviceQueue queue;
    const auto count = static_cast<std::int64_t>(m_query_count);
    const auto top = static_cast<std::int64_t>(m_options.top);
    const auto queries =
        DeviceArray::of(context, {count, static_cast<std::int64_t>(m_rows->dimension)},
                        std::span<const float>(m_queries));
    const auto scores = DeviceArray::of<float>(context, {count, top});
    const auto ids = DeviceArray::of<std::int64_t>(context, {count, top});
    SearchOptions options = m_options;
    options.space = Space::cuda;
    options.stream = queue.stream();
    const auto run = [&](std::size_t number) {
      call(number, queries.array(), scores.array(), ids.array(), options);
    };
    Queued queued;
    queued.seconds = median_of(repeats, 5.0,
                               [&] {
                                 for (std::size_t number = 0; number < calls; ++number) run(number);
                                 queue.fence();
                               }) /
                     static_cast<double>(calls);
    run(0);
    queue.fence();
    const std::vector<float> found_scores = scores.values<float>();
    const std::vector<std::int64_t> found_ids = ids.values<std::int64_t>();
    for (std::size_t query = 0; query < m_query_count && queued.wrong.empty(); ++query) {
      for (std::size_t place = 0; place < m_options.top; ++place) {
        const std::size_t at = query * m_options.top + place;
        const ScoredId entry = expected(query, place);
        if (found_ids[at] != entry.id || found_scores[at] != entry.score)
          queued.wrong = "a call on arrays of the device has another answer";
      }
    }
    return queued;
  }

  std::shared_ptr<const RowSet> m_rows;
  std::size_t m_query_count;
  Values<float> m_queries;
  SearchOptions m_options;
};

class SearchProblem final : public VectorProblem {
 public:
  SearchProblem(std::shared_ptr<const RowSet> rows, std::size_t queries, std::size_t top,
                std::uint64_t seed, std::optional<SearchPath> path, int passing)
      : VectorProblem(std::move(rows), queries, top, seed) {
    name = "BM_Search_cosine";
    if (path) name.append("_").append(to_string(*path));
    m_options.path = path;
    arguments = {{"rows", static_cast<std::int64_t>(row_count())},
                 {"dimension", static_cast<std::int64_t>(m_rows->dimension)},
                 {"queries", static_cast<std::int64_t>(queries)},
                 {"k", static_cast<std::int64_t>(top)}};
    items = static_cast<double>(row_count()) * static_cast<double>(queries);
    unit = "rows";
    job = "search";
    m_passing = row_count();
    if (passing < 0) return;
    m_passing = 0;
    arguments.emplace_back("passing", passing);
    m_filter.resize((row_count() + 63) / 64);
    for (std::size_t id = 0; id < row_count(); ++id) {
      const bool passes = random_word(seed + 3, id) % 100 < static_cast<std::uint64_t>(passing);
      m_filter[id / 64] |= std::uint64_t{passes} << (id % 64);
      m_passing += passes ? 1 : 0;
    }
    m_options.filter_bits = m_filter;
  }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_rows->index.search(m_queries, m_options);
    bytes = search_bytes(m_answer.report, m_options.metric, DataType::float32,
                         static_cast<double>(m_passing), m_rows->dimension);
    const std::uint64_t scored =
        std::min<std::uint64_t>(m_answer.report.survivors, m_query_count * m_passing);
    multiply_adds = static_cast<double>(scored * m_rows->dimension);
    return m_answer.record;
  }
  std::uint64_t digest() const override { return digest_of(m_answer); }
  void write(JobFolder& folder) const override {
    VectorProblem::write(folder);
    if (m_filter.empty()) return;
    std::vector<std::uint8_t> filter(row_count());
    for (std::size_t id = 0; id < filter.size(); ++id) filter[id] = passes(id) ? 1 : 0;
    folder.add<std::uint8_t>("filter", "uint8", filter, {filter.size()});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    const std::string wrong = compare_values(m_answer.scores, answer.scores, 1e-5);
    if (!wrong.empty()) return wrong;
    const double same = recall_of(m_answer.ids, answer.ids, m_options.top).share();
    return same >= 0.99 ? "" : "only " + std::to_string(same) + " of the ids are the same";
  }
  std::string check() const override {
    const SearchReport& report = m_answer.report;
    const bool plain = report.path == to_string(SearchPath::brute_force);
    const std::uint64_t scanned = plain ? report.survivors : report.prefiltered;
    const std::size_t answered = std::min(m_answer.top, m_passing);
    if (scanned < m_query_count * m_passing || report.survivors < m_query_count * answered)
      return "not every row was judged, or fewer scored than answered";
    for (const std::size_t query : {std::size_t{0}, m_query_count / 2, m_query_count - 1}) {
      const std::string wrong = check_query(query);
      if (!wrong.empty()) return "query " + std::to_string(query) + ": " + wrong;
    }
    return {};
  }

  Queued queued(Space space, int repeats) override {
    if (space != Space::cuda || !m_filter.empty()) return {};
    return queued_on_device(
        repeats, 16,
        [&](std::size_t, const Array& queries, const Array& scores, const Array& ids,
            const SearchOptions& options) {
          m_rows->index.search(queries, options, {scores, ids});
        },
        [&](std::size_t query, std::size_t place) {
          const std::size_t at = query * m_answer.top + place;
          return ScoredId{m_answer.ids[at], m_answer.scores[at]};
        });
  }

 private:
  std::string check_query(std::size_t query) const {
    std::vector<ScoredId> answer;
    for (std::size_t i = 0; i < std::min(m_answer.top, m_passing); ++i) {
      const std::size_t place = query * m_answer.top + i;
      answer.push_back({m_answer.ids[place], m_answer.scores[place]});
    }
    std::vector<std::uint64_t> candidates = sample(row_count());
    if (!m_filter.empty()) {
      std::erase_if(candidates, [&](std::uint64_t id) { return !passes(id); });
      for (const ScoredId& entry : answer) {
        if (!passes(static_cast<std::uint64_t>(entry.id)))
          return "row " + std::to_string(entry.id) + " does not pass the filter";
      }
    }
    return check_ranking(answer, candidates, query);
  }
  bool passes(std::uint64_t id) const { return (m_filter[id / 64] >> (id % 64) & 1U) != 0; }

  std::vector<std::uint64_t> m_filter;
  std::size_t m_passing = 0;  ///< rows that pass the filter
  SearchResults m_answer;
};

class ScoreProblem final : public VectorProblem {
 public:
  ScoreProblem(std::shared_ptr<const RowSet> rows, std::size_t queries, std::size_t candidates,
               std::size_t top, std::uint64_t seed)
      : VectorProblem(std::move(rows), queries, top, seed) {
    name = "BM_Score_cosine";
    arguments = {{"candidates", static_cast<std::int64_t>(candidates * queries)},
                 {"dimension", static_cast<std::int64_t>(m_rows->dimension)},
                 {"queries", static_cast<std::int64_t>(queries)},
                 {"k", static_cast<std::int64_t>(top)}};
    items = static_cast<double>(candidates * queries);
    multiply_adds = items * static_cast<double>(m_rows->dimension);
    bytes = multiply_adds * sizeof(float);
    // 256 MiB of rows in total, unless one call reads more.
    const auto call_bytes = static_cast<std::size_t>(bytes);
    m_lists.resize(std::clamp<std::size_t>((256U << 20U) / call_bytes, 1, 256));
    std::uint64_t draw = 0;
    for (Ragged<std::uint64_t>& lists : m_lists) {
      for (std::size_t q = 0; q < queries; ++q) {
        for (std::size_t c = 0; c < candidates; ++c)
          lists.values.push_back(random_word(seed + 2, draw++) % row_count());
        lists.close_row();
      }
    }
  }
  void turn(std::size_t call) override { m_turn = call % m_lists.size(); }
  DispatchRecord run(std::optional<Space> space) override {
    m_options.space = space;
    m_answer = m_rows->index.score(m_queries, m_lists[m_turn], m_options);
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const std::uint64_t offset : m_answer.results.offsets) digest.add(offset);
    for (const ScoredId& entry : m_answer.results.values) {
      digest.add(static_cast<std::uint64_t>(entry.id));
      digest.add(entry.score);
    }
    return digest.value();
  }
  std::string check() const override {
    return check_ranking(m_answer.results[0], m_lists[m_turn][0]);
  }
  Queued queued(Space space, int repeats) override {
    if (space != Space::cuda) return {};
    const auto length = static_cast<std::int64_t>(m_lists[0].values.size() /
                                                  std::max<std::size_t>(1, m_query_count));
    std::vector<DeviceArray> lists;
    for (const Ragged<std::uint64_t>& list : m_lists) {
      const std::vector<std::int64_t> ids(list.values.begin(), list.values.end());
      lists.push_back(DeviceArray::of(*m_rows->context,
                                      {static_cast<std::int64_t>(m_query_count), length},
                                      std::span<const std::int64_t>(ids)));
    }
    SearchOptions on_host = m_options;
    on_host.space = {};
    const ScoreResults expected = m_rows->index.score(m_queries, m_lists[0], on_host);
    return queued_on_device(
        repeats, 256,
        [&](std::size_t number, const Array& queries, const Array& scores, const Array& ids,
            const SearchOptions& options) {
          m_rows->index.score(queries, lists[number % lists.size()].array(), options,
                              {scores, ids});
        },
        [&](std::size_t query, std::size_t place) {
          const std::span<const ScoredId> row = expected.results[query];
          return place < row.size() ? row[place] : ScoredId{-1, padding_score(m_options.metric)};
        });
  }

 private:
  std::vector<Ragged<std::uint64_t>> m_lists;
  std::size_t m_turn = 0;
  ScoreResults m_answer;
};

/// One query after the other with a prepared score.
class PreparedScoreProblem final : public VectorProblem {
 public:
  PreparedScoreProblem(std::shared_ptr<const RowSet> rows, std::size_t candidates, std::size_t top,
                       std::uint64_t seed)
      : VectorProblem(std::move(rows), 1, top, seed), m_candidates(candidates) {
    name = "BM_PreparedScore_cosine";
    arguments = {{"candidates", static_cast<std::int64_t>(candidates)},
                 {"dimension", static_cast<std::int64_t>(m_rows->dimension)},
                 {"k", static_cast<std::int64_t>(top)}};
    items = static_cast<double>(candidates);
    multiply_adds = items * static_cast<double>(m_rows->dimension);
    bytes = multiply_adds * sizeof(float);
    unit = "candidates";
    job = "score";
    // A prime stride visits rows out of order and none twice per list. The lists rotate over 256
    // MiB of rows, so that the rows do not stay in the caches.
    constexpr std::size_t stride = 104729;
    const auto call_bytes = static_cast<std::size_t>(bytes);
    m_lists.resize(std::clamp<std::size_t>((256U << 20U) / call_bytes, 1, 256));
    std::size_t next = 0;
    for (std::vector<std::uint64_t>& list : m_lists) {
      for (std::size_t c = 0; c < candidates; ++c)
        list.push_back((next++ * stride + 7) % row_count());
    }
  }
  void turn(std::size_t call) override { m_turn = call % m_lists.size(); }
  DispatchRecord run(std::optional<Space> space) override {
    if (!m_prepared || (space && m_prepared->space() != *space)) {
      m_options.space = space;
      m_prepared.emplace(m_rows->index, m_candidates, m_options);
    }
    m_answer = m_prepared->score(m_queries, m_lists[m_turn]);
    DispatchRecord record;
    record.operation = Operations::score;
    record.items = m_candidates;
    record.chosen = m_prepared->space();
    return record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const ScoredId& entry : m_answer) {
      digest.add(static_cast<std::uint64_t>(entry.id));
      digest.add(entry.score);
    }
    return digest.value();
  }
  std::string check() const override { return check_ranking(m_answer, m_lists[m_turn]); }
  void write(JobFolder& folder) const override {
    VectorProblem::write(folder);
    std::vector<std::int64_t> ids;
    for (const std::vector<std::uint64_t>& list : m_lists)
      ids.insert(ids.end(), list.begin(), list.end());
    folder.add<std::int64_t>("ids", "int64", ids, {m_lists.size(), m_candidates});
  }
  /// The first answer of the peers is for the first list.
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    turn(0);
    run(m_prepared ? std::optional(m_prepared->space()) : std::nullopt);
    std::vector<float> scores;
    for (const ScoredId& entry : m_answer) scores.push_back(entry.score);
    const std::string wrong = compare_values(scores, answer.scores, 1e-5);
    if (!wrong.empty()) return wrong;
    return std::ranges::equal(m_answer, answer.ids, {}, &ScoredId::id) ? "" : "the ids differ";
  }

 private:
  std::size_t m_candidates;
  std::vector<std::vector<std::uint64_t>> m_lists;
  std::size_t m_turn = 0;
  std::optional<PreparedScore> m_prepared;
  std::span<const ScoredId> m_answer;
};

/// One query with rows of the caller, without an index.
class RowsProblem final : public Problem {
 public:
  RowsProblem(Context& context, std::size_t rows, bool ranks, std::uint64_t seed)
      : m_context(context),
        m_ranks(ranks),
        m_rows(normal_rows(rows, dimension, seed, 1)),
        m_query(normal_rows(1, dimension, seed + 1, 1)),
        m_scores(ranks ? top : rows),
        m_ids(ranks ? top : 0) {
    name = ranks ? "BM_TopRows_cosine" : "BM_RowScores_cosine";
    arguments = {{"rows", static_cast<std::int64_t>(rows)}, {"dimension", dimension}};
    job = ranks ? "top_rows" : "row_scores";
    unit = "rows";
    items = static_cast<double>(rows);
    bytes = static_cast<double>(m_rows.size() * sizeof(float));
    multiply_adds = static_cast<double>(m_rows.size());
  }
  bool reaches(Space space) const override { return m_context.is_usable(space); }
  DispatchRecord run(std::optional<Space> space) override {
    const ConstArray rows =
        matrix_array(std::span<const float>(m_rows), m_rows.size() / dimension, dimension);
    const RowOptions options{Metric::cosine, space};
    if (m_ranks) return top_rows(m_context, m_query, rows, options, {m_scores, m_ids}).record;
    row_scores(m_context, m_query, rows, m_scores, options);
    DispatchRecord record;
    record.chosen = space.value_or(Space::serial);
    return record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const float score : m_scores) digest.add(score);
    for (const std::int64_t id : m_ids) digest.add(static_cast<std::uint64_t>(id));
    return digest.value();
  }
  std::string check() const override {
    for (const std::uint64_t place : sample(m_scores.size())) {
      const auto row = m_ranks ? static_cast<std::size_t>(m_ids[place]) : place;
      const float expected = Reference::score(
          Metric::cosine, m_query, std::span(m_rows).subspan(row * dimension, dimension));
      if (m_scores[place] != expected) return difference("score", row, m_scores[place], expected);
    }
    return {};
  }
  void write(JobFolder& folder) const override {
    folder.add<float>("rows", "float32", m_rows, {m_rows.size() / dimension, dimension});
    folder.add<float>("queries", "float32", m_query, {1, dimension});
    folder.parameters["top"] = top;
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run(Space::serial);
    const std::string wrong = compare_values(m_scores, answer.scores, 1e-5);
    if (!wrong.empty() || !m_ranks) return wrong;
    return m_ids == answer.ids ? "" : "the ids differ";
  }

 private:
  static constexpr std::size_t top = 10;
  static constexpr std::size_t dimension = 768;

  Context& m_context;
  bool m_ranks;
  Values<float> m_rows;
  Values<float> m_query;
  std::vector<float> m_scores;
  std::vector<std::int64_t> m_ids;
};

}  // namespace

RowSet::RowSet(Context& made_in, std::size_t count, std::size_t columns, std::uint64_t seed)
    : context(&made_in),
      dimension(columns),
      values(normal_rows(count, columns, seed, made_in.threads())),
      index(made_in, values, columns) {}

std::unique_ptr<Problem> search_problem(std::shared_ptr<const RowSet> rows, std::size_t queries,
                                        std::size_t top, std::uint64_t seed,
                                        std::optional<SearchPath> path, int passing) {
  return std::make_unique<SearchProblem>(std::move(rows), queries, top, seed, path, passing);
}
std::unique_ptr<Problem> score_problem(std::shared_ptr<const RowSet> rows, std::size_t queries,
                                       std::size_t candidates, std::size_t top,
                                       std::uint64_t seed) {
  return std::make_unique<ScoreProblem>(std::move(rows), queries, candidates, top, seed);
}
std::unique_ptr<Problem> prepared_score_problem(std::shared_ptr<const RowSet> rows,
                                                std::size_t candidates, std::size_t top,
                                                std::uint64_t seed) {
  return std::make_unique<PreparedScoreProblem>(std::move(rows), candidates, top, seed);
}
std::unique_ptr<Problem> rows_problem(Context& context, std::size_t rows, bool ranks,
                                      std::uint64_t seed) {
  return std::make_unique<RowsProblem>(context, rows, ranks, seed);
}
}  // namespace Kindred::Perf
