// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_HNSW_SMALL_GRAPH_HPP
#define KINDRED_TESTS_HNSW_SMALL_GRAPH_HPP

#include "HnswSupport.hpp"
#include "hnsw/HnswStore.hpp"
#include "hnsw/RowCodes.hpp"

#include <kindred/backends/impl/Instances.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

namespace Kindred::Testing {

/// A graph under construction, with random links between its nodes.
struct SmallGraph {
  SmallGraph(std::size_t count, std::size_t m, HnswTraversal traversal, std::mt19937_64& generator)
      : store(make(m, traversal)) {
    const auto rows = clustered(generator, count, 7, 3);
    store.rows.resize(count * store.row_stride(), 0.0F);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(rows.data() + i * 7, 7, store.rows.data() + i * store.row_stride());
    Impl::choose_traversal(store, rows, workers);
    store.codes.resize(count * store.code_stride(), 0);
    store.ids.resize(count, 0);
    store.deleted.resize(count, 0);
    store.levels.resize(count, 0);
    store.upper_first.resize(count, 0);
    store.base.resize(count * 2 * m, Impl::no_node);
    Impl::code_rows(store, 0, count, workers);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t links = generator() % (2 * m + 1);
      for (std::size_t k = 0; k < links; ++k)
        store.base[i * 2 * m + k] = static_cast<std::uint32_t>(generator() % count);
    }
    store.entry = static_cast<std::uint32_t>(generator() % count);
    store.top_level = 0;
  }
  static Impl::HnswStore make(std::size_t m, HnswTraversal traversal) {
    return {
        context().memory(Space::serial), 7, {.metric = Metric::l2, .m = m, .traversal = traversal}};
  }

  Impl::HostWorkers workers;
  Impl::HnswStore store;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_HNSW_SMALL_GRAPH_HPP
