// SPDX-License-Identifier: Apache-2.0
// Random sequences of operations, also invalid ones, on indexes of rows of the C interface and on
// maps. All numbers are small integers, so every result is exact.
#include "RandomOperations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::int64_t dimension = 4;

using Row = std::array<float, dimension>;

Row random_row(Random& random) {
  Row row{};
  for (float& value : row) value = static_cast<float>(below(random, 7)) - 3;
  return row;
}

/// Rows of a call.
struct Rows {
  explicit Rows(const std::vector<Row>& rows) : values(rows) {}
  DLTensor* tensor() { return &made.tensor; }
  std::vector<Row> values;
  Tensor made{values.empty() ? &none : values.front().data(), KINDRED_FLOAT32,
              static_cast<std::int64_t>(values.size()), dimension};
  float none = 0;
};

float product(const Row& a, const Row& b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The \p top best of \p rows, by id: higher scores first, then lower ids.
template <class Key>
std::vector<std::pair<float, Key>> best(const std::map<Key, Row>& rows, const Row& query,
                                        std::size_t top) {
  std::vector<std::pair<float, Key>> all;
  for (const auto& [id, row] : rows) all.emplace_back(-product(query, row), id);
  std::sort(all.begin(), all.end());
  all.resize(std::min(top, all.size()));
  for (auto& [score, id] : all) score = -score;
  return all;
}

TEST(COperations, OfIndexesMatchAMap) {
  Random random = generator("operations of indexes");
  for (int sequence = 0; sequence < 250; ++sequence) {
    SCOPED_TRACE(sequence);
    std::map<std::int64_t, Row> model;
    std::uint64_t end_id = 0;
    kindred_index* index = nullptr;
    Rows none({});
    KINDRED_ASSERT_OK(kindred_index_create(c_context(), none.tensor(), nullptr, nullptr, &index));
    const auto some_ids = [&] {
      std::set<std::uint64_t> ids;
      for (std::size_t i = below(random, 4); i > 0; --i) ids.insert(below(random, end_id + 2));
      return std::vector<std::uint64_t>(ids.begin(), ids.end());
    };
    for (std::size_t step = 0; step < operations; ++step) {
      switch (below(random, 7)) {
        case 0:
        case 1: {
          std::vector<Row> given(below(random, 9));
          for (Row& row : given) row = random_row(random);
          Rows rows(given);
          std::uint64_t first = 0;
          KINDRED_ASSERT_OK(kindred_index_add(index, rows.tensor(), nullptr, &first));
          ASSERT_EQ(first, end_id);
          for (const Row& row : given) model[static_cast<std::int64_t>(end_id++)] = row;
          break;
        }
        case 2: {
          const std::vector<std::uint64_t> ids = some_ids();
          const bool are_known = std::all_of(ids.begin(), ids.end(), [&](std::uint64_t id) {
            return model.count(static_cast<std::int64_t>(id)) == 1;
          });
          ASSERT_EQ(kindred_index_remove(index, ids.data(), ids.size()),
                    are_known ? KINDRED_OK : KINDRED_NOT_FOUND);
          for (const std::uint64_t id : ids)
            if (are_known) model.erase(static_cast<std::int64_t>(id));
          break;
        }
        case 3: {
          const std::uint64_t id = below(random, end_id + 2);
          Rows row({random_row(random)});
          const auto known = model.find(static_cast<std::int64_t>(id));
          ASSERT_EQ(kindred_index_replace(index, id, row.tensor(), nullptr),
                    known != model.end() ? KINDRED_OK : KINDRED_NOT_FOUND);
          if (known != model.end()) known->second = row.values.front();
          break;
        }
        case 4: {
          const std::vector<std::uint64_t> ids = some_ids();
          Rows out(std::vector<Row>(ids.size()));
          const bool are_known = std::all_of(ids.begin(), ids.end(), [&](std::uint64_t id) {
            return model.count(static_cast<std::int64_t>(id)) == 1;
          });
          ASSERT_EQ(kindred_index_rows(index, ids.data(), ids.size(), out.tensor()),
                    are_known ? KINDRED_OK : KINDRED_NOT_FOUND);
          for (std::size_t i = 0; are_known && i < ids.size(); ++i)
            ASSERT_EQ(out.values[i], model.at(static_cast<std::int64_t>(ids[i])));
          break;
        }
        case 5:
          reopen(index, [](const std::uint8_t* bytes, std::size_t size, kindred_index** out) {
            return kindred_index_from_bytes(c_context(), bytes, size, nullptr, 1, out);
          });
          break;
        default: {
          const std::size_t top = 1 + below(random, 6);
          Rows query({random_row(random)});
          std::vector<float> scores(top);
          std::vector<std::int64_t> ids(top);
          Tensor to_scores(scores.data(), KINDRED_FLOAT32, 1, static_cast<std::int64_t>(top));
          Tensor to_ids(ids.data(), KINDRED_INT64, 1, static_cast<std::int64_t>(top));
          kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
          options.metric = KINDRED_IP;
          options.top = top;
          KINDRED_ASSERT_OK(kindred_index_search(index, query.tensor(), &options, &to_scores,
                                                 &to_ids, nullptr, nullptr));
          const auto expected = best(model, query.values.front(), top);
          for (std::size_t i = 0; i < top; ++i) {
            ASSERT_EQ(ids[i], i < expected.size() ? expected[i].second : -1);
            if (i < expected.size()) {
              ASSERT_EQ(scores[i], expected[i].first);
            }
          }
        }
      }
      std::vector<std::uint64_t> ids(model.size());
      std::size_t count = 0;
      KINDRED_ASSERT_OK(kindred_index_ids(index, ids.data(), ids.size(), &count));
      ASSERT_EQ(count, model.size());
      std::size_t at = 0;
      for (const auto& [id, row] : model) ASSERT_EQ(ids[at++], static_cast<std::uint64_t>(id));
    }
    KINDRED_EXPECT_OK(kindred_destroy(index));
  }
}

TEST(COperations, OfKeyedIndexesMatchAMap) {
  Random random = generator("operations of keyed indexes");
  for (int sequence = 0; sequence < 250; ++sequence) {
    SCOPED_TRACE(sequence);
    std::map<std::string, std::int64_t> id_of;
    std::map<std::int64_t, Row> model;
    std::int64_t end_id = 0;
    // Keys that are repeated, empty or have zeros.
    const auto key = [&] {
      const std::size_t number = below(random, 12);
      return number == 0 ? std::string() : std::string(number % 3, '\0') + std::to_string(number);
    };
    const auto span_of = [](const std::vector<kindred_text>& texts) {
      kindred_key_span span = KINDRED_KEY_SPAN_INIT;
      span.kind = KINDRED_KEYS_BYTES;
      span.count = texts.size();
      span.texts = texts.data();
      return span;
    };
    kindred_keyed_index* index = nullptr;
    const kindred_key_span no_keys = span_of({});
    Rows none({});
    KINDRED_ASSERT_OK(
        kindred_keyed_index_create(c_context(), &no_keys, none.tensor(), nullptr, nullptr, &index));
    for (std::size_t step = 0; step < operations; ++step) {
      std::vector<std::string> keys(below(random, 6));
      for (std::string& one : keys) one = key();
      const std::vector<kindred_text> texts = c_texts(keys);
      const kindred_key_span span = span_of(texts);
      const std::set<std::string> distinct(keys.begin(), keys.end());
      switch (below(random, 5)) {
        case 0:
        case 1: {
          std::vector<Row> given(keys.size());
          for (Row& row : given) row = random_row(random);
          Rows rows(given);
          std::uint64_t added = 0;
          std::uint64_t replaced = 0;
          KINDRED_ASSERT_OK(
              kindred_keyed_index_upsert(index, &span, rows.tensor(), nullptr, &added, &replaced));
          std::set<std::string> known;
          for (const auto& [name, id] : id_of) known.insert(name);
          std::uint64_t new_keys = 0;
          for (const std::string& one : distinct) new_keys += known.count(one) == 0 ? 1 : 0;
          ASSERT_EQ(added, new_keys);
          ASSERT_EQ(replaced, distinct.size() - new_keys);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            if (id_of.count(keys[i]) == 0) id_of[keys[i]] = end_id++;
            model[id_of[keys[i]]] = given[i];
          }
          break;
        }
        case 2: {
          const bool are_known = std::all_of(keys.begin(), keys.end(), [&](const std::string& one) {
            return id_of.count(one) == 1;
          });
          const kindred_status status = kindred_keyed_index_remove(index, &span);
          if (are_known && distinct.size() == keys.size()) {
            ASSERT_EQ(status, KINDRED_OK) << kindred_last_error();
            for (const std::string& one : keys) {
              model.erase(id_of[one]);
              id_of.erase(one);
            }
          } else {
            ASSERT_EQ(status, KINDRED_NOT_FOUND) << kindred_last_error();
          }
          break;
        }
        case 3:
          reopen(index, [](const std::uint8_t* bytes, std::size_t size, kindred_keyed_index** out) {
            return kindred_keyed_index_from_bytes(c_context(), bytes, size, nullptr, 1, out);
          });
          break;
        default: {
          Rows query({random_row(random)});
          kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
          options.metric = KINDRED_IP;
          options.top = 4;
          kindred_results* results = nullptr;
          KINDRED_ASSERT_OK(kindred_keyed_index_search(index, query.tensor(), &options, &results));
          const auto expected = best(model, query.values.front(), 4);
          const kindred_key_span& found = *view_of(results).keys;
          ASSERT_EQ(found.count, expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::string name(found.bytes + found.offsets[i],
                                   found.offsets[i + 1] - found.offsets[i]);
            ASSERT_EQ(id_of.at(name), expected[i].second);
            ASSERT_EQ(view_of(results).scores[i], expected[i].first);
          }
          KINDRED_EXPECT_OK(kindred_destroy(results));
        }
      }
      std::vector<std::int64_t> ids(keys.size());
      KINDRED_ASSERT_OK(kindred_keyed_index_find(index, &span, ids.data()));
      for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(ids[i], id_of.count(keys[i]) == 1 ? id_of[keys[i]] : -1);
    }
    KINDRED_EXPECT_OK(kindred_destroy(index));
  }
}

