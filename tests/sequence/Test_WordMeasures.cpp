// SPDX-License-Identifier: Apache-2.0
// What matchers do beyond comparisons with the oracle under measures of words.
#include <chrono>
#include <future>

#include "SequenceOracle.hpp"
#include "Threads.hpp"

namespace WordMeasuresTest {

using namespace Kindred;
using namespace Kindred::Testing;
using ::testing::ElementsAre;
using Texts = std::vector<std::string_view>;

TEST(WordMeasures, FindDuplicatesAndClusters) {
  const Texts texts{"", "red fox", "fox red", "blue whale", "", "a whale blue"};
  SymbolRows rows;
  for (const std::string_view text : texts) rows.push_back(letters(text));
  const MatchGrid grid{.measures = of_words, .thresholds = {0.8}, .tops = {100}};
  expect_self_matches(rows, grid);
  expect_self_matches({letters("red fox"), {' '}, {'a'}, letters("\t \n")}, grid);
  const SequenceMatcher matcher(context(), texts);
  for (const Measure measure : of_words)
    EXPECT_THAT(matcher.cluster({.matching = {.measure = measure, .threshold = 0.8}}).cluster_of,
                ElementsAre(0, 1, 1, 2, 3, 2))
        << to_string(measure);
}

TEST(WordMeasures, DoNotClusterTextsWithoutWordsHoweverMany) {
  // More equal pairs than are compared one by one.
  Texts texts(1500, " ");
  texts.emplace_back("abc");
  const SequenceMatcher matcher(context(), texts);
  const auto clusters = [&](Measure measure) {
    return matcher.cluster({.matching = {.measure = measure}}).members.rows();
  };
  EXPECT_EQ(clusters(Measure::token_set), texts.size());
  EXPECT_EQ(clusters(Measure::token_sort), 2U);
}

TEST(WordMeasures, MayBeFirstUsedBySeveralThreads) {
  auto random = generator("words: threads");
  SymbolRows texts;
  for (int i = 0; i < 200; ++i) texts.push_back(random_text(random, 15, 3));
  const SequenceMatcher matcher(context(), ragged(texts));
  const auto query = ragged(SymbolRows{texts[3]});
  const auto options = [](std::size_t t) {
    return MatchOptions{.measure = of_words[t % 2], .space = Space::serial};
  };
  std::vector<MatchResults> found(8);
  by_threads(found.size(), [&](std::size_t t) { found[t] = matcher.match(query, options(t)); });
  for (std::size_t t = 0; t < found.size(); ++t)
    expect_row(found[t], 0, returned(ranked(of_words[t % 2], texts, texts[3]), options(t)),
               options(t));
}

TEST(WordMeasures, SizesAreReadAndMessagesTakenWhileWordsAreMade) {
  const SequenceMatcher* made = nullptr;
  int hooked = 0;
  int reported = 0;
  ContextOptions settings;
  settings.load_profile = false;
  settings.before_allocation = [&](std::string_view, std::size_t, const std::string&) {
    if (made == nullptr || hooked++ > 0) return;
    // The call holds the lock of the words here.
    const auto reader = std::async(std::launch::async, [&] { return made->bytes(Space::serial); });
    EXPECT_EQ(reader.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  };
  settings.on_dispatch = [&](const DispatchRecord&) {
    ++reported;
    EXPECT_GT(made->bytes(Space::serial), 0U);
  };
  Context own(settings);
  const SequenceMatcher matcher(own, Texts{"b a", "c", "a d e"});
  made = &matcher;
  const MatchOptions options{.measure = Measure::token_sort, .space = Space::serial};
  EXPECT_EQ(matcher.match(Texts{"a b"}, options).matches[0].front().index, 0U);
  EXPECT_GE(hooked, 1);
  EXPECT_EQ(reported, 1);
}

}  // namespace WordMeasuresTest
