// SPDX-License-Identifier: Apache-2.0
// Calls of indexes of vectors while other threads change them.
#include <gmock/gmock.h>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <algorithm>
#include <map>

#include "OneThread.hpp"

namespace VectorChangesTest {

using namespace Kindred;
using namespace Testing;
using namespace std::chrono_literals;

constexpr std::size_t dimension = 4;
constexpr std::size_t top = 7;
using Keys = std::span<const std::uint64_t>;

/// Small integers, so that many scores are equal.
std::vector<float> some_row() {
  std::vector<float> row(dimension);
  for (float& value : row) value = static_cast<float>(random_below(5)) - 2.0F;
  return row;
}

/// What every call of an index returns as of one change.
struct Answers {
  std::vector<std::int64_t> ids;
  std::vector<float> scores;
  std::vector<float> all_scores;
  std::vector<std::uint64_t> all_ids;
  std::vector<float> rows;
};

SearchOptions options_of(SearchPath path) {
  return {.metric = Metric::ip, .top = top, .path = path};
}
const std::vector<float> query{1.0F, -2.0F, 0.5F, 1.0F};

/// The answers of a new index of these rows, whose ids are the same numbers in another form.
Answers expected_of(const std::map<std::uint64_t, std::vector<float>>& rows) {
  Answers out;
  for (const auto& [id, row] : rows) {
    out.all_ids.push_back(id);
    out.rows.insert(out.rows.end(), row.begin(), row.end());
  }
  const VectorIndex index(one_thread(), out.rows, dimension);
  const SearchResults found = index.search(query, options_of(SearchPath::brute_force));
  out.scores = found.scores;
  for (const std::int64_t id : found.ids)
    out.ids.push_back(static_cast<std::int64_t>(out.all_ids[static_cast<std::size_t>(id)]));
  out.all_scores.resize(rows.size());
  index.score_all(query, out.all_scores, {.metric = Metric::ip});
  return out;
}

/// \brief A history of changes, and what is to be found after each of them.
struct History {
  using Change = std::function<void(VectorIndex&)>;

  explicit History(std::size_t count) {
    std::map<std::uint64_t, std::vector<float>> rows;
    std::uint64_t end = 0;
    const auto add = [&](std::size_t more) {
      std::vector<float> values;
      for (std::size_t i = 0; i < more; ++i) {
        rows[end] = some_row();
        values.insert(values.end(), rows[end].begin(), rows[end].end());
        ++end;
      }
      return values;
    };
    first = add(150);
    expected.push_back(expected_of(rows));
    while (changes.size() < count) {
      const auto some_id = [&] {
        auto at = rows.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random_below(rows.size())));
        return at->first;
      };
      const std::size_t kind = random_below(4);
      if (kind == 0) {
        changes.emplace_back([values = add(1 + random_below(5))](VectorIndex& index) {
          index.add({values, dimension});
        });
      } else if (kind == 1 && rows.size() > 20) {
        const std::uint64_t id = some_id();
        rows.erase(id);
        changes.emplace_back([id](VectorIndex& index) { index.remove({{id}}); });
      } else {
        const std::uint64_t id = some_id();
        rows[id] = some_row();
        changes.emplace_back([id, row = rows[id]](VectorIndex& index) {
          index.replace(id, {row, dimension});
        });
      }
      expected.push_back(expected_of(rows));
    }
  }

  std::vector<float> first;
  std::vector<Change> changes;
  std::vector<Answers> expected;  ///< before the first change, and after each
};

