// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/memory/SplitAndRetry.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "CandidateRows.hpp"
#include "ExactSearch.hpp"
#include "IdFilter.hpp"
#include "SearchPaths.hpp"
#include "VectorIndexParts.hpp"
#include "VectorStore.hpp"
#include "kit/ValueMessage.hpp"

namespace KINDRED_PUBLIC Kindred {

using Impl::value_message;

std::string_view to_string(SearchPath path) noexcept {
  switch (path) {
    case SearchPath::brute_force:
      return "brute_force";
    case SearchPath::quantized:
      return "quantized";
    case SearchPath::gemm:
      break;
  }
  return "gemm";
}

struct KINDRED_HIDDEN VectorIndex::State {
  template <class... Rows>
  explicit State(Context& owner, const Rows&... rows) : context(owner), store(owner, rows...) {
    context.dispatcher().register_operations({Operations::search, Operations::search_quantized,
                                              Operations::search_gemm, Operations::score});
    publish();
  }

  /// Copies the numbers that must be readable at any time, also in callbacks and under locks that
  /// those take.
  void publish() noexcept {
    size = store.size();
    end_id = store.end_id();
    ++changes;
  }

  /// \brief Calls `change()`, which changes the rows, after all calls that read them. \throws
  /// DeviceLost, and what \p change throws
  template <class Change>
  decltype(auto) changing(const char* what, const Change& change) {
    const auto lock = Impl::cancellable_lock(mutex);
    if (context.is_usable(Space::cuda)) {
      Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
        array_searches.lend(context, exec_space, Space::cuda,
                            [](auto& array_search) { array_search.wait(); });
      });
    }
    array_searches.rows_changed();
    struct Publish {
      State& state;
      ~Publish() { state.publish(); }
    } const publish{*this};
    return Impl::translating_out_of_memory(what, change);
  }

  /// The number of queries of a call. \throws InvalidArgument
  std::size_t check(std::span<const float> queries) const {
    KINDRED_THROW_IF(queries.size() % store.dimension() != 0,
                     value_message("the size of the queries", queries.size()) +
                         "; it must be a multiple of the dimension, " +
                         std::to_string(store.dimension()));
    return queries.size() / store.dimension();
  }

  Workload workload(Operation operation, std::size_t items, std::size_t transfer_bytes) const {
    Workload workload;
    workload.operation = operation;
    workload.items = items;
    workload.work = static_cast<double>(items) * static_cast<double>(store.dimension());
    workload.transfer_bytes = transfer_bytes;
    workload.history = &history;
    workload.resident =
        streams() ? SpaceSet::all() : reachable(store.residency(), store.on_device());
    return workload;
  }
  /// The workload of a search of \p queries queries with \p path.
  Workload search_workload(SearchPath path, std::size_t queries, std::size_t transfer_bytes) const {
    Workload out = workload(Impl::operation_of(path), store.size() * queries,
                            transfer_bytes + streamed_bytes());
    out.work = Impl::search_work(path, store.size(), queries, store.dimension());
    if (path == SearchPath::quantized && streams()) out.resident = SpaceSet::host();
    return out;
  }
  /// \brief The path that is predicted to be fastest, or the requested one.
  /// \throws InvalidArgument if the requested path is not available
  SearchPath path_of(const SearchOptions& options, std::size_t queries) const {
    if (options.path) {
      Impl::require_path(*options.path, store);
      return *options.path;
    }
    SearchPath best = SearchPath::brute_force;
    double least = std::numeric_limits<double>::infinity();
    std::array<double, space_count> of_brute_force{};
    for (const SearchPath path : Impl::all_search_paths) {
      if (!Impl::why_not(path, store).empty()) continue;
      const Workload one = search_workload(path, queries, 0);
      const auto predicted = context.dispatcher().predict(one);
      if (path == SearchPath::brute_force) of_brute_force = predicted;
      for (const Space space : all_spaces) {
        double seconds = predicted[space_index(space)];
        if (path == SearchPath::quantized) {
          const double debt = quantization_debt(space);
          // Reading fewer bytes should take less time, whatever the priors say of this machine.
          if (debt == 0 && seconds_without_copy.load(std::memory_order_relaxed) > 0 &&
              quantized_tries[space_index(space)].are_left(one.work))
            seconds = std::min(seconds, of_brute_force[space_index(space)] / 2);
          seconds += debt;
        }
        if (options.space.value_or(space) != space || !(seconds < least)) continue;
        least = seconds;
        best = path;
      }
    }
    return best;
  }
  double elements() const { return static_cast<double>(store.size() * store.dimension()); }
  /// \brief The seconds that building the quantized copy on \p space takes, minus those spent in
  /// searches without it: the copy is built once such searches have cost as much.
  double quantization_debt(Space space) const {
    if (!context.is_usable(space) || store.has_quantized_copy(space)) return 0;
    const double rate = space == Space::cuda     ? 5e10
                        : space == Space::serial ? 1.5e8
                                                 : 1.5e8 * context.threads();
    return std::max(0.0, elements() / rate - seconds_without_copy.load(std::memory_order_relaxed));
  }
  void observe(const DispatchRecord& record) {
    if (record.operation == Operations::search_quantized)
      return quantized_tries[space_index(record.chosen)].count(record.work);
    // Beyond this, the copy has been paid for on every space.
    const double enough = elements() / 1.5e8;
    if (!(seconds_without_copy.load(std::memory_order_relaxed) > enough))
      seconds_without_copy.fetch_add(record.taken, std::memory_order_relaxed);
  }

  /// Whether a device streams rows from the host.
  bool streams() const { return store.residency() == Residency::automatic && !store.on_device(); }
  std::size_t streamed_bytes() const {
    return streams() ? store.size() * store.dimension() * size_of(store.element()) : 0;
  }

  /// On the space that the dispatcher chooses or \p forced requests, calls `start()`, then
  /// `body(exec_space, search, begin, length)` for blocks of \p count queries, each of at most
  /// `block(search)`. If memory runs out, it uses smaller blocks and fewer rows. \param path of a
  /// search; none for candidates \param report counts of `body`; those of an attempt that ran out
  /// of memory are discarded
  template <class Block, class Start, class Body>
  DispatchRecord run(const Workload& workload, std::optional<SearchPath> path,
                     std::optional<Space> forced, std::size_t count, const Block& block,
                     const Start& start, SearchReport& report, const Body& body) {
    return context.run(workload, forced, [&](Space space) {
      Impl::with_instance(
          context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
            using search_type = Impl::ExactSearch<ExecutionSpace>;
            auto& cache = searches.of<ExecutionSpace>(Impl::threads_of(context, space));
            const auto make = [&] {
              return std::make_unique<search_type>(context.memory(space), context.pinned_memory());
            };
            cache.lend(make, exec_space, "Kindred::VectorIndex::clear", 0, [&](search_type& own) {
              start();
              own.begin(path);
              // Blocks of equal size, as few as possible.
              const std::size_t most = std::max<std::size_t>(1, block(own));
              const std::size_t blocks = std::max<std::size_t>(1, quotient_up(count, most));
              // Once: other threads may leave workspaces again and again.
              bool may_release = true;
              split_and_retry(count, quotient_up(count, blocks),
                              [&](std::size_t begin, std::size_t length) {
                                while (true) {
                                  const SearchReport before = report;
                                  try {
                                    return body(exec_space, own, begin, length);
                                  } catch (const OutOfMemory&) {
                                    report = before;
                                    Arch::fence(exec_space, "Kindred::VectorIndex::clear");
                                    own.clear();
                                    if (std::exchange(may_release, false) && cache.release())
                                      continue;
                                    if (own.fall_back()) continue;
                                    if (length > 1 || !own.shrink()) throw;
                                  }
                                }
                              });
            });
          });
    });
  }

  /// The threads that prepare work for \p exec_space: only the calling thread for `serial`.
  template <class ExecutionSpace>
  Impl::HostWorkers host_beside(const ExecutionSpace& exec_space) const {
    if constexpr (std::is_same_v<ExecutionSpace, HostSpace>) {
      return Impl::host_workers(context,
                                Arch::concurrency(exec_space) > 1 ? Space::openmp : Space::serial);
    } else {
      return Impl::host_workers(context, Space::cuda);
    }
  }

  /// The queries `begin … begin + length`.
  std::span<const float> part(std::span<const float> queries, std::size_t begin,
                              std::size_t length) const {
    return queries.subspan(begin * store.dimension(), length * store.dimension());
  }

  Context& context;
  mutable CallHistory history;
  Impl::VectorStore store;
  mutable Impl::SharedMutex mutex;  ///< protects the store
  std::atomic<std::size_t> size{0};
  std::atomic<std::uint64_t> end_id{0};
  std::atomic<std::uint64_t> changes{0};
  std::atomic<double> seconds_without_copy{0.0};  ///< of searches without quantized copies
  std::array<Impl::PathTries, space_count> quantized_tries;
  Impl::WorkspaceCaches<Impl::ExactSearch> searches;
  Impl::ArraySearches array_searches;  ///< destroyed first: waits for its calls
};

