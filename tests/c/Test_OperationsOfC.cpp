// SPDX-License-Identifier: Apache-2.0
// Random histories of handles and of plain models: a call does to the handle what it does to the
// model, or is refused and changes nothing.
#include "Given.hpp"
#include "MemorySupport.hpp"

#include <TestGenerator.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace OperationsOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

/// \brief Makes a call, which must succeed if \p is_valid, and otherwise be refused with \p refusal
/// and leave the bytes of the object. Returns \p is_valid.
template <class Call>
bool succeeds(const void* handle, bool is_valid, kindred_status refusal, const Call& call) {
  const std::string before = is_valid ? "" : bytes_of(handle);
  EXPECT_EQ(call(), is_valid ? KINDRED_OK : refusal) << kindred_last_error();
  EXPECT_TRUE(is_valid || bytes_of(handle) == before);
  return is_valid;
}

/// Replaces an object by that of its bytes, which `from_bytes(bytes, size, made)` makes.
template <class T, class FromBytes>
void reopen(Owned<T>& handle, const FromBytes& from_bytes) {
  const std::string bytes = bytes_of(handle);
  Owned<T> copy;
  ok(from_bytes(data_of(bytes), bytes.size(), &copy));
  EXPECT_EQ(bytes_of(copy), bytes);
  std::swap(handle.handle, copy.handle);
}

/// Makes random \p operations of a history, and \p check after each of them.
void run(const std::vector<std::function<void()>>& operations, const std::function<void()>& check) {
  for (int step = 0; step < 20 && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    operations[random_below(operations.size())]();
    check();
  }
}

template <class History>
void for_each_history(const History& history) {
  for (int i = 0; i < 200 && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("history " + std::to_string(i));
    history();
  }
}

/// Small integers, of which every product is exact.
std::vector<float> small_values(std::size_t count) {
  std::vector<float> out(count);
  for (float& value : out) value = static_cast<float>(random_below(7)) - 3;
  return out;
}

TEST(COperations, OfIndexesMatchAMap) {
  for_each_history([] {
    std::map<std::uint64_t, float> model;  // rows of one number
    std::uint64_t end = 0;
    Floats none(0, 1), wide(1, 2);
    auto index = result_of(kindred_index_create, c_context(), &none, nullptr, nullptr);
    const auto some_ids = [&] { return random_numbers(random_below(4), end + 1); };
    const auto are_ids = [&](const auto& ids) {
      return std::ranges::all_of(ids, [&](std::uint64_t id) { return model.contains(id); });
    };
    const auto add = [&] {
      Floats rows(small_values(random_below(9)), 1);
      EXPECT_EQ(result_of(kindred_index_add, index, &rows, nullptr), end);
      for (const float value : rows.values) model[end++] = value;
    };
    const auto add_wide = [&] {
      succeeds(index, false, KINDRED_INVALID,
               [&] { return kindred_index_add(index, &wide, nullptr, nullptr); });
    };
    const auto remove = [&] {
      const auto ids = some_ids();
      const bool are_distinct = std::set(ids.begin(), ids.end()).size() == ids.size();
      if (succeeds(index, are_distinct && are_ids(ids), KINDRED_NOT_FOUND,
                   [&] { return kindred_index_remove(index, ids.data(), ids.size()); }))
        for (const std::uint64_t id : ids) model.erase(id);
    };
    const auto replace = [&] {
      const std::uint64_t id = random_below(end + 1);
      Floats row(small_values(1));
      if (succeeds(index, model.contains(id), KINDRED_NOT_FOUND,
                   [&] { return kindred_index_replace(index, id, &row, nullptr); }))
        model[id] = row.values[0];
    };
    const auto read = [&] {
      const auto ids = some_ids();
      Floats rows(ids.size(), 1);
      if (succeeds(index, are_ids(ids), KINDRED_NOT_FOUND,
                   [&] { return kindred_index_rows(index, ids.data(), ids.size(), &rows); })) {
        for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(rows.values[i], model[ids[i]]);
      }
    };
    const auto search = [&] {
      const std::size_t top = 1 + random_below(6);
      Floats query(small_values(1), 1);
      Ranked found(1, top);
      const kindred_search_options options =
          Given::search_options{.top = top, .metric = KINDRED_IP};
      ok(kindred_index_search(index, &query, &options, &found.scores, &found.ids, nullptr,
                              nullptr));
      std::vector<std::pair<float, std::int64_t>> all;  // negated scores with ids
      for (const auto& [id, value] : model) all.emplace_back(-value * query.values[0], id);
      std::ranges::sort(all);
      all.resize(top, {-padding_score(Metric::ip), -1});
      for (std::size_t i = 0; i < top; ++i)
        EXPECT_EQ(std::pair(-found.scores.values[i], found.ids.values[i]), all[i]);
    };
    const auto copy = [&] {
      reopen(index, [](const auto* bytes, std::size_t size, kindred_index** made) {
        return kindred_index_from_bytes(c_context(), bytes, size, nullptr, 1, made);
      });
    };
    run({add, add, add_wide, remove, replace, read, search, copy}, [&] {
      EXPECT_TRUE(std::ranges::equal(list_from(kindred_index_ids, index), model, {}, {},
                                     [](const auto& row) { return row.first; }));
    });
  });
}

