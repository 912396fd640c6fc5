// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Clusters.hpp>

#include "Properties.hpp"
#include "SequenceOracle.hpp"

namespace ClustersTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using Similarities = std::vector<std::vector<double>>;

constexpr auto linkages = {Linkage::single, Linkage::complete};

/// Requires that \p clusters are those of the reference for \p similarities.
void expect_reference(const Clusters& clusters, const Similarities& similarities, Linkage linkage) {
  const Reference::Partition expected =
      Reference::cluster(similarities, linkage == Linkage::complete);
  ASSERT_EQ(clusters.members.rows(), expected.members.size());
  EXPECT_EQ(clusters.representatives, expected.representatives);
  ASSERT_EQ(clusters.cluster_of.size(), similarities.size());
  for (std::size_t cluster = 0; cluster < expected.members.size(); ++cluster) {
    EXPECT_EQ(to_vector(clusters.members[cluster]), expected.members[cluster]);
    for (const std::uint64_t item : expected.members[cluster])
      EXPECT_EQ(clusters.cluster_of[item], cluster);
  }
}

TEST(Clusters, MatchTheReferenceForPairsInAnyOrder) {
  expect_property("the clusters equal the reference's", [] {
    const auto size = *rc::gen::inRange<std::size_t>(0, 25);
    // Few values, so that most are equal.
    const auto value = rc::gen::weightedElement<double>(
        {{*rc::gen::inRange<std::size_t>(1, 12), -1.0}, {2, 0.5}, {2, 0.75}, {2, 0.9}, {1, 1.0}});
    Similarities similarities(size, std::vector<double>(size, -1.0));
    std::vector<SimilarPair> pairs;
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        similarities[i][j] = similarities[j][i] = *value;
        if (similarities[i][j] >= 0) pairs.push_back({i, j, similarities[i][j]});
      }
    }
    auto random = generator("order of pairs");
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (SimilarPair& pair : pairs)
      if (random() % 2 == 0) std::swap(pair.first, pair.second);
    for (const Linkage linkage : linkages)
      expect_reference(cluster_pairs(size, pairs, linkage), similarities, linkage);
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(Clusters, OfPatternsMatchTheReferenceOnEverySpace) {
  expect_property("clusters of patterns equal the reference's on every space", [] {
    const auto patterns = *rc::gen::container<SymbolRows>(
        *rc::gen::inRange<std::size_t>(0, 25),
        rc::gen::resize(20, rc::gen::container<Symbols>(rc::gen::inRange<Symbol>(0, 3))));
    MatchOptions matching{.measure = *rc::gen::elementOf(with_blocks),
                          .threshold = *rc::gen::element(0.1, 0.5, 2.0 / 3, 0.8, 1.0),
                          .top = *rc::gen::element<std::size_t>(0, 1, 10),
                          .blocks = *rc::gen::arbitrary<bool>()};
    Similarities similarities(patterns.size(), std::vector<double>(patterns.size(), -1.0));
    for (std::size_t j = 0; j < patterns.size(); ++j) {
      const auto before = ranked(matching.measure, std::span(patterns).first(j), patterns[j]);
      for (const Match& item : returned(before, {.threshold = matching.threshold, .top = j + 1}))
        similarities[item.index][j] = similarities[j][item.index] = item.similarity;
    }
    const SequenceMatcher matcher(context(), ragged(patterns));
    for (const Linkage linkage : linkages) {
      for (const Space space : spaces()) {
        matching.space = space;
        const ClusterResults results = matcher.cluster({linkage, matching});
        expect_reference(results, similarities, linkage);
        if (!patterns.empty() && results.record.items > 0)
          RC_ASSERT(results.record.chosen == space);
      }
    }
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(Clusters, OfManyEqualPatternsNeedNoPairForEveryTwo) {
  constexpr std::size_t size = 60'000;  // 1.8 billion pairs
  const SymbolRows kinds{{1, 2, 3, 4}, {1, 2, 3, 5}, {6, 7}};
  Ragged<Symbol> rows;
  for (std::size_t i = 0; i < size; ++i) rows.push_row(kinds[i % 3]);
  const SequenceMatcher matcher(context(), rows);
  for (const Linkage linkage : linkages) {
    const ClusterResults results = matcher.cluster({linkage, {.threshold = 0.7}});
    ASSERT_EQ(results.members.rows(), 2U);
    EXPECT_EQ(results.members[0].size(), size / 3 * 2);
    EXPECT_EQ(results.members[1].size(), size / 3);
    EXPECT_THAT(results.representatives, ElementsAre(0, 2));
  }
}

TEST(Clusters, OfInvalidPairsAreRefused) {
  std::vector<RefusedCall> calls;
  const auto refuse = [&](const char* words, std::vector<SimilarPair> pairs) {
    calls.push_back({[pairs] { cluster_pairs(3, pairs, Linkage::single); }, words});
  };
  refuse("pair (0, 3): there are 3 items", {{0, 3, 0.5}});
  refuse("pair (1, 1): the items must be different", {{1, 1, 0.5}});
  refuse("pair (0, 1) occurs twice", {{0, 1, 0.5}, {1, 0, 0.6}});
  for (const double value : {-0.1, 1.1, not_a_number})
    refuse("it must be in [0, 1]", {{0, 1, value}});
  expect_refused(calls);
}

}  // namespace ClustersTest