TEST(VectorChanges, ReadersSeeTheRowsOfOneChange) {
  const History history(300);
  VectorIndex index(one_thread(), history.first, dimension);
  std::atomic<std::size_t> begun{0};
  std::atomic<std::size_t> ended{0};
  std::atomic<std::uint64_t> calls{0};
  // `is_equal(expected, answer)` must hold for one of the versions that were there during `call()`.
  const auto expect_one_version = [&](const auto& call, const auto& is_equal) {
    const std::size_t from = ended;
    const auto answer = call();
    const std::size_t to = begun;
    bool found = false;
    for (std::size_t version = from; version <= to && !found; ++version)
      found = is_equal(history.expected[version], answer);
    EXPECT_TRUE(found);
    ++calls;
  };
  const auto search = [&](SearchPath path) {
    return [&, path] {
      expect_one_version([&] { return index.search(query, options_of(path)); },
                         [](const Answers& expected, const SearchResults& answer) {
                           return answer.ids == expected.ids && answer.scores == expected.scores;
                         });
    };
  };
  const auto has_all_ids = [](const Answers& expected, const std::vector<std::uint64_t>& answer) {
    return answer == expected.all_ids;
  };
  const auto score_all = [&] {
    const std::uint64_t changes = index.changes();
    std::vector<float> out(index.size());
    const auto call = [&] {
      index.score_all(query, out, {.metric = Metric::ip});
      return out;
    };
    try {
      expect_one_version(call, [](const Answers& expected, const std::vector<float>& answer) {
        return answer == expected.all_scores;
      });
    } catch (const InvalidArgument&) {
      EXPECT_NE(index.changes(), changes) << "the size was that of the rows";
    }
  };
  const auto list = [&] {
    expect_one_version([&] { return index.ids(); }, has_all_ids);
    (void)(index.statistics().rows + index.end_id() + index.bytes(Space::serial));
  };
  const auto copy = [&] {
    expect_one_version([&] { return VectorIndex::load(one_thread(), index.to_bytes()).ids(); },
                       has_all_ids);
  };
  const std::array paths{SearchPath::brute_force, SearchPath::quantized, SearchPath::gemm};
  beside({search(paths[0]), search(paths[1]), search(paths[2]), list, score_all, copy}, [&] {
    for (const History::Change& change : history.changes) {
      ++begun;
      change(index);
      ++ended;
      const std::uint64_t before = calls;
      while (ended % 8 == 0 && calls < before + 4) std::this_thread::yield();
    }
  });
  const Answers& last = history.expected.back();
  for (const SearchPath path : paths) {
    const SearchResults found = index.search(query, options_of(path));
    EXPECT_EQ(found.ids, last.ids);
    EXPECT_EQ(found.scores, last.scores);
  }
  std::vector<float> rows(last.rows.size());
  index.rows(last.all_ids, rows);
  EXPECT_EQ(rows, last.rows);
}

