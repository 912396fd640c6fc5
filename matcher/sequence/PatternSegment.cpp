// SPDX-License-Identifier: Apache-2.0
#include "PatternSegment.hpp"

#include "MatchScan.hpp"
#include "MeasureOperations.hpp"
#include "ValueScan.hpp"
#include "kit/Placement.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/memory/WorkspaceCache.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

namespace Kindred::Impl {

/// \brief The patterns in one space, and the workspaces of the calls there.
///
/// Each call uses its own workspace, and on a device its own stream, so that calls overlap; there,
/// calls beyond four wait.
template <class ExecutionSpace>
struct PatternSegment::InSpace {
  using workspace_type = ScanWorkspace<ExecutionSpace>;

  InSpace(MemoryResource& resource, std::shared_ptr<const TileBuffers<ExecutionSpace>> placed,
          int workers)
      : memory(resource), tiles(std::move(placed)), threads(workers) {}

  /// The slots of \p postings, if there are any, in the memory of the space.
  typename MatchScan<ExecutionSpace>::postings_view slots_of(const PostingsIndex* postings,
                                                             const ExecutionSpace& exec_space) {
    if (postings == nullptr) return {};
    const auto& slots = postings->slots();
    if constexpr (workspace_type::is_host) {
      return slots.const_view();
    } else {
      const auto copy = [&] {
        Buffer<std::uint32_t, typename ExecutionSpace::memory_space> copied(
            memory, "Kindred::SequenceMatcher::postings", slots.size());
        upload(exec_space, copied.view(), slots.data(), slots.size());
        return copied;
      };
      return posted.get(copy).const_view();
    }
  }
  /// Makes a workspace; on a device, one of them uses the stream of the context.
  auto maker(const ExecutionSpace& exec_space) {
    return [this, &exec_space] {
      StreamUse own(is_stream_used.exchange(true) ? nullptr : &is_stream_used);
      return std::make_unique<workspace_type>(own ? exec_space : instance_beside(exec_space),
                                              memory, tiles, threads, std::move(own));
    };
  }

  MemoryResource& memory;
  std::shared_ptr<const TileBuffers<ExecutionSpace>> tiles;
  int threads;  ///< host threads of any call; 0 on a device
  MadeOnce<Buffer<std::uint32_t, typename ExecutionSpace::memory_space>> posted;  ///< on a device
  std::atomic<bool> is_stream_used{false};  ///< whether a workspace uses that of the context
  WorkspaceCache<workspace_type> workspaces{workspace_type::is_host ? 0U : 4U};
};

PatternSegment::PatternSegment(Context& context, RaggedSpan<Symbol> patterns, Residency residency)
    : m_context(&context), m_store(context, patterns) {
  place(residency);
}

PatternSegment::PatternSegment(Context& context, const StoredTiles& stored, Residency residency)
    : m_context(&context), m_store(stored) {
  place(residency);
}

void PatternSegment::place(Residency residency) {
  Context& context = *m_context;
  const std::shared_ptr<const TileBuffers<HostSpace>> tiles(
      std::shared_ptr<void>(), &m_store.tiles);  // the store outlives the scans
  for (const Space space : {Space::serial, Space::openmp}) {
    if (context.is_usable(space)) add_space(space, tiles);
  }
  place_on_device(context, residency, "patterns", [&] {
    with_instance(context, Space::cuda, [&](const auto& exec_space) {
      using space_type = std::decay_t<decltype(exec_space)>;
      add_space(Space::cuda, std::make_shared<const TileBuffers<space_type>>(copy_tiles(
                                 exec_space, context.memory(Space::cuda), m_store.tiles)));
    });
    m_resident = m_resident & reachable(residency, true);
  });
}

template <class ExecutionSpace>
void PatternSegment::add_space(Space space,
                               std::shared_ptr<const TileBuffers<ExecutionSpace>> tiles) {
  const int threads = Arch::is_device<ExecutionSpace> ? 0 : threads_of(*m_context, space);
  m_spaces[space_index(space)] = std::make_shared<InSpace<ExecutionSpace>>(
      m_context->memory(space), std::move(tiles), threads);
  m_resident = m_resident.with(space);
}

std::uint64_t PatternSegment::bytes(Space space) const {
  if (m_spaces[space_index(space)] == nullptr) return 0;
  if (space != Space::cuda) {
    const PostingsIndex* const made = m_postings.get();
    return m_store.tiles.bytes() + (made != nullptr ? made->slots().bytes() : 0);
  }
  return with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace&) {
    const auto& here = in_space<ExecutionSpace>(space);
    return here.tiles->bytes() + (here.posted.get() != nullptr ? here.posted.get()->bytes() : 0);
  });
}

