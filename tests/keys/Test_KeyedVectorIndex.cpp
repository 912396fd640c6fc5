// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <map>
#include <set>
#include <tuple>

#include "ColumnsOf.hpp"
#include "DamagedFiles.hpp"
#include "Faults.hpp"
#include "RefusedCalls.hpp"
#include "TempFolder.hpp"
#include "TestGenerator.hpp"

namespace KeyedVectorIndexTest {

using namespace Kindred;
using namespace Testing;
using ::testing::HasSubstr;
using Numbers = std::vector<std::uint64_t>;
using Ids = std::vector<std::int64_t>;

/// The number k as a key of a kind: byte strings have many lengths, and the key 0 is empty.
class SomeKeys {
 public:
  SomeKeys(KeyKind kind, const Numbers& numbers) : m_kind(kind) {
    for (const std::uint64_t number : numbers) {
      // High bits, so that no key is its own hash or id.
      m_integers.push_back(number << 40U | number);
      m_texts.push_back(number == 0 ? "" : std::string(number % 23, '\0') + std::to_string(number));
    }
    for (const std::string& text : m_texts) m_views.push_back(text);
  }
  SomeKeys(const SomeKeys&) = delete;
  SomeKeys& operator=(const SomeKeys&) = delete;

  operator KeySpan() const {  // NOLINT(google-explicit-constructor): a view of itself
    return m_kind == KeyKind::integer ? KeySpan(std::span(m_integers))
                                      : KeySpan(std::span<const std::string_view>(m_views));
  }

 private:
  KeyKind m_kind;
  std::vector<std::uint64_t> m_integers;
  std::vector<std::string> m_texts;
  std::vector<std::string_view> m_views;
};

bool same_keys(const KeySpan& a, const KeySpan& b) {
  if (a.kind() != b.kind() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.kind() == KeyKind::integer ? a.integer(i) != b.integer(i) : a.bytes(i) != b.bytes(i))
      return false;
  }
  return true;
}

constexpr KeyKind kinds[] = {KeyKind::integer, KeyKind::bytes};

constexpr std::size_t dimension = 12;

std::vector<float> random_rows(std::size_t count) {
  std::vector<float> rows(count * dimension);
  // Small integers, so that there are many equal scores.
  for (float& value : rows) value = static_cast<float>(random_below(5)) - 2.0F;
  return rows;
}
VectorSpan span_of(const std::vector<float>& rows) { return {rows, dimension}; }

