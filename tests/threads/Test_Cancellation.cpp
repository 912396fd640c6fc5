// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kindred/core/common/SharedMutex.hpp>

#include "EngineCalls.hpp"
#include "OneThread.hpp"
#include "ResultText.hpp"

namespace CancellationTest {

using namespace Kindred;
using namespace Testing;

/// \brief Cancels `call()` at its points: at the first ones, then at fewer and fewer. Calls
/// `after()` after each failure, where nothing is cancelled. Returns the number of failures.
template <class Call, class After>
std::size_t cancel_everywhere(const Call& call, const After& after) {
  std::size_t failures = 0;
  for (std::size_t at = 0;; at += 1 + at / 4) {
    std::size_t points = 0;
    CheckedAtEveryPoint checked([&] { return points++ == at; });
    try {
      const Cancellation::Scope scope(checked.cancellation());
      call();
      EXPECT_LE(points, at) << "the call went on after it was cancelled";
      return failures;
    } catch (const Cancelled&) {
      ++failures;
    }
    after();
  }
}

/// The same for a change of \p object, whose bytes must be as before after each failure.
template <class Object, class Change>
std::size_t cancel_change(const Object& object, const Change& change) {
  const auto bytes = object.to_bytes();
  return cancel_everywhere(change, [&] { EXPECT_EQ(object.to_bytes(), bytes); });
}

/// \brief Expects that `call()` ends at more than \p least of its points and returns the same
/// results afterwards.
template <class Call>
void expect_ends(std::size_t least, const Call& call) {
  const auto expected = call();
  EXPECT_GT(cancel_everywhere(call, [&] { EXPECT_EQ(call(), expected); }), least);
  EXPECT_EQ(call(), expected);
}

Ragged<Symbol> random_sequences(std::size_t count, std::size_t length) {
  Ragged<Symbol> out;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < length; ++i)
      out.values.push_back(static_cast<Symbol>(random_below(21)));
    out.close_row();
  }
  return out;
}

SpreadingEngine random_graph(std::uint32_t nodes, std::size_t count,
                             Context& context = one_thread()) {
  const auto node = [&] { return static_cast<std::uint32_t>(random_below(nodes)); };
  std::vector<Edge> edges(count);
  for (Edge& edge : edges) edge = {node(), node(), 0.5F};
  const GraphOptions options{.merge_share = 1e9, .background_merge = false};
  return SpreadingEngine(context, {nodes, edges}, options);
}

TEST(Cancellation, BelongsToTheCallsOfAScope) {
  Cancellation cancellation;
  const Impl::CancelPoint outside;
  EXPECT_FALSE(outside.is_needed());
  {
    const Cancellation::Scope scope(cancellation);
    const Impl::CancelPoint inside;
    EXPECT_TRUE(inside.is_needed());
    EXPECT_NO_THROW(inside.check());
    cancellation.cancel();
    EXPECT_TRUE(cancellation.is_cancelled());
    EXPECT_THROW(inside.check(), Cancelled);
    EXPECT_FALSE(outside.is_cancelled());
    {
      Cancellation other;
      const Cancellation::Scope inner(other);
      EXPECT_NO_THROW(Impl::CancelPoint().check());
    }
    {
      const Impl::CancelPoint::Suspended suspended;
      EXPECT_NO_THROW(Impl::CancelPoint().check());
    }
    EXPECT_THROW(Impl::CancelPoint().check(), Cancelled);
    std::thread([] { EXPECT_NO_THROW(Impl::CancelPoint().check()); }).join();
    cancellation.reset();
    EXPECT_NO_THROW(inside.check());
  }
  cancellation.cancel();
  EXPECT_NO_THROW(Impl::CancelPoint().check());
}

