// SPDX-License-Identifier: Apache-2.0
// Functions of indexes with keys: each returns what the object of C++ behind the handle does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Keys.hpp>
#include <TestGenerator.hpp>

#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <limits>
#include <span>

namespace KeysOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// The forms of the keys of a caller.
enum class Form { integers, texts, offsets, width };
constexpr Form forms[] = {Form::integers, Form::texts, Form::offsets, Form::width};
constexpr std::size_t dimension = 6;

/// Numbers as keys in a form.
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
      m_cpp_texts.emplace_back(text);
      m_bytes += text;
      m_offsets.push_back(m_bytes.size());
    }
    if (form == Form::integers) m_span.integers = m_integers.data();
    if (form == Form::texts) m_span.texts = m_views.data();
    if (form == Form::offsets || form == Form::width) m_span.bytes = m_bytes.data();
    if (form == Form::offsets) m_span.offsets = m_offsets.data();
    if (form == Form::width) m_span.width = 16;
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

void expect_keyed(const kindred_results* results, const KeyedScoreResults& expected) {
  expect_results(results, expected.results);
  EXPECT_STRNE(view_of(results).report->path, "");  // which one depends on earlier calls
  const kindred_key_span& found = *view_of(results).keys;
  const KeySpan keys = expected.keys.span();
  ASSERT_EQ(found.count, keys.size());
  ASSERT_EQ(found.kind, static_cast<std::int32_t>(keys.kind()));
  for (std::size_t i = 0; i < found.count; ++i) {
    if (keys.kind() == KeyKind::integer) {
      EXPECT_EQ(found.integers[i], keys.integer(i));
    } else {
      EXPECT_EQ(
          std::string_view(found.bytes + found.offsets[i], found.offsets[i + 1] - found.offsets[i]),
          keys.bytes(i));
    }
  }
}

/// The results of a search without its empty slots.
KeyedScoreResults without_empty(const KeyedSearchResults& found, std::size_t queries) {
  KeyedScoreResults out;
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
  Floats queries(random_rows("CKeys queries", 3 * dimension), dimension);
  Floats rows(random_rows("CKeys rows", 30 * dimension), dimension);
  Floats more_rows(random_rows("CKeys more", 10 * dimension), dimension);
  for (const Form form : forms) {
    const SomeKeys keys(form, numbers_from(0, 30));
    const auto index =
        result_of(kindred_keyed_index_create, c_context(), &keys, &rows, nullptr, nullptr);
    const KeyedVectorIndex& inside = C::keyed_index_of(index);
    // Ten more rows, of which a key is new twice and four are known.
    const SomeKeys more(form, {3, 40, 41, 42, 43, 43, 7, 9, 11, 44});
    std::uint64_t added = 0;
    std::uint64_t replaced = 0;
    ok(kindred_keyed_index_upsert(index, &more, &more_rows, nullptr, &added, &replaced));
    EXPECT_EQ(numbers(added, replaced), numbers(5, 4));
    const SomeKeys gone(form, {0, 41});
    ok(kindred_keyed_index_remove(index, &gone));
    EXPECT_EQ(kindred_keyed_index_remove(index, &gone), KINDRED_NOT_FOUND);
    std::vector<std::int64_t> ids(10);
    ok(kindred_keyed_index_find(index, &more, ids.data()));
    EXPECT_EQ(ids, inside.find(more));
    EXPECT_EQ(ids[2], -1);
    const auto found = expect_statistics<kindred_keyed_index_statistics>(
        index, inside.vectors().statistics(), "keys key_bytes end_id dimension element kind");
    EXPECT_EQ(numbers(found.keys, found.end_id, found.dimension, found.element, found.kind),
              numbers(33, 35, dimension, KINDRED_ELEMENT_FLOAT32,
                      form == Form::integers ? KINDRED_KEYS_INTEGERS : KINDRED_KEYS_BYTES));
    EXPECT_GT(found.key_bytes, 0U);
    // Only ids below 10 may be results, so that slots of a search stay empty.
    std::vector<std::uint8_t> filter(found.end_id);
    std::fill_n(filter.begin(), 10, std::uint8_t{1});
    const SomeKeys candidates(form, {3, 5, 40, 3, 44});
    const std::uint64_t offsets[] = {0, 2, 2, 5};
    const SomeKeys of_first(form, {3, 5});
    const SomeKeys of_third(form, {40, 3, 44});
    const KeySpan lists[] = {of_first, KeySpan(KeySpan(of_first).kind()), of_third};
    for (const std::int32_t space : c_spaces()) {
      kindred_search_options options =
          Given::search_options{.top = 20, .metric = KINDRED_L2, .space = space};
      expect_keyed(result_of(kindred_keyed_index_search_at_least, index, &queries, 2, &options),
                   inside.search_at_least(queries.values, 2, cpp_of(options)));
      expect_keyed(
          result_of(kindred_keyed_index_score, index, &queries, &candidates, offsets, &options),
          inside.score(queries.values, lists, cpp_of(options)));
      options.filter = filter.data();
      options.filter_size = filter.size();
      expect_keyed(result_of(kindred_keyed_index_search, index, &queries, &options),
                   without_empty(inside.search(queries.values, cpp_of(options)), 3));
    }
  }
}

