// SPDX-License-Identifier: Apache-2.0
// Indexes with keys of the C interface are those of C++.
#include "CSupport.hpp"

#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <Support.hpp>
#include <TempFolder.hpp>

#include <limits>
#include <span>

namespace KeysOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// The forms of the keys of a caller.
enum class Form { integers, texts, offsets, width };
constexpr Form forms[] = {Form::integers, Form::texts, Form::offsets, Form::width};

/// The numbers 0 … as keys in a form.
class SomeKeys {
 public:
  SomeKeys(Form form, const std::vector<std::uint64_t>& numbers) : m_form(form) {
    m_span.kind = form == Form::integers ? KINDRED_KEYS_INTEGERS : KINDRED_KEYS_BYTES;
    m_span.count = numbers.size();
    for (const std::uint64_t number : numbers) {
      m_integers.push_back(number << 40U | number);
      // Zeros and bytes beyond ASCII, 16 of them for a form of one width.
      std::string key =
          form == Form::width ? std::string(12, '\xE4') : std::string(number % 3, '\0');
      key += std::string("k") + static_cast<char>('a' + number % 26) +
             std::to_string(number / 26 % 10) + "z";
      m_texts.push_back(number == 0 && form != Form::width ? "" : key);
    }
    for (const std::string& text : m_texts) {
      m_views.push_back({text.data(), text.size()});
      m_bytes += text;
      m_offsets.push_back(m_bytes.size());
    }
    if (form == Form::integers) m_span.integers = m_integers.data();
    if (form == Form::texts) m_span.texts = m_views.data();
    if (form == Form::offsets || form == Form::width) m_span.bytes = m_bytes.data();
    if (form == Form::offsets) m_span.offsets = m_offsets.data();
    if (form == Form::width) m_span.width = 16;
    for (const std::string& text : m_texts) m_cpp_texts.emplace_back(text);
  }
  SomeKeys(const SomeKeys&) = delete;
  SomeKeys& operator=(const SomeKeys&) = delete;

  const kindred_key_span* operator&() const { return &m_span; }  // NOLINT(google-runtime-operator)
  operator KeySpan() const {  // NOLINT(google-explicit-constructor): a view of itself
    return m_form == Form::integers ? KeySpan(std::span(m_integers))
                                    : KeySpan(std::span<const std::string_view>(m_cpp_texts));
  }

 private:
  Form m_form;
  kindred_key_span m_span = KINDRED_KEY_SPAN_INIT;
  std::vector<std::uint64_t> m_integers;
  std::vector<std::string> m_texts;
  std::vector<kindred_text> m_views;
  std::vector<std::string_view> m_cpp_texts;
  std::string m_bytes;
  std::vector<std::uint64_t> m_offsets{0};
};

void expect_keys(const kindred_key_span& found, const KeySpan& expected) {
  ASSERT_EQ(found.count, expected.size());
  ASSERT_EQ(found.kind, static_cast<std::int32_t>(expected.kind()));
  for (std::size_t i = 0; i < found.count; ++i) {
    if (expected.kind() == KeyKind::integer) {
      EXPECT_EQ(found.integers[i], expected.integer(i));
    } else {
      EXPECT_EQ(
          std::string_view(found.bytes + found.offsets[i], found.offsets[i + 1] - found.offsets[i]),
          expected.bytes(i));
    }
  }
}

std::int32_t kind_of(Form form) {
  return form == Form::integers ? KINDRED_KEYS_INTEGERS : KINDRED_KEYS_BYTES;
}

