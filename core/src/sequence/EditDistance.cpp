// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/EditDistance.hpp>

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/LengthBound.hpp>
#include <kindred/core/sequence/impl/EditState.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/SequencePack.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>
#include <kindred/core/sequence/special/EditColumns.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// Bits per row and pattern that a segment passes to the next.
constexpr std::uint32_t edit_carry_bits(EditKind kind) { return kind == EditKind::osa ? 3 : 2; }

/// \brief Reads and replaces the carries of a pattern between two segments of a query; one word
/// holds the bits of 32 rows.
template <EditKind kind>
class EditCarryPlane {
 public:
  static constexpr std::uint32_t fields = edit_carry_bits(kind);

  /// \param plane of the query \param rows of the tiles before \p tile
  KOKKOS_INLINE_FUNCTION EditCarryPlane(std::uint64_t* plane, std::uint64_t rows,
                                        std::uint32_t tile, std::uint32_t lane)
      : m_words(reinterpret_cast<std::uint32_t*>(plane) +
                fields * (rows + std::uint64_t{tile_patterns} * tile) + lane) {}

  KOKKOS_INLINE_FUNCTION EditCarry load(std::uint32_t row) const {
    EditCarry carry;
    carry.rise = word(row, 0) >> (row % 32) & 1U;
    carry.fall = word(row, 1) >> (row % 32) & 1U;
    if constexpr (fields == 3) carry.swap = word(row, 2) >> (row % 32) & 1U;
    return carry;
  }
  KOKKOS_INLINE_FUNCTION void store(std::uint32_t row, const EditCarry& carry) const {
    set(row, 0, carry.rise);
    set(row, 1, carry.fall);
    if constexpr (fields == 3) set(row, 2, carry.swap);
  }

 private:
  KOKKOS_INLINE_FUNCTION std::uint32_t& word(std::uint32_t row, std::uint32_t field) const {
    return m_words[(row / 32 * fields + field) * tile_patterns];
  }
  KOKKOS_INLINE_FUNCTION void set(std::uint32_t row, std::uint32_t field, std::uint32_t bit) const {
    std::uint32_t& bits = word(row, field);
    bits = (bits & ~(1U << row % 32)) | bit << row % 32;
  }

  std::uint32_t* m_words;
};

/// \brief One segment of every query against every tile. A lane advances one pattern.
///
/// A team processes a run of tiles of one query and keeps the query's masks where lookups are fast,
/// as `LcsKernel` does.
/// \tparam Words maximum per segment; queries of several segments need `segment_words`
template <class ExecutionSpace, class SymbolType, EditKind kind, unsigned Words>
struct EditDistanceKernel {
  using pack = SequencePack<ExecutionSpace>;
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr bool is_light = true;
  static constexpr unsigned threads_max = 256;
  static constexpr unsigned teams_at_once = Words == 1 ? 5 : Words == 2 ? 4 : 2;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<std::uint64_t, ExecutionSpace> carry;
  ArrayView<std::uint32_t, ExecutionSpace> matched;
  std::uint64_t carry_stride;  ///< words per query
  double ratio;                ///< of the lengths of pairs that matter, \see length_ratio
  std::uint32_t segment;
  std::uint32_t tiles_per_team;

