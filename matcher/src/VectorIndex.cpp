// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorIndex.hpp>

#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/memory/SplitAndRetry.hpp>

#include <array>
#include <limits>

#include "VectorSearch.hpp"

namespace Kindred {

namespace {

constexpr std::size_t index_limit = no_candidate;   // an index is 32 bits of a rank
constexpr std::size_t batch_bytes = 256ULL << 20U;  // of ranks and queries of one batch
constexpr std::size_t row_chunk_max = batch_bytes / sizeof(Rank);
constexpr std::size_t row_chunk_min = 4096;

Space host_space(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

float padding_score(Metric metric) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return metric == Metric::l2 ? infinity : -infinity;
}

float score_of(Metric metric, Rank rank) {
  return metric == Metric::l2 ? score_ascending(rank) : score_descending(rank);
}

std::string quantity(const char* name, std::size_t value) {
  return std::string(name) + " is " + std::to_string(value);
}

}  // namespace

struct VectorIndex::State {
  State(Context& owner, std::size_t row_count, std::size_t row_dimension)
      : context(owner), size(row_count), dimension(row_dimension) {}

  /// Copies the rows to where \p space computes.
  void make_resident(Space space, std::span<const float> rows) {
    Impl::with_instance(context, space, [&](const auto& exec_space) {
      using execution_space = std::decay_t<decltype(exec_space)>;
      resident.get<execution_space>() =
          Impl::ResidentRows<execution_space>(exec_space, context.memory(space), rows, dimension);
    });
  }

  template <class ExecutionSpace>
  Impl::VectorWorkspace<ExecutionSpace>& workspace(Space space) {
    return workspaces[static_cast<std::size_t>(space)].template get<ExecutionSpace>();
  }

  /// Waits for what uses the workspace of \p space and gives it back.
  template <class ExecutionSpace>
  void clear(const ExecutionSpace& exec_space, Space space) {
    exec_space.fence("Kindred::VectorIndex::clear");
    workspace<ExecutionSpace>(space).clear(context.memory(space));
  }

  void check(std::span<const float> queries, const SearchOptions& options) const {
    KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
    KINDRED_THROW_IF(queries.size() % dimension != 0,
                     quantity("the size of the queries", queries.size()) +
                         "; it must be a multiple of the dimension, " + std::to_string(dimension));
    KINDRED_THROW_IF(!options.filter.empty() && options.filter.size() != size,
                     quantity("the size of the filter", options.filter.size()) +
                         "; it must be a byte a row, " + std::to_string(size));
  }

  Context& context;
  std::size_t size;
  std::size_t dimension;
  bool on_device = false;
  Arch::PerSpace<Impl::ResidentRows> resident;
  std::array<Arch::PerSpace<Impl::VectorWorkspace>, space_count> workspaces;
};

VectorIndex::VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
                         Residency residency) {
  KINDRED_THROW_IF(dimension == 0, "the dimension is 0; it must be at least 1");
  KINDRED_THROW_IF(rows.size() % dimension != 0, quantity("the size of the rows", rows.size()) +
                                                     "; it must be a multiple of the dimension, " +
                                                     std::to_string(dimension));
  KINDRED_THROW_IF(rows.size() / dimension >= index_limit,
                   quantity("the number of rows", rows.size() / dimension) + "; it must be below " +
                       std::to_string(index_limit));
  if (residency == Residency::both && !context.is_usable(Space::cuda)) {
    throw SpaceUnavailable("residency both needs space cuda, which cannot be used: " +
                           context.info(Space::cuda).why_not);
  }
  m_state = std::make_unique<State>(context, rows.size() / dimension, dimension);
  m_state->make_resident(host_space(context), rows);
  if (residency != Residency::host && context.is_usable(Space::cuda)) {
    try {
      m_state->make_resident(Space::cuda, rows);
      m_state->on_device = true;
    } catch (const OutOfMemory& error) {
      if (residency == Residency::both) throw;
      context.log(LogLevel::info, std::string("the index stays on the host: ") + error.what());
    }
  }
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    Impl::with_instance(context, space, [&](const auto& exec_space) {
      m_state->workspace<std::decay_t<decltype(exec_space)>>(space).bind(context.memory(space));
    });
  }
}

VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

std::size_t VectorIndex::size() const noexcept { return m_state->size; }
std::size_t VectorIndex::dimension() const noexcept { return m_state->dimension; }

std::uint64_t VectorIndex::bytes(Space space) const noexcept {
  if (space == Space::cuda && !m_state->on_device) return 0;
  if (!m_state->context.is_usable(space)) return 0;
  return Impl::with_instance(m_state->context, space, [&](const auto& exec_space) {
    return m_state->resident.get<std::decay_t<decltype(exec_space)>>().bytes();
  });
}

