// SPDX-License-Identifier: Apache-2.0
// Misspelled symbols.
#include "PredictionSupport.hpp"

namespace PredictionAnomaliesTest {

using namespace Kindred;
using namespace Kindred::Testing;

struct Row {
  std::string pattern;  ///< as `events` reads it
  std::string query;
  double fuzzy;
  const char* missing;
  const char* extras;
  std::vector<Anomaly> anomalies = {};
  std::optional<double> snr = {};
};

TEST(PredictionAnomalies, AreMisspelledSymbolsThatAreNeitherMissingNorExtra) {
  const Anomaly banana{"bannana", "banana", 12.0 / 13};
  const std::string text = std::string(70, 'a') + std::string(90, 'b');
  const std::string changed = text.substr(0, 159) + "c";
  const std::vector<Row> rows{
      {"apple banana", "apple bannana", 0.8, ".", ".", {banana}, 1},
      // Without a threshold there is none.
      {"apple banana", "apple bannana", 0, "banana", "bannana"},
      // Several are in the order of the query.
      {"apple banana cherry date elderberry",
       "apple | chery | bannana | zebra",
       0.8,
       "date elderberry",
       ". | . | . | zebra",
       {{"chery", "cherry", 10.0 / 11}, banana},
       5.0 / 7},
      // Exact matches are none, wherever they are.
      {"dog | cat | bird", "cat | dog", 0.5, ".", ". | ."},
      // Of equally similar symbols, the first of the pattern is expected.
      {"k | ab | ac", "k | a", 0.6, ".", ". | .", {{"a", "ab", 2.0 / 3}}},
      // The threshold is inclusive.
      {"k | abcd", "k | abxy", 0.5, ".", ". | .", {{"abxy", "abcd", 0.5}}},
      {"k | abcd", "k | abxy", 0.51, ".", ". | abxy"},
      // Texts are compared by code points, and invalid bytes are separate characters.
      {"k | naïve | é🙂x",
       "k | naive | é🙂y",
       0.6,
       ".",
       ". | . | .",
       {{"naive", "naïve", 0.8}, {"é🙂y", "é🙂x", 2.0 / 3}}},
      {"k ab\xff | \xc3",
       "k ab\xfe | \xc3",
       0.6,
       ". | .",
       ". | .",
       {{"ab\xfe", "ab\xff", 2.0 / 3}}},
      // Long texts are compared completely.
      {"k " + text, "k " + changed, 0.9, ".", ".", {{changed, text, 318.0 / 320}}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.query);
    Memory memory;
    memory.learn("filler", each("ac"));  // with a lower symbol number than ab
    memory.learn("p", events(row.pattern));
    const auto p = of(memory.predict(events(row.query), {.fuzzy_token_threshold = row.fuzzy}), "p");
    ASSERT_TRUE(p);
    EXPECT_EQ(p->anomalies, row.anomalies);
    EXPECT_EQ(p->missing, events(row.missing));
    EXPECT_EQ(p->extras, events(row.extras));
    if (row.snr) {
      EXPECT_NEAR(p->snr, *row.snr, 1e-12);
    }
  }
}

TEST(PredictionAnomalies, MatchButDoNotCountTowardsTheSimilarity) {
  const Memory memory = memory_of(events("apple banana"));
  const Prediction p = memory.predict(events("apple bannana"), {.fuzzy_token_threshold = 0.8})[0];
  EXPECT_EQ(p.matches, words("apple bannana"));
  EXPECT_EQ(p.similarity, 0.5);
  EXPECT_EQ(p.fragmentation, 0);
  EXPECT_EQ(p.evidence, 1);
}

}  // namespace PredictionAnomaliesTest