  /// A pattern of one lane.
  struct WorkItem {
    const SymbolType* symbols;
    std::uint32_t length;
    std::uint32_t tile;
    std::uint32_t lane;
    std::uint32_t query;
    std::uint32_t symbols_before;  ///< of the query, in preceding segments
    const WordTable* words;        ///< of the segment
    const std::uint8_t* codes;
    bool chained_in;
    bool chained_out;
  };

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto league = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t query = league % queries.queries;
    const std::uint32_t at = queries.first_segment(query) + segment;
    const std::uint32_t end_segment = queries.first_segment(query + 1);
    const bool empty = at >= end_segment;
    if (empty && segment > 0) return;
    const QuerySegment s = empty ? QuerySegment{0, 0, 0} : queries.segments(at);
    const typename pack::Tables tables =
        pack::template make<SymbolType, Words>(team, queries, at, s, tiles.vocabulary);
    // Only the last word of a query is not full.
    const std::uint32_t symbols_before =
        empty ? 0
              : word_symbols *
                    (s.first_word - queries.segments(queries.first_segment(query)).first_word);
    const LengthBound bound = lengths_within(ratio, queries.lengths(query));
    const std::uint32_t begin = league / queries.queries * tiles_per_team;
    const std::uint32_t end =
        begin + tiles_per_team < tiles.tiles ? begin + tiles_per_team : tiles.tiles;
    for (std::uint32_t tile = begin + static_cast<std::uint32_t>(team.team_rank()); tile < end;
         tile += static_cast<std::uint32_t>(team.team_size())) {
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, tile_patterns), [&](const unsigned lane) {
            WorkItem work_item;
            work_item.symbols = tiles.template symbols<SymbolType>() + tiles.offsets(tile) + lane;
            work_item.length = tiles.lengths(tile * tile_patterns + lane);
            work_item.tile = tile;
            work_item.lane = lane;
            work_item.query = query;
            work_item.symbols_before = symbols_before;
            work_item.words = queries.words.data() + s.first_word;
            work_item.codes = queries.codes.data() + at * queries.code_stride;
            work_item.chained_in = segment > 0;
            work_item.chained_out = at + 1 < end_segment;
            if (!bound.contains(work_item.length)) {
              leave(work_item);
              return;
            }
            scan_words(tables, work_item, s.words);
          });
    }
  }

  KOKKOS_INLINE_FUNCTION void scan_words(const typename pack::Tables& tables,
                                         const WorkItem& work_item, unsigned words) const {
    if (words == 0) {
      finish(work_item, 0);
    } else if (words == 1) {
      scan<1>(tables, work_item);
    } else if constexpr (Words > 1) {
      if (words == 2) {
        scan<2>(tables, work_item);
      } else if constexpr (Words > 2) {
        if (words == 3) {
          scan<3>(tables, work_item);
        } else {
          scan<4>(tables, work_item);
        }
      }
    }
  }

  template <unsigned Count>
  KOKKOS_INLINE_FUNCTION void scan(const typename pack::Tables& tables,
                                   const WorkItem& work_item) const {
    EditState<kind, Count> state;
    if (Words == segment_words && (work_item.chained_in || work_item.chained_out)) {
      const EditCarryPlane<kind> plane(carry.data() + work_item.query * carry_stride,
                                       tiles.offsets(work_item.tile) / tile_patterns,
                                       work_item.tile, work_item.lane);
      advance<Count>(tables, work_item, [&](std::uint32_t row, const std::uint64_t* masks) {
        EditCarry bits;
        if (work_item.chained_in) bits = plane.load(row);
        state.step(masks, bits);
        if (work_item.chained_out) plane.store(row, bits);
      });
    } else {
      advance<Count>(tables, work_item, [&](std::uint32_t, const std::uint64_t* masks) {
        EditCarry bits;
        state.step(masks, bits);
      });
    }
    const std::uint32_t length = queries.lengths(work_item.query);
    finish(work_item, state.height(length - work_item.symbols_before));
  }

  /// Rows whose symbols are loaded together.
  static constexpr std::uint32_t group = Arch::is_device<ExecutionSpace> ? 8 : 1;

  /// Calls `step(row, masks)` for every symbol of the pattern.
  template <unsigned Count, class Step>
  KOKKOS_INLINE_FUNCTION void advance(const typename pack::Tables& tables,
                                      const WorkItem& work_item, const Step& step) const {
    std::uint32_t row = 0;
    for (; row + group <= work_item.length; row += group)
      advance_group<Count, true>(tables, work_item, row, step);
    if (row < work_item.length) advance_group<Count, false>(tables, work_item, row, step);
  }

  /// \tparam Full the pattern has all rows of the group, so that nothing branches
  template <unsigned Count, bool Full, class Step>
  KOKKOS_INLINE_FUNCTION void advance_group(const typename pack::Tables& tables,
                                            const WorkItem& work_item, std::uint32_t row,
                                            const Step& step) const {
    std::uint32_t symbol[group];
    KINDRED_UNROLL
    for (std::uint32_t r = 0; r < group; ++r) {
      symbol[r] = Full || row + r < work_item.length
                      ? work_item.symbols[tile_patterns * std::size_t{row + r}]
                      : tiles.vocabulary;
    }
    KINDRED_UNROLL
    for (std::uint32_t r = 0; r < group; ++r) {
      std::uint64_t masks[Count];
      if constexpr (Arch::is_device<ExecutionSpace>) {
        pack::template masks<pack::template lookup<SymbolType, Words>, Count>(
            tables, symbol[r], work_item.lane, masks);
      } else {
        for (unsigned w = 0; w < Count; ++w)
          masks[w] = work_item.words[w].mask(work_item.codes[symbol[r]]);
      }
      if (Full || row + r < work_item.length) step(row + r, masks);
    }
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t& matched_of(const WorkItem& work_item) const {
    return matched(work_item.query * std::uint64_t{tiles.slots()} +
                   std::uint64_t{work_item.tile} * tile_patterns + work_item.lane);
  }

  /// The pattern does not matter.
  KOKKOS_INLINE_FUNCTION void leave(const WorkItem& work_item) const { matched_of(work_item) = 0; }

  /// Receives the sum of the vertical differences of the segment.
  KOKKOS_INLINE_FUNCTION void finish(const WorkItem& work_item, std::int32_t height) const {
    std::uint32_t& out = matched_of(work_item);
    const std::uint32_t sum =
        (work_item.chained_in ? out : work_item.length) + static_cast<std::uint32_t>(height);
    const std::uint32_t length = queries.lengths(work_item.query);
    const std::uint32_t longest = length > work_item.length ? length : work_item.length;
    out = work_item.chained_out ? sum : longest - sum;
  }
};

