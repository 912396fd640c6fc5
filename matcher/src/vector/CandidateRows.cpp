// SPDX-License-Identifier: Apache-2.0
#include "CandidateRows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace Kindred::Impl {

namespace {

constexpr std::size_t serial_max = 1U << 16U;  // candidates that are not worth threads

/// Calls \p kernel for every list of \p candidates.
template <class Kernel>
void for_each_list(const HostSpace& host, RaggedSpan<std::uint64_t> candidates,
                   const Kernel& kernel) {
  const std::size_t queries = candidates.rows();
  if (queries == 0) return;
  if (candidates.offsets.back() - candidates.offsets.front() < serial_max || queries < 2) {
    for (std::size_t query = 0; query < queries; ++query) kernel(query);
    return;
  }
  Kokkos::parallel_for("Kindred::VectorIndex::score::rows",
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                           Kokkos::IndexType<std::size_t>>(host, 0, queries),
                       kernel);
  host.fence("Kindred::VectorIndex::score::rows");
}

/// The first of \p ids that is no row's; how many there are where all are.
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

/// A list: whether all of its ids are rows'.
struct CheckList {
  const VectorStore* store;
  RaggedSpan<std::uint64_t> candidates;
  std::atomic<std::size_t>* bad_query;  // the first with an id that is no row's

  void operator()(std::size_t query) const {
    if (first_unknown(*store, candidates[query]) == candidates.length(query)) return;
    for (std::size_t known = bad_query->load();
         query < known && !bad_query->compare_exchange_weak(known, query);) {
    }
  }
};

/// A list: its rows in one segment of a store.
struct ListRows {
  const VectorSegment* segment;
  RaggedSpan<std::uint64_t> candidates;
  const IdFilter* filter;
  std::size_t first_query;  // of the filter
  std::uint64_t* offsets;   // where rows go to; of a count, behind a query how many
  std::uint32_t* rows;      // null: they are counted

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

void check_candidates(const HostSpace& host, const VectorStore& store,
                      RaggedSpan<std::uint64_t> candidates) {
  check_offsets(candidates);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> bad_query = none;
  for_each_list(host, candidates, CheckList{&store, candidates, &bad_query});
  if (bad_query == none) return;
  const auto ids = candidates[bad_query];
  const std::size_t place = first_unknown(store, ids);
  KINDRED_THROW_IF(true, no_row(store, place, bad_query, ids[place]));
}

RaggedSpan<std::uint32_t> CandidateRows::rows(const HostSpace& host, std::size_t segment,
                                              std::size_t first, std::size_t count,
                                              CandidateRoom& room) const {
  const RaggedSpan<std::uint64_t> lists{m_candidates.offsets.subspan(first, count + 1),
                                        m_candidates.values};
  room.offsets.assign(count + 1, 0);
  ListRows kernel{
      m_store.segments()[segment].get(), lists, &m_filter, first, room.offsets.data(), nullptr};
  if (m_filter.passes_all() && m_store.segments().size() == 1) {
    for (std::size_t query = 0; query < count; ++query)
      room.offsets[query + 1] = lists.length(query);
  } else {
    for_each_list(host, lists, kernel);
  }
  for (std::size_t query = 0; query < count; ++query)
    room.offsets[query + 1] += room.offsets[query];
  room.rows.resize_discarding(room.offsets.back());
  kernel.rows = room.rows.data();
  for_each_list(host, lists, kernel);
  return {room.offsets, {room.rows.data(), room.offsets.back()}};
}

}  // namespace Kindred::Impl
