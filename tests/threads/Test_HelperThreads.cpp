// SPDX-License-Identifier: Apache-2.0
// Calls that use the helper threads of a context, compared with the same calls on one thread.
#include "OneThread.hpp"
#include "PatternMemorySupport.hpp"
#include "RefusedCalls.hpp"
#include "ResultText.hpp"
#include "TempFolder.hpp"

namespace HelperThreadsTest {

using namespace Kindred;
using namespace Testing;

/// Four threads for work outside of kernels; kernels run on one.
Context& helped() {
  static Context context({.threads = 4, .space = Space::serial, .load_profile = false});
  return context;
}

TEST(HelperThreads, BuildSearchAndSaveTheSameGraphOfVectors) {
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = normal_values(600 * dimension);
  const std::vector<float> queries = normal_values(40 * dimension);
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
  EXPECT_TRUE(read_all(folder / "helped") == read_all(folder / "alone"));
}

TEST(HelperThreads, PrepareTheSamePatterns) {
  Ragged<Symbol> patterns;
  for (std::size_t row = 0; row < 1000; ++row) {
    for (std::size_t i = 0; i < 700 + row % 7; ++i)
      patterns.values.push_back(static_cast<Symbol>(random_below(5000)));
    patterns.close_row();
  }
  Ragged<Symbol> queries;
  queries.push_row(patterns[17]);
  const auto found = [&](Context& context) {
    const SequenceMatcher matcher(context, patterns);
    return text_of(matcher.match(queries));
  };
  EXPECT_EQ(found(helped()), found(one_thread()));
}

TEST(HelperThreads, MakeTheSamePredictions) {
  std::vector<EventTexts> patterns(3000);
  for (EventTexts& events : patterns) {
    events.resize(3);
    for (auto& event : events) event.push_back(numbered('s', random_below(8)));
  }
  const auto predicted = [&](Context& context) {
    PatternMemory memory(context, quiet());
    for (const EventTexts& events : patterns) learn(memory, events);
    const PredictionResults results = memory.predict(Words({{"s1"}, {"s2"}}));
    EXPECT_FALSE(results.predictions.empty());
    return text_of(results);
  };
  EXPECT_EQ(predicted(helped()), predicted(one_thread()));
}

TEST(HelperThreads, ReadAFileOfManyPieces) {
  const TempFolder folder;
  constexpr std::size_t dimension = 96;
  const std::vector<float> rows(30'000 * dimension, 0.5F);  // 11.5 MB; a piece is 4 MiB
  VectorIndex(one_thread(), rows, dimension).save(folder / "rows");
  EXPECT_EQ(StoredVectors::inspect(folder / "rows", 4).rows, 30'000U);
  std::string bytes = read_all(folder / "rows");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(StoredVectors::load(folder.write("damaged", bytes), 4), CorruptFile);
}

TEST(HelperThreads, FindTheFirstInvalidEdge) {
  std::vector<Edge> edges(500'000, Edge{1, 2, 0.5F});
  for (const std::size_t at : {499'999UL, 300'000UL, 123'456UL}) {
    edges[at].to = 3;
    expect_refused({{[&] {
                       const SpreadingEngine engine(helped(), {3, edges});
                     },
                     "edge " + std::to_string(at)}});
  }
}

}  // namespace HelperThreadsTest
