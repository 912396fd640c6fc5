// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/sequence/CollectSurvivors.hpp>

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

namespace Kindred {

namespace {

/// Selects the slots whose count reaches the threshold and which do not rank after the bound.
template <class ExecutionSpace>
struct SurvivorsKernel {
  PatternTiles<ExecutionSpace> tiles;
  ArrayView<const std::uint32_t, ExecutionSpace> matched;  ///< of the query
  ArrayView<const Rank, ExecutionSpace> bound;             ///< empty or one element
  ArrayView<std::uint32_t, ExecutionSpace> list;
  ArrayView<std::uint32_t, ExecutionSpace> counters;
  double threshold;
  std::uint32_t query_length;
  std::uint32_t index_limit;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t slot) const {
    const std::uint32_t index = tiles.indices(slot);
    if (index >= index_limit) return;
    const std::uint64_t total = std::uint64_t{tiles.lengths(slot)} + query_length;
    const std::uint32_t count = matched(slot);
    if (threshold > 0.0 && count < fewest_matched(threshold, total)) return;
    const double value = similarity(count, total);
    if (value < threshold) return;
    if (bound.size() > 0 && bound(0) < Impl::match_key<Rank>(value, index)) return;
    const std::uint32_t place = Kokkos::atomic_fetch_add(&counters(0), 1U);
    if (place < list.size()) list(place) = slot;
  }
};

}  // namespace

template <class ExecutionSpace>
void collect_survivors(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       std::uint32_t query, std::uint32_t query_length, double threshold,
                       std::uint32_t index_limit,
                       const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                       const ArrayView<const Rank, ExecutionSpace>& bound,
                       const ArrayView<std::uint32_t, ExecutionSpace>& list,
                       const ArrayView<std::uint32_t, ExecutionSpace>& counters) {
  const Impl::ArgumentCheck check("collect_survivors");
  Impl::check_tiles(check, tiles);
  check.has("matched", matched, Impl::extent_of(query + 1ULL, tiles.slots()));
  check.is_at_most("the size of bound", bound.size(), 1);
  check.is_aligned("bound", bound);
  check.is_aligned("list", list);
  check.has("counters", counters, 2);
  Arch::start_fill(exec_space, counters, 0U);
  const std::uint64_t row = std::uint64_t{query} * tiles.slots();
  const ArrayView<const std::uint32_t, ExecutionSpace> own(matched.data() + row, tiles.slots());
  Launch::for_each_index<Launch::Fine, std::uint32_t>(
      exec_space, "Kindred::Sequence::collect_survivors::append", tiles.slots(),
      SurvivorsKernel<ExecutionSpace>{tiles, own, bound, list, counters, threshold, query_length,
                                      index_limit});
}

KINDRED_INSTANTIATE_FOR_SPACES(collect_survivors);

}  // namespace Kindred