SearchResults VectorIndex::search(std::span<const float> queries,
                                  const SearchOptions& options) const {
  State& state = *m_state;
  state.check(queries, options);
  KINDRED_THROW_IF(options.top > state.size, quantity("top", options.top) + "; the index has " +
                                                 std::to_string(state.size) + " rows");
  const std::size_t count = queries.size() / state.dimension;
  SearchResults results;
  results.top = options.top;
  results.record.operation = Operation::search;
  if (count == 0) return results;
  results.ids.resize(count * options.top);
  results.scores.resize(count * options.top);

  const auto run = [&](const auto& exec_space, Space space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    auto& workspace = state.workspace<execution_space>(space);
    const std::lock_guard lock(workspace.mutex);
    const auto rows = state.resident.get<execution_space>().view();
    Impl::upload_filter(exec_space, workspace, options.filter);
    const std::size_t query_bytes =
        sizeof(Rank) * (std::min(state.size, row_chunk_max) + options.top) +
        (sizeof(double) + sizeof(float)) * state.dimension;
    const std::size_t batch = std::max<std::size_t>(1, batch_bytes / query_bytes);
    split_and_retry(count, batch, [&](std::size_t begin, std::size_t length) {
      const auto part = queries.subspan(begin * state.dimension, length * state.dimension);
      for (std::size_t chunk = std::min(state.size, row_chunk_max);; chunk = (chunk + 1) / 2) {
        try {
          Impl::search_batch(exec_space, workspace, rows, part, options.metric, options.top, chunk);
          break;
        } catch (const OutOfMemory&) {
          state.clear(exec_space, space);
          if (length > 1 || chunk <= row_chunk_min) throw;
        }
      }
      for (std::size_t place = 0; place < length * options.top; ++place) {
        const Rank rank = workspace.host_top[place];
        const std::size_t target = begin * options.top + place;
        results.ids[target] = rank == rank_none ? -1 : std::int64_t{rank_index(rank)};
        results.scores[target] =
            rank == rank_none ? padding_score(options.metric) : score_of(options.metric, rank);
      }
    });
  };
  Workload workload;
  workload.operation = Operation::search;
  workload.items = state.size * count;
  workload.work = static_cast<double>(workload.items) * static_cast<double>(state.dimension);
  workload.transfer_bytes =
      queries.size_bytes() + options.filter.size() + sizeof(Rank) * results.ids.size();
  workload.resident = state.on_device ? SpaceSet::all() : SpaceSet::host();
  results.record = state.context.run(workload, options.space, [&](Space space) {
    Impl::with_instance(state.context, space,
                        [&](const auto& exec_space) { run(exec_space, space); });
  });
  return results;
}

ScoreResults VectorIndex::score(std::span<const float> queries,
                                RaggedSpan<std::uint64_t> candidates,
                                const SearchOptions& options) const {
  State& state = *m_state;
  state.check(queries, options);
  const std::size_t count = queries.size() / state.dimension;
  KINDRED_THROW_IF(candidates.rows() != count,
                   quantity("the number of candidate lists", candidates.rows()) + "; there are " +
                       std::to_string(count) + " queries");
  for (std::size_t query = 0; query < count; ++query) {
    const std::uint64_t begin = candidates.offsets[query];
    const std::uint64_t end = candidates.offsets[query + 1];
    KINDRED_THROW_IF(end < begin || end > candidates.values.size(),
                     "candidate list " + std::to_string(query) + " goes from " +
                         std::to_string(begin) + " to " + std::to_string(end) + "; there are " +
                         std::to_string(candidates.values.size()) + " candidates");
    const auto list = candidates[query];
    const auto bad =
        std::find_if(list.begin(), list.end(), [&](std::uint64_t id) { return id >= state.size; });
    KINDRED_THROW_IF(bad != list.end(), "candidate " + std::to_string(bad - list.begin()) +
                                            " of query " + std::to_string(query) + " is " +
                                            std::to_string(*bad) + "; the index has " +
                                            std::to_string(state.size) + " rows");
  }
  ScoreResults results;
  results.record.operation = Operation::score;
  if (count == 0) return results;

  const auto run = [&](const auto& exec_space, Space space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    auto& workspace = state.workspace<execution_space>(space);
    const std::lock_guard lock(workspace.mutex);
    const auto rows = state.resident.get<execution_space>().view();
    const HostSpace& host = Impl::host_instance(
        state.context, space == Space::serial ? space : host_space(state.context));
    results.results = {};
    std::size_t longest = 1;
    for (std::size_t query = 0; query < count; ++query)
      longest = std::max(longest, candidates.length(query));
    const std::size_t batch = std::max<std::size_t>(
        1, batch_bytes /
               (longest * 3 * sizeof(Rank) + (sizeof(double) + sizeof(float)) * state.dimension));
    Impl::CandidateUnits units;
    split_and_retry(count, batch, [&](std::size_t begin, std::size_t length) {
      const auto part = queries.subspan(begin * state.dimension, length * state.dimension);
      units.assign(host, {candidates.offsets.subspan(begin, length + 1), candidates.values},
                   options.filter, static_cast<std::size_t>(candidate_unit<execution_space>()));
      const std::size_t top = std::min(options.top, units.longest);
      try {
        Impl::score_batch(exec_space, workspace, rows, part, units, options.metric, top);
      } catch (const OutOfMemory&) {
        state.clear(exec_space, space);
        throw;
      }
      for (std::size_t query = 0; query < length; ++query) {
        for (std::size_t place = 0; place < top; ++place) {
          const Rank rank = workspace.host_top[query * top + place];
          if (rank == rank_none) break;
          results.results.values.push_back(
              {std::int64_t{rank_index(rank)}, score_of(options.metric, rank)});
        }
        results.results.close_row();
      }
    });
  };
  Workload workload;
  workload.operation = Operation::score;
  workload.items = candidates.offsets.back() - candidates.offsets.front();
  workload.work = static_cast<double>(workload.items) * static_cast<double>(state.dimension);
  workload.transfer_bytes = queries.size_bytes() + sizeof(std::uint32_t) * workload.items +
                            sizeof(Rank) * count * options.top;
  workload.resident = state.on_device ? SpaceSet::all() : SpaceSet::host();
  results.record = state.context.run(workload, options.space, [&](Space space) {
    Impl::with_instance(state.context, space,
                        [&](const auto& exec_space) { run(exec_space, space); });
  });
  return results;
}

}  // namespace Kindred
