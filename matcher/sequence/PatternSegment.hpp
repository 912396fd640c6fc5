// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP
#define KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP

#include "HostPatterns.hpp"
#include "PostingsIndex.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace Kindred::Impl {

template <class ExecutionSpace>
class SequenceScan;
struct ValueTarget;

/// \brief Immutable patterns in every space that can scan them: on the host and, if a copy is
/// requested and fits, on the device.
///
/// `match` may be called from several threads.
class PatternSegment {
 public:
  /// \param patterns one row per pattern; copied \throws InvalidArgument, OutOfMemory,
  /// SpaceUnavailable for `Residency::both`
  PatternSegment(Context& context, RaggedSpan<Symbol> patterns, Residency residency);
  /// \param stored validated; its owner is kept alive \throws as above
  PatternSegment(Context& context, const StoredTiles& stored, Residency residency);
  PatternSegment(const PatternSegment&) = delete;
  PatternSegment& operator=(const PatternSegment&) = delete;

  std::size_t size() const noexcept { return m_store.slot_of.size(); }
  SpaceSet resident() const noexcept { return m_resident; }
  /// Bytes of the tiles and, if built, of the postings.
  std::uint64_t bytes(Space space) const noexcept;

  /// The tiles on the host, to be written to a file; \see HostPatterns
  const HostPatterns& store() const noexcept { return m_store; }

  /// Adds the cost of matching \p queries in this segment to \p workload.
  void add_to(Workload& workload, RaggedSpan<Symbol> queries, const MatchOptions& options) const;

  /// \brief The best patterns of every query, with indices within the segment. The result has one
  /// row per query; that of an empty query is empty. Fences the instance of \p space. \throws
  /// OutOfMemory
  std::vector<std::vector<Match>> match(Space space, RaggedSpan<Symbol> queries,
                                        const MatchOptions& options) const;

  /// \brief Writes the value of every query and every pattern, in input order, to \p target, which
  /// \p space can access. \see SequenceScan::write_values. Fences the instance of \p space. \throws
  /// OutOfMemory
  void write_values(Space space, RaggedSpan<Symbol> queries, const MatchOptions& options,
                    const PairRule& rule, const ValueTarget& target) const;

  /// \brief As `match` with the \p count patterns from \p first on as queries; each finds only the
  /// patterns before it.
  std::vector<std::vector<Match>> match_own(Space space, std::size_t first, std::size_t count,
                                            const MatchOptions& options) const;
  /// The \p count patterns from \p first on, as dense symbols.
  Ragged<Symbol> own(std::size_t first, std::size_t count) const;

  /// All patterns, with the symbols that they were given.
  Ragged<Symbol> patterns() const;
  /// Pattern \p index, as dense symbols.
  std::vector<Symbol> pattern(std::uint64_t index) const {
    return m_store.pattern(m_store.slot_of[index]);
  }
  std::uint32_t length(std::uint64_t index) const {
    return m_store.tiles.lengths.data()[m_store.slot_of[index]];
  }

  /// The matching blocks of pattern \p index and \p query by the measure of \p options.
  std::vector<Block> blocks(std::uint64_t index, std::span<const Symbol> query,
                            const MatchOptions& options) const;
  /// The matching blocks of pattern \p index and pattern \p query.
  std::vector<Block> own_blocks(std::uint64_t index, std::uint64_t query,
                                const MatchOptions& options) const;

 private:
  void place(Residency residency);
  std::vector<std::vector<Match>> match_dense(Space space, RaggedSpan<Symbol> dense,
                                              const MatchOptions& options,
                                              std::span<const std::uint32_t> index_limits) const;
  template <class ExecutionSpace>
  void add_scan(Space space, std::shared_ptr<const TileBuffers<ExecutionSpace>> tiles);

  /// The scan of \p space; \p ExecutionSpace must be the type of its instance.
  template <class ExecutionSpace>
  SequenceScan<ExecutionSpace>& scan(Space space) const;
  /// The postings if a call may use them; they are built when that pays off.
  std::shared_ptr<const PostingsIndex> postings(Space space, RaggedSpan<Symbol> queries,
                                                const MatchOptions& options) const;

  Context* m_context;
  HostPatterns m_store;
  SpaceSet m_resident;
  std::array<std::uint64_t, space_count> m_bytes{};
  std::array<std::shared_ptr<void>, space_count> m_scans;  ///< `SequenceScan` of the space's type
  mutable std::mutex m_postings_mutex;
  mutable std::shared_ptr<const PostingsIndex> m_postings;
  mutable std::atomic<std::uint64_t> m_postings_bytes{0};
  mutable double m_scanned = 0;  ///< steps of queries that could have used postings
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP
