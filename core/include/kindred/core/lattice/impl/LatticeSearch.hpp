// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LATTICE_IMPL_LATTICE_SEARCH_HPP
#define KINDRED_CORE_LATTICE_IMPL_LATTICE_SEARCH_HPP

#include <kindred/core/arch/Flag.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/lattice/LatticeSearch.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Sets the bits of a word that stand for nodes.
template <class ExecutionSpace>
struct LatticeOpen {
  LatticeBits bits;
  ArrayView<std::uint64_t, ExecutionSpace> unreached;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t word) const {
    unreached(word) = bits.valid(word % bits.line_words);
  }
};

template <class ExecutionSpace>
struct LatticeSources {
  LatticeSearch<ExecutionSpace> search;
  ArrayView<const std::uint64_t, ExecutionSpace> sources;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    const std::uint64_t bit = search.bits.bit_of(sources(i));
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    Kokkos::atomic_and(&search.unreached(bit / 64), ~mask);
    Kokkos::atomic_or(&search.frontiers[0](search.bits.guard() + bit / 64), mask);
    search.distances(sources(i)) = 0;
  }
};

/// \brief A level, one word per thread. Small, so that successive launches on a device are not
/// delayed.
template <class ExecutionSpace>
struct LatticeLevel {
  const std::uint64_t* frontier;
  std::uint64_t* next;
  std::uint64_t* unreached;
  const std::uint64_t* step_masks;
  const std::uint64_t* blocked_edges;  ///< null: none
  std::uint64_t blocked_stride;        ///< words per dimension
  std::uint32_t* distances;
  std::uint32_t* found;
  std::uint64_t line;
  std::uint32_t line_words;
  std::uint32_t line_dimensions;
  std::uint32_t dimensions;
  std::uint32_t size;
  std::uint32_t level;

  LatticeLevel(const LatticeSearch<ExecutionSpace>& search, std::uint32_t number)
      : frontier(search.frontiers[(number + 1) % 2].data() + search.bits.guard()),
        next(search.frontiers[number % 2].data() + search.bits.guard()),
        unreached(search.unreached.data()),
        step_masks(search.step_masks.data()),
        blocked_edges(search.blocked_edges.extent(0) > 0
                          ? search.blocked_edges.data() + search.bits.guard()
                          : nullptr),
        blocked_stride(search.bits.guarded_words()),
        distances(search.distances.data()),
        found(search.found.data()),
        line(search.bits.line),
        line_words(search.bits.line_words),
        line_dimensions(search.bits.line_dimensions),
        dimensions(search.bits.grid.dimensions),
        size(search.bits.grid.size),
        level(number) {}

