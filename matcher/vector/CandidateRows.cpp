// SPDX-License-Identifier: Apache-2.0
#include "CandidateRows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace Kindred::Impl {

namespace {

/// Represents an id without a row: larger than every row.
constexpr std::uint64_t no_row_number = std::numeric_limits<std::uint32_t>::max();

/// Calls \p kernel for every list of \p candidates, in parallel if that is worthwhile.
template <class Kernel>
void for_each_list(const HostWorkers& host, RaggedSpan<std::uint64_t> candidates,
                   const Kernel& kernel) {
  constexpr double candidate_nanoseconds = 1;
  const std::size_t queries = candidates.rows();
  if (queries == 0) return;
  const auto all = static_cast<double>(candidates.offsets.back() - candidates.offsets.front());
  host.for_each_range(queries, candidate_nanoseconds * all / static_cast<double>(queries),
                      [&](std::size_t begin, std::size_t end) {
                        for (std::size_t query = begin; query < end; ++query) kernel(query);
                      });
}

/// The position of the first of \p ids that has no row; their number if all have one.
std::size_t first_unknown(const VectorStore& store, std::span<const std::uint64_t> ids) {
  const auto segments = store.segments();
  if (segments.empty()) return 0;
  const RowFinder find(*segments.front());
  std::size_t place = 0;
  for (; place < ids.size(); ++place) {
    if (!find(ids[place]) && (segments.size() == 1 || store.find(ids[place]).first == nullptr))
      break;
  }
  return place;
}

/// Checks whether all ids of a list have rows.
struct CheckList {
  const VectorStore* store;
  RaggedSpan<std::uint64_t> candidates;
  std::atomic<std::size_t>* bad_query;  // the first query with an id without a row

  void operator()(std::size_t query) const {
    if (first_unknown(*store, candidates[query]) == candidates.length(query)) return;
    for (std::size_t known = bad_query->load();
         query < known && !bad_query->compare_exchange_weak(known, query);) {
    }
  }
};

/// Counts or writes the rows of a list in one segment of a store.
struct ListRows {
  const VectorSegment* segment;
  RaggedSpan<std::uint64_t> candidates;
  const IdFilter* filter;
  std::size_t first_query;  // of the filter
  // Positions for the rows; when counting, receives the count of a query at its position + 1.
  std::uint64_t* offsets;
  std::uint32_t* rows;  // null: only count

  void operator()(std::size_t query) const {
    const bool all_pass = filter->passes_all();
    const RowFinder find(*segment);
    std::uint32_t* out = rows == nullptr ? nullptr : rows + offsets[query];
    std::uint64_t count = 0;
    for (const std::uint64_t id : candidates[query]) {
      const auto row = find(id);
      if (!row || (!all_pass && !filter->passes(first_query + query, id))) continue;
      if (out != nullptr) out[count] = static_cast<std::uint32_t>(*row);
      ++count;
    }
    if (out == nullptr) offsets[query + 1] = count;
  }
};

void check_offsets(RaggedSpan<std::uint64_t> candidates) {
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    const std::uint64_t begin = candidates.offsets[query];
    const std::uint64_t end = candidates.offsets[query + 1];
    KINDRED_THROW_IF(end < begin || end > candidates.values.size(),
                     "candidate list " + std::to_string(query) + " goes from " +
                         std::to_string(begin) + " to " + std::to_string(end) + "; there are " +
                         std::to_string(candidates.values.size()) + " candidates");
  }
}

}  // namespace

std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id) {
  return "candidate " + std::to_string(place) + " of query " + std::to_string(query) + " is " +
         std::to_string(id) + "; the index has " + std::to_string(store.size()) +
         " rows with ids below " + std::to_string(store.end_id());
}

CandidateRows::CandidateRows(const VectorStore& store, RaggedSpan<std::uint64_t> candidates,
                             const IdFilter& filter)
    : m_store(store), m_candidates(candidates), m_filter(filter), m_are_ids(false) {
  check_offsets(candidates);
  if (filter.passes_all() && store.segments().size() == 1) {
    const VectorSegment& segment = *store.segments().front();
    m_are_ids = segment.size() > 0 && segment.is_contiguous() && segment.live().empty();
  }
}

void CandidateRows::check(const HostWorkers& host) const {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> bad_query = none;
  for_each_list(host, m_candidates, CheckList{&m_store, m_candidates, &bad_query});
  if (bad_query != none) refuse(bad_query);
}

std::optional<std::uint64_t> CandidateRows::checked_rows() const {
  if (!m_are_ids) return {};
  return m_store.segments().front()->size();
}

void CandidateRows::refuse(std::size_t query) const {
  const auto ids = m_candidates[query];
  const std::size_t place = first_unknown(m_store, ids);
  KINDRED_THROW_IF(true, no_row(m_store, place, query, ids[place]));
}

RaggedSpan<std::uint32_t> CandidateRows::rows(const HostWorkers& host, std::size_t segment,
                                              std::size_t first, std::size_t count,
                                              CandidateBuffers& buffers) const {
  const RaggedSpan<std::uint64_t> lists{m_candidates.offsets.subspan(first, count + 1),
                                        m_candidates.values};
  buffers.offsets.assign(count + 1, 0);
  ListRows kernel{
      m_store.segments()[segment].get(), lists, &m_filter, first, buffers.offsets.data(), nullptr};
  if (m_filter.passes_all() && m_store.segments().size() == 1) {
    for (std::size_t query = 0; query < count; ++query)
      buffers.offsets[query + 1] = lists.length(query);
  } else {
    for_each_list(host, lists, kernel);
  }
  for (std::size_t query = 0; query < count; ++query)
    buffers.offsets[query + 1] += buffers.offsets[query];
  buffers.rows.resize_discarding(buffers.offsets.back());
  kernel.rows = buffers.rows.data();
  if (m_are_ids) {
    const std::uint64_t first_id = m_store.segments().front()->id(0);
    for_each_list(host, lists, [&](std::size_t query) {
      std::uint32_t* out = buffers.rows.data() + buffers.offsets[query];
      for (const std::uint64_t id : lists[query])
        *out++ = static_cast<std::uint32_t>(std::min(id - first_id, no_row_number));
    });
  } else {
    for_each_list(host, lists, kernel);
  }
  return {buffers.offsets, {buffers.rows.data(), buffers.offsets.back()}};
}

}  // namespace Kindred::Impl