TEST(CKeys, ListsOfKeysHaveOneForm) {
  const float row[] = {1, 0};
  Tensor tensor(row, KINDRED_FLOAT32, 1, 2);
  const SomeKeys one(Form::texts, {1});
  Owned<kindred_keyed_index> index;
  KINDRED_ASSERT_OK(
      kindred_keyed_index_create(c_context(), &one, &tensor, nullptr, nullptr, &index));
  const std::uint64_t integer = 1;
  const kindred_text text{"key", 3};
  const std::uint64_t offsets[] = {0, 3};
  std::int64_t id = 0;
  const auto refused = [&](const kindred_key_span& keys, const char* what) {
    EXPECT_EQ(kindred_keyed_index_find(index, &keys, &id), KINDRED_INVALID) << what;
    EXPECT_NE(std::string(kindred_last_error()).find(what), std::string::npos)
        << kindred_last_error();
  };
  kindred_key_span keys = KINDRED_KEY_SPAN_INIT;
  keys.count = 1;
  keys.kind = 2;
  refused(keys, "kind");
  keys.kind = KINDRED_KEYS_INTEGERS;
  refused(keys, "keys.integers is NULL");
  keys.integers = &integer;
  refused(keys, "kind");  // of the index
  keys.texts = &text;
  refused(keys, "byte strings");
  keys.kind = KINDRED_KEYS_BYTES;
  refused(keys, "integers");
  keys.integers = nullptr;
  KINDRED_EXPECT_OK(kindred_keyed_index_find(index, &keys, &id));
  keys.width = 3;
  refused(keys, "forms");
  keys.width = 0;
  keys.bytes = "key";
  refused(keys, "one form");
  keys.texts = nullptr;
  refused(keys, "neither");
  keys.width = 3;
  KINDRED_EXPECT_OK(kindred_keyed_index_find(index, &keys, &id));
  keys.offsets = offsets;
  refused(keys, "forms");
  keys.width = 0;
  KINDRED_EXPECT_OK(kindred_keyed_index_find(index, &keys, &id));
  keys.reserved = 1;
  refused(keys, "reserved");
  keys.reserved = 0;
  keys.offsets = nullptr;
  keys.width = std::numeric_limits<std::uint64_t>::max() / 2;
  keys.count = 3;
  refused(keys, "exceed");
  const std::uint64_t falling[] = {0, 3, 1};
  keys.width = 0;
  keys.offsets = falling;
  keys.count = 2;
  refused(keys, "offsets[2]");
  keys = KINDRED_KEY_SPAN_INIT;
  keys.kind = KINDRED_KEYS_BYTES;
  KINDRED_EXPECT_OK(kindred_keyed_index_find(index, &keys, nullptr));  // no keys
}

constexpr std::size_t dimension = 6;

/// The results of C beside those of C++.
void expect_results(const kindred_results* results, const KeyedScoreResults& expected) {
  ASSERT_EQ(view_of(results).rows, expected.results.rows());
  for (std::size_t row = 0; row <= expected.results.rows(); ++row)
    ASSERT_EQ(view_of(results).offsets[row], expected.results.offsets[row]);
  for (std::size_t i = 0; i < expected.results.values.size(); ++i) {
    EXPECT_EQ(view_of(results).ids[i], expected.results.values[i].id);
    EXPECT_EQ(view_of(results).scores[i], static_cast<double>(expected.results.values[i].score));
  }
  expect_keys(*view_of(results).keys, expected.keys.span());
  EXPECT_STRNE(view_of(results).report->path, "");  // which one depends on earlier calls
}

/// The results of a search without its empty slots.
KeyedScoreResults without_empty(const KeyedSearchResults& found, std::size_t queries) {
  KeyedScoreResults out;
  out.report = found.report;
  out.keys.kind = found.keys.kind;
  const KeySpan keys = found.keys.span();
  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t i = query * found.top; i < (query + 1) * found.top; ++i) {
      if (found.ids[i] < 0) continue;
      out.results.values.push_back({found.ids[i], found.scores[i]});
      if (keys.kind() == KeyKind::integer) {
        out.keys.integers.push_back(keys.integer(i));
      } else {
        out.keys.bytes.push_row({keys.bytes(i).data(), keys.bytes(i).size()});
      }
    }
    out.results.close_row();
  }
  return out;
}

