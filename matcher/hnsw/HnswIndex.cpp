// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/HnswIndex.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/LeasePool.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "GraphChanges.hpp"
#include "HnswlibFile.hpp"
#include "ReproducibleScore.hpp"
#include "RowCodes.hpp"
#include "SearchOne.hpp"
#include "StoredHnsw.hpp"
#include "kit/CallerArrays.hpp"
#include "kit/ValueMessage.hpp"

namespace Kindred {

using Impl::value_message;

namespace {

void check_settings(std::size_t dimension, const HnswSettings& settings) {
  KINDRED_THROW_IF(
      settings.metric > Metric::l2 || settings.traversal > HnswTraversal::floats,
      "the metric is " + std::to_string(static_cast<int>(settings.metric)) + " and the traversal " +
          std::to_string(static_cast<int>(settings.traversal)) + "; each must be 0 to 2");
  KINDRED_THROW_IF(dimension == 0 || dimension > Impl::dimension_max,
                   value_message("the dimension", dimension) + "; it must be 1 … " +
                       std::to_string(Impl::dimension_max));
  KINDRED_THROW_IF(
      settings.m < 2 || settings.m > Impl::m_max,
      value_message("m", settings.m) + "; it must be in [2, " + std::to_string(Impl::m_max) + "]");
  KINDRED_THROW_IF(
      settings.ef_construction < settings.m || settings.ef_construction > Impl::ef_construction_max,
      value_message("ef_construction", settings.ef_construction) + "; it must be in [m, " +
          std::to_string(Impl::ef_construction_max) + "], and m is " + std::to_string(settings.m));
  KINDRED_THROW_IF(settings.traversal == HnswTraversal::bytes && dimension > Arch::code_count_max,
                   value_message("the dimension", dimension) + "; a traversal by bytes supports " +
                       std::to_string(Arch::code_count_max) + " at most");
}

/// The space that uses all threads.
Space host_space(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}
MemoryResource& host_memory(Context& context) { return context.memory(host_space(context)); }

/// \throws InvalidArgument for a size that is not a multiple of \p dimension, or a number that is
/// not finite
void check_rows(std::span<const float> rows, std::size_t dimension, const char* what) {
  KINDRED_THROW_IF(rows.size() % dimension != 0,
                   value_message(what, rows.size()) +
                       " numbers; it must be a multiple of the dimension, " +
                       std::to_string(dimension));
  // Without an early exit, the loop is vectorised.
  std::uint32_t largest = 0;
  for (const float value : rows)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU);
  if (largest < 0x7F800000U) return;
  const auto at = static_cast<std::size_t>(
      std::find_if(rows.begin(), rows.end(), [](float value) { return !std::isfinite(value); }) -
      rows.begin());
  KINDRED_THROW_IF(true, std::string(what) + " must be finite; number " +
                             std::to_string(at % dimension) + " of row " +
                             std::to_string(at / dimension) + " is " + std::to_string(rows[at]));
}

}  // namespace

struct KINDRED_HIDDEN HnswIndex::State {
  State(Context& owner, Impl::HnswStore&& columns)
      : context(owner),
        settings(columns.settings),
        dimension(columns.dimension),
        store(std::move(columns)) {
    publish();
  }

  /// Copies the numbers that are read without the lock. Called by every change at its end.
  void publish() noexcept {
    size = store.live();
    end_id = store.next_id;
    traversal = store.traversal;
  }

  Impl::HostWorkers workers() const { return Impl::host_workers(context, host_space(context)); }

