// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/FindRows.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

namespace Kindred {

namespace {

/// An index: one id, or, beyond the ids, one offset.
template <class ExecutionSpace>
struct FindKernel {
  IdLists lists;
  SegmentIds segment;
  std::uint32_t* found;
  std::uint64_t* offsets;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t ids = lists.queries * lists.length;
    if (index >= ids) {
      offsets[index - ids] = (index - ids) * lists.length;
      return;
    }
    const std::uint64_t query = index / lists.length;
    found[index] = segment.row_of(lists.ids[query * lists.stride + index % lists.length]);
  }
};

}  // namespace

template <class ExecutionSpace>
void find_rows(const ExecutionSpace& exec_space, const IdLists& lists, const SegmentIds& segment,
               const ArrayView<std::uint32_t, ExecutionSpace>& found,
               const ArrayView<std::uint64_t, ExecutionSpace>& offsets) {
  const Impl::ArgumentCheck check("find_rows");
  check.has("found", found, Impl::extent_of(lists.queries, lists.length));
  check.has("offsets", offsets, Impl::extent_sum(lists.queries, 1));
  check.is_array("lists.ids", lists.ids, Impl::extent_of(lists.queries, lists.length));
  check.is_array("segment.ids", segment.ids, segment.is_contiguous ? 0 : segment.rows);
  Launch::for_each_index(exec_space, "Kindred::Vector::find_rows::find",
                         lists.queries * lists.length + lists.queries + 1,
                         FindKernel<ExecutionSpace>{lists, segment, found.data(), offsets.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(find_rows);

}  // namespace Kindred