void PatternSegment::add_to(Workload& workload, RaggedSpan<Symbol> queries,
                            const MatchOptions& options) const {
  std::uint64_t requested = 0;
  double steps = 0;  // of the patterns whose lengths can reach the threshold
  double pairs = 0;
  for (std::size_t row = 0; row < queries.rows(); ++row) {
    const std::uint64_t length = queries.length(row);
    if (length == 0) continue;
    ++requested;
    const LengthBound bound = lengths_reaching(options, length);
    const TileRange tiles = m_store.tiles_of(bound);
    const std::uint64_t symbols =
        std::min(tile_patterns * m_store.rows_in(tiles, bound.most), m_store.symbol_count);
    steps += static_cast<double>(symbols) * static_cast<double>(quotient_up(length, word_symbols));
    pairs += static_cast<double>(m_store.patterns_in(tiles));
  }
  // difflib: with a threshold, a scan for the bounds leaves few patterns. With threshold 0, the
  // runs of every pattern are computed, which takes as long as 35 scans, unless there are enough
  // patterns to find a bound from some of them.
  const ProbeSampling probe(size(), std::min<std::uint64_t>(options.top, size()), 1024);
  const bool all = options.measure == Measure::difflib && options.threshold == 0.0;
  const double passes = !all ? 1 : probe.pays ? 4.5 : 35;
  workload.items += size() * queries.rows();
  workload.work += info_of(options.measure).comparison == Comparison::ends ? pairs : steps * passes;
  // Consecutive launches: a scan of all queries; with difflib also, for every query, collecting,
  // matching, listing and ranking the survivors.
  constexpr double scan_starts = 4;
  constexpr double query_starts = 6;
  workload.starts += scan_starts;
  if (options.measure == Measure::difflib)
    workload.starts += query_starts * static_cast<double>(requested) * (all && probe.pays ? 2 : 1);
  workload.transfer_bytes +=
      queries.values.size() * sizeof(Symbol) +
      requested * std::min<std::uint64_t>(options.top, size()) * sizeof(Rank);
}

DenseQueries PatternSegment::own(std::size_t first, std::size_t count) const {
  DenseQueries queries;
  for (std::size_t index = first; index < first + count; ++index) {
    queries.rows.push_row(pattern(index));
    queries.index_limits.push_back(static_cast<std::uint32_t>(index));
  }
  return queries;
}

void PatternSegment::Matching::operator()(Space space) const {
  const RaggedSpan<Symbol> dense = queries.rows;
  answers.assign(dense.rows(), {});
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; segment.size() > 0 && row < dense.rows(); ++row) {
    if (dense.length(row) > 0) rows.push_back(row);
  }
  if (rows.empty()) return;
  const PostingsIndex* const postings = segment.postings(space, dense, options);
  const ScanCall call{segment.m_store, dense, rows, options, queries.index_limits, postings};
  with_instance(
      *segment.m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        auto& here = segment.in_space<ExecutionSpace>(space);
        const auto posted = here.slots_of(postings, exec_space);
        here.workspaces.lend(here.maker(exec_space), ScanWorkspace<ExecutionSpace>::instance_of,
                             "Kindred::SequenceMatcher::failed", 0,
                             [&](ScanWorkspace<ExecutionSpace>& workspace) {
                               workspace.begin(exec_space);
                               MatchScan<ExecutionSpace> scan(workspace, call, posted, answers);
                               for (const auto& group : scan.groups()) scan.match(options, group);
                             });
      });
}

void PatternSegment::write_values(Space space, const DenseQueries& queries,
                                  const MatchOptions& options, const PairRule& rule,
                                  const ValueTarget& target) const {
  if (size() == 0) return;
  std::vector<std::size_t> rows(queries.rows.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const ScanCall call{m_store, queries.rows, rows, options, {}};
  with_instance(*m_context, space, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
    auto& here = in_space<ExecutionSpace>(space);
    here.workspaces.lend(here.maker(exec_space), ScanWorkspace<ExecutionSpace>::instance_of,
                         "Kindred::SequenceMatcher::failed", 0,
                         [&](ScanWorkspace<ExecutionSpace>& workspace) {
                           workspace.begin(exec_space);
                           ValueScan<ExecutionSpace>(workspace, call, rule, target).run();
                         });
  });
}

const PostingsIndex* PatternSegment::postings(Space space, RaggedSpan<Symbol> queries,
                                              const MatchOptions& options) const {
  // Building the postings takes about as long as this number of scans.
  constexpr double scans = 64;
  constexpr std::uint32_t vocabulary_least = 1024;
  if (options.postings == PostingsUse::never || options.threshold == 0.0 ||
      !info_of(options.measure).has_blocks())
    return nullptr;
  const bool is_required = options.postings == PostingsUse::always;
  if (!is_required && (space == Space::cuda || m_store.symbols.size() < vocabulary_least))
    return nullptr;
  if (const PostingsIndex* const made = m_postings.get()) return made;
  const auto make = [&] { return PostingsIndex(m_context->memory(Space::serial), m_store.tiles); };
  if (is_required) return &m_postings.get(make);
  const double steps = static_cast<double>(queries.values.size()) / word_symbols;
  if (m_scanned.fetch_add(steps) + steps < scans) return nullptr;
  try {
    return m_postings.try_get(make);  // calls that arrive while the postings are built scan instead
  } catch (const OutOfMemory& error) {
    m_scanned = -std::numeric_limits<double>::infinity();
    m_context->log(LogLevel::warning,
                   std::string("the postings index is not built: ") + error.what());
    return nullptr;
  }
}

Ragged<Symbol> PatternSegment::patterns() const {
  const std::vector<Symbol> by_dense = m_store.symbols.by_dense();
  Ragged<Symbol> all = own(0, size()).rows;
  for (Symbol& symbol : all.values) symbol = by_dense[symbol];
  return all;
}

std::vector<Block> PatternSegment::blocks(std::uint64_t index, std::span<const Symbol> query,
                                          const MatchOptions& options) const {
  std::vector<Symbol> dense(query.begin(), query.end());
  for (Symbol& symbol : dense) symbol = m_store.symbols[symbol];
  return Kindred::blocks(options.measure, pattern(index), dense, options.autojunk);
}

std::vector<Block> PatternSegment::own_blocks(std::uint64_t index, std::uint64_t query,
                                              const MatchOptions& options) const {
  return Kindred::blocks(options.measure, pattern(index), pattern(query), options.autojunk);
}

}  // namespace Kindred::Impl
