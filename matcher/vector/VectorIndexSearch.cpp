// SPDX-License-Identifier: Apache-2.0
// The searches of an index: on the host and, of its arrays, on a device.
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "CandidateRows.hpp"
#include "IdFilter.hpp"
#include "VectorIndexState.hpp"
#include "kit/Placement.hpp"

namespace Kindred {

using Impl::value_message;

namespace {

/// The threads that prepare work for \p exec_space: only the calling thread for `serial`.
template <class ExecutionSpace>
Impl::HostWorkers host_beside(const Context& context, const ExecutionSpace& exec_space) {
  if constexpr (std::is_same_v<ExecutionSpace, HostSpace>) {
    return Impl::host_workers(context,
                              Arch::concurrency(exec_space) > 1 ? Space::openmp : Space::serial);
  } else {
    return Impl::host_workers(context, Space::cuda);
  }
}

GivenQueries part_of(const GivenQueries& queries, std::size_t begin, std::size_t length) {
  return {queries.values + begin * queries.stride, length, queries.stride};
}

void require_no_filter(const SearchOptions& options) {
  KINDRED_THROW_IF(
      !options.filter.empty() || !options.filter_bits.empty(),
      "a filter on the host was given for arrays on a device; search without a filter, or give the "
      "arrays on the host");
}
/// Appends the ranks of a query, up to the first padding.
void push_row(ScoreResults& results, Metric metric, std::span<const Rank> ranks) {
  for (const Rank rank : ranks) {
    if (rank == rank_none) break;
    results.results.values.push_back({std::int64_t{rank_index(rank)}, score_of(metric, rank)});
  }
  results.results.close_row();
}

}  // namespace

Workload VectorIndex::State::workload(const Impl::VectorStore& store, const Impl::VectorCall& call,
                                      Operation operation, std::size_t items,
                                      std::size_t transfer_bytes) const {
  Workload workload;
  workload.operation = operation;
  workload.items = items;
  workload.work = static_cast<double>(items) * static_cast<double>(store.dimension());
  if (!call.on_device) {
    workload.transfer_bytes = transfer_bytes;
    workload.history = &history;
    workload.resident =
        store.streams() ? SpaceSet::all() : Impl::reachable(store.residency(), store.on_device());
    return workload;
  }
  KINDRED_THROW_IF(store.residency() == Residency::host,
                   "the arrays lie on a device, and the rows of the index are kept on the host; "
                   "build the index with another residency");
  if (!store.on_device()) {
    throw SpaceUnavailable(
        "the arrays lie on a device, and the rows of the index do not fit there; give arrays on "
        "the host");
  }
  workload.waits = !call.stream;
  workload.resident = SpaceSet::all();
  return workload;
}

Workload VectorIndex::State::search_workload(const Impl::VectorStore& store,
                                             const Impl::VectorCall& call, SearchPath path,
                                             std::size_t transfer_bytes) const {
  const std::size_t queries = call.queries.count;
  const bool streams = store.streams();
  if (!call.on_device && streams)
    transfer_bytes += store.size() * store.dimension() * size_of(store.element());
  Workload out =
      workload(store, call, Impl::operation_of(path), store.size() * queries, transfer_bytes);
  out.work = Impl::search_work(path, store.size(), queries, store.dimension());
  if (path == SearchPath::quantized && streams) out.resident = SpaceSet::host();
  return out;
}

SearchPath VectorIndex::State::path_of(const Impl::VectorStore& store, const Impl::VectorCall& call,
                                       const SearchOptions& options, std::size_t kept) const {
  const auto why_not = [&](SearchPath path) {
    if (!call.on_device) return Impl::why_not(path, store);
    return Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
      using search = Impl::ArraySearch<std::decay_t<decltype(exec_space)>>;
      return search::why_not(path, store.dimension(), kept);
    });
  };
  if (options.path) {
    const std::string why = why_not(*options.path);
    KINDRED_THROW_IF(!why.empty(), "the path " + std::string(to_string(*options.path)) +
                                       " is not available" +
                                       (call.on_device ? " for arrays on a device: " : ": ") + why);
    return *options.path;
  }
  const std::optional<Space> wanted = call.on_device ? Space::cuda : options.space;
  SearchPath best = SearchPath::brute_force;
  double least = std::numeric_limits<double>::infinity();
  std::array<double, space_count> of_brute_force{};
  for (const SearchPath path : Impl::all_search_paths) {
    if (!why_not(path).empty()) continue;
    const Workload one = search_workload(store, call, path);
    const auto predicted = context.dispatcher().predict(one);
    if (path == SearchPath::brute_force) of_brute_force = predicted;
    for (const Space space : all_spaces) {
      double seconds = predicted[space_index(space)];
      if (path == SearchPath::quantized) {
        const double debt = quantization_debt(store, space);
        // Reading fewer bytes should take less time, whatever the priors say of this machine.
        if (debt == 0 && seconds_without_copy.load(std::memory_order_relaxed) > 0 &&
            quantized_tries[space_index(space)].are_left(one.work))
          seconds = std::min(seconds, of_brute_force[space_index(space)] / 2);
        seconds += debt;
      }
      if (wanted.value_or(space) != space || !(seconds < least)) continue;
      least = seconds;
      best = path;
    }
  }
  return best;
}

