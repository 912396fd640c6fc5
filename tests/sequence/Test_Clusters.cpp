// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Clusters.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/reference/Reference.hpp>

#include <gmock/gmock.h>

#include "MessageOf.hpp"
#include "Properties.hpp"
#include "RaggedRows.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace ClustersTest {

using namespace Kindred;
using ::testing::ElementsAre;
using Testing::expect_property;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::to_vector;
using Sequence = std::vector<Symbol>;
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
    auto random = Testing::generator("order of pairs");
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
    const auto patterns = *rc::gen::container<std::vector<Sequence>>(
        *rc::gen::inRange<std::size_t>(0, 25),
        rc::gen::resize(20, rc::gen::container<Sequence>(rc::gen::inRange<Symbol>(0, 3))));
    ClusterOptions options;
    MatchOptions& matching = options.matching;
    matching.measure = *rc::gen::element(Measure::lcs, Measure::difflib);
    matching.threshold = *rc::gen::element(0.1, 0.5, 2.0 / 3, 0.8, 1.0);
    matching.top = *rc::gen::element<std::size_t>(0, 1, 10);
    matching.blocks = *rc::gen::arbitrary<bool>();
    const auto measure =
        matching.measure == Measure::lcs ? Reference::Matched::lcs : Reference::Matched::difflib;
    Similarities similarities(patterns.size(), std::vector<double>(patterns.size(), -1.0));
    for (std::size_t j = 0; j < patterns.size(); ++j) {
      for (const auto& item : Reference::match(std::span(patterns).first(j), patterns[j], measure,
                                               matching.threshold, patterns.size())) {
        similarities[item.index][j] = similarities[j][item.index] = item.similarity;
      }
    }
    const SequenceMatcher matcher(Testing::context(), Testing::ragged(patterns));
    for (const Linkage linkage : linkages) {
      options.linkage = linkage;
      for (const Space space : Testing::spaces()) {
        matching.space = space;
        const ClusterResults results = matcher.cluster(options);
        expect_reference(results, similarities, linkage);
        if (!patterns.empty() && results.record.items > 0)
          RC_ASSERT(results.record.chosen == space);
      }
    }
    RC_ASSERT(!::testing::Test::HasFailure());
  });
}

TEST(Clusters, OfNamesByHand) {
  const std::vector<std::string_view> names{"Anna Meier", "Anne Meier", "Bob",
                                            "Anne Maier", "Bobs",       "Carl"};
  const SequenceMatcher matcher(Testing::context(), names);
  ClusterOptions options;
  options.matching.threshold = 0.9;
  const ClusterResults single = matcher.cluster(options);
  EXPECT_THAT(single.cluster_of, ElementsAre(0, 0, 1, 0, 2, 3));
  EXPECT_THAT(single.members[0], ElementsAre(0, 1, 3));
  EXPECT_THAT(single.representatives, ElementsAre(1, 2, 4, 5));
  options.linkage = Linkage::complete;
  const ClusterResults complete = matcher.cluster(options);
  EXPECT_THAT(complete.cluster_of, ElementsAre(0, 0, 1, 2, 3, 4));
  EXPECT_THAT(complete.representatives, ElementsAre(0, 2, 3, 4, 5));
}

TEST(Clusters, OfManyEqualPatternsNeedNoPairForEveryTwo) {
  constexpr std::size_t size = 60'000;  // 1.8 billion pairs
  Ragged<Symbol> rows;
  for (std::size_t i = 0; i < size; ++i) {
    rows.push_row(i % 3 == 0   ? Sequence{1, 2, 3, 4}
                  : i % 3 == 1 ? Sequence{1, 2, 3, 5}
                               : Sequence{6, 7});
  }
  const SequenceMatcher matcher(Testing::context(), rows);
  ClusterOptions options;
  options.matching.threshold = 0.7;
  for (const Linkage linkage : linkages) {
    options.linkage = linkage;
    const ClusterResults results = matcher.cluster(options);
    ASSERT_EQ(results.members.rows(), 2U);
    EXPECT_EQ(results.members[0].size(), size / 3 * 2);
    EXPECT_EQ(results.members[1].size(), size / 3);
    EXPECT_THAT(results.representatives, ElementsAre(0, 2));
  }
}

TEST(Clusters, NoneAndOne) {
  for (const Linkage linkage : linkages) {
    const Clusters none = cluster_pairs(0, {}, linkage);
    EXPECT_THAT(none.cluster_of, IsEmpty());
    EXPECT_EQ(none.members.rows(), 0U);
    const Clusters one = cluster_pairs(1, {}, linkage);
    EXPECT_THAT(one.cluster_of, ElementsAre(0));
    EXPECT_THAT(one.representatives, ElementsAre(0));
  }
}

TEST(Clusters, RejectInvalidPairs) {
  const auto refusal = [](std::vector<SimilarPair> pairs) {
    return Testing::message_of<InvalidArgument>(
        [&] { cluster_pairs(3, std::move(pairs), Linkage::single); });
  };
  EXPECT_THAT(refusal({{0, 3, 0.5}}), HasSubstr("pair (0, 3): there are 3 items"));
  EXPECT_THAT(refusal({{1, 1, 0.5}}), HasSubstr("pair (1, 1): the items must be different"));
  EXPECT_THAT(refusal({{0, 1, 0.5}, {1, 0, 0.6}}), HasSubstr("pair (0, 1) occurs twice"));
  for (const double value : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal({{0, 1, value}}), HasSubstr("it must be in [0, 1]"));
}

TEST(Clusters, RejectInvalidOptions) {
  const SequenceMatcher matcher(Testing::context(), Testing::ragged<Symbol>({{1}, {1}}));
  ClusterOptions options;
  for (const double threshold : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    options.matching.threshold = threshold;
    EXPECT_THROW(matcher.cluster(options), InvalidArgument) << threshold;
  }
  options.matching.threshold = 0.5;
  options.matching.autojunk = true;
  EXPECT_THROW(matcher.cluster(options), InvalidArgument);
}

}  // namespace ClustersTest