  /// Nodes by id, ascending. Rebuilt when the nodes have changed.
  const std::vector<std::pair<std::uint64_t, std::uint32_t>>& by_id() const {
    const std::lock_guard lock(mutex);
    if (nodes_by_id.size() != store.size()) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted(store.size());
      for (std::uint32_t node = 0; node < store.size(); ++node)
        sorted[node] = {store.ids[node], node};
      std::sort(sorted.begin(), sorted.end());
      nodes_by_id = std::move(sorted);
    }
    return nodes_by_id;
  }
  /// The node with \p id, or `no_node`.
  std::uint32_t node_of(std::uint64_t id) const {
    const auto& nodes = by_id();
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), std::pair(id, 0U));
    return at == nodes.end() || at->first != id ? Impl::no_node : at->second;
  }
  /// The node of a row that has not been removed, or `no_node`.
  std::uint32_t find(std::uint64_t id) const {
    const std::uint32_t node = node_of(id);
    return node == Impl::no_node || store.deleted[node] != 0 ? Impl::no_node : node;
  }

  /// Appends the rows without links. \throws OutOfMemory; the columns are then unchanged
  void append(std::span<const float> rows);
  /// \see HnswIndex::add, HnswIndex::build
  std::uint64_t insert(std::span<const float> rows,
                       const std::function<void(std::uint64_t)>& progress);
  Impl::SearchPlan plan(std::span<const float> queries, const HnswSearchOptions& options) const;

  Context& context;
  const HnswSettings settings;
  const std::size_t dimension;
  mutable Impl::SharedMutex changing;  ///< held alone by changes of `store`, shared by other calls
  Impl::HnswStore store;
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
  std::atomic<HnswTraversal> traversal{HnswTraversal::automatic};
  mutable Impl::Mutex mutex;
  mutable std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes_by_id;
  mutable Impl::LeasePool<Impl::SearchBuffers> buffers;  ///< one per thread of a call
};

void HnswIndex::State::append(std::span<const float> rows) {
  const std::size_t dimension = store.dimension;
  const std::size_t begin = store.size();
  const std::size_t end = begin + rows.size() / dimension;
  const auto level_of = [&](std::size_t node) {
    return Impl::level_of(store.settings.seed, store.next_id + (node - begin), store.settings.m);
  };
  std::size_t list = store.upper.size() / store.settings.m;
  std::size_t lists = list;
  for (std::size_t node = begin; node < end; ++node)
    lists += static_cast<std::size_t>(level_of(node));
  if (begin == 0) Impl::choose_traversal(store, rows, workers());
  store.resize(end, lists);
  for (std::size_t node = begin; node < end; ++node) {
    const int level = level_of(node);
    store.ids[node] = store.next_id + (node - begin);
    store.levels[node] = static_cast<std::uint8_t>(level);
    if (level > 0) store.upper_first[node] = static_cast<std::uint32_t>(list);
    list += static_cast<std::size_t>(level);
    std::copy_n(rows.data() + (node - begin) * dimension, dimension,
                store.rows.data() + node * store.row_stride());
  }
}

std::uint64_t HnswIndex::State::insert(std::span<const float> rows,
                                       const std::function<void(std::uint64_t)>& progress) {
  check_rows(rows, store.dimension, "rows");
  const std::size_t begin = store.size();
  const std::size_t count = rows.size() / store.dimension;
  KINDRED_THROW_IF(count >= Impl::node_limit - begin,
                   value_message("the number of rows", begin + count) + "; it must be below " +
                       std::to_string(Impl::node_limit));
  KINDRED_THROW_IF(count > Impl::hnsw_id_limit - store.next_id,
                   value_message("the next id", store.next_id) + "; ids must stay below " +
                       std::to_string(Impl::hnsw_id_limit));
  if (count == 0) return store.next_id;
  Impl::require_same_process();
  // The first rows determine these settings, so they are restored after a failure.
  const HnswTraversal traversal = store.traversal;
  const float unit = store.unit;
  std::vector<float> mean = store.mean;
  try {
    append(rows);
    const Impl::HostWorkers threads = workers();
    Impl::code_rows(store, begin, begin + count, threads);
    // Cannot fail once an existing row has a link to a new one.
    Impl::insert_nodes(store, begin, begin + count, threads, progress);
    if (begin == 0) Impl::connect_unreached(store);
  } catch (...) {
    Impl::drop_behind(store, begin);
    if (begin == 0) {
      store.entry = Impl::no_node;
      store.top_level = -1;
      store.traversal = traversal;
      store.unit = unit;
      store.mean = std::move(mean);
    }
    throw;
  }
  store.next_id += count;
  publish();
  return store.next_id - count;
}