/// A keyed index and, beside it, an index with the same rows under the same ids.
struct Twins {
  Twins(KeyKind given, const Numbers& numbers, const std::vector<float>& rows)
      : kind(given),
        keyed(context(), SomeKeys(kind, numbers), span_of(rows)),
        plain(context(), {}, dimension) {
    put(numbers, rows);
  }
  void upsert(const Numbers& numbers, const std::vector<float>& rows) {
    const auto counts = keyed.upsert(SomeKeys(kind, numbers), span_of(rows));
    const std::uint64_t added = put(numbers, rows);
    EXPECT_EQ(counts.added, added);
    EXPECT_EQ(counts.added + counts.replaced, std::set(numbers.begin(), numbers.end()).size());
  }
  /// Gives each key its last row; returns the number of new keys, in the order of which ids ascend.
  std::uint64_t put(const Numbers& numbers, const std::vector<float>& rows) {
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
    EXPECT_EQ(keyed.size(), id_of.size());
    return added;
  }
  void remove(const Numbers& numbers) {
    keyed.remove(SomeKeys(kind, numbers));
    std::vector<std::uint64_t> ids;
    for (const std::uint64_t number : numbers) {
      ids.push_back(id_of.at(number));
      id_of.erase(number);
    }
    plain.remove(ids);
    EXPECT_EQ(keyed.find(SomeKeys(kind, numbers)), Ids(numbers.size(), -1));
    EXPECT_EQ(keyed.size(), id_of.size());
  }
  /// Expects that \p keys are those of the rows \p ids; an empty slot has the key 0.
  void expect_keys(const KeyList& keys, const Ids& ids) const {
    std::map<std::int64_t, std::uint64_t> number_of{{-1, 0}};
    for (const auto& [number, id] : id_of) number_of[static_cast<std::int64_t>(id)] = number;
    Numbers numbers;
    for (const std::int64_t id : ids) numbers.push_back(number_of.at(id));
    EXPECT_TRUE(same_keys(keys.span(), SomeKeys(kind, numbers)));
  }
  void expect_keys(const KeyList& keys, const ScoreResults& expected) const {
    Ids ids;
    for (const ScoredId& scored : expected.results.values) ids.push_back(scored.id);
    expect_keys(keys, ids);
  }
  void expect_equal(const std::vector<float>& queries, std::size_t top = 9) const {
    Numbers numbers{1ULL << 23U};  // of no key
    Ids ids{-1};
    for (const auto& [number, id] : id_of) {
      numbers.push_back(number);
      ids.push_back(static_cast<std::int64_t>(id));
    }
    EXPECT_EQ(keyed.find(SomeKeys(kind, numbers)), ids);
    std::vector<std::uint8_t> passes(plain.end_id());
    for (std::uint8_t& pass : passes) pass = random_below(2) == 0 ? 1 : 0;
    for (const Space space : spaces()) {
      for (const Metric metric : all_metrics) {
        SCOPED_TRACE(described(metric, space));
        SearchOptions options{.metric = metric, .top = top, .space = space};
        const auto near = keyed.search_at_least(queries, 1.0F, options);
        const auto expected_near = plain.search_at_least(queries, 1.0F, options);
        EXPECT_EQ(near.results.offsets, expected_near.results.offsets);
        expect_keys(near.keys, expected_near);
        for (const std::size_t filtered : {std::size_t{0}, passes.size()}) {
          options.filter = std::span(passes).first(filtered);
          const auto found = keyed.search(queries, options);
          const auto expected = plain.search(queries, options);
          EXPECT_EQ(found.ids, expected.ids);
          EXPECT_EQ(bits(found.scores), bits(expected.scores));
          expect_keys(found.keys, expected.ids);
          expect_written(queries, options);
        }
      }
    }
  }
  /// The results in arrays with more places than rows, some of which stay empty.
  void expect_written(const std::vector<float>& queries, const SearchOptions& options) const {
    const std::size_t places = keyed.size() + 2;
    std::vector<float> scores(queries.size() / dimension * places);
    Ids ids(scores.size());
    const ConstArray asked = columns_of(queries, dimension);
    const SearchOutput out{columns_of(scores, places), columns_of(ids, places)};
    plain.search(asked, options, out);
    const auto expected = std::tuple(ids, bits(scores));
    const auto written = keyed.search(asked, options, out);
    EXPECT_EQ(std::tuple(ids, bits(scores)), expected);
    expect_keys(written.keys, ids);
  }

  KeyKind kind;
  KeyedVectorIndex keyed;
  VectorIndex plain;
  std::map<std::uint64_t, std::uint64_t> id_of;
};

TEST(KeySpan, HasTheSameKeysInEveryForm) {
  const std::vector<std::string_view> texts{"", "ab", std::string_view("\0x", 2)};
  Ragged<char> ragged;
  for (const std::string_view text : texts) ragged.push_row({text.data(), text.size()});
  const KeySpan views{std::span<const std::string_view>(texts)};
  EXPECT_TRUE(same_keys(views, KeySpan(RaggedSpan<char>(ragged))));
  const std::string uuids = "0123456789abcdefFEDCBA9876543210";
  const KeySpan fixed = KeySpan::of_width(std::as_bytes(std::span(uuids)), 16);
  EXPECT_EQ(fixed.size(), 2U);
  EXPECT_EQ(fixed.bytes(1), "FEDCBA9876543210");
  EXPECT_EQ(KeySpan(KeyKind::bytes).size(), 0U);
  EXPECT_EQ(to_string(KeyKind::integer), "integer");
  EXPECT_EQ(to_string(KeyKind::bytes), "bytes");
  EXPECT_THROW(KeySpan::of_width(std::as_bytes(std::span(uuids)), 0), InvalidArgument);
  EXPECT_THROW(KeySpan::of_width(std::as_bytes(std::span(uuids)), 15), InvalidArgument);
  const std::vector<std::uint64_t> offsets{0, 9};
  const std::vector<char> values(3);
  EXPECT_THROW(KeySpan(RaggedSpan<char>{offsets, values}), InvalidArgument);
}

TEST(KeyedVectorIndex, MatchesVectorIndexThroughRandomChanges) {
  for (const KeyKind kind : kinds) {
    for (const std::uint64_t end : {150U, 3000U}) {  // of keys: many are known, or few
      Twins twins(kind, {7, 1, 5, 7}, random_rows(4));
      for (int step = 0; step < 150; ++step) {
        Numbers numbers;
        const std::size_t count = random_below(60);
        if (step % 4 == 3) {
          for (auto at = twins.id_of.lower_bound(random_below(end));
               at != twins.id_of.end() && numbers.size() < count; ++at)
            numbers.push_back(at->first);
          std::shuffle(numbers.begin(), numbers.end(), generator());
          twins.remove(numbers);
        } else {
          while (numbers.size() < count) numbers.push_back(random_below(end));
          twins.upsert(numbers, random_rows(count));
        }
      }
      twins.expect_equal(random_rows(5), twins.id_of.size());
    }
  }
}

