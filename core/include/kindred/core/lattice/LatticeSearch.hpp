// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_LATTICE_SEARCH_HPP
#define KINDRED_CORE_LATTICE_LATTICE_SEARCH_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/lattice/LatticeGrid.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace Kindred {

/// The distance of a node that no source reaches.
inline constexpr std::uint32_t lattice_unreached = 0xFFFFFFFFU;

/// \brief The layout of a lattice's nodes as bits in words of 64.
///
/// The last `line_dimensions` dimensions form a line, which begins at a word; the bits after its
/// last node are 0. A step in one of the other dimensions moves by whole words, a step within a
/// line is a shift.
struct LatticeBits {
  LatticeGrid grid;
  std::uint32_t line_dimensions = 0;
  std::uint32_t line_words = 0;
  std::uint64_t line = 0;   ///< nodes per line
  std::uint64_t lines = 0;  ///< number of lines

  LatticeBits() = default;
  /// \throws InvalidArgument if the number of words does not fit 32 bits
  explicit LatticeBits(const LatticeShape& shape);

  KOKKOS_INLINE_FUNCTION std::uint64_t words() const { return lines * line_words; }
  /// Zero words before and after the bits of a frontier.
  KOKKOS_INLINE_FUNCTION std::uint64_t guard() const { return std::uint64_t{line_words} + 2; }
  KOKKOS_INLINE_FUNCTION std::uint64_t guarded_words() const { return words() + 2 * guard(); }
  KOKKOS_INLINE_FUNCTION std::uint64_t bit_of(std::uint64_t node) const {
    return node / line * line_words * 64 + node % line;
  }
  KOKKOS_INLINE_FUNCTION std::uint64_t node_of(std::uint64_t bit) const {
    const std::uint64_t line_bits = std::uint64_t{line_words} * 64;
    return bit / line_bits * line + bit % line_bits;
  }
  /// The bits of word \p word of a line that stand for nodes.
  KOKKOS_INLINE_FUNCTION std::uint64_t valid(std::uint32_t word) const {
    const std::uint64_t left = line - std::uint64_t{word} * 64;
    return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  }
  /// The distance in bits of a step in dimension \p i.
  KOKKOS_INLINE_FUNCTION std::uint64_t bit_stride(std::uint32_t i) const {
    const std::uint64_t stride = grid.strides[i];
    return i + line_dimensions >= grid.dimensions ? stride : stride / line * line_words * 64;
  }

  /// \brief Where steps within a line may end: for every dimension of the line, the last one first,
  /// and every word of the line, two words: the nodes that a step up reaches and those that a step
  /// down reaches.
  std::vector<std::uint64_t> step_masks() const;
};

/// \brief A breadth-first search over a lattice from any number of sources. Non-owning.
///
/// Neighbours are implicit. A level is a bit set: shifted by the stride of every dimension, masked
/// at the lattice's sides, and restricted to nodes that were not reached before, 64 nodes per
/// operation.
template <class ExecutionSpace>
struct LatticeSearch {
  LatticeBits bits;
  ArrayView<const std::uint64_t, ExecutionSpace> step_masks;
  /// One guarded bit set per dimension: the edge from that node upwards is blocked; empty: none is.
  ArrayView<const std::uint64_t, ExecutionSpace> blocked_edges;
  ArrayView<std::uint64_t, ExecutionSpace> unreached;     ///< words
  ArrayView<std::uint64_t, ExecutionSpace> frontiers[2];  ///< guarded words
  ArrayView<std::uint32_t, ExecutionSpace> distances;     ///< nodes
  ArrayView<std::uint32_t, ExecutionSpace> found;         ///< `found_size`

  /// Number of counters, each in its own memory sector, that record levels which found something.
  static constexpr std::uint32_t found_places = 256;
  static constexpr std::uint32_t found_stride = 8;
  static constexpr std::size_t found_size = found_places * found_stride;

  /// Whether the edge from \p bit upwards in dimension \p i is blocked.
  KOKKOS_INLINE_FUNCTION bool is_blocked(std::uint64_t bit, std::uint32_t i) const {
    if (blocked_edges.extent(0) == 0) return false;
    const std::uint64_t word = i * bits.guarded_words() + bits.guard() + bit / 64;
    return (blocked_edges(word) >> bit % 64 & 1U) != 0;
  }
};

/// \brief Level 0: marks the sources as reached and no other node. Does not fence.
/// \param open the nodes that may be entered, as words; empty: all \param sources open nodes
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void start_lattice_search(const ExecutionSpace& exec_space,
                          const LatticeSearch<ExecutionSpace>& search,
                          const ArrayView<const std::uint64_t, ExecutionSpace>& open,
                          const ArrayView<const std::uint64_t, ExecutionSpace>& sources);

/// \brief Computes level \p level ≥ 1: the frontier `level % 2` from the other one, in the words \p
/// first … \p last, which must contain all that it can reach. A device records in `found` whether
/// it reached anything; a host returns the number of nodes. Does not fence. Complexity O(words ·
/// dimensions).
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
std::uint64_t lattice_level(const ExecutionSpace& exec_space,
                            const LatticeSearch<ExecutionSpace>& search, std::uint32_t level,
                            std::uint32_t first, std::uint32_t last);

/// \brief Computes level \p level from a list, for a frontier of few nodes, on the calling thread;
/// does not use the bit sets of frontiers. Complexity O(frontier · dimensions).
/// \param frontier,next bit indices
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
void lattice_level_of(const LatticeSearch<HostSpace>& search, std::uint32_t level,
                      std::span<const std::uint64_t> frontier, std::vector<std::uint64_t>& next);

/// Number of nodes that are not reached and may be entered. Fences \p exec_space.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
std::uint64_t count_unreached(const ExecutionSpace& exec_space,
                              const LatticeSearch<ExecutionSpace>& search);

/// \brief Writes the distance of every target. Does not fence.
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void gather_distances(const ExecutionSpace& exec_space, const LatticeSearch<ExecutionSpace>& search,
                      const ArrayView<const std::uint64_t, ExecutionSpace>& targets,
                      const ArrayView<std::uint32_t, ExecutionSpace>& out);

/// \brief Writes a shortest path to every target that was reached, including both ends. It is
/// traced back from the target, each time to the first neighbour, in the lattice's order, that is
/// nearer to the source. Does not fence. Complexity O(length · dimensions) per path, one thread
/// each.
/// \param begins where path i begins in \p paths; it has distance + 1 nodes
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void trace_lattice_paths(const ExecutionSpace& exec_space,
                         const LatticeSearch<ExecutionSpace>& search,
                         const ArrayView<const std::uint64_t, ExecutionSpace>& targets,
                         const ArrayView<const std::uint64_t, ExecutionSpace>& begins,
                         const ArrayView<std::uint64_t, ExecutionSpace>& paths);

}  // namespace Kindred

#endif  // KINDRED_CORE_LATTICE_LATTICE_SEARCH_HPP
