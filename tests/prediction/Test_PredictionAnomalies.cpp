// SPDX-License-Identifier: Apache-2.0
// Misspelled symbols.
#include "PredictionSupport.hpp"

namespace PredictionAnomaliesTest {

using namespace Kindred;
using namespace Kindred::Testing;

struct Row {
  const char* claim;
  EventTexts pattern, query;
  double fuzzy;
  std::vector<Anomaly> anomalies;
  EventTexts missing, extras;
  std::optional<double> snr = {};
};

TEST(PredictionAnomalies, AreMisspelledSymbolsThatAreNeitherMissingNorExtra) {
  const std::string bs(70, 'b');
  const std::string text = std::string(90, 'a') + bs;
  const std::string changed = text.substr(0, 159) + "c";
  const std::vector<Row> rows{{"one is an anomaly",
                               events("apple banana"),
                               events("apple bannana"),
                               0.8,
                               {{"bannana", "banana", 12.0 / 13}},
                               {{}},
                               {{}},
                               1},
                              {"without a threshold there is none",
                               events("apple banana"),
                               events("apple bannana"),
                               0,
                               {},
                               events("banana"),
                               events("bannana")},
                              {"several are in the order of the query",
                               events("apple banana cherry date elderberry"),
                               each("apple chery bannana zebra"),
                               0.8,
                               {{"chery", "cherry", 10.0 / 11}, {"bannana", "banana", 12.0 / 13}},
                               events("date elderberry"),
                               events(". | . | . | zebra"),
                               5.0 / 7},
                              {"exact matches are not, wherever they are",
                               each("dog cat bird"),
                               each("cat dog"),
                               0.5,
                               {},
                               events("."),
                               events(". | .")},
                              {"of equally similar symbols, the first is expected",
                               each("k ab ac"),
                               each("k a"),
                               0.6,
                               {{"a", "ab", 2.0 / 3}},
                               events(". | . | ac"),
                               events(". | .")},
                              {"the threshold is inclusive",
                               each("k abcd"),
                               each("k abxy"),
                               0.5,
                               {{"abxy", "abcd", 0.5}},
                               events(". | ."),
                               events(". | .")},
                              {"and nothing below it",
                               each("k abcd"),
                               each("k abxy"),
                               0.51,
                               {},
                               events("."),
                               events(". | abxy")},
                              {"texts are compared by code points",
                               each("k naïve é🙂x"),
                               each("k naive é🙂y"),
                               0.6,
                               {{"naive", "naïve", 0.8}, {"é🙂y", "é🙂x", 2.0 / 3}},
                               events(". | . | ."),
                               events(". | . | .")},
                              {"invalid bytes are separate characters",
                               {{"k", "ab\xff"}, {"\xc3"}},
                               {{"k", "ab\xfe"}, {"\xc3"}},
                               0.6,
                               {{"ab\xfe", "ab\xff", 2.0 / 3}},
                               events(". | ."),
                               events(". | .")},
                              {"long texts are compared completely",
                               {{"k", text}},
                               {{"k", changed}},
                               0.9,
                               {{changed, text, 318.0 / 320}},
                               events("."),
                               events(".")}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.claim);
    Memory memory;
    memory.learn("filler", each("ac"));  // with a lower symbol number than ab
    memory.learn("p", row.pattern);
    const auto p = of(memory.predict(row.query, {.fuzzy_token_threshold = row.fuzzy}), "p");
    ASSERT_TRUE(p);
    EXPECT_EQ(p->anomalies, row.anomalies);
    EXPECT_EQ(p->missing, row.missing);
    EXPECT_EQ(p->extras, row.extras);
    if (row.snr) {
      EXPECT_NEAR(p->snr, *row.snr, 1e-12);
    }
  }
}

TEST(PredictionAnomalies, MatchButDoNotCountTowardsTheSimilarity) {
  Memory memory;
  memory.learn("p", events("apple banana"));
  const Prediction p = memory.predict(events("apple bannana"), {.fuzzy_token_threshold = 0.8})[0];
  EXPECT_EQ(p.matches, words("apple bannana"));
  EXPECT_EQ(p.similarity, 0.5);
  EXPECT_EQ(p.fragmentation, 0);
  EXPECT_EQ(p.evidence, 1);
}

TEST(PredictionAnomalies, TheIndelRatioMatchesTheOracle) {
  auto random = generator("ratios");
  for (int round = 0; round < 300; ++round) {
    const auto text = [&random] {
      std::string made;
      for (std::uint64_t n = random() % (random() % 4 == 0 ? 150 : 8); n > 0; --n)
        made += static_cast<char>('a' + random() % 3);
      return made;
    };
    const std::string a = text();
    const std::string b = text();
    if (a == b) continue;
    const std::uint32_t matched = Reference::lcs(std::vector<Symbol>(a.begin(), a.end()),
                                                 std::vector<Symbol>(b.begin(), b.end()));
    const double ratio =
        Reference::similarity(Reference::Matched::lcs, matched, a.size(), b.size());
    Memory memory;
    memory.learn("p", {{"KEY", a}});
    const Prediction p = memory.predict({{"KEY", b}}, {.fuzzy_token_threshold = 1e-9})[0];
    ASSERT_EQ(p.anomalies.size(), ratio > 0 ? 1U : 0U) << a << " " << b;
    if (ratio > 0) {
      ASSERT_EQ(p.anomalies[0].similarity, ratio) << a << " " << b;
    }
  }
}

}  // namespace PredictionAnomaliesTest
