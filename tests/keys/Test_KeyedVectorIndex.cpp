// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "Allocations.hpp"
#include "ChangedBytes.hpp"
#include "Faults.hpp"
#include "KeySupport.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

namespace KeysTest {

using ::testing::HasSubstr;
using Numbers = std::vector<std::uint64_t>;
using Ids = std::vector<std::int64_t>;

constexpr std::size_t dimension = 12;

std::vector<float> random_rows(std::mt19937_64& random, std::size_t count) {
  std::vector<float> rows(count * dimension);
  // Small integers, so that there are many equal scores.
  for (float& value : rows) value = static_cast<float>(random() % 5) - 2.0F;
  return rows;
}
VectorSpan span_of(const std::vector<float>& rows) { return {rows, dimension}; }

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

/// A keyed index and, beside it, an index with the same rows under the same ids.
struct Twins {
  Twins(KeyKind given, const Numbers& numbers, const std::vector<float>& rows)
      : kind(given),
        keyed(Testing::context(), SomeKeys(kind, numbers), span_of(rows)),
        plain(Testing::context(), rows, dimension) {
    for (std::size_t i = 0; i < numbers.size(); ++i) id_of[numbers[i]] = i;
  }
  void upsert(const Numbers& numbers, const std::vector<float>& rows) {
    const auto counts = keyed.upsert(SomeKeys(kind, numbers), span_of(rows));
    std::map<std::uint64_t, std::size_t> last;
    for (std::size_t i = 0; i < numbers.size(); ++i) last[numbers[i]] = i;
    std::uint64_t added = 0;
    for (const std::uint64_t number : numbers) {
      const auto at = last.find(number);
      if (at == last.end()) continue;
      const VectorSpan row = span_of(rows).rows(at->second, 1);
      last.erase(at);
      if (const auto known = id_of.find(number); known != id_of.end()) {
        plain.replace(known->second, row);
      } else {
        id_of[number] = plain.add(row);
        ++added;
      }
    }
    EXPECT_EQ(counts.added, added);
    EXPECT_EQ(keyed.size(), id_of.size());
  }
  void remove(const Numbers& numbers) {
    keyed.remove(SomeKeys(kind, numbers));
    std::vector<std::uint64_t> ids;
    for (const std::uint64_t number : numbers) {
      ids.push_back(id_of.at(number));
      id_of.erase(number);
    }
    plain.remove(ids);
  }
  KeyList keys_of(const Ids& ids) const {
    KeyList keys;
    keys.kind = kind;
    std::map<std::int64_t, std::uint64_t> number_of;
    for (const auto& [number, id] : id_of) number_of[static_cast<std::int64_t>(id)] = number;
    for (const std::int64_t id : ids) {
      const SomeKeys key(kind, {id < 0 ? 0 : number_of.at(id)});
      const KeySpan span = key;
      if (kind == KeyKind::integer) {
        keys.integers.push_back(span.integer(0));
      } else {
        keys.bytes.push_row({span.bytes(0).data(), span.bytes(0).size()});
      }
    }
    return keys;
  }
  void expect_equal(const std::vector<float>& queries) const {
    for (const Space space : Testing::spaces()) {
      for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
        SearchOptions options;
        options.metric = metric;
        options.space = space;
        options.top = 9;
        const auto found = keyed.search(queries, options);
        const auto expected = plain.search(queries, options);
        EXPECT_EQ(found.ids, expected.ids) << to_string(space);
        EXPECT_EQ(bits(found.scores), bits(expected.scores)) << to_string(space);
        EXPECT_TRUE(same_keys(found.keys.span(), keys_of(expected.ids).span())) << to_string(space);
        const auto near = keyed.search_at_least(queries, 1.0F, options);
        const auto expected_near = plain.search_at_least(queries, 1.0F, options);
        Ids ids;
        for (const ScoredId& scored : expected_near.results.values) ids.push_back(scored.id);
        EXPECT_EQ(near.results.offsets, expected_near.results.offsets);
        EXPECT_TRUE(same_keys(near.keys.span(), keys_of(ids).span())) << to_string(space);
      }
    }
  }

