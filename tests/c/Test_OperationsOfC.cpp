// SPDX-License-Identifier: Apache-2.0
// Random sequences of operations, also invalid ones, on objects of the C interface and on plain
// models. All numbers are small integers, so every result is exact.
#include "CSupport.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::size_t operations = 14;  // of a sequence
constexpr std::int64_t dimension = 4;

using Random = std::mt19937_64;
using Row = std::array<float, dimension>;

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

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

/// A copy of an object by its bytes.
template <class Handle, class ToBytes, class FromBytes, class Destroy>
void reopen(Handle*& handle, const ToBytes& to_bytes, const FromBytes& from_bytes,
            const Destroy& destroy) {
  kindred_string* bytes = nullptr;
  KINDRED_ASSERT_OK(to_bytes(handle, &bytes));
  Handle* copy = nullptr;
  KINDRED_ASSERT_OK(from_bytes(reinterpret_cast<const std::uint8_t*>(kindred_string_data(bytes)),
                               kindred_string_size(bytes), &copy));
  KINDRED_EXPECT_OK(kindred_string_destroy(bytes));
  KINDRED_EXPECT_OK(destroy(handle));
  handle = copy;
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
          reopen(
              index, kindred_index_to_bytes,
              [](const std::uint8_t* bytes, std::size_t size, kindred_index** out) {
                return kindred_index_from_bytes(c_context(), bytes, size, nullptr, 1, out);
              },
              kindred_index_destroy);
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
            if (i < expected.size()) ASSERT_EQ(scores[i], expected[i].first);
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
    KINDRED_EXPECT_OK(kindred_index_destroy(index));
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
          reopen(
              index, kindred_keyed_index_to_bytes,
              [](const std::uint8_t* bytes, std::size_t size, kindred_keyed_index** out) {
                return kindred_keyed_index_from_bytes(c_context(), bytes, size, nullptr, 1, out);
              },
              kindred_keyed_index_destroy);
          break;
        default: {
          Rows query({random_row(random)});
          kindred_search_options options = KINDRED_SEARCH_OPTIONS_INIT;
          options.metric = KINDRED_IP;
          options.top = 4;
          kindred_results* results = nullptr;
          KINDRED_ASSERT_OK(kindred_keyed_index_search(index, query.tensor(), &options, &results));
          const auto expected = best(model, query.values.front(), 4);
          kindred_key_span found = KINDRED_KEY_SPAN_INIT;
          KINDRED_ASSERT_OK(kindred_results_keys(results, &found));
          ASSERT_EQ(found.count, expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i) {
            const std::string name(found.bytes + found.offsets[i],
                                   found.offsets[i + 1] - found.offsets[i]);
            ASSERT_EQ(id_of.at(name), expected[i].second);
            ASSERT_EQ(kindred_results_scores(results)[i], expected[i].first);
          }
          KINDRED_EXPECT_OK(kindred_results_destroy(results));
        }
      }
      std::vector<std::int64_t> ids(keys.size());
      KINDRED_ASSERT_OK(kindred_keyed_index_find(index, &span, ids.data()));
      for (std::size_t i = 0; i < keys.size(); ++i)
        ASSERT_EQ(ids[i], id_of.count(keys[i]) == 1 ? id_of[keys[i]] : -1);
    }
    KINDRED_EXPECT_OK(kindred_keyed_index_destroy(index));
  }
}