TEST(COperations, OfVocabulariesMatchAList) {
  for_each_history([] {
    std::vector<std::string> model;
    auto vocabulary = result_of(kindred_vocabulary_create, nullptr, 0);
    const auto numbers_of = [&](const std::vector<std::string>& texts) {
      std::vector<std::uint32_t> out;
      for (const std::string& text : texts) {
        const auto at = std::ranges::find(model, text);
        out.push_back(at == model.end() ? KINDRED_UNKNOWN_SYMBOL
                                        : static_cast<std::uint32_t>(at - model.begin()));
      }
      return out;
    };
    const auto add = [&] {
      std::vector<std::string> given(random_below(6));
      for (std::string& text : given)
        text = std::string(random_below(3), '\0') + std::string(random_below(3), 'a');
      auto texts = c_texts(given);
      const bool is_valid = random_below(4) > 0;
      if (!is_valid) texts.push_back({nullptr, 3});
      std::vector<std::uint32_t> symbols(texts.size());
      const bool sorted = random_below(2) == 0;
      if (!succeeds(vocabulary, is_valid, KINDRED_INVALID, [&] {
            return kindred_vocabulary_add(vocabulary, texts.data(), texts.size(), sorted ? 1 : 0,
                                          symbols.data());
          }))
        return;
      std::vector<std::string> added = given;
      if (sorted) std::ranges::sort(added);
      for (const std::string& text : added)
        if (std::ranges::count(model, text) == 0) model.push_back(text);
      EXPECT_EQ(symbols, numbers_of(given));
    };
    const auto decode = [&] {
      const auto symbol = static_cast<std::uint32_t>(random_below(model.size() + 1));
      kindred_text text{};
      if (succeeds(vocabulary, symbol < model.size(), KINDRED_NOT_FOUND,
                   [&] { return kindred_vocabulary_decode(vocabulary, &symbol, 1, &text); })) {
        EXPECT_EQ(text_of(text), model[symbol]);
      }
    };
    const auto copy = [&] { reopen(vocabulary, kindred_vocabulary_from_bytes); };
    run({add, add, decode, copy}, [&] {
      std::vector<std::string> sought = model;
      sought.emplace_back("absent");
      std::vector<std::uint32_t> found(sought.size());
      ok(kindred_vocabulary_find(vocabulary, c_texts(sought).data(), found.size(), found.data()));
      EXPECT_EQ(found, numbers_of(sought));
    });
  });
}

TEST(COperations, OfPatternMemoriesMatchAList) {
  struct Known {
    std::vector<std::string> events;  // of one symbol each
    std::string name;
    std::uint64_t frequency = 0;  // 0: forgotten
  };
  for_each_history([] {
    std::vector<Known> model;
    auto memory = quiet_memory();
    Known one;
    std::size_t index = 0;
    bool is_live = false;
    std::int64_t same = -1, named = -1;
    const auto index_of = [&](auto member) {
      const auto at = std::ranges::find_if(model, [&](const Known& other) {
        return other.frequency > 0 && other.*member == one.*member;
      });
      return at == model.end() ? std::int64_t{-1} : at - model.begin();
    };
    const auto choose = [&] {
      one.events.assign(1 + random_below(3), "");
      for (std::string& event : one.events) event = random_below(2) == 0 ? "a" : "bb";
      one.name = "n" + std::to_string(random_below(6));
      one.frequency = random_below(4);
      index = random_below(model.size() + 1);
      is_live = index < model.size() && model[index].frequency > 0;
      same = index_of(&Known::events);
      named = index_of(&Known::name);
    };
    const auto learn = [&] {
      choose();
      kindred_learned learned{};
      const bool is_free = named < 0 || named == same;
      if (!succeeds(memory, is_free && one.frequency > 0, KINDRED_INVALID, [&] {
            return kindred_memory_learn(
                memory, c_texts(one.events).data(), numbers_from(0, one.events.size() + 1).data(),
                one.events.size(), one.name.data(), one.name.size(), one.frequency, &learned);
          }))
        return;
      const std::size_t at = same < 0 ? model.size() : static_cast<std::size_t>(same);
      if (same < 0)
        model.push_back(one);
      else
        model[at].frequency += one.frequency;
      EXPECT_EQ(numbers(learned.index, learned.is_new, learned.frequency),
                numbers(at, same < 0, model[at].frequency));
    };
    const auto forget = [&] {
      choose();
      if (is_live) named = static_cast<std::int64_t>(index);
      EXPECT_EQ(result_of(kindred_memory_forget, memory, index, is_live ? nullptr : one.name.data(),
                          one.name.size()),
                named < 0 ? 0 : 1);
      if (named >= 0) model[static_cast<std::size_t>(named)].frequency = 0;
    };
    const auto set_frequency = [&] {
      choose();
      if (succeeds(memory, is_live && one.frequency > 0,
                   one.frequency == 0 ? KINDRED_INVALID : KINDRED_NOT_FOUND,
                   [&] { return kindred_memory_set_frequency(memory, index, one.frequency); }))
        model[index].frequency = one.frequency;
    };
    const auto synchronise = [&] { ok(kindred_memory_sync(memory, nullptr)); };
    const auto copy = [&] {
      reopen(memory, [](const auto* bytes, std::size_t size, kindred_memory** made) {
        const kindred_memory_options quiet = Given::memory_options{.background_sync = 0};
        return kindred_memory_from_bytes(c_context(), bytes, size, &quiet, made);
      });
    };
    run({learn, learn, learn, forget, set_frequency, synchronise, copy}, [&] {
      choose();
      EXPECT_EQ(result_of(kindred_memory_find_events, memory, c_texts(one.events).data(),
                          numbers_from(0, one.events.size() + 1).data(), one.events.size()),
                same);
      const kindred_text sought{one.name.data(), one.name.size()};
      EXPECT_EQ(result_of(kindred_memory_find_names, memory, &sought, 1), named);
      for (std::size_t i = 0; i < model.size(); ++i)
        EXPECT_EQ(result_of(kindred_memory_frequency, memory, i), model[i].frequency);
    });
  });
}

}  // namespace OperationsOfCTest
