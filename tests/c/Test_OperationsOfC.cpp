// SPDX-License-Identifier: Apache-2.0
// Random sequences of operations, also invalid ones, on pattern memories, graphs and matchers of
// the C interface and on plain models. All numbers are small integers, so every result is exact.
#include "RandomOperations.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Testing {
namespace {

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
          KINDRED_ASSERT_OK(kindred_memory_forget(memory, index, nullptr, 0, &existed));
          ASSERT_EQ(existed != 0, is_live);
          if (is_live) model[index].frequency = 0;
          break;
        }
        case 4: {
          if (name.empty()) break;
          std::int32_t existed = -1;
          KINDRED_ASSERT_OK(
              kindred_memory_forget(memory, index, name.data(), name.size(), &existed));
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
            reopen(memory, [&](const std::uint8_t* bytes, std::size_t size, kindred_memory** out) {
              return kindred_memory_from_bytes(c_context(), bytes, size, &made, out);
            });
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
          for (std::uint64_t i = 0; i < view_of(results).offsets[1]; ++i)
            found[view_of(results).ids[i]] = view_of(results).matched[i];
          std::map<std::int64_t, std::uint32_t> expected;
          for (std::size_t i = 0; i < model.size(); ++i) {
            if (model[i].frequency > 0)
              expected[static_cast<std::int64_t>(i)] = common(model[i].events, events);
          }
          ASSERT_EQ(found, expected);
          KINDRED_EXPECT_OK(kindred_destroy(results));
        }
      }
      std::int64_t by_events = -2;
      KINDRED_ASSERT_OK(kindred_memory_find_events(memory, texts.data(), offsets.data(),
                                                   events.size(), &by_events));
      ASSERT_EQ(by_events, index_of([&](const Known& one) { return one.events == events; }));
      std::uint64_t size = 0;
      KINDRED_ASSERT_OK(kindred_size(memory, &size));
      ASSERT_EQ(size, static_cast<std::uint64_t>(
                          std::count_if(model.begin(), model.end(),
                                        [](const Known& one) { return one.frequency > 0; })));
    }
    KINDRED_EXPECT_OK(kindred_destroy(memory));
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
          std::uint32_t ids[2] = {};
          KINDRED_ASSERT_OK(kindred_graph_add_nodes(graph, nullptr, count, nullptr, ids));
          for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(ids[i], exists.size() + i);
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
            reopen(graph, [](const std::uint8_t* bytes, std::size_t size, kindred_graph** out) {
              return kindred_graph_from_bytes(c_context(), bytes, size, nullptr, 1, out);
            });
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
      KINDRED_ASSERT_OK(kindred_get_statistics(graph, &statistics));
      ASSERT_EQ(statistics.edges, model.size());
      ASSERT_EQ(statistics.nodes, exists.size());
    }
    KINDRED_EXPECT_OK(kindred_destroy(graph));
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
    const GivenSequences stored{RaggedSpan<std::uint32_t>(patterns)};
    KINDRED_ASSERT_OK(
        kindred_matcher_create(c_context(), &stored, KINDRED_RESIDENCY_AUTOMATIC, &matcher));
    for (int call = 0; call < 3; ++call) {
      const Ragged<std::uint32_t> queries = random_rows(1 + below(random, 3));
      for (const std::int32_t measure :
           {KINDRED_LCS, KINDRED_DIFFLIB, KINDRED_LEVENSHTEIN, KINDRED_OSA, KINDRED_JARO_WINKLER}) {
        kindred_match_options options = KINDRED_MATCH_OPTIONS_INIT;
        options.measure = measure;
        options.threshold = static_cast<double>(below(random, 5)) / 4;
        options.top = 100;
        kindred_results* results = nullptr;
        const GivenSequences sought{RaggedSpan<std::uint32_t>(queries)};
        KINDRED_ASSERT_OK(kindred_matcher_match(matcher, &sought, &options, &results));
        const std::uint64_t* const offsets = view_of(results).offsets;
        for (std::size_t row = 0; row < queries.rows(); ++row) {
          std::map<std::int64_t, double> found;
          for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i)
            found[view_of(results).ids[i]] = view_of(results).scores[i];
          std::map<std::int64_t, double> expected;
          kindred_query* query = nullptr;
          const GivenSequences one{queries[row]};
          KINDRED_ASSERT_OK(kindred_query_create(measure, &one, 0, &query));
          const std::size_t compared = queries[row].empty() ? 0 : patterns.rows();
          for (std::size_t pattern = 0; pattern < compared;
               ++pattern) {  // an empty one has no results
            double similarity = -1;
            const GivenSequences other{patterns[pattern]};
            KINDRED_ASSERT_OK(kindred_query_similarity(query, &other, 0, &similarity));
            if (similarity >= options.threshold)
              expected[static_cast<std::int64_t>(pattern)] = similarity;
          }
          KINDRED_EXPECT_OK(kindred_destroy(query));
          ASSERT_EQ(found, expected) << "measure " << measure;
        }
        KINDRED_EXPECT_OK(kindred_destroy(results));
      }
    }
    KINDRED_EXPECT_OK(kindred_destroy(matcher));
  }
}

}  // namespace
}  // namespace Kindred::Testing