VectorIndex::VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
                         Residency residency) try {
  KINDRED_THROW_IF(dimension != 0 && rows.size() % dimension != 0,
                   value_message("the size of the rows", rows.size()) +
                       "; it must be a multiple of the dimension, " + std::to_string(dimension));
  VectorIndexOptions options;
  options.residency = residency;
  *this = VectorIndex(context, VectorSpan(rows, dimension), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex");
}

VectorIndex::VectorIndex(std::unique_ptr<State> state) : m_state(std::move(state)) {}

VectorIndex::VectorIndex(Context& context, const VectorSpan& rows,
                         const VectorIndexOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::VectorIndex", [&] {
        return std::make_unique<State>(context, rows, options);
      })) {}

VectorIndex::VectorIndex(Context& context, const StoredVectors& stored,
                         const VectorIndexOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::VectorIndex", [&] {
        return std::make_unique<State>(context, stored, options);
      })) {}

VectorIndex VectorIndex::load(Context& context, const std::string& path,
                              const VectorIndexOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::VectorIndex::load", [&] {
    return of_file(context, StoredVectors::load(path, threads), options);
  });
}

VectorIndex VectorIndex::from_bytes(Context& context, std::span<const std::byte> bytes,
                                    const VectorIndexOptions& options, int threads) {
  return Impl::translating_out_of_memory("Kindred::VectorIndex::from_bytes", [&] {
    return of_file(context, StoredVectors::from_bytes(bytes, threads), options);
  });
}

