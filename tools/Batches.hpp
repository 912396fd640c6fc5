// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_BATCHES_HPP
#define KINDRED_TOOLS_BATCHES_HPP

#include "Session.hpp"

#include <kindred/core/common/Ragged.hpp>

namespace Kindred::Tools {

/// Number of queries per call: large, unless each query can have many results.
inline std::size_t batch_size(std::size_t results_per_query) {
  constexpr std::size_t queries_max = 4096;
  constexpr std::size_t results_max = std::size_t{1} << 22U;
  return std::clamp(results_max / std::max<std::size_t>(results_per_query, 1), std::size_t{1},
                    queries_max);
}

/// Calls `answer(first, count)` for consecutive batches of \p queries, and shows the progress.
template <class Answer>
void answer_queries(const Session& session, std::size_t queries, std::size_t results_per_query,
                    const Answer& answer) {
  Progress progress("answering", !session.options().quiet, "queries");
  const std::size_t batch = batch_size(results_per_query);
  for (std::size_t first = 0; first < queries; first += batch) {
    const std::size_t count = std::min(batch, queries - first);
    answer(first, count);
    progress.update(first + count, queries);
  }
}

/// The rows [first, first + count) of \p rows.
template <class T>
class RowSlice {
 public:
  RowSlice(RaggedSpan<T> rows, std::size_t first, std::size_t count) {
    const auto offsets = rows.offsets.subspan(first, count + 1);
    m_offsets.reserve(offsets.size());
    for (const std::uint64_t offset : offsets) m_offsets.push_back(offset - offsets.front());
    m_values = rows.values.subspan(offsets.front(), offsets.back() - offsets.front());
  }
  RaggedSpan<T> span() const noexcept { return {m_offsets, m_values}; }

 private:
  std::vector<std::uint64_t> m_offsets;
  std::span<const T> m_values;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_BATCHES_HPP