TEST(KeyedVectorIndex, OfManySizesMatchesVectorIndex) {
  for (const KeyKind kind : kinds) {
    for (const std::size_t size : {0, 1, 2, 3, 31, 32, 33}) {
      Numbers numbers = numbers_from(0, size);
      for (std::uint64_t& number : numbers) number = number * 37 % 101;
      const Twins twins(kind, numbers, random_rows(size));
      EXPECT_EQ(twins.keyed.size(), size);
      EXPECT_EQ(twins.keyed.key_kind(), kind);
      twins.expect_equal(random_rows(2));
    }
  }
}

TEST(KeyedVectorIndex, ScoresCandidatesByKey) {
  for (const KeyKind kind : kinds) {
    const Twins twins(kind, numbers_from(100, 40), random_rows(40));
    const SomeKeys first(kind, {101, 120, 100});
    const SomeKeys second(kind, {});
    const auto queries = random_rows(2);
    const std::vector<KeySpan> lists{first, second};
    const auto found = twins.keyed.score(queries, lists);
    Ragged<std::uint64_t> ids{{0, 3, 3}, {1, 20, 0}};
    const auto expected = twins.plain.score(queries, ids);
    EXPECT_EQ(found.results.offsets, expected.results.offsets);
    twins.expect_keys(found.keys, expected);
    const SomeKeys unknown(kind, {101, 4});
    const std::vector<KeySpan> wrong{first, unknown};
    EXPECT_THAT(message_of<InvalidArgument>([&] { (void)twins.keyed.score(queries, wrong); }),
                HasSubstr("candidate 1 of query 1"));
  }
}

TEST(KeyedVectorIndex, IsRestoredFromItsFileOrBytesAndChangesOn) {
  const TempFolder folder;
  for (const KeyKind kind : kinds) {
    Twins twins(kind, {7, 1, 5, 20, 30, 40}, random_rows(6));
    twins.remove({1, 40});
    twins.upsert({5, 11, 0}, random_rows(3));
    twins.keyed.save(folder / "index");
    const std::vector<std::byte> saved = twins.keyed.to_bytes();
    expect_bytes_checked(saved, read_all(folder / "index"), 11, [](const auto& damaged) {
      (void)KeyedVectorIndex::load(context(), damaged);
    });
    twins.keyed = KeyedVectorIndex::load(context(), folder / "index");
    EXPECT_EQ(twins.keyed.to_bytes(), saved);
    twins.keyed = KeyedVectorIndex::load(context(), saved);
    EXPECT_EQ(twins.keyed.to_bytes(), saved);
    const auto queries = random_rows(3);
    twins.expect_equal(queries);
    twins.upsert({20, 50}, random_rows(2));
    twins.remove({7});
    twins.expect_equal(queries);
    // The file is also one of an index without keys.
    EXPECT_EQ(VectorIndex::load(context(), folder / "index").size(), 6U);
  }
}

TEST(KeyedVectorIndex, AForgedFileIsRefusedOrIsAnIndex) {
  const TempFolder folder;
  for (const KeyKind kind : kinds) {
    KeyedVectorIndex(context(), SomeKeys(kind, {4, 30, 7}), span_of(random_rows(3)))
        .save(folder / "index");
    const std::string bytes = read_all(folder / "index");
    std::size_t without_keys = 0;
    const auto use = [&](const std::string& path) {
      try {
        const auto loaded = KeyedVectorIndex::load(context(), path);
        EXPECT_EQ(loaded.find(SomeKeys(loaded.key_kind(), {4, 30, 7})).size(), 3U);
      } catch (const InvalidArgument&) {
        ++without_keys;
      }
    };
    EXPECT_EQ(use_changed_bytes(bytes, false, 1, use).used, 0U);
    const auto forged = use_changed_bytes(bytes, true, 1, use);
    EXPECT_GT(forged.used, without_keys);
    EXPECT_GT(forged.refused + without_keys, bytes.size() / 8);
  }
}