VectorIndex VectorIndex::of_file(Context& context, const StoredVectors& stored,
                                 const VectorIndexOptions& options) try {
  return VectorIndex(std::make_unique<State>(context, stored, options, Impl::StoredAccess::write));
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::of_file");
}

void VectorIndex::save(const std::string& path) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  StoredVectors::save_parts(path, m_state->store.stored(), m_state->store.end_id());
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::save");
}

std::vector<std::byte> VectorIndex::to_bytes() const {
  return Impl::translating_out_of_memory("Kindred::VectorIndex::to_bytes", [&] {
    const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
    return StoredVectors::parts_to_bytes(m_state->store.stored(), m_state->store.end_id());
  });
}

VectorIndex::Parts VectorIndex::parts() const noexcept {
  return {m_state->context, m_state->store, m_state->mutex, m_state->array_searches};
}

std::size_t VectorIndex::size() const noexcept { return m_state->size; }
std::uint64_t VectorIndex::end_id() const noexcept { return m_state->end_id; }
std::uint64_t VectorIndex::changes() const noexcept { return m_state->changes; }
std::size_t VectorIndex::dimension() const noexcept { return m_state->store.dimension(); }
DataType VectorIndex::element() const noexcept { return m_state->store.element(); }

std::vector<std::uint64_t> VectorIndex::ids() const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  std::vector<std::uint64_t> out;
  out.reserve(m_state->store.size());
  for (const auto& segment : m_state->store.segments())
    segment->for_each_live(0, segment->size(),
                           [&](std::size_t row) { out.push_back(segment->id(row)); });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::ids");
}

void VectorIndex::rows(std::span<const std::uint64_t> ids, std::span<float> out) const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  const Impl::VectorStore& store = m_state->store;
  const std::size_t dimension = store.dimension();
  KINDRED_THROW_IF(out.size() % dimension != 0 || out.size() / dimension != ids.size(),
                   "out has " + std::to_string(out.size()) + " elements; " +
                       std::to_string(ids.size()) + " rows have " + std::to_string(dimension) +
                       " elements each");
  for (const std::uint64_t id : ids) {
    if (store.find(id).first == nullptr)
      throw NotFound("no row has the id " + std::to_string(id) + "; ids are below " +
                     std::to_string(store.end_id()));
  }
  const std::size_t bytes = dimension * size_of(store.element());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [segment, row] = store.find(ids[i]);
    const Impl::ResidentRows<HostSpace>& host = segment->host();
    std::span<const float> scale;
    if (host.scales.size() != 0) scale = {host.scales.data() + row, 1};
    decode_rows({store.element(), {host.values.data() + row * bytes, bytes}, dimension, scale},
                out.subspan(i * dimension, dimension));
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::rows");
}