double VectorIndex::State::quantization_debt(const Impl::VectorStore& store, Space space) const {
  if (!context.is_usable(space)) return 0;
  const double rate = space == Space::cuda     ? 5e10
                      : space == Space::serial ? 1.5e8
                                               : 1.5e8 * context.threads();
  const double missing = static_cast<double>(store.rows_without_copy(space) * dimension);
  return std::max(0.0, missing / rate - seconds_without_copy.load(std::memory_order_relaxed));
}

void VectorIndex::State::observe(const Impl::VectorStore& store, const DispatchRecord& record) {
  if (record.operation == Operations::search_quantized)
    return quantized_tries[space_index(record.chosen)].count(record.work);
  // Beyond this, the copy has been paid for on every space.
  const double enough = static_cast<double>(store.size() * dimension) / 1.5e8;
  if (!(seconds_without_copy.load(std::memory_order_relaxed) > enough))
    seconds_without_copy.fetch_add(record.taken, std::memory_order_relaxed);
}

template <class Block, class Start, class Body>
DispatchRecord VectorIndex::State::run(const Impl::VectorCall& call, const Workload& workload,
                                       std::optional<SearchPath> path, const Block& block,
                                       const Start& start, SearchReport& report, const Body& body) {
  const char* const label = "Kindred::VectorIndex::clear";
  return context.run(workload, call.space, [&](Space space) {
    const int threads = Impl::threads_of(context, space);
    MemoryResource& memory = context.memory(space);
    Impl::with_instance(
        context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          using search_type = Impl::ExactSearch<ExecutionSpace>;
          auto& cache = searches.of<ExecutionSpace>(threads);
          const auto make = [&] {
            return std::make_unique<search_type>(memory, context.pinned_memory());
          };
          cache.lend(make, exec_space, label, 0, [&](search_type& own) {
            start();
            own.begin(path);
            // Blocks of equal size, as few as possible.
            const std::size_t count = call.queries.count;
            const std::size_t most = std::max<std::size_t>(1, block(own));
            std::size_t batch =
                quotient_up(count, std::max<std::size_t>(1, quotient_up(count, most)));
            // Once: other threads may leave workspaces again and again.
            bool may_release = true;
            for (std::size_t begin = 0; begin < count;) {
              Impl::CancelPoint().check();
              const std::size_t length = std::min(batch, count - begin);
              const SearchReport before = report;
              try {
                body(exec_space, own, begin, length);
                begin += length;
              } catch (const OutOfMemory&) {
                report = before;
                Arch::fence(exec_space, label);
                own.clear();
                if ((std::exchange(may_release, false) && cache.release()) || own.fall_back())
                  continue;
                if (length == 1 && !own.shrink()) throw;
                batch = quotient_up(length, std::size_t{2});
              }
            }
          });
        });
  });
}

template <class Body>
DispatchRecord VectorIndex::State::queue(const Impl::VectorCall& call, const Workload& workload,
                                         const Body& body) {
  return context.run(workload, Space::cuda, [&](Space chosen) {
    Impl::with_instance_on(
        context, chosen, call.stream, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          if constexpr (Arch::is_device<ExecutionSpace>) {
            using search_type = Impl::ArraySearch<ExecutionSpace>;
            array_searches.of<ExecutionSpace>(1).lend(
                [&] { return std::make_unique<search_type>(context.memory(Space::cuda)); },
                exec_space, "Kindred::VectorIndex::arrays", 0,
                [&](search_type& search) {
                  body(exec_space, search);
                  if (call.stream) return;
                  Arch::fence(exec_space, "Kindred::VectorIndex::arrays");
                  search.wait();  // which releases the rows
                });
          }
        });
  });
}