TEST(Cancellation, ChecksOnTheThreadOfTheScopeAndOnRequest) {
  std::vector<std::thread::id> checked;
  bool answer = false;
  Cancellation cancellation([&] {
    checked.push_back(std::this_thread::get_id());
    EXPECT_FALSE(Impl::CancelPoint().is_needed()) << "calls of a check belong to no scope";
    return answer;
  });
  const Cancellation::Scope scope(cancellation);
  const Impl::CancelPoint point;
  EXPECT_FALSE(point.is_cancelled());
  EXPECT_TRUE(checked.empty());
  cancellation.request_check();
  std::thread([&] {
    const Impl::CancelPoint::Part part(point);
    EXPECT_FALSE(Impl::CancelPoint().is_cancelled());
  }).join();
  EXPECT_TRUE(checked.empty()) << "another thread does not check";
  EXPECT_FALSE(point.is_cancelled());
  EXPECT_EQ(checked, std::vector{std::this_thread::get_id()});
  EXPECT_FALSE(point.is_cancelled());
  EXPECT_EQ(checked.size(), 1U);
  answer = true;
  cancellation.request_check();
  EXPECT_THROW(point.check(), Cancelled);
  cancellation.request_check();
  EXPECT_THROW(point.check(), Cancelled);
  EXPECT_EQ(checked.size(), 2U);
}

TEST(Cancellation, ACheckCannotCallObjectsButMayDestroyThem) {
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = normal_values(3000 * dimension);
  const std::span<const float> query = std::span(rows).first(dimension);
  VectorIndex index(one_thread(), VectorSpan(rows, dimension), {});
  PatternMemory memory(one_thread());
  SpreadingEngine engine = random_graph(100, 500);
  std::optional<PatternMemory> unused_memory(one_thread());
  std::optional<SpreadingEngine> unused_engine(random_graph(100, 500));
  const auto expected = index.search(rows, {.top = 3}).ids;
  std::size_t checks = 0;
  CheckedAtEveryPoint checked([&] {
    if (++checks > 50) return false;
    EXPECT_EQ(index.size(), 3000U) << "which waits for nothing";
    EXPECT_THROW(index.search(query), Busy);
    EXPECT_THROW(index.statistics(), Busy);
    EXPECT_THROW(index.add(VectorSpan(query, dimension)), Busy);
    EXPECT_THROW(memory.size(), Busy);
    EXPECT_THROW(memory.sync(), Busy);
    EXPECT_THROW(engine.merge(), Busy);
    EXPECT_THROW(random_graph(10, 20), Busy);
    unused_memory.reset();
    unused_engine.reset();
    return false;
  });
  {
    const Cancellation::Scope scope(checked.cancellation());
    EXPECT_EQ(index.search(rows, {.top = 3}).ids, expected);
    EXPECT_GT(checks, 50U) << "some of them are within the kernel";
    checks = 0;
    index.add(VectorSpan(query, dimension));
    EXPECT_GT(checks, 0U);
  }
  EXPECT_NO_THROW(index.search(query));
  EXPECT_NO_THROW(memory.sync());
}

TEST(Cancellation, EndsTheWaitForALock) {
  const auto expect_end = [](auto& mutex, const auto& lock) {
    Stop stop;
    std::thread holder([&] {
      const std::unique_lock held(mutex);
      stop.here();
    });
    EXPECT_TRUE(stop.wait_until_reached());
    expect_cancelled_meanwhile(lock);
    stop.go_on();
    EXPECT_TRUE(lock().owns_lock()) << "without a scope, it waits";
    holder.join();
  };
  std::timed_mutex mutex;
  expect_end(mutex, [&] { return Impl::cancellable_lock(mutex); });
  Impl::SharedMutex shared;
  expect_end(shared, [&] { return Impl::cancellable_shared_lock(shared); });
}

TEST(Cancellation, EndsSearchesOfVectorsByAThreshold) {
  constexpr std::size_t dimension = 16;
  const std::vector<float> rows = normal_values(3000 * dimension);
  const std::vector<float> queries = normal_values(20 * dimension);
  const VectorIndex index(one_thread(), VectorSpan(rows, dimension), {});
  for (const SearchPath path : {SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm}) {
    SCOPED_TRACE(to_string(path));
    expect_ends(1, [&] { return text_of(index.search_at_least(queries, 0.5F, {.path = path})); });
  }
}