VectorStatistics VectorIndex::statistics() const try {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  return m_state->store.statistics();
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::statistics");
}

std::uint64_t VectorIndex::bytes(Space space) const {
  const auto lock = Impl::cancellable_shared_lock(m_state->mutex);
  const VectorStatistics statistics = m_state->store.statistics();
  if (!m_state->context.is_usable(space)) return 0;
  if (space != Space::cuda) return statistics.host_bytes;
  return m_state->store.on_device() ? statistics.device_bytes : 0;
}

std::uint64_t VectorIndex::add(const VectorSpan& rows) try {
  return m_state->changing("Kindred::VectorIndex::add", [&] { return m_state->store.add(rows); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::add");
}

void VectorIndex::remove(std::span<const std::uint64_t> ids) try {
  m_state->changing("Kindred::VectorIndex::remove", [&] { m_state->store.remove(ids); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::remove");
}

void VectorIndex::replace(std::uint64_t id, const VectorSpan& row) try {
  m_state->changing("Kindred::VectorIndex::replace", [&] { m_state->store.replace(id, row); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::replace");
}

std::uint64_t VectorIndex::upsert(const VectorSpan& rows, std::span<const std::uint64_t> ids,
                                  std::span<const std::size_t> replacements,
                                  std::span<const std::size_t> added) {
  return m_state->changing("Kindred::VectorIndex::upsert",
                           [&] { return m_state->store.upsert(rows, ids, replacements, added); });
}

SearchResults VectorIndex::search(std::span<const float> queries,
                                  const SearchOptions& options) const try {
  State& state = *m_state;
  const auto lock = Impl::engine_shared_lock(state.mutex);
  const Impl::VectorStore& store = state.store;
  const std::size_t count = state.check(queries);
  Impl::require_no_stream(options.stream);
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  const std::size_t top = std::min(options.top, store.size());
  const SearchPath path = state.path_of(options, count);
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(), count);
  SearchResults results;
  results.top = top;
  results.record.operation = Operations::search;
  const std::size_t places = size_product("queries × top", {count, top});
  if (places == 0) return results;
  std::once_flag is_made;
  const auto make_room = [&] {
    std::call_once(is_made, [&] {
      results.ids.resize(places);
      results.scores.resize(places);
    });
  };
  const Workload workload = state.search_workload(
      path, count, queries.size_bytes() + filter.transfer_bytes() + sizeof(Rank) * places);
  const auto answer = [&] {
    results.record = state.run(
        workload, path, options.space, count,
        [&](const auto& search) { return search.block(store, top, filter); },
        [&] { results.report = {}; }, results.report,
        [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
          const Impl::HostWorkers host = state.host_beside(exec_space);
          const std::span<const Rank> best =
              search.search(exec_space, host, store, state.part(queries, begin, length), filter,
                            begin, options.metric, top, results.report);
          make_room();
          constexpr double place_nanoseconds = 2;
          host.for_each_range(
              best.size(), place_nanoseconds, [&](std::size_t first, std::size_t last) {
                for (std::size_t place = first; place < last; ++place) {
                  const Rank rank = best[place];
                  const bool none = rank == rank_none;
                  const std::size_t target = begin * top + place;
                  results.ids[target] = none ? -1 : std::int64_t{rank_index(rank)};
                  results.scores[target] =
                      none ? padding_score(options.metric) : score_of(options.metric, rank);
                }
              });
        });
  };
  // Allocating memory for a large result takes milliseconds, during which a device can already
  // search.
  constexpr std::size_t large = 1U << 18U;
  if (places < large) {
    make_room();
    answer();
  } else {
    Impl::host_workers(state.context, options.space.value_or(Space::openmp))
        .run_beside(answer, make_room);
  }
  state.observe(results.record);
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::search");
}

ScoreResults VectorIndex::search_at_least(std::span<const float> queries, float score,
                                          const SearchOptions& options) const try {
  State& state = *m_state;
  const auto lock = Impl::engine_shared_lock(state.mutex);
  const Impl::VectorStore& store = state.store;
  const std::size_t count = state.check(queries);
  Impl::require_no_stream(options.stream);
  KINDRED_THROW_IF(std::isnan(score), "the score is NaN; no row is at or above it");
  const SearchPath path = state.path_of(options, count);
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(), count);
  ScoreResults results;
  results.record.operation = Operations::search;
  if (count == 0) return results;

  // The largest rank with this score.
  const Rank bound = options.metric == Metric::l2 ? rank_ascending(score, 0xFFFFFFFFU)
                                                  : rank_descending(score, 0xFFFFFFFFU);
  const Workload workload =
      state.search_workload(path, count, queries.size_bytes() + filter.transfer_bytes());
  results.record = state.run(
      workload, path, options.space, count,
      [&](const auto&) { return Impl::block_queries(store, 1, filter); },
      [&] {
        results.report = {};
        results.results = {};
      },
      results.report,
      [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
        for (const auto& ranks :
             search.search_within(exec_space, store, state.part(queries, begin, length), filter,
                                  begin, options.metric, bound, results.report)) {
          for (const Rank rank : ranks) {
            results.results.values.push_back(
                {std::int64_t{rank_index(rank)}, score_of(options.metric, rank)});
          }
          results.results.close_row();
        }
      });
  state.observe(results.record);
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::search_at_least");
}

ScoreResults VectorIndex::score(std::span<const float> queries,
                                RaggedSpan<std::uint64_t> candidates,
                                const SearchOptions& options) const try {
  State& state = *m_state;
  const auto lock = Impl::engine_shared_lock(state.mutex);
  const Impl::VectorStore& store = state.store;
  const std::size_t count = state.check(queries);
  Impl::require_no_stream(options.stream);
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  KINDRED_THROW_IF(candidates.rows() != count,
                   value_message("the number of candidate lists", candidates.rows()) +
                       "; there are " + std::to_string(count) + " queries");
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(), count);
  const Impl::CandidateRows lists(store, candidates, filter);
  ScoreResults results;
  results.record.operation = Operations::score;
  if (count == 0) return results;

  std::size_t longest = 1;
  for (std::size_t query = 0; query < count; ++query)
    longest = std::max(longest, candidates.length(query));
  const std::size_t most = std::min(options.top, longest);
  const std::size_t items = candidates.offsets.back() - candidates.offsets.front();
  Workload workload = state.workload(
      Operations::score, items,
      queries.size_bytes() + sizeof(std::uint32_t) * items + sizeof(Rank) * count * most);
  if (state.streams()) workload.resident = SpaceSet::host();
  std::vector<Rank> best;
  results.record = state.run(
      workload, std::nullopt, options.space, count,
      [&](const auto&) {
        return Impl::block_queries(store, Impl::candidate_ranks(store, longest, most), filter);
      },
      [&] {
        results.report = {};
        results.report.path = "candidates";
        results.results = {};
      },
      results.report,
      [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
        search.score(exec_space, state.host_beside(exec_space), store,
                     state.part(queries, begin, length), lists, begin, options.metric, most, best,
                     results.report);
        for (std::size_t query = 0; query < length; ++query) {
          const std::size_t top = best.size() / length;
          for (std::size_t place = 0; place < top; ++place) {
            const Rank rank = best[query * top + place];
            if (rank == rank_none) break;
            results.results.values.push_back(
                {std::int64_t{rank_index(rank)}, score_of(options.metric, rank)});
          }
          results.results.close_row();
        }
      });
  return results;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score");
}

DispatchRecord VectorIndex::score_all(std::span<const float> queries, std::span<float> out,
                                      const ScoreOptions& options) const try {
  State& state = *m_state;
  const auto lock = Impl::engine_shared_lock(state.mutex);
  const Impl::VectorStore& store = state.store;
  const std::size_t count = state.check(queries);
  Impl::require_no_stream(options.stream);
  const std::size_t size = size_product("queries × rows", {count, store.size()});
  KINDRED_THROW_IF(out.size() != size, value_message("the size of the output", out.size()) +
                                           "; it must be queries × rows, " + std::to_string(size));
  DispatchRecord record;
  record.operation = Operations::search;
  if (size == 0) return record;
  constexpr SearchPath path = SearchPath::brute_force;
  const Impl::IdFilter no_filter({}, {}, store.end_id(), count);
  SearchReport report;
  return state.run(
      state.search_workload(path, count, queries.size_bytes() + out.size_bytes()), path,
      options.space, count, [&](const auto&) { return Impl::block_queries(store, 0, no_filter); },
      [] {}, report,
      [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
        search.score_all(exec_space, store, state.part(queries, begin, length), options.metric,
                         out.data() + begin * store.size());
      });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score_all");
}

}  // namespace Kindred