SearchResults VectorIndex::State::search(const Rows& of, const ConstArray& queries,
                                         const SearchOptions& options, const SearchOutput& out) {
  const Impl::VectorStore& store = *of;
  const Impl::VectorCall call(context, dimension, {{"queries", queries}}, out, options.space,
                              options.stream);
  RankedOutput to = call.ranked(out, options.top);
  const std::size_t count = call.queries.count;
  const std::size_t kept = std::min<std::size_t>(to.top, store.size());
  if (!call.has_output) to.top = kept;
  SearchResults results;
  results.top = to.top;
  if (call.on_device) {
    require_no_filter(options);
    if (!call.has_output) call.require_output_on_host();
    const SearchPath path = path_of(store, call, options, kept);
    results.report.path = to_string(path);
    results.record.operation = Impl::operation_of(path);
    if (count == 0) return results;
    results.record =
        queue(call, search_workload(store, call, path), [&](const auto& exec_space, auto& calls) {
          calls.search(exec_space, of, call.queries, options.metric, path, kept, to);
        });
    return results;
  }
  const SearchPath path = path_of(store, call, options, kept);
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(), count);
  results.record.operation = Operations::search;
  const std::size_t places = size_product("queries × top", {count, to.top});
  if (kept == 0) {
    for (std::size_t place = 0; place < places; ++place)
      to.write(options.metric, place / to.top, place % to.top, rank_none);
    return results;
  }
  if (count == 0) return results;
  // Allocating memory for a large result takes milliseconds, during which a device can already
  // search. A small one is made first: `call_once` wakes threads by a system call.
  constexpr std::size_t large = 1U << 18U;
  const bool makes_beside = places >= large && !call.has_output;
  const auto make_results = [&] {
    results.ids.resize(places);
    results.scores.resize(places);
    to = {results.scores.data(), kept, results.ids.data(), kept, kept};
  };
  std::once_flag is_made;
  const auto make_room = [&] {
    if (makes_beside) std::call_once(is_made, make_results);
  };
  const Workload workload = search_workload(
      store, call, path, call.bytes + filter.transfer_bytes() + sizeof(Rank) * count * kept);
  const auto block = [&](const auto& search) { return search.block(store, kept, filter); };
  const auto start = [&] { results.report = {}; };
  const auto rank = [&](const auto& exec_space, auto& search, std::size_t begin,
                        std::size_t length) {
    const Impl::HostWorkers host = host_beside(context, exec_space);
    const std::span<const Rank> best =
        search.search(exec_space, host, store, part_of(call.queries, begin, length), filter, begin,
                      options.metric, kept, results.report);
    make_room();
    constexpr double place_nanoseconds = 2;
    host.for_each_range(length * to.top, place_nanoseconds,
                        [&](std::size_t first, std::size_t last) {
                          std::size_t query = first / to.top;
                          std::size_t place = first % to.top;
                          for (std::size_t i = first; i < last; ++i) {
                            to.write(options.metric, begin + query, place,
                                     place < kept ? best[query * kept + place] : rank_none);
                            if (++place < to.top) continue;
                            place = 0;
                            ++query;
                          }
                        });
  };
  if (makes_beside) {
    Impl::host_workers(context, options.space.value_or(Space::openmp))
        .run_beside(
            [&] { results.record = run(call, workload, path, block, start, results.report, rank); },
            make_room);
  } else {
    if (!call.has_output) make_results();
    results.record = run(call, workload, path, block, start, results.report, rank);
  }
  observe(store, results.record);
  return results;
}

ScoreResults VectorIndex::State::search_at_least(const Rows& of, const ConstArray& queries,
                                                 float score, const SearchOptions& options) {
  const Impl::VectorStore& store = *of;
  Impl::require_host({"queries", queries});
  const Impl::VectorCall call(context, dimension, {{"queries", queries}}, SearchOutput(),
                              options.space, options.stream);
  KINDRED_THROW_IF(std::isnan(score), "the score is NaN; no row is at or above it");
  const SearchPath path = path_of(store, call, options, 1);
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(),
                              call.queries.count);
  ScoreResults results;
  results.record.operation = Operations::search;
  if (call.queries.count == 0) return results;
  // The largest rank with this score.
  const Rank bound = options.metric == Metric::l2 ? rank_ascending(score, 0xFFFFFFFFU)
                                                  : rank_descending(score, 0xFFFFFFFFU);
  results.record = run(
      call, search_workload(store, call, path, call.bytes + filter.transfer_bytes()), path,
      [&](const auto&) { return Impl::block_queries(store, 1, filter); },
      [&] {
        results.report = {};
        results.results = {};
      },
      results.report,
      [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
        for (const auto& ranks :
             search.search_within(exec_space, store, part_of(call.queries, begin, length), filter,
                                  begin, options.metric, bound, results.report))
          push_row(results, options.metric, ranks);
      });
  observe(store, results.record);
  return results;
}