TEST(Cancellation, OfAChangeLeavesTheObjectAsItWas) {
  constexpr std::size_t dimension = 8;
  const std::vector<float> rows = normal_values(600 * dimension);
  const VectorSpan all(rows, dimension);
  VectorIndex index(one_thread(), all, {});
  cancel_change(index, [&] { index.add(all); });
  EXPECT_EQ(index.size(), 1200U);

  const std::vector<std::uint64_t> keys = numbers_from(7, 600);
  const std::span<const std::uint64_t> all_keys = keys;
  KeyedVectorIndex keyed(one_thread(), all_keys.first(300), all.rows(0, 300), {});
  const auto ids = keyed.find(all_keys);
  const auto found = keyed.search(rows).ids;
  cancel_everywhere([&] { keyed.upsert(all_keys, all); },
                    [&] {
                      EXPECT_EQ(keyed.find(all_keys), ids);
                      EXPECT_EQ(keyed.search(rows).ids, found);
                    });
  EXPECT_EQ(keyed.size(), 600U);

  HnswIndex graph(one_thread(), dimension);
  EXPECT_GT(cancel_change(graph, [&] { graph.add(rows); }), 3U);
  const std::span<const float> some = std::span(rows).first(100 * dimension);
  EXPECT_GT(cancel_change(graph, [&] { graph.add(some); }), 0U);
  graph.remove(std::vector<std::uint64_t>{3, 5, 600});
  EXPECT_GT(cancel_change(graph, [&] { graph.repair(); }), 3U);
  expect_ends(3, [&] { return graph.search(some).ids; });

  PatternMemory memory(one_thread());
  const Ragged<Symbol> sequences = random_sequences(500, 12);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i <= 20; ++i) texts.push_back("s" + std::to_string(i));
  const std::vector<std::string_view> dictionary(texts.begin(), texts.end());
  const std::vector<std::uint64_t> patterns = numbers_from(0, 501);
  const EventLists<Symbol> lists{patterns, sequences};
  const auto learn = [&] { memory.learn_all(lists, {.dictionary = dictionary}); };
  EXPECT_GT(cancel_change(memory, learn), 1U);
  EXPECT_EQ(memory.size(), 500U);
  const auto expect_unmoved = [&] {
    EXPECT_EQ(memory.sync_statistics().recent, 500U);
    EXPECT_TRUE(memory.sync_statistics().training);
  };
  memory.begin_training();
  EXPECT_GT(cancel_everywhere([&] { memory.sync(); }, expect_unmoved), 1U);
  EXPECT_EQ(memory.sync_statistics().recent, 0U);
  EXPECT_EQ(memory.end_training().moved, 0U);

  SpreadingEngine engine = random_graph(500, 4000);
  engine.add_edges(std::vector<Edge>{{1, 2, 0.25F}, {7, 9, 0.5F}});
  const auto unmerged = engine.to_bytes();
  cancel_change(engine, [&] { engine.merge(); });
  EXPECT_EQ(engine.to_bytes(), unmerged);
}

TEST(Cancellation, EndsComparisonsOfSequences) {
  const Ragged<Symbol> queries = random_sequences(3, 70);
  const SequenceMatcher matcher(one_thread(), random_sequences(400, 50));
  for (const Measure measure : all_measures) {
    SCOPED_TRACE(to_string(measure));
    const MatchOptions options{.measure = measure, .threshold = 0.0, .top = 5};
    expect_ends(1, [&] { return text_of(matcher.match(queries, options)); });
  }
  const Ragged<Symbol> pair = random_sequences(2, 3000);
  for (const Measure measure : {Measure::lcs, Measure::levenshtein, Measure::difflib}) {
    SCOPED_TRACE(to_string(measure));
    const PreparedQuery query(measure, pair[0]);
    expect_ends(3, [&] { return query.similarity(pair[1]); });
  }
  const PreparedQuery query(Measure::lcs, pair[0]);
  expect_ends(3, [&] { return query.blocks(pair[1]).size(); });
}