TEST(KeyedVectorIndex, OfVectorsWithoutKeysIsRefused) {
  const TempFolder folder;
  const VectorIndex plain(context(), random_rows(3), dimension);
  plain.save(folder / "plain");
  expect_refused({
      {[&] { (void)KeyedVectorIndex::load(context(), folder / "plain"); }, "vectors without keys"},
      {[&] { (void)KeyedVectorIndex::load(context(), plain.to_bytes()); },
       "the buffer has vectors without keys"},
  });
  EXPECT_THROW((void)KeyedVectorIndex::load(context(), folder / "absent"), NotFound);
}

TEST(KeyedVectorIndex, RefusesInvalidCallsAndChangesNothing) {
  const auto rows = random_rows(3);
  const std::vector<float> narrow(2 * (dimension - 1));
  for (const KeyKind kind : kinds) {
    Twins twins(kind, {1, 2, 3}, rows);
    KeyedVectorIndex& index = twins.keyed;
    const KeyKind other = kind == KeyKind::integer ? KeyKind::bytes : KeyKind::integer;
    const auto upsert = [&](KeyKind of, const Numbers& numbers, const VectorSpan& given) {
      return [&index, of, numbers, given] { index.upsert(SomeKeys(of, numbers), given); };
    };
    const auto remove = [&](KeyKind of, const Numbers& numbers) {
      return [&index, of, numbers] { index.remove(SomeKeys(of, numbers)); };
    };
    const VectorSpan narrow_rows(narrow, dimension - 1);
    expect_refused({
        {upsert(other, {4, 5, 6}, span_of(rows)), "of the kind"},
        {upsert(kind, {4, 5}, span_of(rows)), "3 rows are given for 2 keys"},
        {upsert(kind, {4, 5}, narrow_rows), "11"},
        {upsert(kind, {1, 2}, narrow_rows), "11"},
        {upsert(kind, {1, 9}, narrow_rows), "11"},
        {remove(other, {1}), "of the kind"},
        {[&] { (void)index.find(SomeKeys(other, {1})); }, "kind"},
    });
    expect_refused<NotFound>({{remove(kind, {1, 9}), ""}, {remove(kind, {1, 1}), ""}});
    EXPECT_EQ(index.size(), 3U);
    twins.expect_equal(rows);
  }
}

TEST(KeyedVectorIndex, ReleasesTheMemoryOfRemovedKeys) {
  const std::vector<float> rows(2000);
  KeyedVectorIndex index(context(), KeySpan(KeyKind::bytes), VectorSpan({}, 1));
  std::uint64_t most = 0;
  for (std::uint64_t round = 0; round < 50; ++round) {
    const SomeKeys keys(KeyKind::bytes, numbers_from(round * 2000, 2000));
    index.upsert(keys, VectorSpan(rows, 1));
    if (round == 2) most = index.key_bytes();
    index.remove(keys);
  }
  EXPECT_LE(index.key_bytes(), most);
}

/// The k-th allocation of an upsert fails, for every k: of containers, and of the index. The rows
/// are those of a file, so that the first replacement allocates.
TEST(KeyedVectorIndex, IsUnchangedWhereAnAllocationFails) {
  const auto rows = random_rows(30);
  const auto changed = random_rows(8);
  const auto queries = random_rows(3);
  const SearchOptions serial{.space = Space::serial};
  const VectorIndexOptions on_host{.residency = Residency::host};
  const TempFolder folder;
  for (const KeyKind kind : kinds) {
    const auto faults = std::make_shared<Faults>();
    const auto context = make_faulty_context(faults, 2);
    const SomeKeys keys(kind, {5, 100, 3, 101, 7, 5, 102, 100});
    KeyedVectorIndex other(*context, SomeKeys(kind, numbers_from(0, 30)), span_of(rows), on_host);
    other.save(folder / "index");
    other.upsert(keys, span_of(changed));
    for (const bool accounted : {false, true}) {
      KeyedVectorIndex index = KeyedVectorIndex::load(*context, folder / "index", on_host);
      const auto answer = [&](const KeyedVectorIndex& of) {
        const auto found = of.search(queries, serial);
        return std::tuple(found.ids, bits(found.scores), of.size(), of.find(keys));
      };
      const auto before = answer(index);
      const auto upsert = [&] { index.upsert(keys, span_of(changed)); };
      const auto check = [&](std::size_t k) { EXPECT_EQ(answer(index), before) << k; };
      EXPECT_GT(accounted ? fail_every_accounted(*faults, upsert, check)
                          : fail_every_allocation(longer_than_labels, upsert, check),
                2U);
      EXPECT_EQ(answer(index), answer(other));
    }
  }
}

}  // namespace KeyedVectorIndexTest
