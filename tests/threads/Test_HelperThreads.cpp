// SPDX-License-Identifier: Apache-2.0
// Calls that use the helper threads of a context, compared with the same calls on one thread.
#include <gmock/gmock.h>
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "MessageOf.hpp"
#include "OneThread.hpp"
#include "PatternMemorySupport.hpp"
#include "TempFolder.hpp"

namespace HelperThreadsTest {

using namespace Kindred;
using Testing::normal_values;
using Testing::one_thread;
using Testing::TempFolder;

/// Four threads for work outside of kernels; kernels run on one.
Context& helped() {
  static Context context({.threads = 4, .space = Space::serial, .load_profile = false});
  return context;
}

TEST(HelperThreads, BuildSearchAndSaveTheSameGraphOfVectors) {
  auto generator = Testing::generator("HelperThreads.Hnsw");
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = normal_values(generator, 600 * dimension);
  const std::vector<float> queries = normal_values(generator, 40 * dimension);
  const TempFolder folder;
  const HnswSettings settings{.m = 8, .ef_construction = 40};
  const auto built = [&](Context& context, const std::string& path) {
    HnswIndex index =
        HnswIndex::build(context, std::span(rows).first(500 * dimension), dimension, settings);
    index.add(std::span(rows).subspan(500 * dimension));
    const std::uint64_t removed[] = {3, 77, 512};
    index.remove(removed);
    index.repair();
    index.save(path);
    return index.search(queries).ids;
  };
  EXPECT_EQ(built(helped(), folder / "helped"), built(one_thread(), folder / "alone"));
  EXPECT_TRUE(Testing::read_all(folder / "helped") == Testing::read_all(folder / "alone"));
}

TEST(HelperThreads, PrepareTheSamePatterns) {
  auto generator = Testing::generator("HelperThreads.Patterns");
  Ragged<Symbol> patterns;
  for (std::size_t row = 0; row < 1000; ++row) {
    for (std::size_t i = 0; i < 700 + row % 7; ++i)
      patterns.values.push_back(static_cast<Symbol>(generator() % 5000));
    patterns.close_row();
  }
  Ragged<Symbol> queries;
  queries.push_row(patterns[17]);
  const auto found = [&](Context& context) {
    const SequenceMatcher matcher(context, patterns);
    std::vector<std::pair<std::uint64_t, double>> matches;
    for (const Match& match : matcher.match(queries).matches.values)
      matches.emplace_back(match.index, match.similarity);
    return matches;
  };
  EXPECT_EQ(found(helped()), found(one_thread()));
}

TEST(HelperThreads, MakeTheSamePredictions) {
  auto generator = Testing::generator("HelperThreads.Predictions");
  std::vector<EventTexts> patterns(3000);
  for (EventTexts& events : patterns) {
    events.resize(3);
    for (auto& event : events) event.push_back(Testing::numbered('s', generator() % 8));
  }
  const auto predicted = [&](Context& context) {
    PatternMemory memory(context, Testing::quiet());
    for (const EventTexts& events : patterns) Testing::learn(memory, events);
    std::vector<std::pair<std::string, double>> all;
    const PredictionResults results = memory.predict(Testing::Words({{"s1"}, {"s2"}}));
    for (const Prediction& prediction : results.predictions)
      all.emplace_back(prediction.name, prediction.potential);
    return all;
  };
  const auto expected = predicted(one_thread());
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(predicted(helped()), expected);
}

TEST(HelperThreads, ReadAFileOfManyPieces) {
  const TempFolder folder;
  constexpr std::size_t dimension = 96;
  const std::vector<float> rows(30'000 * dimension, 0.5F);  // 11.5 MB; a piece is 4 MiB
  VectorIndex(one_thread(), rows, dimension).save(folder / "rows");
  EXPECT_EQ(StoredVectors::inspect(folder / "rows", 4).rows, 30'000U);
  std::string bytes = Testing::read_all(folder / "rows");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(StoredVectors::load(folder.write("damaged", bytes), 4), CorruptFile);
}

TEST(HelperThreads, FindTheFirstInvalidEdge) {
  std::vector<Edge> edges(500'000, Edge{1, 2, 0.5F});
  for (const std::size_t at : {499'999UL, 300'000UL, 123'456UL}) {
    edges[at].to = 3;
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                  const SpreadingEngine engine(helped(), GraphSpan{3, edges}, GraphOptions());
                }),
                testing::HasSubstr("edge " + std::to_string(at)));
  }
}

}  // namespace HelperThreadsTest