  /// On a device.
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t word) const {
    if (reach(word) == 0) return;
    constexpr std::uint32_t places = LatticeSearch<ExecutionSpace>::found_places;
    constexpr std::uint32_t stride = LatticeSearch<ExecutionSpace>::found_stride;
    Arch::flag_store(found + word / 32 % places * stride, level);
  }
  /// On a host.
  KOKKOS_INLINE_FUNCTION void operator()(std::uint32_t word, std::uint64_t& count) const {
    count += static_cast<std::uint64_t>(Kokkos::popcount(reach(word)));
  }

 private:
  /// A word of the frontier without the nodes whose upward edge in dimension \p i is blocked.
  KOKKOS_INLINE_FUNCTION std::uint64_t open_up(std::int64_t place, std::uint32_t i) const {
    if (blocked_edges == nullptr) return frontier[place];
    return frontier[place] & ~blocked_edges[static_cast<std::int64_t>(i * blocked_stride) + place];
  }
  /// \p down without the nodes to which a blocked edge of dimension \p i leads down.
  KOKKOS_INLINE_FUNCTION std::uint64_t open_down(std::uint64_t down, std::uint32_t word,
                                                 std::uint32_t i) const {
    return blocked_edges == nullptr ? down : down & ~blocked_edges[i * blocked_stride + word];
  }

  /// The nodes of a word that this level reaches.
  KOKKOS_INLINE_FUNCTION std::uint64_t reach(std::uint32_t word) const {
    const std::uint64_t target = unreached[word];
    if (target == 0) {
      next[word] = 0;
      return 0;
    }
    const std::uint32_t line_number = word / line_words;
    const std::uint32_t in_line = word % line_words;
    const auto here = static_cast<std::int64_t>(word);
    std::uint64_t reached = 0;

    std::uint64_t shift = 1;
    for (std::uint32_t k = 0; k < line_dimensions; ++k) {
      const std::uint32_t i = dimensions - 1 - k;
      const auto words = static_cast<std::int64_t>(shift / 64);
      const auto rest = static_cast<std::uint32_t>(shift % 64);
      const std::uint64_t* masks = step_masks + 2 * (std::uint64_t{k} * line_words + in_line);
      std::uint64_t up = open_up(here - words, i);
      std::uint64_t down = frontier[here + words];
      if (rest != 0) {
        up = up << rest | open_up(here - words - 1, i) >> (64 - rest);
        down = down >> rest | frontier[here + words + 1] << (64 - rest);
      }
      reached |= (up & masks[0]) | (open_down(down, word, i) & masks[1]);
      shift *= size;
    }

    std::uint32_t rest_of_line = line_number;
    std::int64_t stride = line_words;
    for (std::uint32_t i = dimensions - line_dimensions; i-- > 0;) {
      const std::uint32_t at = rest_of_line % size;
      rest_of_line /= size;
      if (at > 0) reached |= open_up(here - stride, i);
      if (at + 1 < size) reached |= open_down(frontier[here + stride], word, i);
      stride *= size;
    }

    reached &= target;
    next[word] = reached;
    if (reached == 0) return 0;
    unreached[word] = target & ~reached;
    std::uint32_t* of_word = distances + line_number * line + std::uint64_t{in_line} * 64;
    for (std::uint64_t left = reached; left != 0; left &= left - 1)
      of_word[Kokkos::countr_zero(left)] = level;
    return reached;
  }
};

template <class ExecutionSpace>
struct LatticeUnreached {
  ArrayView<const std::uint64_t, ExecutionSpace> unreached;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t word, std::uint64_t& count) const {
    count += static_cast<std::uint64_t>(Kokkos::popcount(unreached(word)));
  }
};

template <class ExecutionSpace>
struct LatticeGather {
  ArrayView<const std::uint32_t, ExecutionSpace> distances;
  ArrayView<const std::uint64_t, ExecutionSpace> targets;
  ArrayView<std::uint32_t, ExecutionSpace> out;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const { out(i) = distances(targets(i)); }
};

/// Traces a path backwards.
template <class ExecutionSpace>
struct LatticeTrace {
  LatticeSearch<ExecutionSpace> search;
  ArrayView<const std::uint64_t, ExecutionSpace> targets;
  ArrayView<const std::uint64_t, ExecutionSpace> begins;
  ArrayView<std::uint64_t, ExecutionSpace> paths;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t path) const {
    std::uint64_t node = targets(path);
    std::uint32_t distance = search.distances(node);
    if (distance == lattice_unreached) return;
    std::uint64_t* place = paths.data() + begins(path) + distance;
    *place = node;
    for (; distance > 0; --distance) {
      node = nearer(node, distance - 1);
      *--place = node;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION bool is_blocked(std::uint64_t lower, std::uint32_t i) const {
    if (search.blocked_edges.extent(0) == 0) return false;
    const std::uint64_t bit = search.bits.bit_of(lower);
    return (search.blocked_edges(i * search.bits.guarded_words() + search.bits.guard() +
                                 bit / 64) >>
                bit % 64 &
            1U) != 0;
  }
  KOKKOS_INLINE_FUNCTION std::uint64_t nearer(std::uint64_t node, std::uint32_t distance) const {
    const LatticeGrid& grid = search.bits.grid;
    for (std::uint32_t i = 0; i < grid.dimensions; ++i) {
      const std::uint32_t at = grid.coordinate(node, i);
      const std::uint64_t stride = grid.strides[i];
      if (at > 0 && search.distances(node - stride) == distance && !is_blocked(node - stride, i))
        return node - stride;
      if (at + 1 < grid.size && search.distances(node + stride) == distance && !is_blocked(node, i))
        return node + stride;
    }
    return node;  // one always exists
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LATTICE_IMPL_LATTICE_SEARCH_HPP