/// The length of the longest common subsequence.
template <class Sequence>
std::uint32_t common(const Sequence& a, const Sequence& b) {
  std::vector<std::uint32_t> before(b.size() + 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::uint32_t> now(b.size() + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      now[j + 1] = a[i] == b[j] ? before[j] + 1 : std::max(before[j + 1], now[j]);
    before = std::move(now);
  }
  return before.back();
}

TEST(COperations, OfPatternMemoriesMatchAList) {
  Random random = generator("operations of memories");
  for (int sequence = 0; sequence < 250; ++sequence) {
    SCOPED_TRACE(sequence);
    struct Known {
      std::vector<std::string> events;  // of one symbol each
      std::string name;
      std::uint64_t frequency = 0;  // 0: forgotten
    };
    std::vector<Known> model;
    kindred_memory_options made = KINDRED_MEMORY_OPTIONS_INIT;
    made.background_sync = 0;
    kindred_memory* memory = nullptr;
    KINDRED_ASSERT_OK(kindred_memory_create(c_context(), &made, &memory));
    const auto random_events = [&] {
      std::vector<std::string> events(1 + below(random, 4));
      for (std::string& event : events)
        event = std::string(1 + below(random, 2), 'a' + below(random, 3));
      return events;
    };
    const auto index_of = [&](const auto& holds) {
      for (std::size_t i = 0; i < model.size(); ++i)
        if (model[i].frequency > 0 && holds(model[i])) return static_cast<std::int64_t>(i);
      return std::int64_t{-1};
    };
    const auto offsets_of = [](const std::vector<std::string>& events) {
      std::vector<std::uint64_t> offsets(events.size() + 1);
      for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i;
      return offsets;
    };
    for (std::size_t step = 0; step < operations; ++step) {
      const std::vector<std::string> events = random_events();
      const std::vector<kindred_text> texts = c_texts(events);
      const std::vector<std::uint64_t> offsets = offsets_of(events);
      const std::string name = below(random, 2) == 0 ? "" : "n" + std::to_string(below(random, 6));
      const std::int64_t same = index_of([&](const Known& one) { return one.events == events; });
      const std::int64_t named =
          name.empty() ? -1 : index_of([&](const Known& one) { return one.name == name; });
      const std::size_t index = below(random, model.size() + 1);
      const bool is_live = index < model.size() && model[index].frequency > 0;
      switch (below(random, 8)) {
        case 0:
        case 1:
        case 2: {
          const std::uint64_t times = 1 + below(random, 3);
          kindred_learned learned{};
          const kindred_status status = kindred_memory_learn(
              memory, texts.data(), offsets.data(), events.size(),
              name.empty() ? nullptr : name.data(), name.size(), times, &learned);
          if (named >= 0 && named != same) {
            ASSERT_EQ(status, KINDRED_INVALID);
            break;
          }
          ASSERT_EQ(status, KINDRED_OK) << kindred_last_error();
          ASSERT_EQ(learned.is_new != 0, same < 0);
          if (same < 0) {
            model.push_back({events, name, times});
            ASSERT_EQ(learned.index, model.size() - 1);
          } else {
            model[static_cast<std::size_t>(same)].frequency += times;
            ASSERT_EQ(learned.frequency, model[static_cast<std::size_t>(same)].frequency);
          }
          break;
        }
        case 3: {
          std::int32_t existed = -1;
          KINDRED_ASSERT_OK(kindred_memory_forget(memory, index, &existed));
          ASSERT_EQ(existed != 0, is_live);
          if (is_live) model[index].frequency = 0;
          break;
        }
        case 4: {
          if (name.empty()) break;
          std::int32_t existed = -1;
          KINDRED_ASSERT_OK(kindred_memory_forget_name(memory, name.data(), name.size(), &existed));
          ASSERT_EQ(existed != 0, named >= 0);
          if (named >= 0) model[static_cast<std::size_t>(named)].frequency = 0;
          break;
        }
        case 5: {
          const std::uint64_t frequency = below(random, 4);
          const kindred_status status = kindred_memory_set_frequency(memory, index, frequency);
          ASSERT_EQ(status, frequency == 0 ? KINDRED_INVALID
                            : is_live      ? KINDRED_OK
                                           : KINDRED_NOT_FOUND);
          if (status == KINDRED_OK) model[index].frequency = frequency;
          break;
        }
        case 6:
          if (below(random, 2) == 0) {
            KINDRED_ASSERT_OK(kindred_memory_sync(memory, nullptr));
          } else {
            reopen(
                memory, kindred_memory_to_bytes,
                [&](const std::uint8_t* bytes, std::size_t size, kindred_memory** out) {
                  return kindred_memory_from_bytes(c_context(), bytes, size, &made, out);
                },
                kindred_memory_destroy);
          }
          break;
        default: {
          // All patterns, by their common symbols.
          std::vector<std::uint32_t> query(16);
          std::size_t count = 0;
          KINDRED_ASSERT_OK(kindred_memory_encode(memory, texts.data(), offsets.data(),
                                                  events.size(), KINDRED_LEVEL_TOKEN, query.data(),
                                                  query.size(), &count));
          ASSERT_EQ(count, events.size());
          const std::uint64_t rows[] = {0, count};
          kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
          options.threshold = 0;
          options.top = 100;
          kindred_results* results = nullptr;
          KINDRED_ASSERT_OK(kindred_memory_match(memory, query.data(), rows, 1, KINDRED_LEVEL_TOKEN,
                                                 &options, &results));
          std::map<std::int64_t, std::uint32_t> found;
          for (std::uint64_t i = 0; i < kindred_results_offsets(results)[1]; ++i)
            found[kindred_results_ids(results)[i]] = kindred_results_matched(results)[i];
          std::map<std::int64_t, std::uint32_t> expected;
          for (std::size_t i = 0; i < model.size(); ++i) {
            if (model[i].frequency > 0)
              expected[static_cast<std::int64_t>(i)] = common(model[i].events, events);
          }
          ASSERT_EQ(found, expected);
          KINDRED_EXPECT_OK(kindred_results_destroy(results));
        }
      }
      std::int64_t by_events = -2;
      KINDRED_ASSERT_OK(kindred_memory_find_events(memory, texts.data(), offsets.data(),
                                                   events.size(), &by_events));
      ASSERT_EQ(by_events, index_of([&](const Known& one) { return one.events == events; }));
      std::uint64_t size = 0;
      KINDRED_ASSERT_OK(kindred_memory_size(memory, &size));
      ASSERT_EQ(size, static_cast<std::uint64_t>(
                          std::count_if(model.begin(), model.end(),
                                        [](const Known& one) { return one.frequency > 0; })));
    }
    KINDRED_EXPECT_OK(kindred_memory_destroy(memory));
  }
}

TEST(COperations, OfGraphsMatchAListOfEdges) {
  Random random = generator("operations of graphs");
  for (int sequence = 0; sequence < 200; ++sequence) {
    SCOPED_TRACE(sequence);
    std::vector<kindred_edge> model;
    std::vector<bool> exists(4, true);
    const auto any_edge = [&] {
      return kindred_edge{static_cast<std::uint32_t>(below(random, exists.size() + 1)),
                          static_cast<std::uint32_t>(below(random, exists.size())),
                          static_cast<float>(below(random, 5))};
    };
    const auto is_node = [&](std::uint32_t node) { return node < exists.size() && exists[node]; };
    kindred_graph* graph = nullptr;
    KINDRED_ASSERT_OK(kindred_graph_create(c_context(), exists.size(), nullptr, 0, nullptr, nullptr,
                                           nullptr, nullptr, &graph));
    for (std::size_t step = 0; step < operations; ++step) {
      switch (below(random, 7)) {
        case 0:
        case 1: {
          std::vector<kindred_edge> edges(below(random, 8));
          for (kindred_edge& edge : edges) edge = any_edge();
          const bool are_valid = std::all_of(
              edges.begin(), edges.end(),
              [&](const kindred_edge& edge) { return is_node(edge.from) && is_node(edge.to); });
          const kindred_status status =
              kindred_graph_add_edges(graph, edges.data(), edges.size(), nullptr);
          ASSERT_EQ(status == KINDRED_OK, are_valid) << kindred_last_error();
          if (are_valid) model.insert(model.end(), edges.begin(), edges.end());
          break;
        }
        case 2: {
          const std::uint64_t count = below(random, 3);
          std::uint32_t first = 0;
          KINDRED_ASSERT_OK(kindred_graph_add_nodes(graph, count, nullptr, &first));
          ASSERT_EQ(first, exists.size());
          exists.resize(exists.size() + count, true);
          break;
        }
        case 3: {
          const kindred_edge edge = any_edge();
          kindred_edge_ends ends{};
          ends.from = edge.from;
          ends.to = edge.to;
          ends.kind = -1;
          std::uint64_t removed = 0;
          const kindred_status status = kindred_graph_remove_edges(graph, &ends, 1, &removed);
          if (status != KINDRED_OK) {
            const bool is_edge = std::any_of(model.begin(), model.end(), [&](const auto& one) {
              return one.from == edge.from && one.to == edge.to;
            });
            ASSERT_FALSE(is_edge) << kindred_last_error();
            break;
          }
          ASSERT_EQ(removed, std::erase_if(model, [&](const kindred_edge& one) {
                      return one.from == edge.from && one.to == edge.to;
                    }));
          break;
        }
        case 4: {
          if (below(random, 3) != 0) break;
          const auto node = static_cast<std::uint32_t>(below(random, exists.size() + 1));
          const bool is_valid = is_node(node);
          const kindred_status status = kindred_graph_remove_nodes(graph, &node, 1);
          ASSERT_EQ(status == KINDRED_OK, is_valid) << kindred_last_error();
          if (!is_valid) break;
          exists[node] = false;
          std::erase_if(model, [&](const kindred_edge& edge) {
            return edge.from == node || edge.to == node;
          });
          break;
        }
        case 5:
          if (below(random, 2) == 0) {
            KINDRED_ASSERT_OK(kindred_graph_merge(graph));
          } else {
            reopen(
                graph, kindred_graph_to_bytes,
                [](const std::uint8_t* bytes, std::size_t size, kindred_graph** out) {
                  return kindred_graph_from_bytes(c_context(), bytes, size, nullptr, 1, out);
                },
                kindred_graph_destroy);
          }
          break;
        default: {
          const auto nodes = static_cast<std::int64_t>(exists.size());
          std::vector<float> x(exists.size());
          std::vector<float> y(exists.size());
          for (float& value : x) value = static_cast<float>(below(random, 5));
          std::vector<float> expected(exists.size());
          for (const kindred_edge& edge : model) expected[edge.to] += edge.weight * x[edge.from];
          Tensor from(x.data(), KINDRED_FLOAT32, nodes);
          Tensor to(y.data(), KINDRED_FLOAT32, nodes);
          KINDRED_ASSERT_OK(kindred_graph_hop(graph, &from, &to, nullptr, nullptr));
          ASSERT_EQ(y, expected);
        }
      }
      kindred_graph_statistics statistics = KINDRED_GRAPH_STATISTICS_INIT;
      KINDRED_ASSERT_OK(kindred_graph_describe(graph, &statistics));
      ASSERT_EQ(statistics.edges, model.size());
      ASSERT_EQ(statistics.nodes, exists.size());
    }
    KINDRED_EXPECT_OK(kindred_graph_destroy(graph));
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
          reopen(
              hnsw, kindred_hnsw_to_bytes,
              [](const std::uint8_t* bytes, std::size_t size, kindred_hnsw** out) {
                return kindred_hnsw_from_bytes(c_context(), bytes, size, out);
              },
              kindred_hnsw_destroy);
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
            if (i > 0) ASSERT_GE(scores[i - 1], scores[i]);
          }
          for (std::size_t i = model.size(); i < top; ++i) ASSERT_EQ(ids[i], -1);
        }
      }
      const std::uint64_t id = below(random, end_id + 1);
      std::int32_t contains = -1;
      KINDRED_ASSERT_OK(kindred_hnsw_contains(hnsw, id, &contains));
      ASSERT_EQ(contains != 0, model.count(static_cast<std::int64_t>(id)) == 1);
      std::size_t size = 0;
      KINDRED_ASSERT_OK(kindred_hnsw_size(hnsw, &size));
      ASSERT_EQ(size, model.size());
    }
    KINDRED_EXPECT_OK(kindred_hnsw_destroy(hnsw));
  }
}