TEST(Cancellation, EndsHopsAndLattices) {
  const SpreadingEngine engine = random_graph(3000, 60'000);
  const std::vector<float> x(3000, 0.5F);
  std::vector<float> y(3000);
  expect_ends(1, [&] {
    engine.hop(std::span(x), std::span(y));
    return y;
  });
  const std::vector<std::uint64_t> blocked{7, 20};
  const Lattice lattice(one_thread(), 3, 12, {blocked, {}});
  expect_ends(3, [&] { return lattice.path(0, 1700); });
  expect_ends(1, [&] { return Lattice(one_thread(), 2, 30).measure().diameter; });
  expect_ends(0, [&] { return lattice.all_paths(0, 50, 8).values; });
}

/// The spaces of tests that run on every space; ThreadSanitizer sees one thread.
std::vector<Space> spaces_to_cancel() {
  return thread_sanitizer ? std::vector{Space::serial} : spaces();
}

class CancelledCalls : public testing::TestWithParam<Testing::EngineCall> {};

TEST_P(CancelledCalls, EndAndLeaveTheEngineUsableOnEverySpace) {
  const auto run = GetParam().make(context());
  for (const Space space : spaces_to_cancel()) {
    // The threads of a team do the work of the calling thread, which checks from time to time.
    SCOPED_TRACE(to_string(space));
    const bool is_one_kernel = GetParam().name.starts_with("seeds");
    const std::size_t least = space == Space::serial && !is_one_kernel ? 1 : 0;
    expect_ends(least, [&] { return run(space); });
    expect_cancelled([&] { run(space); });
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, CancelledCalls, testing::ValuesIn(Testing::engine_calls()),
                         Testing::name_of_engine_call);

TEST(Cancellation, EndsCallsBetweenTheirPartsOnEverySpace) {
  const Ragged<Symbol> queries = random_sequences(6, 30);
  const SequenceMatcher matcher(context(), random_sequences(3000, 20));
  const SpreadingEngine engine = random_graph(3000, 60'000, context());
  Ragged<Activation> sources;
  for (std::uint32_t query = 0; query < 5; ++query)
    sources.push_row(std::vector<Activation>{{query * 7, 1.0F}, {query + 900, 0.5F}});
  for (const Space space : spaces_to_cancel()) {
    SCOPED_TRACE(to_string(space));
    const std::size_t least = space == Space::openmp ? 0 : 3;
    const MatchOptions match{.measure = Measure::difflib, .top = 5, .space = space};
    expect_ends(least, [&] { return text_of(matcher.match(queries, match)); });
    const SpreadOptions spread{.mode = SpreadMode::pagerank, .top = 20, .space = space};
    expect_ends(least, [&] { return text_of(engine.spread(sources, spread)); });
  }
}

TEST(Cancellation, ACallThatBeginsCancelledDoesNothingOnAnySpace) {
  const Bulk bulk(context());
  const std::vector<float> rows(64, 0.5F);
  std::vector<float> out(rows.size(), 7.0F);
  for (const Space space : spaces_to_cancel()) {
    SCOPED_TRACE(to_string(space));
    expect_cancelled(
        [&] { bulk.element_wise(ElementWise::exponential, rows, {}, out, {.space = space}); });
  }
  EXPECT_THAT(out, testing::Each(7.0F));
}

TEST(Cancellation, ByAnotherThreadEndsACallOnEverySpace) {
  constexpr std::size_t dimension = 64;
  const std::vector<float> rows = normal_values(5000 * dimension);
  VectorIndex index(context(), VectorSpan(rows, dimension), {});
  const std::span<const float> queries = rows;
  for (const Space space : spaces_to_cancel()) {
    const SearchOptions options{.top = 1, .space = space, .path = SearchPath::brute_force};
    expect_cancelled_meanwhile([&] {
      while (true) index.search(queries, options);
    });
    const SearchResults found = index.search(queries.first(3 * dimension), options);
    EXPECT_EQ(found.ids, (std::vector<std::int64_t>{0, 1, 2}));
  }
}

}  // namespace CancellationTest