TEST(VectorChanges, OfKeysShowEveryRowWithItsKey) {
  // The row of a key is a function of the key and a number that only grows; a key that is there
  // has one id as long as it is not removed.
  constexpr std::uint64_t key_count = 40;
  const auto rows_of = [](const std::vector<std::uint64_t>& keys, std::uint64_t number) {
    std::vector<float> rows;
    for (const std::uint64_t key : keys)
      for (const std::uint64_t value : {key, number, std::uint64_t{0}, std::uint64_t{0}})
        rows.push_back(static_cast<float>(value));
    return rows;
  };
  const std::vector<std::uint64_t> first = numbers_from(0, key_count);
  KeyedVectorIndex index(one_thread(), Keys(first), {rows_of(first, 0), dimension});
  std::atomic<std::uint64_t> calls{0};
  const SearchOptions options{.metric = Metric::ip, .top = 2 * key_count};
  const std::vector<float> by_key{1.0F, 0.0F, 0.0F, 0.0F};  // the score is the key
  const std::vector<float> by_number{0.0F, 1.0F, 0.0F, 0.0F};
  const auto search = [&] {
    const auto found = index.search(by_key, options);
    for (std::size_t i = 0; i < found.ids.size(); ++i)
      EXPECT_EQ(static_cast<float>(found.keys.integers[i]), found.scores[i]);
    ++calls;
  };
  const auto search_at_least = [&] {
    const auto found = index.search_at_least(by_key, 0.0F, options);
    for (std::size_t i = 0; i < found.keys.integers.size(); ++i)
      EXPECT_EQ(static_cast<float>(found.keys.integers[i]), found.results.values[i].score);
    ++calls;
  };
  const auto score = [&] {
    const std::vector<std::uint64_t> asked{1, 2};  // which are never removed
    const std::vector<KeySpan> lists{KeySpan(Keys(asked))};
    const auto found = index.score(by_number, lists, options);
    // They are upserted together.
    ASSERT_EQ(found.keys.integers.size(), 2U);
    EXPECT_EQ(found.results.values[0].score, found.results.values[1].score);
    ++calls;
  };
  beside({search, search_at_least, score}, [&] {
    for (std::uint64_t number = 1; number <= 200; ++number) {
      std::vector<std::uint64_t> written{1, 2};
      std::vector<std::uint64_t> removed;
      for (std::uint64_t key = 3; key < key_count; ++key) {
        if (random_below(4) == 0) written.push_back(key);
        if (random_below(8) == 0) removed.push_back(key);
      }
      index.upsert(Keys(written), {rows_of(written, number), dimension});
      const std::vector<std::int64_t> ids = index.find(KeySpan(Keys(removed)));
      std::vector<std::uint64_t> known;
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] >= 0) known.push_back(removed[i]);
      index.remove(Keys(known));
      const std::uint64_t before = calls;
      while (number % 10 == 0 && calls < before + 6) std::this_thread::yield();
    }
  });
}