  KeyKind kind;
  KeyedVectorIndex keyed;
  VectorIndex plain;
  std::map<std::uint64_t, std::uint64_t> id_of;
};

TEST(KeyedVectorIndex, MatchesVectorIndexThroughRandomChanges) {
  auto random = Testing::generator("changes");
  for (const KeyKind kind : kinds) {
    Twins twins(kind, {7, 1, 5}, random_rows(random, 3));
    for (int step = 0; step < 24; ++step) {
      if (step % 4 == 3) {
        Numbers numbers;
        for (const auto& [number, id] : twins.id_of) {
          if (random() % 3 == 0) numbers.push_back(number);
        }
        twins.remove(numbers);
      } else {
        Numbers numbers;
        for (std::size_t i = 0, count = random() % 60; i < count; ++i)
          numbers.push_back(random() % 150);  // known, new and repeated keys
        twins.upsert(numbers, random_rows(random, numbers.size()));
      }
    }
    twins.expect_equal(random_rows(random, 5));
  }
}

TEST(KeyedVectorIndex, OfManySizesMatchesVectorIndex) {
  auto random = Testing::generator("sizes");
  for (const KeyKind kind : kinds) {
    for (const std::size_t size : {0, 1, 2, 3, 31, 32, 33}) {
      Numbers numbers;
      for (std::size_t i = 0; i < size; ++i) numbers.push_back((i * 37) % 101);
      const Twins twins(kind, numbers, random_rows(random, size));
      EXPECT_EQ(twins.keyed.size(), size);
      EXPECT_EQ(twins.keyed.key_kind(), kind);
      twins.expect_equal(random_rows(random, 2));
    }
  }
}

TEST(KeyedVectorIndex, TheLastRowOfARepeatedKeyCounts) {
  const std::vector<float> rows = [] {
    std::vector<float> values(4 * dimension);
    for (std::size_t row = 0; row < 4; ++row) values[row * dimension + row] = 1;
    return values;
  }();
  for (const KeyKind kind : kinds) {
    KeyedVectorIndex index(Testing::context(), SomeKeys(kind, {8, 9, 8}), span_of(rows).rows(0, 3));
    EXPECT_EQ(index.size(), 2U);
    EXPECT_EQ(index.find(SomeKeys(kind, {8, 9, 3})), (Ids{0, 1, -1}));
    const auto best = [&](std::size_t row) {
      SearchOptions options;
      options.top = 1;
      return index.search(std::span(rows).subspan(row * dimension, dimension), options);
    };
    EXPECT_TRUE(same_keys(best(2).keys.span(), SomeKeys(kind, {8})));
    EXPECT_EQ(best(0).scores[0], 0);
    const auto counts = index.upsert(SomeKeys(kind, {9, 4, 9, 4}), span_of(rows));
    EXPECT_EQ(counts.added, 1U);
    EXPECT_EQ(counts.replaced, 1U);
    EXPECT_EQ(index.find(SomeKeys(kind, {9, 4})), (Ids{1, 2}));
    // The row of 8 is equal to the last one of 9; the key that was added first comes first.
    EXPECT_TRUE(same_keys(best(2).keys.span(), SomeKeys(kind, {8})));
    EXPECT_TRUE(same_keys(best(3).keys.span(), SomeKeys(kind, {4})));
  }
}