TEST(COperations, OfHnswIndexesMatchAMap) {
  Random random = generator("operations of HNSW");
  for (int sequence = 0; sequence < 120; ++sequence) {
    SCOPED_TRACE(sequence);
    std::map<std::int64_t, Row> model;
    std::uint64_t end_id = 0;
    kindred_hnsw_settings settings = KINDRED_HNSW_SETTINGS_INIT;
    settings.metric = KINDRED_IP;
    settings.m = 4;
    settings.ef_construction = 20;
    kindred_hnsw* hnsw = nullptr;
    KINDRED_ASSERT_OK(kindred_hnsw_create(c_context(), dimension, &settings, &hnsw));
    for (std::size_t step = 0; step < operations; ++step) {
      switch (below(random, 6)) {
        case 0:
        case 1: {
          std::vector<Row> given(1 + below(random, 9));
          for (Row& row : given) row = random_row(random);
          Rows rows(given);
          std::uint64_t first = 0;
          KINDRED_ASSERT_OK(kindred_hnsw_add(hnsw, rows.tensor(), &first));
          ASSERT_EQ(first, end_id);
          for (const Row& row : given) model[static_cast<std::int64_t>(end_id++)] = row;
          break;
        }
        case 2: {
          const std::uint64_t id = below(random, end_id + 1);
          const bool is_known = model.erase(static_cast<std::int64_t>(id)) == 1;
          ASSERT_EQ(kindred_hnsw_remove(hnsw, &id, 1), is_known ? KINDRED_OK : KINDRED_NOT_FOUND);
          break;
        }
        case 3:
          KINDRED_ASSERT_OK(kindred_hnsw_repair(hnsw));
          break;
        case 4:
          reopen(hnsw, [](const std::uint8_t* bytes, std::size_t size, kindred_hnsw** out) {
            return kindred_hnsw_from_bytes(c_context(), bytes, size, out);
          });
          break;
        default: {
          // It may miss rows, but what it finds exists, is scored exactly and in order.
          constexpr std::size_t top = 5;
          Rows query({random_row(random)});
          std::vector<float> scores(top);
          std::vector<std::int64_t> ids(top);
          Tensor to_scores(scores.data(), KINDRED_FLOAT32, 1, top);
          Tensor to_ids(ids.data(), KINDRED_INT64, 1, top);
          kindred_hnsw_search_options options = KINDRED_HNSW_SEARCH_OPTIONS_INIT;
          options.top = top;
          KINDRED_ASSERT_OK(kindred_hnsw_search(hnsw, query.tensor(), &options, &to_scores, &to_ids,
                                                nullptr, nullptr, nullptr));
          for (std::size_t i = 0; i < std::min(top, model.size()); ++i) {
            ASSERT_EQ(model.count(ids[i]), 1U);
            ASSERT_EQ(scores[i], product(query.values.front(), model[ids[i]]));
            if (i > 0) {
              ASSERT_GE(scores[i - 1], scores[i]);
            }
          }
          for (std::size_t i = model.size(); i < top; ++i) ASSERT_EQ(ids[i], -1);
        }
      }
      const std::uint64_t id = below(random, end_id + 1);
      std::int32_t contains = -1;
      KINDRED_ASSERT_OK(kindred_has(hnsw, id, &contains));
      ASSERT_EQ(contains != 0, model.count(static_cast<std::int64_t>(id)) == 1);
      std::size_t size = 0;
      KINDRED_ASSERT_OK(kindred_size(hnsw, &size));
      ASSERT_EQ(size, model.size());
    }
    KINDRED_EXPECT_OK(kindred_destroy(hnsw));
  }
}

}  // namespace
}  // namespace Kindred::Testing
