// SPDX-License-Identifier: Apache-2.0
#include "SearchOne.hpp"

#include "ReproducibleScore.hpp"

#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <algorithm>

namespace Kindred::Impl {

namespace {

/// Scores rows exactly and keeps the best.
class Rescorer {
 public:
  Rescorer(const HnswStore& store, std::span<const float> query, SearchBuffers& buffers)
      : m_store(store),
        m_buffers(buffers),
        m_norm(store.settings.metric == Metric::cosine
                   ? reproducible_norm(query.data(), store.dimension)
                   : 1.0) {
    std::copy(query.begin(), query.end(), buffers.query.wide.begin());
    buffers.found.clear();
  }

  Found score(std::uint32_t node) const {
    return {reproducible_order(m_store.settings.metric, m_buffers.query.wide.data(), m_norm,
                               m_store.row(node), m_store.dimension),
            m_store.ids[node]};
  }
  void prefetch(std::uint32_t node) const {
    Arch::prefetch_bytes(m_store.row(node), m_store.dimension * sizeof(float));
  }
  void keep_best(std::size_t top) {
    std::vector<Found>& found = m_buffers.found;
    const auto kept = found.begin() + static_cast<std::ptrdiff_t>(std::min(top, found.size()));
    std::partial_sort(found.begin(), kept, found.end());
    found.erase(kept, found.end());
  }

 private:
  const HnswStore& m_store;
  SearchBuffers& m_buffers;
  double m_norm;
};

bool may_return(const HnswStore& store, const HnswFilter& filter, std::uint32_t node) {
  return store.deleted[node] == 0 && filter.passes(store.ids[node]);
}

/// Scores every row that may be returned.
void scan(const HnswStore& store, const SearchPlan& plan, Rescorer& rescorer,
          SearchBuffers& buffers) {
  std::vector<Found>& best = buffers.found;  // a heap of `top` rows, with the worst first
  best.clear();
  for (std::uint32_t node = 0; node < store.size(); ++node) {
    look_at(node);
    if (!may_return(store, plan.filter, node)) continue;
    const Found found = rescorer.score(node);
    if (best.size() == plan.top) {
      if (best.front() < found) continue;
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    best.push_back(found);
    std::push_heap(best.begin(), best.end());
  }
  std::sort_heap(best.begin(), best.end());
  buffers.visited += plan.allowed;
  ++buffers.scanned;
}

/// A traversal that must find `ef` of `allowed` rows takes about ef · n / allowed expansions, each
/// of which scores about m / 2 rows.
bool scan_is_cheaper(const HnswStore& store, const SearchPlan& plan) {
  const double allowed = static_cast<double>(plan.allowed);
  const double expansions =
      static_cast<double>(plan.ef) * static_cast<double>(store.size()) / allowed;
  return allowed <= expansions * static_cast<double>(store.settings.m) / 2;
}

template <class Rows>
void walk(const HnswStore& store, const Rows& rows, std::span<const float> query,
          const SearchPlan& plan, SearchBuffers& buffers) {
  const Links links = store.links();
  Walk<Rows> walk(links, rows, buffers.walk);
  const auto coded = coded_query(store, rows, query, buffers.query);
  const Key start = walk.descend(coded, 0);
  if (plan.allowed == store.size()) {
    walk.search(coded, 0, start, store.size(), plan.ef);
  } else {
    walk.search_allowed(coded, start, store.size(), plan.ef,
                        [&](std::uint32_t node) { return may_return(store, plan.filter, node); });
  }
  buffers.visited += buffers.walk.visited.count();
}

}  // namespace

void search_one(const HnswStore& store, std::span<const float> query, const SearchPlan& plan,
                SearchBuffers& buffers) {
  buffers.query.prepare(store);
  Rescorer rescorer(store, query, buffers);
  if (plan.allowed == 0) return;
  if (plan.ef < store.size() && !scan_is_cheaper(store, plan)) {
    store.with_rows([&](const auto& rows) { walk(store, rows, query, plan, buffers); });
    const std::span<const Key> keys = buffers.walk.beam.keys();
    constexpr std::size_t ahead = 4;
    for (std::size_t i = 0; i < std::min(ahead, keys.size()); ++i)
      rescorer.prefetch(node_of(keys[i]));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + ahead < keys.size()) rescorer.prefetch(node_of(keys[i + ahead]));
      buffers.found.push_back(rescorer.score(node_of(keys[i])));
    }
    rescorer.keep_best(plan.top);
    if (buffers.found.size() >= std::min(plan.top, plan.allowed)) return;
  }
  scan(store, plan, rescorer, buffers);
}

}  // namespace Kindred::Impl