Impl::SearchPlan HnswIndex::State::plan(std::span<const float> queries,
                                        const HnswSearchOptions& options) const {
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(options.ef != 0 && options.ef < options.top, value_message("ef", options.ef) +
                                                                    "; it must be at least top, " +
                                                                    std::to_string(options.top));
  check_rows(queries, store.dimension, "queries");
  Impl::SearchPlan plan;
  plan.top = std::min(options.top, store.live());
  plan.ef =
      std::min(options.ef != 0 ? options.ef : std::max(HnswSearchOptions::ef_default, options.top),
               store.size());
  plan.filter = {options.filter, options.filter_bits};
  KINDRED_THROW_IF(!options.filter.empty() && !options.filter_bits.empty(),
                   "filter and filter_bits are both set; set only one");
  KINDRED_THROW_IF(!options.filter.empty() && options.filter.size() != store.next_id,
                   value_message("the size of the filter", options.filter.size()) +
                       "; it must be one byte per id, " + std::to_string(store.next_id));
  const std::uint64_t words = (store.next_id + 63) / 64;
  KINDRED_THROW_IF(!options.filter_bits.empty() && options.filter_bits.size() != words,
                   value_message("the number of filter words", options.filter_bits.size()) +
                       "; it must be " + std::to_string(words) + ", one bit per id");
  plan.allowed = store.live();
  if (!plan.filter.is_open()) {
    plan.allowed = 0;
    for (std::size_t node = 0; node < store.size(); ++node)
      plan.allowed += store.deleted[node] == 0 && plan.filter.passes(store.ids[node]) ? 1 : 0;
  }
  return plan;
}

HnswIndex::HnswIndex(Context& context, std::size_t dimension, const HnswSettings& settings) try {
  check_settings(dimension, settings);
  m_state =
      std::make_unique<State>(context, Impl::HnswStore(host_memory(context), dimension, settings));
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex");
}
HnswIndex::HnswIndex(std::unique_ptr<State> state) : m_state(std::move(state)) {}
HnswIndex HnswIndex::build(Context& context, std::span<const float> rows, std::size_t dimension,
                           const HnswSettings& settings,
                           const std::function<void(std::uint64_t)>& progress) try {
  HnswIndex index(context, dimension, settings);
  State& state = *index.m_state;
  state.insert(rows, progress);
  // Nodes that are traversed together are stored close together.
  std::size_t reached = 0;
  state.store =
      Impl::renumbered(state.store, host_memory(context), Impl::walk_order(state.store, reached));
  return index;
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::build");
}

std::uint64_t HnswIndex::add(std::span<const float> rows) try {
  const auto lock = Impl::cancellable_lock(m_state->changing);
  return m_state->insert(rows, {});
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::add");
}

void HnswIndex::remove(std::span<const std::uint64_t> ids) try {
  State& state = *m_state;
  const auto lock = Impl::cancellable_lock(state.changing);
  state.by_id();
  for (const std::uint64_t id : ids) {
    if (state.find(id) != Impl::no_node) continue;
    throw NotFound("id " + std::to_string(id) + " is not in the index, or was removed; it has " +
                   std::to_string(size()) + " rows with ids below " + std::to_string(end_id()));
  }
  // Marks them one by one, so that a refused call allocates nothing.
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint32_t node = state.find(ids[i]);
    if (node == Impl::no_node) {
      for (const std::uint64_t id : ids.first(i)) state.store.deleted[state.node_of(id)] = 0;
      state.store.dead -= i;
      throw NotFound("id " + std::to_string(ids[i]) + " is listed twice for removal; list it once");
    }
    state.store.deleted[node] = 1;
    ++state.store.dead;
  }
  state.publish();
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::remove");
}