TEST(KeyedVectorIndex, ScoresCandidatesByKey) {
  auto random = Testing::generator("candidates");
  const auto rows = random_rows(random, 40);
  Numbers numbers;
  for (std::uint64_t i = 0; i < 40; ++i) numbers.push_back(100 + 3 * i);
  for (const KeyKind kind : kinds) {
    const Twins twins(kind, numbers, rows);
    const SomeKeys first(kind, {103, 160, 100});
    const SomeKeys second(kind, {});
    const std::vector<KeySpan> lists{first, second};
    const std::vector<std::uint64_t> offsets{0, 3, 3};
    const std::vector<std::uint64_t> ids{1, 20, 0};
    const auto queries = random_rows(random, 2);
    const auto found = twins.keyed.score(queries, lists);
    const auto expected = twins.plain.score(queries, RaggedSpan<std::uint64_t>{offsets, ids});
    Ids order;
    for (const ScoredId& scored : expected.results.values) order.push_back(scored.id);
    EXPECT_EQ(found.results.offsets, expected.results.offsets);
    EXPECT_TRUE(same_keys(found.keys.span(), twins.keys_of(order).span()));
    const SomeKeys unknown(kind, {103, 4});
    const std::vector<KeySpan> wrong{first, unknown};
    EXPECT_THAT(
        Testing::message_of<InvalidArgument>([&] { (void)twins.keyed.score(queries, wrong); }),
        HasSubstr("candidate 1 of query 1"));
  }
}

TEST(KeyedVectorIndex, EmptySlotsHaveNoKey) {
  auto random = Testing::generator("filter");
  const auto rows = random_rows(random, 3);
  for (const KeyKind kind : kinds) {
    const KeyedVectorIndex index(Testing::context(), SomeKeys(kind, {1, 2, 3}), span_of(rows));
    const std::vector<std::uint8_t> filter{0, 1, 0};
    SearchOptions options;
    options.filter = filter;
    options.top = 2;
    const auto found = index.search(std::span(rows).first(dimension), options);
    EXPECT_EQ(found.ids, (Ids{1, -1}));
    EXPECT_TRUE(same_keys(found.keys.span(), SomeKeys(kind, {2, 0})));
    std::vector<float> scores(4);
    Ids ids(4);
    const auto written = index.search(std::span(rows).first(dimension), options, {scores, ids});
    EXPECT_EQ(ids, (Ids{1, -1, -1, -1}));
    EXPECT_EQ(scores[0], found.scores[0]);
    EXPECT_TRUE(same_keys(written.keys.span(), SomeKeys(kind, {2, 0, 0, 0})));
  }
}

TEST(KeyedVectorIndex, IsRestoredFromItsFileAndChangesOn) {
  const Testing::TempFolder folder;
  auto random = Testing::generator("file");
  for (const KeyKind kind : kinds) {
    Twins twins(kind, {7, 1, 5, 20, 30, 40}, random_rows(random, 6));
    twins.remove({1, 40});
    twins.upsert({5, 11, 0}, random_rows(random, 3));
    twins.keyed.save(folder / "index");
    const std::vector<std::byte> saved = twins.keyed.to_bytes();
    EXPECT_EQ(Testing::read_all(folder / "index"),
              std::string(reinterpret_cast<const char*>(saved.data()), saved.size()));
    twins.keyed = KeyedVectorIndex::load(Testing::context(), folder / "index");
    EXPECT_EQ(twins.keyed.to_bytes(), saved);
    twins.keyed = KeyedVectorIndex::load(Testing::context(), saved);
    EXPECT_EQ(twins.keyed.to_bytes(), saved);
    const auto queries = random_rows(random, 3);
    twins.expect_equal(queries);
    twins.upsert({20, 50}, random_rows(random, 2));
    twins.remove({7});
    twins.expect_equal(queries);
    // The file is also one of an index without keys.
    EXPECT_EQ(VectorIndex::load(Testing::context(), folder / "index").size(), 6U);
  }
  std::string bytes = Testing::read_all(folder / "index");
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x04);
    EXPECT_THROW((void)KeyedVectorIndex::load(Testing::context(), folder.write("changed", changed)),
                 CorruptFile)
        << at;
  }
  VectorIndex(Testing::context(), random_rows(random, 3), dimension).save(folder / "plain");
  EXPECT_THAT(Testing::message_of<InvalidArgument>(
                  [&] { (void)KeyedVectorIndex::load(Testing::context(), folder / "plain"); }),
              HasSubstr("vectors without keys"));
  EXPECT_THROW((void)KeyedVectorIndex::load(Testing::context(), folder / "absent"), NotFound);
}

