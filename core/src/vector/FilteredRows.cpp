// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/vector/FilteredRows.hpp>
#include <kindred/core/vector/impl/VectorChecks.hpp>

namespace Kindred {

namespace {

/// An index: one word of the filter; counts the rows that it lets pass.
template <class ExecutionSpace>
struct CountFiltered {
  RowFilter<ExecutionSpace> filter;
  std::uint64_t rows;
  std::uint64_t words;
  std::uint32_t* offsets;

  KOKKOS_INLINE_FUNCTION std::uint64_t word(std::uint64_t index) const {
    const std::uint64_t left = rows - 64 * index;
    return left >= 64 ? filter.words[index]
                      : filter.words[index] & ((std::uint64_t{1} << left) - 1);
  }
  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t index, std::uint32_t& sum,
                                         const bool final) const {
    if (final) offsets[index] = sum;
    if (index < words) sum += static_cast<std::uint32_t>(Kokkos::popcount(word(index)));
  }
};

/// An index: one word of the filter.
template <class ExecutionSpace>
struct ListFiltered {
  CountFiltered<ExecutionSpace> counted;
  std::uint32_t* chosen;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint64_t index) const {
    std::uint32_t place = counted.offsets[index];
    for (std::uint64_t word = counted.word(index); word != 0; word &= word - 1)
      chosen[place++] = static_cast<std::uint32_t>(64 * index + Kokkos::countr_zero(word));
  }
};

}  // namespace

template <class ExecutionSpace>
void count_filtered_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                         std::uint64_t rows,
                         const ArrayView<std::uint32_t, ExecutionSpace>& offsets) {
  const Impl::ArgumentCheck check("count_filtered_rows");
  check.has("filter.words", filter.words, filter_words(rows));
  check.has("offsets", offsets, filter_words(rows) + 1);
  const std::uint64_t words = filter_words(rows);
  Launch::scan_indices(exec_space, "Kindred::Vector::count_filtered_rows::count", words + 1,
                       CountFiltered<ExecutionSpace>{filter, rows, words, offsets.data()});
}

template <class ExecutionSpace>
void list_filtered_rows(const ExecutionSpace& exec_space, const RowFilter<ExecutionSpace>& filter,
                        std::uint64_t rows, const ArrayView<std::uint32_t, ExecutionSpace>& offsets,
                        const ArrayView<std::uint32_t, ExecutionSpace>& chosen) {
  const Impl::ArgumentCheck check("list_filtered_rows");
  check.has("filter.words", filter.words, filter_words(rows));
  check.has("offsets", offsets, filter_words(rows) + 1);
  check.is_aligned("chosen", chosen);
  const std::uint64_t words = filter_words(rows);
  const CountFiltered<ExecutionSpace> counted{filter, rows, words, offsets.data()};
  Launch::for_each_index(exec_space, "Kindred::Vector::list_filtered_rows::list", words,
                         ListFiltered<ExecutionSpace>{counted, chosen.data()});
}

KINDRED_INSTANTIATE_FOR_SPACES(count_filtered_rows);
KINDRED_INSTANTIATE_FOR_SPACES(list_filtered_rows);

}  // namespace Kindred
