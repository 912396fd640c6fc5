// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/RelaxedAccess.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/lattice/LatticeSearch.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

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
    Arch::relaxed_store(found + word / 32 % places * stride, level);
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
    return search.is_blocked(search.bits.bit_of(lower), i);
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

namespace Kindred {

namespace {

/// A line has as few dimensions as possible while wasting few bits after its last node and spanning
/// a few words.
constexpr std::uint64_t line_min = 256;
constexpr double waste_max = 1.125;

}  // namespace

LatticeBits::LatticeBits(const LatticeShape& shape) : grid(shape) {
  line = 1;
  while (line_dimensions < grid.dimensions) {
    line *= grid.size;
    ++line_dimensions;
    const std::uint64_t bits = (line + 63) / 64 * 64;
    if (line >= line_min && static_cast<double>(bits) <= waste_max * static_cast<double>(line))
      break;
  }
  lines = grid.nodes / line;
  const std::uint64_t words_of_line = (line + 63) / 64;
  constexpr std::uint64_t words_max = std::numeric_limits<std::uint32_t>::max();
  KINDRED_THROW_IF(
      words_of_line > words_max || lines > words_max / words_of_line,
      "a lattice search over " + std::to_string(grid.nodes) + " nodes; the maximum is 64 · 2³²");
  line_words = static_cast<std::uint32_t>(words_of_line);
}

std::vector<std::uint64_t> LatticeBits::step_masks() const {
  std::vector<std::uint64_t> masks(2 * std::size_t{line_dimensions} * line_words);
  std::uint64_t stride = 1;
  for (std::uint32_t k = 0; k < line_dimensions; ++k, stride *= grid.size) {
    for (std::uint64_t node = 0; node < line; ++node) {
      const std::uint64_t at = node / stride % grid.size;
      std::uint64_t* pair = masks.data() + 2 * (k * line_words + node / 64);
      const std::uint64_t bit = std::uint64_t{1} << node % 64;
      if (at > 0) pair[0] |= bit;
      if (at + 1 < grid.size) pair[1] |= bit;
    }
  }
  return masks;
}

namespace {

/// The arrays of \p search have the sizes of its lattice.
template <class ExecutionSpace>
void check_search(const Impl::ArgumentCheck& check, const LatticeSearch<ExecutionSpace>& search) {
  const LatticeBits& bits = search.bits;
  check.has("search.step_masks", search.step_masks,
            Impl::extent_of(2, bits.line_dimensions, bits.line_words));
  check.has_if_given("search.blocked_edges", search.blocked_edges,
                     Impl::extent_of(bits.grid.dimensions, bits.guarded_words()));
  check.has("search.unreached", search.unreached, bits.words());
  check.has("search.frontiers[0]", search.frontiers[0], bits.guarded_words());
  check.has("search.frontiers[1]", search.frontiers[1], bits.guarded_words());
  check.has("search.distances", search.distances, bits.grid.nodes);
  check.has("search.found", search.found, search.found_size);
}

}  // namespace

template <class ExecutionSpace>
void start_lattice_search(const ExecutionSpace& exec_space,
                          const LatticeSearch<ExecutionSpace>& search,
                          const ArrayView<const std::uint64_t, ExecutionSpace>& open,
                          const ArrayView<const std::uint64_t, ExecutionSpace>& sources) {
  const Impl::ArgumentCheck check("start_lattice_search");
  check_search(check, search);
  if (open.size() != 0) check.has_exactly("open", open, search.unreached.size());
  check.is_aligned("sources", sources);
  if (open.extent(0) > 0) {
    Kokkos::deep_copy(exec_space, search.unreached, open);
  } else {
    Launch::for_each_index<Launch::Fine, std::uint32_t>(
        exec_space, "Kindred::Lattice::search::open", search.bits.words(),
        Impl::LatticeOpen<ExecutionSpace>{search.bits, search.unreached});
  }
  for (const auto& frontier : search.frontiers)
    Arch::start_fill(exec_space, frontier, std::uint64_t{0});
  Arch::start_fill(exec_space, search.distances, lattice_unreached);
  Arch::start_fill(exec_space, search.found, std::uint32_t{0});
  Launch::for_each_index(exec_space, "Kindred::Lattice::search::sources", sources.extent(0),
                         Impl::LatticeSources<ExecutionSpace>{search, sources});
}

template <class ExecutionSpace>
std::uint64_t lattice_level(const ExecutionSpace& exec_space,
                            const LatticeSearch<ExecutionSpace>& search, std::uint32_t level,
                            std::uint32_t first, std::uint32_t last) {
  const Impl::ArgumentCheck check("lattice_level");
  check_search(check, search);
  check.is_at_least("level", level, 1);
  check.is_at_most("first", first, last);
  check.is_at_most("last", last, search.bits.words());
  const char* label = "Kindred::Lattice::search::level";
  const Impl::LatticeLevel<ExecutionSpace> body(search, level);
  const Launch::Indices words(first, last);
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Launch::for_each_index<Launch::Fine, std::uint32_t>(exec_space, label, words, body);
    return 0;
  } else {
    return Launch::sum_over_indices<std::uint32_t>(exec_space, label, words, body);
  }
}

