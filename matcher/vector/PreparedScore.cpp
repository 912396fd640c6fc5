// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PreparedScore.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/vector/ScoreOfRank.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "CandidateRows.hpp"
#include "IdFilter.hpp"
#include "PreparedCandidates.hpp"
#include "VectorIndexState.hpp"
#include "kit/Placement.hpp"

namespace Kindred {

namespace {
/// Kernels number the candidates of a list with 32 bits.
constexpr std::size_t longest_max = 0xFFFFFFFFU;
}  // namespace

struct KINDRED_HIDDEN PreparedScore::State {
  State(VectorIndex::State& index, const SearchOptions& options_, std::size_t longest_)
      : of(index),
        options(options_),
        longest(longest_),
        filter_bytes(options_.filter.begin(), options_.filter.end()),
        filter_bits(options_.filter_bits.begin(), options_.filter_bits.end()) {
    options.filter = filter_bytes;
    options.filter_bits = filter_bits;
    const auto store = of.rows.get();
    filtered_ids = store->end_id();
    filter.emplace(options.filter, options.filter_bits, filtered_ids, 1);
    constexpr double element_nanoseconds = 0.2;
    space = Impl::host_space_for(of.context,
                                 element_nanoseconds * static_cast<double>(longest * of.dimension));
    if (store->on_device()) space = Space::cuda;
    space = options.space.value_or(space);
    options.space = space;
    results.reserve(std::min(options.top, longest));
  }

  VectorIndex::State& of;
  SearchOptions options;
  std::size_t longest;
  Space space = Space::serial;
  std::vector<std::uint8_t> filter_bytes;
  std::vector<std::uint64_t> filter_bits;
  std::optional<Impl::IdFilter> filter;
  std::uint64_t filtered_ids = 0;  ///< number of ids that the filter covers
  Arch::PerSpace<Impl::PreparedCandidates> prepared;
  std::vector<ScoredId> results;
  ScoreResults general;

  /// Writes the rows in \p segment of those \p candidates that pass the filter, and returns their
  /// number; no value if one of them is not in the segment.
  std::optional<std::size_t> put_rows(const Impl::LiveSegment& segment,
                                      std::span<const std::uint64_t> candidates,
                                      std::uint32_t* rows) const {
    std::size_t count = 0;
    const Impl::RowFinder find(segment);
    for (const std::uint64_t id : candidates) {
      const auto row = find(id);
      if (!row) return {};
      if (filter->passes(0, id)) rows[count++] = static_cast<std::uint32_t>(*row);
    }
    return count;
  }

  /// Returns false if the prepared launches cannot be used; the index must then be called.
  bool score_prepared(const Impl::VectorStore& store, std::span<const float> query,
                      std::span<const std::uint64_t> candidates) {
    const bool is_filtered = !filter_bytes.empty() || !filter_bits.empty();
    KINDRED_THROW_IF(is_filtered && filtered_ids != store.end_id(),
                     "the filter is for " + std::to_string(filtered_ids) +
                         " ids; the index now has " + std::to_string(store.end_id()) +
                         ": prepare the call again");
    const Impl::LiveSegment* const segment =
        candidates.empty() ? nullptr : store.find(candidates.front()).first;
    if (segment == nullptr) return false;
    if (!Impl::reachable(store.residency(), (*segment)->on_device()).contains(space)) return false;
    return Impl::with_instance(of.context, space, [&](const auto& exec_space) {
      using execution_space = std::decay_t<decltype(exec_space)>;
      auto& own = prepared.get<execution_space>();
      const auto rows = (*segment)->template resident<execution_space>().view();
      own.run_on(exec_space);
      if (!own.fits(rows)) return false;
      const std::optional<std::size_t> count = put_rows(*segment, candidates, own.rows());
      if (!count) return false;
      results.clear();
      if (*count == 0) return true;
      for (const Rank rank : own.rank(segment->part(), rows, options.metric, query, *count)) {
        if (rank == rank_none) break;
        const float score = score_of(options.metric, rank);
        results.push_back({std::int64_t{rank_index(rank)}, score});
      }
      return true;
    });
  }
};

PreparedScore::PreparedScore(const VectorIndex& index, std::size_t longest,
                             const SearchOptions& options) try {
  KINDRED_THROW_IF(longest == 0 || longest > longest_max,
                   "the longest list is " + std::to_string(longest) + "; it must be 1 … " +
                       std::to_string(longest_max));
  KINDRED_THROW_IF(options.top == 0, "top is 0; it must be at least 1");
  m_state = std::make_unique<State>(*index.m_state, options, longest);
  VectorIndex::State& of = m_state->of;
  Impl::with_instance(of.context, m_state->space, [&](const auto& exec_space) {
    m_state->prepared.get<std::decay_t<decltype(exec_space)>>().bind(
        exec_space, of.context.memory(m_state->space), of.context.pinned_memory(), of.dimension,
        longest, options.top);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedScore");
}

Space PreparedScore::space() const noexcept { return m_state->space; }

std::span<const ScoredId> PreparedScore::score(std::span<const float> query,
                                               std::span<const std::uint64_t> candidates) try {
  Arch::require_usable_process();
  Impl::CancelPoint().check();
  State& state = *m_state;
  const std::size_t dimension = state.of.dimension;
  KINDRED_THROW_IF(query.size() != dimension, "the query has " + std::to_string(query.size()) +
                                                  " elements; the index has vectors of " +
                                                  std::to_string(dimension));
  KINDRED_THROW_IF(candidates.size() > state.longest,
                   "there are " + std::to_string(candidates.size()) +
                       " candidates; this was prepared for " + std::to_string(state.longest));
  const auto rows = state.of.rows.get();
  if (state.score_prepared(*rows, query, candidates)) return state.results;
  const std::array<std::uint64_t, 2> offsets{0, candidates.size()};
  state.general = state.of.score(rows, query, RaggedSpan<std::uint64_t>{offsets, candidates},
                                 state.options, {});
  return state.general.results.values;
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedScore::score");
}

}  // namespace Kindred