TEST(CKeys, ListsOfKeysHaveOneForm) {
  Floats row({1, 0}, 2);
  const SomeKeys one(Form::texts, {1});
  const auto index =
      result_of(kindred_keyed_index_create, c_context(), &one, &row, nullptr, nullptr);
  const std::uint64_t integer = 1;
  const kindred_text text{"key", 3};
  const std::uint64_t offsets[] = {0, 3};
  const std::uint64_t falling[] = {0, 3, 1};
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max() / 2;
  constexpr std::int32_t numbers = KINDRED_KEYS_INTEGERS;
  constexpr std::int32_t of_bytes = KINDRED_KEYS_BYTES;
  const kindred_text* const texts = &text;
  using Keys = Given::key_span;
  /// Keys, which are refused if there are words.
  const std::pair<kindred_key_span, const char*> rows[] = {
      {Keys{.count = 1, .texts = texts, .kind = of_bytes}, nullptr},
      {Keys{.count = 1, .bytes = "key", .width = 3, .kind = of_bytes}, nullptr},
      {Keys{.count = 1, .bytes = "key", .offsets = offsets, .kind = of_bytes}, nullptr},
      {Keys{.count = 1, .texts = texts, .kind = 2}, "kind"},
      {Keys{.count = 1, .integers = &integer, .kind = numbers}, "kind"},  // of the index
      {Keys{.count = 1, .kind = numbers}, "keys.integers is NULL"},
      {Keys{.count = 1, .integers = &integer, .texts = texts, .kind = numbers}, "byte strings"},
      {Keys{.count = 1, .integers = &integer, .texts = texts, .kind = of_bytes}, "integers"},
      {Keys{.count = 1, .texts = texts, .width = 3, .kind = of_bytes}, "forms"},
      {Keys{.count = 1, .texts = texts, .bytes = "key", .kind = of_bytes}, "one form"},
      {Keys{.count = 1, .bytes = "key", .kind = of_bytes}, "neither"},
      {Keys{.count = 1, .bytes = "key", .offsets = offsets, .width = 3, .kind = of_bytes}, "forms"},
      {Keys{.count = 1, .texts = texts, .kind = of_bytes, .reserved = 1}, "reserved"},
      {Keys{.count = 3, .bytes = "key", .width = huge, .kind = of_bytes}, "exceed"},
      {Keys{.count = 2, .bytes = "key", .offsets = falling, .kind = of_bytes}, "offsets[2]"}};
  std::int64_t id = 0;
  for (const auto& [keys, words] : rows) {
    const kindred_status status = kindred_keyed_index_find(index, &keys, &id);
    if (words == nullptr)
      ok(status);
    else
      expect_refused(status, words);
  }
  const kindred_key_span none = Keys{.kind = of_bytes};
  ok(kindred_keyed_index_find(index, &none, nullptr));
}

TEST(CKeys, StreamsAndOffsetsThatDoNotFitAreRefused) {
  Floats rows({1, 0, 0, 1}, 2);
  const SomeKeys keys(Form::texts, {1, 2});
  const auto index =
      result_of(kindred_keyed_index_create, c_context(), &keys, &rows, nullptr, nullptr);
  const kindred_search_options options = Given::search_options{.has_stream = 1};
  expect_no_result("stream", kindred_keyed_index_search, index, &rows, &options);
  const std::uint64_t offsets[] = {0, 1, 1};
  expect_no_result("end at 1", kindred_keyed_index_score, index, &rows, &keys, offsets, nullptr);
}

}  // namespace KeysOfCTest