TEST(CKeys, IndexesAnswerAsThoseOfCpp) {
  const TempFolder folder;
  const std::vector<float> rows = random_rows("CKeys rows", 40 * dimension);
  const std::vector<float> queries = random_rows("CKeys queries", 3 * dimension);
  Tensor query_tensor(queries.data(), KINDRED_FLOAT32, 3, dimension);
  for (const Form form : forms) {
    std::vector<std::uint64_t> first(30);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
    const SomeKeys keys(form, first);
    KeyedVectorIndex expected(context(), keys, {std::span(rows).first(30 * dimension), dimension});
    Tensor tensor(rows.data(), KINDRED_FLOAT32, 30, dimension);
    Owned<kindred_keyed_index> index;
    KINDRED_ASSERT_OK(
        kindred_keyed_index_create(c_context(), &keys, &tensor, nullptr, nullptr, &index));

    // Ten more rows, of which a key is new twice and four are known.
    const SomeKeys more(form, {3, 40, 41, 42, 43, 43, 7, 9, 11, 44});
    const std::span<const float> more_rows = std::span(rows).last(10 * dimension);
    Tensor more_tensor(more_rows.data(), KINDRED_FLOAT32, 10, dimension);
    const UpsertCounts counts = expected.upsert(more, {more_rows, dimension});
    std::uint64_t added = 0;
    std::uint64_t replaced = 0;
    KINDRED_ASSERT_OK(
        kindred_keyed_index_upsert(index, &more, &more_tensor, nullptr, &added, &replaced));
    EXPECT_EQ(added, counts.added);
    EXPECT_EQ(replaced, counts.replaced);
    const SomeKeys gone(form, {0, 41});
    expected.remove(gone);
    KINDRED_ASSERT_OK(kindred_keyed_index_remove(index, &gone));
    EXPECT_EQ(kindred_keyed_index_remove(index, &gone), KINDRED_NOT_FOUND);
    std::vector<std::int64_t> ids(10);
    KINDRED_ASSERT_OK(kindred_keyed_index_find(index, &more, ids.data()));
    EXPECT_EQ(ids, expected.find(more));

    const std::string path = folder / "keyed.knd";
    KINDRED_ASSERT_OK(kindred_save(index, path.c_str()));
    Owned<kindred_keyed_index> loaded;
    KINDRED_ASSERT_OK(kindred_keyed_index_load(c_context(), path.c_str(), nullptr, 0, &loaded));
    for (const kindred_keyed_index* const one : {index.handle, loaded.handle}) {
      kindred_keyed_index_statistics statistics = KINDRED_KEYED_INDEX_STATISTICS_INIT;
      KINDRED_ASSERT_OK(kindred_get_statistics(one, &statistics));
      EXPECT_EQ(statistics.keys, expected.size());
      EXPECT_EQ(statistics.kind, kind_of(form));
      EXPECT_EQ(statistics.dimension, dimension);
      EXPECT_EQ(statistics.element, KINDRED_ELEMENT_FLOAT32);
      EXPECT_EQ(statistics.end_id, expected.vectors().end_id());
      EXPECT_GT(statistics.host_bytes, 0U);
      for (const std::int32_t space : c_spaces())
        for (const Metric metric : {Metric::cosine, Metric::ip, Metric::l2}) {
          // Only ids below 10 may be results, so that slots of a search stay empty.
          std::vector<std::uint8_t> filter(statistics.end_id);
          std::fill_n(filter.begin(), 10, std::uint8_t{1});
          kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
          options.metric = static_cast<std::int32_t>(metric);
          options.space = space;
          options.top = 20;
          options.filter = filter.data();
          options.filter_size = filter.size();
          SearchOptions cpp_options;
          cpp_options.metric = metric;
          cpp_options.top = 20;
          cpp_options.filter = filter;
          Owned<kindred_results> found;
          KINDRED_ASSERT_OK(kindred_keyed_index_search(one, &query_tensor, &options, &found));
          expect_results(found, without_empty(expected.search(queries, cpp_options), 3));
          options.filter = nullptr;
          options.filter_size = 0;
          cpp_options.filter = {};
          Owned<kindred_results> near;
          KINDRED_ASSERT_OK(
              kindred_keyed_index_search_at_least(one, &query_tensor, 0.5F, &options, &near));
          expect_results(near, expected.search_at_least(queries, 0.5F, cpp_options));
          const SomeKeys candidates(form, {3, 5, 40, 3, 44});
          const std::uint64_t offsets[] = {0, 2, 2, 5};
          const SomeKeys of_first(form, {3, 5});
          const SomeKeys of_third(form, {40, 3, 44});
          const KeySpan lists[] = {of_first, KeySpan(KeySpan(of_first).kind()), of_third};
          Owned<kindred_results> scored;
          KINDRED_ASSERT_OK(kindred_keyed_index_score(one, &query_tensor, &candidates, offsets,
                                                      &options, &scored));
          expect_results(scored, expected.score(queries, lists, cpp_options));
        }
    }
  }
}