/// Launches the segments in turn, with the kernel for the fewest words that suffices.
template <EditKind kind, class ExecutionSpace>
void edit_scan(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
               const QueryTables<ExecutionSpace>& queries, double threshold,
               const ArrayView<std::uint64_t, ExecutionSpace>& carry,
               const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  if (tiles.tiles == 0 || queries.queries == 0) return;
  const std::uint32_t segments = queries.segments_max > 0 ? queries.segments_max : 1;
  const std::uint64_t carry_stride = edit_carry_words(tiles, 1, segments, kind);
  const double ratio = length_ratio(SimilarityScale::longest, threshold);
  with_symbol_type(tiles, [&](auto symbol) {
    using enum Special::Form;
    if constexpr (Special::is_compiled<edit_columns, ExecutionSpace>) {
      using kernel_type = EditTilesKernel<kind, decltype(symbol)>;
      if (segments <= kernel_type::segments_max &&
          Special::is_used<edit_columns, ExecutionSpace>()) {
        for_each_tile_pair<decltype(symbol)>("Kindred::Sequence::edit_matched::scan_tiles",
                                             exec_space, tiles, queries.queries,
                                             kernel_type{tiles, queries, matched, ratio});
        return;
      }
    }
    const auto launch = [&](auto words, std::uint32_t segment) {
      launch_segment<decltype(symbol), words()>(
          "Kindred::Sequence::edit_matched::scan", exec_space, tiles.tiles,
          EditDistanceKernel<ExecutionSpace, decltype(symbol), kind, decltype(words)::value>{
              tiles, queries, carry, matched, carry_stride, ratio, segment, 0});
    };
    launch_segments(queries, launch);
  });
}

}  // namespace Kindred::Impl

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t edit_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                               std::uint32_t segments_max, EditKind kind) {
  if (segments_max < 2) return 0;
  const std::uint64_t rows = tiles.rows + std::uint64_t{tile_patterns} * tiles.tiles;
  return queries * ((Impl::edit_carry_bits(kind) * rows + 1) / 2);
}

template <class ExecutionSpace>
void edit_matched(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& queries, EditKind kind, double threshold,
                  const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                  const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  const Impl::ArgumentCheck check("edit_matched");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.has("carry", carry, edit_carry_words(tiles, queries.queries, queries.segments_max, kind));
  check.has("matched", matched, Impl::pairs_of(queries, tiles));
  Impl::with_constant<EditKind::osa, EditKind::levenshtein>(kind, [&](auto chosen) {
    Impl::edit_scan<chosen()>(exec_space, tiles, queries, threshold, carry, matched);
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(edit_carry_words);
KINDRED_INSTANTIATE_FOR_SPACES(edit_matched);

}  // namespace Kindred
