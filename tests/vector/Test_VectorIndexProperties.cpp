// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "VectorSupport.hpp"

namespace VectorIndexPropertiesTest {

using namespace Kindred;
using Testing::Answer;
using Testing::answer_of;
using Testing::normal_values;

/// A small problem; coarse values cause ties.
struct Problem {
  std::size_t dimension = 1;
  std::vector<float> rows;
  std::vector<float> queries;
  SearchOptions options;

  std::size_t count() const { return rows.size() / dimension; }
  std::size_t query_count() const { return queries.size() / dimension; }
  std::span<const float> row(std::size_t i) const {
    return std::span(rows).subspan(i * dimension, dimension);
  }
  std::span<const float> query(std::size_t i) const {
    return std::span(queries).subspan(i * dimension, dimension);
  }
};

Problem any_problem() {
  Problem problem;
  problem.dimension = *rc::gen::inRange<std::size_t>(1, 40);
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, 80);
  const std::size_t queries = *rc::gen::inRange<std::size_t>(1, 9);
  std::mt19937_64 generator(*rc::gen::arbitrary<std::uint64_t>());
  problem.rows = normal_values(generator, count * problem.dimension);
  problem.queries = normal_values(generator, queries * problem.dimension);
  if (*rc::gen::arbitrary<bool>()) {
    for (float& value : problem.rows) value = static_cast<float>(static_cast<int>(value));
  }
  problem.options.metric = *rc::gen::element(Metric::cosine, Metric::ip, Metric::l2);
  problem.options.top = *rc::gen::inRange<std::size_t>(1, count + 1);
  problem.options.space = *rc::gen::elementOf(Testing::spaces());
  return problem;
}

Answer search(const Problem& problem) {
  const VectorIndex index(Testing::context(), problem.rows, problem.dimension);
  return answer_of(index.search(problem.queries, problem.options));
}

void check(const std::string& claim, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(claim, property));
}

TEST(VectorIndexProperties, PermutedRowsPermuteTheIds) {
  check("permutation", [] {
    Problem problem = any_problem();
    const std::size_t n = problem.count();
    problem.options.top = n;
    const Answer before = search(problem);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 generator(*rc::gen::arbitrary<std::uint64_t>());
    std::shuffle(order.begin(), order.end(), generator);
    Problem permuted = problem;
    permuted.rows.clear();
    for (const std::size_t i : order)
      permuted.rows.insert(permuted.rows.end(), problem.row(i).begin(), problem.row(i).end());
    const Answer after = search(permuted);
    RC_ASSERT(after.scores == before.scores);
    // A row keeps its score; the ids agree except for the order of equal scores.
    for (std::size_t begin = 0; begin < after.ids.size(); begin += n) {
      std::vector<std::uint32_t> score_before(n);
      std::vector<std::uint32_t> score_after(n);
      for (std::size_t i = begin; i < begin + n; ++i) {
        score_before[static_cast<std::size_t>(before.ids[i])] = before.scores[i];
        score_after[order[static_cast<std::size_t>(after.ids[i])]] = after.scores[i];
      }
      RC_ASSERT(score_before == score_after);
    }
  });
}

TEST(VectorIndexProperties, DuplicatedRowsTieById) {
  check("duplicates", [] {
    Problem problem = any_problem();
    const std::size_t n = problem.count();
    problem.options.top = n;
    const Answer single = search(problem);
    Problem twice = problem;
    twice.rows.insert(twice.rows.end(), problem.rows.begin(), problem.rows.end());
    twice.options.top = 2 * n;
    const Answer both = search(twice);
    for (std::size_t i = 0; i < single.scores.size(); ++i) {
      RC_ASSERT(both.scores[2 * i] == single.scores[i]);
      RC_ASSERT(both.scores[2 * i + 1] == single.scores[i]);
    }
    for (std::size_t i = 1; i < both.ids.size(); ++i) {
      if (i % (2 * n) == 0) continue;
      RC_ASSERT(both.scores[i] != both.scores[i - 1] || both.ids[i] > both.ids[i - 1]);
    }
  });
}