ScoreResults VectorIndex::State::score(const Rows& of, const ConstArray& queries,
                                       const CandidateLists& candidates,
                                       const SearchOptions& options, const SearchOutput& out) {
  const Impl::VectorStore& store = *of;
  const Impl::NamedArray array{"candidates", candidates.array.value_or(ConstArray())};
  const Impl::VectorCall call(context, dimension, {{"queries", queries}, array}, out, options.space,
                              options.stream);
  const std::size_t count = call.queries.count;
  const Impl::IdSpans lists(call, candidates);
  const RankedOutput to = call.ranked(out, options.top);
  ScoreResults results;
  results.record.operation = Operations::score;
  if (call.on_device) {
    require_no_filter(options);
    if (!call.has_output) call.require_output_on_host();
    const IdLists given = lists.array();
    if (count == 0) return results;
    results.record = queue(call, workload(store, call, Operations::score, lists.size(), 0),
                           [&](const auto& exec_space, auto& calls) {
                             const std::string why_not = calls.why_not(
                                 exec_space, store, given.queries, given.length, to.top);
                             KINDRED_THROW_IF(!why_not.empty(), why_not);
                             calls.score(exec_space, of, call.queries, given, options.metric, to);
                           });
    return results;
  }
  const Impl::IdFilter filter(options.filter, options.filter_bits, store.end_id(), count);
  const Impl::CandidateRows rows(store, lists, filter);
  if (count == 0) return results;
  std::size_t longest = 1;
  for (std::size_t query = 0; query < count; ++query)
    longest = std::max(longest, lists[query].size());
  const std::size_t most = std::min<std::size_t>(to.top, longest);
  Workload workload = this->workload(
      store, call, Operations::score, lists.size(),
      call.bytes + sizeof(std::uint32_t) * lists.size() + sizeof(Rank) * count * most);
  if (store.streams()) workload.resident = SpaceSet::host();
  std::vector<Rank> best;
  results.record = run(
      call, workload, std::nullopt,
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
        search.score(exec_space, host_beside(context, exec_space), store,
                     part_of(call.queries, begin, length), rows, begin, options.metric, most, best,
                     results.report);
        const std::size_t kept = best.size() / length;
        for (std::size_t query = 0; query < length; ++query) {
          const auto ranks = std::span<const Rank>(best).subspan(query * kept, kept);
          if (!call.has_output) {
            push_row(results, options.metric, ranks);
            continue;
          }
          for (std::size_t place = 0; place < to.top; ++place)
            to.write(options.metric, begin + query, place, place < kept ? ranks[place] : rank_none);
        }
      });
  return results;
}

DispatchRecord VectorIndex::State::score_all(const Rows& of, const ConstArray& queries,
                                             const Array& out, const ScoreOptions& options) {
  const Impl::VectorStore& store = *of;
  const Impl::VectorCall call(context, dimension, {{"queries", queries}}, out, options.space,
                              options.stream);
  const Impl::VectorCall::Matrix to = call.matrix(out, store.size());
  DispatchRecord record;
  record.operation = Operations::search;
  if (call.queries.count == 0 || store.size() == 0) return record;
  constexpr SearchPath path = SearchPath::brute_force;
  const std::size_t bytes = call.bytes + call.queries.count * store.size() * sizeof(float);
  const Workload workload = search_workload(store, call, path, bytes);
  if (call.on_device) {
    return queue(call, workload, [&](const auto& exec_space, auto& calls) {
      calls.score_all(exec_space, of, call.queries, options.metric, to.values, to.stride);
    });
  }
  const Impl::IdFilter no_filter({}, {}, store.end_id(), call.queries.count);
  SearchReport report;
  return run(
      call, workload, path, [&](const auto&) { return Impl::block_queries(store, 0, no_filter); },
      [] {}, report,
      [&](const auto& exec_space, auto& search, std::size_t begin, std::size_t length) {
        search.score_all(exec_space, store, part_of(call.queries, begin, length), options.metric,
                         to.values + begin * to.stride, to.stride);
      });
}

SearchResults VectorIndex::search(const ConstArray& queries, const SearchOptions& options,
                                  const SearchOutput& out) const try {
  return m_state->search(m_state->rows.get(), queries, options, out);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::search");
}

ScoreResults VectorIndex::search_at_least(const ConstArray& queries, float score,
                                          const SearchOptions& options) const try {
  return m_state->search_at_least(m_state->rows.get(), queries, score, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::search_at_least");
}

ScoreResults VectorIndex::score(const ConstArray& queries, const CandidateLists& candidates,
                                const SearchOptions& options, const SearchOutput& out) const try {
  return m_state->score(m_state->rows.get(), queries, candidates, options, out);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score");
}

DispatchRecord VectorIndex::score_all(const ConstArray& queries, const Array& out,
                                      const ScoreOptions& options) const try {
  return m_state->score_all(m_state->rows.get(), queries, out, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::score_all");
}

}  // namespace Kindred