TEST(KeyedVectorIndex, DamagedBytesAreRefused) {
  auto random = Testing::generator("damaged bytes");
  for (const KeyKind kind : kinds) {
    const KeyedVectorIndex index(Testing::context(), SomeKeys(kind, {7, 1, 5}),
                                 span_of(random_rows(random, 3)));
    const std::vector<std::byte> whole = index.to_bytes();
    const auto refused = [](const std::vector<std::byte>& damaged) {
      EXPECT_THROW((void)KeyedVectorIndex::load(Testing::context(), damaged), CorruptFile);
    };
    Testing::for_each_beginning(whole, refused);
    Testing::for_each_flipped_bit(whole, 11, refused);
    refused({});
  }
  const VectorIndex plain(Testing::context(), random_rows(random, 3), dimension);
  EXPECT_THAT(Testing::message_of<InvalidArgument>(
                  [&] { (void)KeyedVectorIndex::load(Testing::context(), plain.to_bytes()); }),
              HasSubstr("the buffer has vectors without keys"));
}

TEST(KeyedVectorIndex, AForgedFileIsRefusedOrIsAnIndex) {
  const Testing::TempFolder folder;
  auto random = Testing::generator("forged");
  for (const KeyKind kind : kinds) {
    KeyedVectorIndex(Testing::context(), SomeKeys(kind, {4, 30, 7}),
                     span_of(random_rows(random, 3)))
        .save(folder / "index");
    const std::string bytes = Testing::read_all(folder / "index");
    std::size_t refused = 0;
    std::size_t tried = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 5) {
      for (const int change : {0x01, 0x80}) {
        ++tried;
        std::string forged = bytes;
        forged[at] = static_cast<char>(forged[at] ^ change);
        Testing::reseal(forged);
        try {
          const auto loaded =
              KeyedVectorIndex::load(Testing::context(), folder.write("forged", forged));
          EXPECT_EQ(loaded.find(SomeKeys(loaded.key_kind(), {4, 30, 7})).size(), 3U);
        } catch (const CorruptFile&) {
          ++refused;
        } catch (const InvalidArgument&) {  // without keys
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, tried / 8);
  }
}

TEST(KeyedVectorIndex, RefusesInvalidCallsAndChangesNothing) {
  auto random = Testing::generator("refusals");
  const auto rows = random_rows(random, 3);
  for (const KeyKind kind : kinds) {
    Twins twins(kind, {1, 2, 3}, rows);
    KeyedVectorIndex& index = twins.keyed;
    const KeyKind other = kind == KeyKind::integer ? KeyKind::bytes : KeyKind::integer;
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                  index.upsert(SomeKeys(other, {4, 5, 6}), span_of(rows));
                }),
                HasSubstr("of the kind"));
    EXPECT_THAT(Testing::message_of<InvalidArgument>([&] {
                  index.upsert(SomeKeys(kind, {4, 5}), span_of(rows));
                }),
                HasSubstr("3 rows are given for 2 keys"));
    const std::vector<float> narrow(2 * (dimension - 1));
    for (const Numbers& numbers : {Numbers{4, 5}, Numbers{1, 2}, Numbers{1, 9}})
      EXPECT_THROW(index.upsert(SomeKeys(kind, numbers), {narrow, dimension - 1}), InvalidArgument);
    EXPECT_THROW(index.remove(SomeKeys(kind, {1, 9})), NotFound);
    EXPECT_THROW(index.remove(SomeKeys(kind, {1, 1})), NotFound);
    EXPECT_THROW((void)index.find(SomeKeys(other, {1})), InvalidArgument);
    EXPECT_EQ(index.size(), 3U);
    twins.expect_equal(rows);
  }
}

