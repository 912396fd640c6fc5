// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/CancellableFor.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/lattice/impl/LatticeSearch.hpp>

#include <algorithm>
#include <limits>
#include <string>

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
    const auto bits = static_cast<double>((line + 63) / 64 * 64);
    if (line >= line_min && bits <= waste_max * static_cast<double>(line)) break;
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
  const auto words = Arch::range<std::uint32_t>(exec_space, search.bits.words());
  if (open.extent(0) > 0) {
    Kokkos::deep_copy(exec_space, search.unreached, open);
  } else {
    Kokkos::parallel_for("Kindred::Lattice::search::open", words,
                         Impl::LatticeOpen<ExecutionSpace>{search.bits, search.unreached});
  }
  for (const auto& frontier : search.frontiers)
    Kokkos::deep_copy(exec_space, frontier, std::uint64_t{0});
  Kokkos::deep_copy(exec_space, search.distances, lattice_unreached);
  Kokkos::deep_copy(exec_space, search.found, std::uint32_t{0});
  Kokkos::parallel_for("Kindred::Lattice::search::sources",
                       Arch::range(exec_space, sources.extent(0)),
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
  const auto words = Arch::range<std::uint32_t>(exec_space, first, last);
  std::uint64_t count = 0;
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Kokkos::parallel_for(label, words, body);
  } else {
    Kokkos::parallel_reduce(label, words, body, count);
  }
  return count;
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
  const bool has_blocked = search.blocked_edges.extent(0) > 0;
  const auto is_blocked = [&](std::uint64_t bit, std::uint32_t i) {
    if (!has_blocked) return false;
    const std::uint64_t word = i * bits.guarded_words() + bits.guard() + bit / 64;
    return (search.blocked_edges(word) >> bit % 64 & 1U) != 0;
  };
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
      if (at > 0 && !is_blocked(bit - stride, i)) visit(bit - stride);
      if (at + 1 < size && !is_blocked(bit, i)) visit(bit + stride);
    }
  }
}

template <class ExecutionSpace>
std::uint64_t count_unreached(const ExecutionSpace& exec_space,
                              const LatticeSearch<ExecutionSpace>& search) {
  const Impl::ArgumentCheck check("count_unreached");
  check.has("search.unreached", search.unreached, search.bits.words());
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("Kindred::Lattice::search::unreached",
                          Arch::range(exec_space, search.bits.words()),
                          Impl::LatticeUnreached<ExecutionSpace>{search.unreached}, count);
  Arch::fence(exec_space, "Kindred::Lattice::search::unreached");
  return count;
}

template <class ExecutionSpace>
void gather_distances(const ExecutionSpace& exec_space, const LatticeSearch<ExecutionSpace>& search,
                      const ArrayView<const std::uint64_t, ExecutionSpace>& targets,
                      const ArrayView<std::uint32_t, ExecutionSpace>& out) {
  const Impl::ArgumentCheck check("gather_distances");
  check.has("search.distances", search.distances, search.bits.grid.nodes);
  check.is_aligned("targets", targets);
  check.has("out", out, targets.size());
  Kokkos::parallel_for("Kindred::Lattice::search::gather",
                       Arch::range(exec_space, targets.extent(0)),
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
  Arch::cancellable_for("Kindred::Lattice::search::trace",
                        Arch::range(exec_space, targets.extent(0)),
                        Impl::LatticeTrace<ExecutionSpace>{search, targets, begins, paths});
}

#define KINDRED_INSTANTIATE(SPACE)                                                             \
  template void start_lattice_search<SPACE>(const SPACE&, const LatticeSearch<SPACE>&,         \
                                            const ArrayView<const std::uint64_t, SPACE>&,      \
                                            const ArrayView<const std::uint64_t, SPACE>&);     \
  template std::uint64_t lattice_level<SPACE>(const SPACE&, const LatticeSearch<SPACE>&,       \
                                              std::uint32_t, std::uint32_t, std::uint32_t);    \
  template std::uint64_t count_unreached<SPACE>(const SPACE&, const LatticeSearch<SPACE>&);    \
  template void gather_distances<SPACE>(const SPACE&, const LatticeSearch<SPACE>&,             \
                                        const ArrayView<const std::uint64_t, SPACE>&,          \
                                        const ArrayView<std::uint32_t, SPACE>&);               \
  template void trace_lattice_paths<SPACE>(                                                    \
      const SPACE&, const LatticeSearch<SPACE>&, const ArrayView<const std::uint64_t, SPACE>&, \
      const ArrayView<const std::uint64_t, SPACE>&, const ArrayView<std::uint64_t, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