TEST(COperations, OfMatchersMatchComparisonsOfPairs) {
  Random random = generator("operations of matchers");
  for (int sequence = 0; sequence < 150; ++sequence) {
    SCOPED_TRACE(sequence);
    const auto random_rows = [&](std::size_t count) {
      Ragged<std::uint32_t> rows;
      for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t i = below(random, 8); i > 0; --i)
          rows.values.push_back(static_cast<std::uint32_t>(below(random, 3)));
        rows.close_row();
      }
      return rows;
    };
    const Ragged<std::uint32_t> patterns = random_rows(below(random, 12));
    kindred_matcher* matcher = nullptr;
    KINDRED_ASSERT_OK(kindred_matcher_create(c_context(), patterns.values.data(),
                                             patterns.offsets.data(), patterns.rows(),
                                             KINDRED_RESIDENCY_AUTOMATIC, &matcher));
    for (int call = 0; call < 3; ++call) {
      const Ragged<std::uint32_t> queries = random_rows(1 + below(random, 3));
      for (const std::int32_t measure :
           {KINDRED_LCS, KINDRED_DIFFLIB, KINDRED_LEVENSHTEIN, KINDRED_OSA, KINDRED_JARO_WINKLER}) {
        kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
        options.measure = measure;
        options.threshold = static_cast<double>(below(random, 5)) / 4;
        options.top = 100;
        kindred_results* results = nullptr;
        KINDRED_ASSERT_OK(kindred_matcher_match(matcher, queries.values.data(),
                                                queries.offsets.data(), queries.rows(), &options,
                                                &results));
        const std::uint64_t* const offsets = kindred_results_offsets(results);
        for (std::size_t row = 0; row < queries.rows(); ++row) {
          std::map<std::int64_t, double> found;
          for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i)
            found[kindred_results_ids(results)[i]] = kindred_results_scores(results)[i];
          std::map<std::int64_t, double> expected;
          kindred_query* query = nullptr;
          KINDRED_ASSERT_OK(
              kindred_query_create(measure, queries[row].data(), queries[row].size(), 0, &query));
          for (std::size_t pattern = 0; pattern < patterns.rows(); ++pattern) {
            double similarity = -1;
            KINDRED_ASSERT_OK(kindred_query_similarity(query, patterns[pattern].data(),
                                                       patterns[pattern].size(), 0, &similarity));
            if (similarity >= options.threshold)
              expected[static_cast<std::int64_t>(pattern)] = similarity;
          }
          KINDRED_EXPECT_OK(kindred_query_destroy(query));
          ASSERT_EQ(found, expected) << "measure " << measure;
        }
        KINDRED_EXPECT_OK(kindred_results_destroy(results));
      }
    }
    KINDRED_EXPECT_OK(kindred_matcher_destroy(matcher));
  }
}

}  // namespace
}  // namespace Kindred::Testing
