// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "VectorSupport.hpp"

namespace VectorMemoryTest {

using namespace Kindred;
using Testing::normal_values;

constexpr SearchPath paths[] = {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm};

TEST(VectorMemory, IsAtMost64MebibytesBesidesTheAnswer) {
  auto generator = Testing::generator("VectorStore memory");
  constexpr std::size_t narrow = 8;
  const std::vector<float> rows = normal_values(generator, 300'000 * narrow);
  struct Call {
    std::size_t queries, top;
  };
  for (const SearchPath path : paths) {
    for (const Call& call : {Call{1, 10}, Call{150, 100}, Call{3, 10'000}}) {
      const std::vector<float> queries = normal_values(generator, call.queries * narrow);
      for (const Space space : Testing::spaces()) {
        if (space == Space::serial) continue;
        ContextOptions context_options;
        context_options.load_profile = false;
        Context context(context_options);
        const VectorIndex index(context, rows, narrow);
        SearchOptions options;
        options.space = space;
        options.path = path;
        options.top = call.top;
        const std::uint64_t before = index.bytes(space);
        index.search(queries, options);
        const std::uint64_t quantized = index.bytes(space) - before;
        const std::uint64_t answer = call.queries * call.top * 8;
        EXPECT_LE(context.memory_statistics(space).bytes_peak,
                  before + quantized + answer + (64U << 20U))
            << to_string(path) << " on " << to_string(space) << ", " << call.queries
            << " queries, top " << call.top;
      }
    }
  }
}

TEST(VectorMemory, IsAtMost64MebibytesForManyQueriesOfLongRows) {
  auto generator = Testing::generator("VectorStore memory of queries");
  constexpr std::size_t wide = 768;
  constexpr std::size_t count = 20'000;
  const std::vector<float> rows = normal_values(generator, count * wide);
  for (const Space space : Testing::spaces()) {
    if (space == Space::serial) continue;
    // More queries than one pass processes.
    const std::size_t query_count = space == Space::cuda ? 6000 : 40;
    const std::vector<float> queries = normal_values(generator, query_count * wide);
    Ragged<std::uint64_t> candidates;
    for (std::size_t query = 0; query < query_count; ++query) {
      for (int i = 0; i < 1000; ++i) candidates.values.push_back(generator() % count);
      candidates.close_row();
    }
    std::vector<std::uint8_t> passes(count);
    for (auto& pass : passes) pass = generator() % 2 == 0 ? 1 : 0;
    const auto expect_little = [&](const std::string& what, std::uint64_t answer,
                                   const auto& call) {
      ContextOptions context_options;
      context_options.load_profile = false;
      Context context(context_options);
      VectorIndex index(context, rows, wide);
      call(index);
      const std::uint64_t store = index.bytes(space);
      const std::uint64_t peak = context.memory_statistics(space).bytes_peak;
      EXPECT_LE(peak, store + answer + (64U << 20U)) << what << " on " << to_string(space);
      RecordProperty(what + "_" + std::string(to_string(space)), std::to_string(peak - store));
    };
    SearchOptions options;
    options.space = space;
    for (const SearchPath path : paths) {
      options.path = path;
      const std::string name(to_string(path));
      for (const std::size_t top : {100UL, 1000UL}) {
        options.top = top;
        options.filter = {};
        const std::uint64_t answer = query_count * top * sizeof(std::uint64_t);
        expect_little(name + "_" + std::to_string(top), answer,
                      [&](const VectorIndex& index) { index.search(queries, options); });
        options.filter = passes;
        expect_little(name + "_filter_" + std::to_string(top), answer,
                      [&](const VectorIndex& index) { index.search(queries, options); });
      }
      options.filter = {};
      expect_little(name + "_at_least", 0, [&](const VectorIndex& index) {
        index.search_at_least(queries, 0.1F, options);
      });
    }
    options.path = {};
    options.top = 10;
    expect_little("candidates", 0,
                  [&](const VectorIndex& index) { index.score(queries, candidates, options); });
    const auto calls_in_turn = [&](const VectorIndex& index) {
      for (const auto path :
           {SearchPath::gemm, SearchPath::quantized, SearchPath::brute_force, SearchPath::gemm}) {
        options.path = path;
        options.top = path == SearchPath::gemm ? 40 : 10;
        index.search(queries, options);
        index.score(queries, candidates, options);
        index.search_at_least(queries, 0.1F, options);
        options.top = 10;
        index.search(queries, options);
      }
    };
    const std::uint64_t answer = query_count * 40 * sizeof(std::uint64_t);
    expect_little("calls_in_turn", answer, calls_in_turn);
    expect_little("segments", answer, [&](VectorIndex& index) {
      index.add({std::span(rows).first(count / 4 * wide), wide});
      ASSERT_EQ(index.statistics().segments, 2U);
      calls_in_turn(index);
    });
  }
}

}  // namespace VectorMemoryTest
