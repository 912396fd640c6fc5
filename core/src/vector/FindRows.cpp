// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/FindRows.hpp>

#include <string>

namespace Kindred {

namespace {

constexpr std::uint32_t no_row = 0xFFFFFFFFU;

/// An index: one id, or, beyond the ids, one offset.
template <class ExecutionSpace>
struct FindKernel {
  IdLists lists;
  const std::uint32_t* segment_ids;
  std::uint32_t first_id;
  std::uint64_t rows;
  bool is_contiguous;
  std::uint32_t* found;
  std::uint64_t* offsets;

  KOKKOS_INLINE_FUNCTION void operator()(std::uint64_t index) const {
    const std::uint64_t ids = lists.queries * lists.length;
    if (index >= ids) {
      offsets[index - ids] = (index - ids) * lists.length;
      return;
    }
    const std::uint64_t query = index / lists.length;
    const std::int64_t id = lists.ids[query * lists.stride + index % lists.length];
    found[index] = row_of(id);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t row_of(std::int64_t id) const {
    // A negative id becomes a large one.
    const std::uint64_t wanted = static_cast<std::uint64_t>(id) - first_id;
    if (is_contiguous || id < 0) return wanted < rows ? static_cast<std::uint32_t>(wanted) : no_row;
    std::uint64_t low = 0;
    std::uint64_t high = rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (segment_ids[middle] < static_cast<std::uint64_t>(id)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const bool is_found = low < rows && segment_ids[low] == static_cast<std::uint64_t>(id);
    return is_found ? static_cast<std::uint32_t>(low) : no_row;
  }
};

}  // namespace

template <class ExecutionSpace>
void find_rows(const ExecutionSpace& exec_space, const IdLists& lists,
               const ArrayView<const std::uint32_t, ExecutionSpace>& segment_ids,
               std::uint32_t first_id, std::uint64_t rows, bool is_contiguous,
               const ArrayView<std::uint32_t, ExecutionSpace>& found,
               const ArrayView<std::uint64_t, ExecutionSpace>& offsets) {
  static const std::string label = "Kindred::Vector::find_rows::find";
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>(
                           exec_space, 0, lists.queries * lists.length + lists.queries + 1),
                       FindKernel<ExecutionSpace>{lists, segment_ids.data(), first_id, rows,
                                                  is_contiguous, found.data(), offsets.data()});
}

#define KINDRED_INSTANTIATE(SPACE)                                                            \
  template void find_rows<SPACE>(const SPACE&, const IdLists&,                                \
                                 const ArrayView<const std::uint32_t, SPACE>&, std::uint32_t, \
                                 std::uint64_t, bool, const ArrayView<std::uint32_t, SPACE>&, \
                                 const ArrayView<std::uint64_t, SPACE>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)
#undef KINDRED_INSTANTIATE

}  // namespace Kindred