void HnswIndex::repair() try {
  State& state = *m_state;
  const auto lock = Impl::cancellable_lock(state.changing);
  if (state.store.dead == 0) return;
  Impl::require_same_process();
  std::vector<std::uint32_t> order(state.store.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(),
                        [&](std::uint32_t node) { return state.store.deleted[node] == 0; });
  Impl::HnswStore repaired = Impl::renumbered(state.store, host_memory(state.context), order);
  Impl::link_around_deleted(repaired, state.workers());
  Impl::drop_behind(repaired, state.store.live());
  Impl::connect_unreached(repaired);
  state.store = std::move(repaired);
  state.nodes_by_id.clear();
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::repair");
}

std::size_t HnswIndex::size() const noexcept { return m_state->size; }
std::size_t HnswIndex::dimension() const noexcept { return m_state->dimension; }
std::uint64_t HnswIndex::end_id() const noexcept { return m_state->end_id; }
HnswSettings HnswIndex::settings() const noexcept {
  HnswSettings settings = m_state->settings;
  settings.traversal = m_state->traversal;
  return settings;
}
bool HnswIndex::contains(std::uint64_t id) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  return m_state->find(id) != Impl::no_node;
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::contains");
}

void HnswIndex::rows(std::span<const std::uint64_t> ids, std::span<float> out) const try {
  KINDRED_THROW_IF(out.size() != size_product("ids × dimension", {ids.size(), dimension()}),
                   value_message("the size of the output", out.size()) + "; " +
                       std::to_string(ids.size()) + " rows have " + std::to_string(dimension()) +
                       " elements each");
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  for (const std::uint64_t id : ids)
    if (m_state->find(id) == Impl::no_node)
      throw NotFound("id " + std::to_string(id) + " is not in the index, or was removed");
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::copy_n(m_state->store.row(m_state->find(ids[i])), dimension(),
                out.data() + i * dimension());
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::rows");
}

HnswStatistics HnswIndex::statistics() const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  const Impl::HnswStore& store = m_state->store;
  HnswStatistics out;
  out.dimension = store.dimension;
  out.settings = settings();
  out.rows = store.live();
  out.removed = store.dead;
  out.end_id = store.next_id;
  out.levels = static_cast<std::uint64_t>(store.top_level) + 1;
  const auto is_link = [](std::uint32_t node) { return node != Impl::no_node; };
  out.links = static_cast<std::uint64_t>(
      std::count_if(store.base.span().begin(), store.base.span().end(), is_link) +
      std::count_if(store.upper.span().begin(), store.upper.span().end(), is_link));
  std::size_t reached = 0;
  Impl::walk_order(store, reached);
  out.unreachable = store.size() - reached;
  out.bytes = store.bytes();
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::statistics");
}

