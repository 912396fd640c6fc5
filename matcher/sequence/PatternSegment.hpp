// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP
#define KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP

#include "HostPatterns.hpp"
#include "PostingsIndex.hpp"
#include "kit/MadeOnce.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace Kindred::Impl {

struct ValueTarget;

/// Queries of a segment. \see PatternSegment::dense
struct DenseQueries {
  Ragged<Symbol> rows;  ///< the dense symbols of the segment
  /// Per query: only patterns below this index are results; empty: no limit.
  std::vector<std::uint32_t> index_limits = {};
};

/// \brief Immutable patterns in every space that can scan them: on the host and, if a copy is
/// requested and fits, on the device.
///
/// It may be searched by several threads at the same time.
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
  std::uint64_t bytes(Space space) const;

  /// The tiles on the host, to be written to a file; \see HostPatterns
  const HostPatterns& store() const noexcept { return m_store; }

  /// Queries with the symbols of the caller.
  DenseQueries dense(RaggedSpan<Symbol> queries) const {
    return {m_store.symbols.translate(queries)};
  }
  /// The \p count patterns from \p first on as queries; each finds only the patterns before it.
  DenseQueries own(std::size_t first, std::size_t count) const;

  /// Adds the cost of matching \p queries in this segment to \p workload.
  void add_to(Workload& workload, RaggedSpan<Symbol> queries, const MatchOptions& options) const;

  /// A search for the best patterns of every query, which runs when it is called, as the body of
  /// `Context::run`.
  struct Matching {
    const PatternSegment& segment;
    const DenseQueries& queries;
    const MatchOptions& options;
    /// The results: one row per query, with indices within the segment; that of an empty query is
    /// empty.
    std::vector<std::vector<Match>>& answers;

    /// Fences the instance on which it runs: that of \p space or, on a device, one of its own.
    /// \throws OutOfMemory
    void operator()(Space space) const;
  };

  /// \brief Writes the value of every query, maybe empty, and every pattern, in input order, to \p
  /// target, which \p space can access.
  ///
  /// A pair whose similarity is below `options.threshold` may be taken to match less than it does.
  /// Fences as a `Matching`. \throws OutOfMemory
  void write_values(Space space, const DenseQueries& queries, const MatchOptions& options,
                    const PairRule& rule, const ValueTarget& target) const;

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
  template <class ExecutionSpace>
  struct InSpace;

  void place(Residency residency);
  template <class ExecutionSpace>
  void add_space(Space space, std::shared_ptr<const TileBuffers<ExecutionSpace>> tiles);
  /// The patterns in \p space, whose instance has this type.
  template <class ExecutionSpace>
  InSpace<ExecutionSpace>& in_space(Space space) const {
    return *static_cast<InSpace<ExecutionSpace>*>(m_spaces[space_index(space)].get());
  }
  /// The postings if a call may use them, otherwise null; they are built when that pays off.
  const PostingsIndex* postings(Space space, RaggedSpan<Symbol> queries,
                                const MatchOptions& options) const;

  Context* m_context;
  HostPatterns m_store;
  SpaceSet m_resident;
  std::array<std::shared_ptr<void>, space_count> m_spaces;  ///< `InSpace` of the space's type
  mutable MadeOnce<PostingsIndex> m_postings;
  mutable std::atomic<double> m_scanned{0};  ///< steps of queries that could have used postings
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_PATTERN_SEGMENT_HPP