/// Every upsert writes one number to the rows of all keys and adds some with the same number, so
/// that rows with two numbers, or another count, are half of a change.
TEST(KeyedIndexThreads, ReadersSeeAnUpsertCompletelyOrNotAtAll) {
  constexpr std::size_t first_keys = 300;
  constexpr std::size_t more_keys = 10;
  constexpr std::uint64_t upserts = 60;
  const std::vector<std::uint64_t> keys = numbers_from(0, first_keys);
  KeyedVectorIndex index(one_thread(), Keys(keys), {std::vector<float>(first_keys, 0.0F), 1});
  std::atomic<std::uint64_t> calls{0};
  const auto check = [&](std::span<const float> numbers) {
    ASSERT_FALSE(numbers.empty());
    EXPECT_THAT(numbers, testing::Each(numbers[0]));
  };
  const auto check_count = [&](std::span<const float> numbers) {
    check(numbers);
    EXPECT_EQ(numbers.size(), first_keys + static_cast<std::size_t>(numbers[0]) * more_keys);
  };
  const SearchOptions all{.metric = Metric::ip, .top = 10'000};
  const std::vector<float> one{1.0F};
  const auto search = [&] {
    check_count(index.vectors().search(one, all).scores);
    check_count(index.search(one, all).scores);
    EXPECT_EQ(index.find(Keys(keys)).size(), first_keys);
    (void)(index.size() + index.key_bytes() + index.to_bytes().size());
    ++calls;
  };
  const auto read = [&] {
    std::vector<float> rows(first_keys);
    index.vectors().rows(keys, rows);  // the ids of the first keys are the keys
    check(rows);
    ++calls;
  };
  beside({search, read}, [&] {
    std::vector<std::uint64_t> written = keys;
    for (std::uint64_t i = 1; i <= upserts; ++i) {
      for (std::size_t k = 0; k < more_keys; ++k) written.push_back(written.size());
      std::reverse(written.begin(), written.end());
      const std::vector<float> rows(written.size(), static_cast<float>(i));
      const UpsertCounts counts = index.upsert(Keys(written), {rows, 1});
      EXPECT_EQ(counts.added, more_keys);
      EXPECT_EQ(counts.replaced, written.size() - more_keys);
      const std::uint64_t before = calls;
      while (i % 10 == 0 && calls < before + 4) std::this_thread::yield();
    }
  });
  check_count(index.search(one, all).scores);
}

/// A call that stops in its kernel until the test is done with the index.
struct StoppedSearch : testing::Test {
  static constexpr std::size_t count = 3000;

  std::vector<float> rows = normal_values(count * dimension);
  SearchOptions options{.top = 3, .space = Space::serial};
  std::vector<float> other = std::vector<float>(dimension, 100.0F);
  SearchOptions by_product{.metric = Metric::ip, .top = 3, .space = Space::serial};

  /// \p change and then \p small end while \p large is in its kernel, whose results are \p is_old.
  void expect_no_wait(const std::function<void()>& large, const std::function<void()>& change,
                      const std::function<void()>& small) {
    StoppedInKernel stopped([&] { return large; });
    ASSERT_TRUE(stopped.wait_until_stopped());
    auto changed = std::async(std::launch::async, change);
    EXPECT_EQ(changed.wait_for(10s), std::future_status::ready) << "the change waits for a reader";
    auto found = std::async(std::launch::async, small);
    EXPECT_EQ(found.wait_for(10s), std::future_status::ready) << "a small call waits";
  }
};

TEST_F(StoppedSearch, DelaysNeitherChangesNorSmallSearches) {
  VectorIndex index(one_thread(), rows, dimension);
  const auto before = index.search(rows, options).ids;
  std::vector<std::int64_t> large;
  expect_no_wait([&] { large = index.search(rows, options).ids; },
                 [&] {
                   index.replace(7, {other, dimension});
                   index.remove({{0, 1, 2}});
                   index.add({other, dimension});
                 },
                 [&] {
                   EXPECT_EQ(index.search(other, by_product).ids[0], 7);
                   EXPECT_EQ(index.size(), count - 2);
                 });
  EXPECT_EQ(large, before) << "the large search reads the rows as of its begin";
}

TEST_F(StoppedSearch, DelaysNeitherChangesNorSmallSearchesOfKeys) {
  const std::vector<std::uint64_t> keys = numbers_from(10, count);
  KeyedVectorIndex index(one_thread(), Keys(keys), {rows, dimension});
  const auto before = index.search(rows, options);
  KeyedSearchResults large;
  const std::vector<std::uint64_t> removed(keys.begin(), keys.begin() + 900);
  const std::vector<std::uint64_t> written{2000, 1};
  std::vector<float> both = other;
  both.insert(both.end(), other.begin(), other.end());
  expect_no_wait([&] { large = index.search(rows, options); },
                 [&] {
                   index.remove(Keys(removed));
                   index.upsert(Keys(written), {both, dimension});
                 },
                 [&] {
                   const auto found = index.search(other, by_product);
                   EXPECT_EQ(found.keys.integers[0], 2000U);
                   EXPECT_EQ(found.keys.integers[1], 1U);
                 });
  EXPECT_EQ(large.ids, before.ids);
  EXPECT_EQ(large.keys.integers, before.keys.integers) << "also those that were removed meanwhile";
}

TEST_F(StoppedSearch, LeavesNoEarlierRowsBehind) {
  Context& context = one_thread();
  VectorIndex index(context, rows, dimension);
  const auto bytes = [&] { return context.memory_statistics(Space::serial).bytes_in_use; };
  const auto replace_all = [&] {
    for (std::uint64_t id = 0; id < count; ++id)
      index.replace(id, {row_of(rows, dimension, id), dimension});
  };
  {
    const std::function<void()> large = [&] { index.search(rows, options); };
    StoppedInKernel stopped([&] { return large; });
    ASSERT_TRUE(stopped.wait_until_stopped());
    replace_all();
  }
  const std::uint64_t once = bytes();
  replace_all();
  EXPECT_LT(bytes(), once + count * dimension * sizeof(float));
}

}  // namespace VectorChangesTest