HnswResults HnswIndex::search(std::span<const float> queries, const HnswSearchOptions& options,
                              const HnswOutput& out) const try {
  const State& state = *m_state;
  const auto lock = Impl::cancellable_shared_lock(state.changing);
  const Impl::HnswStore& store = state.store;
  const Impl::SearchPlan plan = state.plan(queries, options);
  if (options.space == Space::cuda)
    throw SpaceUnavailable("an HNSW index is traversed on the host; choose serial or openmp");
  if (options.space && !state.context.is_usable(*options.space))
    throw SpaceUnavailable(state.context.info(*options.space).why_not);
  const std::size_t count = queries.size() / store.dimension;
  const auto start = std::chrono::steady_clock::now();
  HnswResults results;
  DispatchRecord& record = results.record;
  record.items = count;
  record.predicted.fill(std::numeric_limits<double>::quiet_NaN());
  record.chosen = options.space.value_or(count > 1 ? host_space(state.context) : Space::serial);
  record.why = options.space ? Reason::forced : Reason::only;
  const bool has_output = !out.scores.empty() || !out.ids.empty();
  results.top = has_output ? options.top : plan.top;
  const std::size_t places = size_product("queries × top", {count, results.top});
  KINDRED_THROW_IF(has_output && (out.scores.size() != places || out.ids.size() != places),
                   "there are arrays for " + std::to_string(out.scores.size()) + " scores and " +
                       std::to_string(out.ids.size()) + " ids; both must be queries × top, " +
                       std::to_string(places));
  if (has_output) {
    Impl::require_apart({"queries", queries}, {"scores", out.scores});
    Impl::require_apart({"queries", queries}, {"ids", out.ids});
    Impl::require_apart({"scores", out.scores}, {"ids", out.ids});
  } else {
    results.scores.resize(places);
    results.ids.resize(places);
  }
  const std::span<float> scores = has_output ? out.scores : results.scores;
  const std::span<std::int64_t> ids = has_output ? out.ids : results.ids;
  std::ranges::fill(scores, padding_score(store.settings.metric));
  std::ranges::fill(ids, -1);
  if (plan.top == 0) return results;

  const auto answer = [&](std::size_t query, Impl::SearchBuffers& buffers) {
    Impl::search_one(store, queries.subspan(query * store.dimension, store.dimension), plan,
                     buffers);
    for (std::size_t place = 0; place < buffers.found.size(); ++place) {
      const auto& [order, id] = buffers.found[place];
      ids[query * results.top + place] = static_cast<std::int64_t>(id);
      scores[query * results.top + place] = Impl::score_of_order(store.settings.metric, order);
    }
  };
  const Impl::HostWorkers workers = Impl::host_workers(state.context, record.chosen);
  const std::size_t threads = std::max<std::size_t>(std::min(workers.count(), count), 1);
  record.threads = static_cast<int>(threads);
  std::vector<Impl::LeasePool<Impl::SearchBuffers>::Lease> buffers;
  buffers.reserve(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    buffers.push_back(state.buffers.take([] { return std::make_unique<Impl::SearchBuffers>(); }));
    buffers.back()->visited = buffers.back()->scanned = 0;
  }
  constexpr double query_nanoseconds = 30'000;
  workers.for_each_item(count, 1, query_nanoseconds, [&](std::size_t worker, std::size_t query) {
    answer(query, *buffers[worker]);
  });
  for (const auto& each : buffers) {
    results.visited += each->visited;
    results.scanned += each->scanned;
  }
  record.taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::search");
}

void HnswIndex::save(const std::string& path) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  Impl::save_hnsw(path, m_state->store);
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::save");
}

HnswIndex HnswIndex::load(Context& context, const FileSource& source) try {
  return HnswIndex(std::make_unique<State>(
      context, Impl::load_hnsw(host_memory(context), source, context.threads())));
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::load");
}

std::vector<std::byte> HnswIndex::to_bytes() const try {
  std::vector<std::byte> bytes;
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  Impl::save_hnsw(bytes, m_state->store);
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::to_bytes");
}

HnswIndex HnswIndex::import_hnswlib(Context& context, const std::string& path, Metric metric,
                                    std::size_t dimension) try {
  KINDRED_THROW_IF(dimension == 0, "the dimension is 0; it must be at least 1");
  KINDRED_THROW_IF(metric > Metric::l2, "the metric is " +
                                            std::to_string(static_cast<int>(metric)) +
                                            "; it must be cosine (0), ip (1) or l2 (2)");
  auto state = std::make_unique<State>(
      context, Impl::read_hnswlib(host_memory(context), path, metric, dimension));
  Impl::HnswStore& store = state->store;
  std::vector<float> rows;  // rows from which the traversal is chosen
  rows.reserve(store.size() * dimension);
  for (std::size_t node = 0; node < store.size(); ++node)
    rows.insert(rows.end(), store.row(node), store.row(node) + dimension);
  if (store.size() > 0) {
    const Impl::HostWorkers workers = state->workers();
    Impl::choose_traversal(store, rows, workers);
    store.resize(store.size(), store.upper.size() / store.settings.m);  // with codes
    Impl::code_rows(store, 0, store.size(), workers);
    state->publish();
  }
  return HnswIndex(std::move(state));
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::import_hnswlib");
}

void HnswIndex::export_hnswlib(const std::string& path) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->changing);
  Impl::write_hnswlib(m_state->store, path);
} catch (...) {
  Impl::rethrow_translated("Kindred::HnswIndex::export_hnswlib");
}

}  // namespace Kindred