void lattice_level_of(const LatticeSearch<HostSpace>& search, std::uint32_t level,
                      std::span<const std::uint64_t> frontier, std::vector<std::uint64_t>& next) {
  const Impl::ArgumentCheck check("lattice_level_of");
  check_search(check, search);
  check.is_at_least("level", level, 1);
  const LatticeBits& bits = search.bits;
  const std::uint64_t line_bits = std::uint64_t{bits.line_words} * 64;
  const std::uint32_t dimensions = bits.grid.dimensions;
  const std::uint32_t size = bits.grid.size;
  const auto visit = [&](std::uint64_t bit) {
    const std::uint64_t mask = std::uint64_t{1} << bit % 64;
    std::uint64_t& word = search.unreached(bit / 64);
    if ((word & mask) == 0) return;
    word &= ~mask;
    search.distances(bits.node_of(bit)) = level;
    next.push_back(bit);
  };
  next.clear();
  for (const std::uint64_t bit : frontier) {
    std::uint64_t rest = bit % line_bits;
    for (std::uint32_t i = dimensions; i-- > 0;) {
      if (i + 1 + bits.line_dimensions == dimensions) rest = bit / line_bits;
      const std::uint64_t at = rest % size;
      rest /= size;
      const std::uint64_t stride = bits.bit_stride(i);
      if (at > 0 && !search.is_blocked(bit - stride, i)) visit(bit - stride);
      if (at + 1 < size && !search.is_blocked(bit, i)) visit(bit + stride);
    }
  }
}

template <class ExecutionSpace>
std::uint64_t count_unreached(const ExecutionSpace& exec_space,
                              const LatticeSearch<ExecutionSpace>& search) {
  const Impl::ArgumentCheck check("count_unreached");
  check.has("search.unreached", search.unreached, search.bits.words());
  return Launch::sum_over_indices(exec_space, "Kindred::Lattice::search::unreached",
                                  search.bits.words(),
                                  Impl::LatticeUnreached<ExecutionSpace>{search.unreached});
}

template <class ExecutionSpace>
void gather_distances(const ExecutionSpace& exec_space, const LatticeSearch<ExecutionSpace>& search,
                      const ArrayView<const std::uint64_t, ExecutionSpace>& targets,
                      const ArrayView<std::uint32_t, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("gather_distances");
  check.has("search.distances", search.distances, search.bits.grid.nodes);
  check.is_aligned("targets", targets);
  check.has("out", out, targets.size());
  Launch::for_each_index(exec_space, "Kindred::Lattice::search::gather", targets.extent(0),
                         Impl::LatticeGather<ExecutionSpace>{search.distances, targets, out});
}

template <class ExecutionSpace>
void trace_lattice_paths(const ExecutionSpace& exec_space,
                         const LatticeSearch<ExecutionSpace>& search,
                         const ArrayView<const std::uint64_t, ExecutionSpace>& targets,
                         const ArrayView<const std::uint64_t, ExecutionSpace>& begins,
                         const ArrayView<std::uint64_t, ExecutionSpace>& paths) {
  const Impl::ArgumentCheck check("trace_lattice_paths");
  check_search(check, search);
  check.is_aligned("targets", targets);
  check.has("begins", begins, targets.size());
  check.is_aligned("paths", paths);
  Launch::for_each_index<Launch::Coarse>(
      exec_space, "Kindred::Lattice::search::trace", targets.extent(0),
      Impl::LatticeTrace<ExecutionSpace>{search, targets, begins, paths});
}

KINDRED_INSTANTIATE_FOR_SPACES(start_lattice_search);
KINDRED_INSTANTIATE_FOR_SPACES(lattice_level);
KINDRED_INSTANTIATE_FOR_SPACES(count_unreached);
KINDRED_INSTANTIATE_FOR_SPACES(gather_distances);
KINDRED_INSTANTIATE_FOR_SPACES(trace_lattice_paths);

}  // namespace Kindred
