// SPDX-License-Identifier: Apache-2.0
#include "PatternSegment.hpp"

#include "MeasureOperations.hpp"
#include "SequenceScan.hpp"

#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

namespace Kindred::Impl {

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
    if (context.is_usable(space)) add_scan(space, tiles);
  }
  const bool required = needs_device(residency) ||
                        (residency == Residency::automatic && context.is_usable(Space::cuda));
  if (!required) return;
  try {
    with_instance(context, Space::cuda, [&](const auto& exec_space) {
      using space_type = std::decay_t<decltype(exec_space)>;
      add_scan(Space::cuda, std::make_shared<const TileBuffers<space_type>>(copy_tiles(
                                exec_space, context.memory(Space::cuda), m_store.tiles)));
    });
    m_resident = m_resident & reachable(residency, true);
  } catch (const OutOfMemory& error) {
    if (needs_device(residency)) throw;
    context.log(LogLevel::warning, std::string("patterns stay on the host: ") + error.what());
  }
}

template <class ExecutionSpace>
void PatternSegment::add_scan(Space space,
                              std::shared_ptr<const TileBuffers<ExecutionSpace>> tiles) {
  const int workers = space == Space::serial   ? 1
                      : space == Space::openmp ? m_context->threads()
                                               : 0;
  auto scan = std::make_shared<SequenceScan<ExecutionSpace>>(m_context->memory(space),
                                                             std::move(tiles), workers);
  m_bytes[space_index(space)] = scan->tiles().bytes();
  m_scans[space_index(space)] = std::move(scan);
  m_resident = m_resident.with(space);
}

std::uint64_t PatternSegment::bytes(Space space) const {
  std::uint64_t bytes = m_bytes[space_index(space)];
  if (bytes == 0) return 0;
  if (space == Space::cuda) {
    with_instance(*m_context, space, [&](const auto& exec_space) {
      bytes += scan<std::decay_t<decltype(exec_space)>>(space).postings_bytes();
    });
    return bytes;
  }
  const PostingsIndex* const made = m_made_postings.load(std::memory_order_acquire);
  return bytes + (made != nullptr ? made->slots().bytes() : 0);
}

template <class ExecutionSpace>
SequenceScan<ExecutionSpace>& PatternSegment::scan(Space space) const {
  return *static_cast<SequenceScan<ExecutionSpace>*>(m_scans[space_index(space)].get());
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
  // With threshold 0, the runs of every pattern are computed, which takes about 16 passes over the
  // words, unless there are enough patterns to bound them.
  const ProbeSampling probe(size(), std::min<std::uint64_t>(options.top, size()), 1024);
  const bool all = options.measure == Measure::difflib && options.threshold == 0.0;
  const double passes = !all ? 1 : probe.pays ? 2 : 16;
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

std::vector<std::vector<Match>> PatternSegment::match(Space space, RaggedSpan<Symbol> queries,
                                                      const MatchOptions& options) const {
  if (size() == 0) return std::vector<std::vector<Match>>(queries.rows());
  return match_dense(space, m_store.symbols.translate(queries), options, {});
}

void PatternSegment::write_values(Space space, RaggedSpan<Symbol> queries,
                                  const MatchOptions& options, const PairRule& rule,
                                  const ValueTarget& target) const {
  if (size() == 0) return;
  const Ragged<Symbol> dense = m_store.symbols.translate(queries);
  with_instance(*m_context, space, [&](const auto& exec_space) {
    using space_type = std::decay_t<decltype(exec_space)>;
    scan<space_type>(space).write_values(exec_space, m_store, dense, options, rule, target);
  });
}

std::vector<std::vector<Match>> PatternSegment::match_own(Space space, std::size_t first,
                                                          std::size_t count,
                                                          const MatchOptions& options) const {
  std::vector<std::uint32_t> limits(count);
  std::iota(limits.begin(), limits.end(), static_cast<std::uint32_t>(first));
  return match_dense(space, own(first, count), options, limits);
}

Ragged<Symbol> PatternSegment::own(std::size_t first, std::size_t count) const {
  Ragged<Symbol> dense;
  for (std::size_t index = first; index < first + count; ++index) dense.push_row(pattern(index));
  return dense;
}

std::vector<std::vector<Match>> PatternSegment::match_dense(
    Space space, RaggedSpan<Symbol> dense, const MatchOptions& options,
    std::span<const std::uint32_t> index_limits) const {
  std::vector<std::vector<Match>> answers(dense.rows());
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < dense.rows(); ++row) {
    if (dense.length(row) > 0) rows.push_back(row);
  }
  if (rows.empty()) return answers;
  const PostingsIndex* const index = postings(space, dense, options);
  with_instance(*m_context, space, [&](const auto& exec_space) {
    using space_type = std::decay_t<decltype(exec_space)>;
    scan<space_type>(space).match(exec_space, m_store, dense, rows, options, index_limits, index,
                                  answers);
  });
  return answers;
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
  if (const PostingsIndex* made = m_made_postings.load(std::memory_order_acquire)) return made;
  const CallbackDelay callbacks_wait;  // for the release of the lock
  const auto make = [&] {
    m_postings =
        std::make_unique<const PostingsIndex>(m_context->memory(Space::serial), m_store.tiles);
    m_made_postings.store(m_postings.get(), std::memory_order_release);
  };
  if (is_required) {
    const std::lock_guard lock(m_postings_mutex);
    if (!m_postings) make();
    return m_postings.get();
  }
  // Calls that arrive while the postings are built scan instead.
  const std::unique_lock lock(m_postings_mutex, std::try_to_lock);
  if (!lock) return nullptr;
  if (m_postings) return m_postings.get();
  m_scanned += static_cast<double>(queries.values.size()) / word_symbols;
  if (m_scanned < scans) return nullptr;
  try {
    make();
  } catch (const OutOfMemory& error) {
    m_scanned = -std::numeric_limits<double>::infinity();
    m_context->log(LogLevel::warning,
                   std::string("the postings index is not built: ") + error.what());
  }
  return m_postings.get();
}

Ragged<Symbol> PatternSegment::patterns() const {
  const std::vector<Symbol> by_dense = m_store.symbols.by_dense();
  Ragged<Symbol> all = own(0, size());
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