TEST(KeyedVectorIndex, ReadersFindTheKeyOfEveryRow) {
  auto random = Testing::generator("readers");
  const auto rows = random_rows(random, 20);
  const auto query = random_rows(random, 1);
  KeyedVectorIndex index(Testing::context(), SomeKeys(KeyKind::bytes, {}),
                         VectorSpan(std::span<const float>(), dimension));
  std::atomic<bool> is_done{false};
  std::atomic<bool> is_wrong{false};
  std::thread reader([&] {
    SearchOptions options;
    options.space = Space::serial;
    options.top = 100;
    while (!is_done) {
      const auto found = index.search(query, options);
      if (found.keys.size() != found.ids.size() || (found.top != 0 && found.top != 20))
        is_wrong = true;
    }
  });
  Numbers numbers;
  for (std::uint64_t i = 0; i < 20; ++i) numbers.push_back(i);
  const SomeKeys keys(KeyKind::bytes, numbers);
  for (int i = 0; i < 50; ++i) {
    index.upsert(keys, span_of(rows));
    index.upsert(keys, span_of(rows));
    index.remove(keys);
  }
  is_done = true;
  reader.join();
  EXPECT_FALSE(is_wrong);
}

/// The k-th allocation of an upsert fails, for every k: of containers, and of the index.
TEST(KeyedVectorIndex, IsUnchangedWhereAnAllocationFails) {
  auto random = Testing::generator("faults");
  const auto rows = random_rows(random, 30);
  const auto changed = random_rows(random, 8);
  const auto queries = random_rows(random, 3);
  const Testing::TempFolder folder;
  for (const KeyKind kind : kinds) {
    const auto faults = std::make_shared<Testing::Faults>();
    const auto context = Testing::make_faulty_context(faults, 2);
    Numbers numbers;
    for (std::uint64_t i = 0; i < 30; ++i) numbers.push_back(i);
    VectorIndexOptions options;
    options.residency = Residency::host;
    KeyedVectorIndex(*context, SomeKeys(kind, numbers), span_of(rows), options)
        .save(folder / "index");
    const SomeKeys keys(kind, {5, 100, 3, 101, 7, 5, 102, 100});
    for (const bool accounted : {false, true}) {
      // Rows of a file: the first replacement allocates.
      KeyedVectorIndex index = KeyedVectorIndex::load(*context, folder / "index", options);
      SearchOptions search;
      search.space = Space::serial;
      const auto before = index.search(queries, search);
      const auto upsert = [&] { index.upsert(keys, span_of(changed)); };
      const auto expect_unchanged = [&](std::size_t k) {
        const auto after = index.search(queries, search);
        EXPECT_EQ(after.ids, before.ids) << k;
        EXPECT_EQ(bits(after.scores), bits(before.scores)) << k;
        EXPECT_EQ(index.size(), 30U) << k;
        EXPECT_EQ(index.find(keys), (Ids{5, -1, 3, -1, 7, 5, -1, -1})) << k;
      };
      const std::size_t failures =
          accounted ? Testing::fail_every_accounted(*faults, upsert, expect_unchanged)
                    : Testing::fail_every_allocation(Testing::longer_than_labels, upsert,
                                                     expect_unchanged);
      EXPECT_GT(failures, 2U);
      EXPECT_EQ(index.size(), 33U);
      KeyedVectorIndex other(*context, SomeKeys(kind, numbers), span_of(rows), options);
      other.upsert(keys, span_of(changed));
      EXPECT_EQ(index.find(keys), other.find(keys));
      EXPECT_EQ(bits(index.search(queries, search).scores),
                bits(other.search(queries, search).scores));
    }
  }
}

}  // namespace KeysTest
