// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/reference/Reference.hpp>

#include <bit>
#include <limits>

#include "Properties.hpp"
#include "RaggedRows.hpp"

namespace VectorPropertiesTest {

using namespace Kindred;
using Testing::expect_property;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Rows and queries with few distinct values, so that scores tie; sometimes with special values.
struct Matrices {
  std::size_t dimension = 1;
  std::vector<float> rows, queries;
  std::size_t count() const { return rows.size() / dimension; }
  std::size_t query_count() const { return queries.size() / dimension; }
  std::span<const float> query(std::size_t q) const {
    return std::span(queries).subspan(q * dimension, dimension);
  }
};

Matrices any_matrices() {
  const auto tame = rc::gen::element(0.0F, 1.0F, -1.0F, 0.5F, 0.1F, -3.0F);
  const auto wild = rc::gen::element(0.0F, -0.0F, 1.0F, 1e-42F, -1e-45F, 3e38F, -3e38F, 1e-20F,
                                     16777216.0F, infinity, -infinity, nan);
  const bool hurts = *rc::gen::inRange(0, 4) == 0;
  const auto value = hurts ? rc::gen::oneOf(tame, wild) : rc::gen::oneOf(tame, tame);
  Matrices matrices;
  matrices.dimension = *rc::gen::inRange<std::size_t>(1, 70);
  const auto count = *rc::gen::inRange<std::size_t>(1, 70);
  const auto query_count = *rc::gen::inRange<std::size_t>(0, 6);
  matrices.rows = *rc::gen::container<std::vector<float>>(count * matrices.dimension, value);
  matrices.queries =
      *rc::gen::container<std::vector<float>>(query_count * matrices.dimension, value);
  return matrices;
}

Metric any_metric() { return *rc::gen::element(Metric::cosine, Metric::ip, Metric::l2); }

std::vector<std::uint32_t> bits(std::span<const float> values) {
  std::vector<std::uint32_t> all;
  for (const float value : values) all.push_back(std::bit_cast<std::uint32_t>(value));
  return all;
}

TEST(VectorProperties, SearchMatchesReference) {
  expect_property("search equals the reference on every space, to the bit", [] {
    const Matrices matrices = any_matrices();
    const std::size_t count = matrices.count();
    SearchOptions options;
    options.metric = any_metric();
    options.top = *rc::gen::inRange<std::size_t>(1, count + 1);
    const bool filtered = *rc::gen::arbitrary<bool>();
    const auto filter = *rc::gen::container<std::vector<std::uint8_t>>(
        filtered ? count : 0, rc::gen::element<std::uint8_t>(0, 0, 1, 255));
    options.filter = filter;
    const VectorIndex index(Testing::context(), matrices.rows, matrices.dimension);
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const SearchResults results = index.search(matrices.queries, options);
      RC_ASSERT(results.top == options.top);
      RC_ASSERT(results.ids.size() == matrices.query_count() * options.top);
      for (std::size_t q = 0; q < matrices.query_count(); ++q) {
        const Reference::SearchAnswer expected = Reference::search(
            options.metric, matrices.rows, matrices.query(q), options.top, filter);
        const auto ids = std::span(results.ids).subspan(q * options.top, options.top);
        const auto scores = std::span(results.scores).subspan(q * options.top, options.top);
        RC_ASSERT(std::vector(ids.begin(), ids.end()) == expected.ids);
        RC_ASSERT(bits(scores) == bits(expected.scores));
      }
    }
  });
}

TEST(VectorProperties, ScoreMatchesReference) {
  expect_property("score equals the reference on every space, to the bit", [] {
    const Matrices matrices = any_matrices();
    std::vector<std::vector<std::uint64_t>> lists;
    for (std::size_t q = 0; q < matrices.query_count(); ++q) {
      lists.push_back(*rc::gen::container<std::vector<std::uint64_t>>(
          rc::gen::inRange<std::uint64_t>(0, matrices.count())));
    }
    SearchOptions options;
    options.metric = any_metric();
    options.top = *rc::gen::element<std::size_t>(1, 2, 10, 1000);
    const VectorIndex index(Testing::context(), matrices.rows, matrices.dimension);
    for (const Space space : Testing::spaces()) {
      options.space = space;
      const ScoreResults results = index.score(matrices.queries, Testing::ragged(lists), options);
      RC_ASSERT(results.results.rows() == lists.size());
      for (std::size_t q = 0; q < lists.size(); ++q) {
        const std::vector<Reference::Item> expected = Reference::score_candidates(
            options.metric, matrices.rows, matrices.query(q), lists[q], options.top);
        const std::span<const ScoredId> row = results.results[q];
        RC_ASSERT(row.size() == expected.size());
        for (std::size_t place = 0; place < row.size(); ++place) {
          RC_ASSERT(row[place].id == static_cast<std::int64_t>(expected[place].index));
          RC_ASSERT(bits({&row[place].score, 1}) == bits({&expected[place].score, 1}));
        }
      }
    }
  });
}

}  // namespace VectorPropertiesTest