TEST(CKeys, FailedCallsLeaveTheIndexAsItWas) {
  const float rows[] = {1, 0, 0, 1, 1, 1};
  const SomeKeys keys(Form::texts, {1, 2, 3});
  Tensor tensor(rows, KINDRED_FLOAT32, 3, 2);
  Owned<kindred_keyed_index> index;
  KINDRED_ASSERT_OK(
      kindred_keyed_index_create(c_context(), &keys, &tensor, nullptr, nullptr, &index));
  const SomeKeys integers(Form::integers, {1, 2, 3});
  const SomeKeys few(Form::texts, {1, 2});
  EXPECT_EQ(kindred_keyed_index_upsert(index, &integers, &tensor, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  EXPECT_EQ(kindred_keyed_index_upsert(index, &few, &tensor, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  Tensor wide(rows, KINDRED_FLOAT32, 2, 3);
  EXPECT_EQ(kindred_keyed_index_upsert(index, &few, &wide, nullptr, nullptr, nullptr),
            KINDRED_INVALID);
  kindred_results* results = nullptr;
  EXPECT_EQ(kindred_keyed_index_search(index, &wide, nullptr, &results), KINDRED_INVALID);
  kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
  options.has_stream = 1;
  EXPECT_EQ(kindred_keyed_index_search(index, &tensor, &options, &results), KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("stream"), std::string::npos);
  const SomeKeys absent(Form::texts, {1, 9, 3});
  const std::uint64_t offsets[] = {0, 1, 2, 3};
  EXPECT_EQ(kindred_keyed_index_score(index, &tensor, &absent, offsets, nullptr, &results),
            KINDRED_INVALID);
  const std::uint64_t short_offsets[] = {0, 1, 2, 2};
  EXPECT_EQ(kindred_keyed_index_score(index, &tensor, &keys, short_offsets, nullptr, &results),
            KINDRED_INVALID);
  EXPECT_NE(std::string(kindred_last_error()).find("end at 2"), std::string::npos);
  EXPECT_EQ(kindred_keyed_index_remove(index, &absent), KINDRED_NOT_FOUND);
  EXPECT_EQ(results, nullptr);
  kindred_keyed_index_statistics statistics = KINDRED_KEYED_INDEX_STATISTICS_INIT;
  KINDRED_ASSERT_OK(kindred_get_statistics(index, &statistics));
  EXPECT_EQ(statistics.keys, 3U);

  // Results of others have no keys; files of vectors neither.
  const TempFolder folder;
  Owned<kindred_index> plain;
  KINDRED_ASSERT_OK(kindred_index_create(c_context(), &tensor, nullptr, nullptr, &plain));
  Owned<kindred_results> found;
  KINDRED_ASSERT_OK(kindred_index_search_at_least(plain, &tensor, 0, nullptr, &found));
  EXPECT_EQ(view_of(found).keys, nullptr);
  const std::string path = folder / "plain.knd";
  KINDRED_ASSERT_OK(kindred_save(plain, path.c_str()));
  kindred_keyed_index* loaded = nullptr;
  EXPECT_EQ(kindred_keyed_index_load(c_context(), path.c_str(), nullptr, 0, &loaded),
            KINDRED_INVALID);
  EXPECT_EQ(loaded, nullptr);
}

}  // namespace KeysOfCTest