TEST(VectorIndexProperties, ABatchEqualsALoop) {
  check("batch", [] {
    const Problem problem = any_problem();
    const VectorIndex index(Testing::context(), problem.rows, problem.dimension);
    const Answer batch = answer_of(index.search(problem.queries, problem.options));
    Answer loop;
    for (std::size_t q = 0; q < problem.query_count(); ++q) {
      const Answer one = answer_of(index.search(problem.query(q), problem.options));
      loop.ids.insert(loop.ids.end(), one.ids.begin(), one.ids.end());
      loop.scores.insert(loop.scores.end(), one.scores.begin(), one.scores.end());
    }
    RC_ASSERT(batch == loop);
  });
}

/// The results for rows `begin … end` only, with their ids in the complete set.
std::vector<Reference::Item> search_shard(const Problem& problem, std::size_t query,
                                          std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  const VectorIndex shard(
      Testing::context(),
      std::span(problem.rows).subspan(begin * problem.dimension, (end - begin) * problem.dimension),
      problem.dimension);
  SearchOptions options = problem.options;
  options.top = std::min(options.top, shard.size());
  const SearchResults part = shard.search(problem.query(query), options);
  std::vector<Reference::Item> items;
  for (std::size_t i = 0; i < part.ids.size(); ++i)
    items.push_back({begin + static_cast<std::size_t>(part.ids[i]), part.scores[i]});
  return items;
}

TEST(VectorIndexProperties, MergedShardsEqualACompleteSearch) {
  check("shards", [] {
    const Problem problem = any_problem();
    const Answer whole = search(problem);
    const std::size_t cut = *rc::gen::inRange<std::size_t>(0, problem.count() + 1);
    const std::size_t top = problem.options.top;
    for (std::size_t q = 0; q < problem.query_count(); ++q) {
      const std::vector<std::vector<Reference::Item>> lists{
          search_shard(problem, q, 0, cut), search_shard(problem, q, cut, problem.count())};
      const auto merged =
          Reference::merge_top_k(lists, top, Reference::better_of(problem.options.metric));
      RC_ASSERT(merged.size() == top);
      for (std::size_t i = 0; i < top; ++i) {
        RC_ASSERT(static_cast<std::int64_t>(merged[i].index) == whole.ids[q * top + i]);
        RC_ASSERT(std::bit_cast<std::uint32_t>(merged[i].score) == whole.scores[q * top + i]);
      }
    }
  });
}

TEST(VectorIndexProperties, AFilterEqualsSearchThenFilter) {
  check("filter", [] {
    Problem problem = any_problem();
    const std::size_t top = problem.options.top;
    const std::size_t n = problem.count();
    const auto filter = *rc::gen::container<std::vector<std::uint8_t>>(
        n, rc::gen::element<std::uint8_t>(0, 1, 200));
    problem.options.filter = filter;
    const Answer filtered = search(problem);
    problem.options.filter = {};
    problem.options.top = n;
    const Answer all = search(problem);
    for (std::size_t q = 0; q < problem.query_count(); ++q) {
      std::size_t place = q * top;
      for (std::size_t i = q * n; i < (q + 1) * n && place < (q + 1) * top; ++i) {
        if (filter[static_cast<std::size_t>(all.ids[i])] == 0) continue;
        RC_ASSERT(filtered.ids[place] == all.ids[i]);
        RC_ASSERT(filtered.scores[place] == all.scores[i]);
        ++place;
      }
      for (; place < (q + 1) * top; ++place) RC_ASSERT(filtered.ids[place] == -1);
    }
  });
}

TEST(VectorIndexProperties, ScoringEveryRowEqualsSearching) {
  check("score", [] {
    const Problem problem = any_problem();
    const VectorIndex index(Testing::context(), problem.rows, problem.dimension);
    Ragged<std::uint64_t> candidates;
    for (std::size_t q = 0; q < problem.query_count(); ++q) {
      for (std::size_t i = index.size(); i > 0; --i) candidates.values.push_back(i - 1);
      candidates.close_row();
    }
    const SearchResults searched = index.search(problem.queries, problem.options);
    const ScoreResults scored = index.score(problem.queries, candidates, problem.options);
    RC_ASSERT(scored.results.values.size() == searched.ids.size());
    for (std::size_t i = 0; i < searched.ids.size(); ++i) {
      RC_ASSERT(scored.results.values[i].id == searched.ids[i]);
      RC_ASSERT(std::bit_cast<std::uint32_t>(scored.results.values[i].score) ==
                std::bit_cast<std::uint32_t>(searched.scores[i]));
    }
  });
}

}  // namespace VectorIndexPropertiesTest
