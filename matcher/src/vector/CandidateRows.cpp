// SPDX-License-Identifier: Apache-2.0
#include "CandidateRows.hpp"

#include <atomic>

namespace Kindred::Impl {

namespace {

constexpr std::size_t serial_max = 1U << 16U;  // candidates that are not worth threads
constexpr std::size_t none = ~std::size_t{0};

/// A query: its candidates as rows of the one segment of a store.
struct QueryRows {
  const VectorSegment* segment;
  RaggedSpan<std::uint64_t> candidates;
  const IdFilter* filter;
  std::size_t first_query;              // of the filter
  std::uint64_t* offsets;               // where rows go to; of a count, behind a query how many
  std::uint32_t* rows;                  // null: they are checked and counted
  std::atomic<std::size_t>* bad_query;  // the first with an id that is no row's

  void operator()(std::size_t query) const {
    const auto ids = candidates[query];
    const bool all_pass = filter->passes_all();
    const bool plain = segment->is_contiguous() && segment->live().empty() && segment->size() > 0;
    const std::uint64_t first_id = segment->size() > 0 ? segment->id(0) : 0;
    std::uint32_t* out = rows == nullptr ? nullptr : rows + offsets[query];
    std::uint64_t count = 0;
    for (const std::uint64_t id : ids) {
      std::uint64_t row = id - first_id;
      if (!plain || row >= segment->size()) {
        const auto found = segment->find(id);
        if (!found) {
          for (std::size_t known = bad_query->load();
               query < known && !bad_query->compare_exchange_weak(known, query);) {
          }
          return;
        }
        row = *found;
      }
      if (!all_pass && !filter->passes(first_query + query, id)) continue;
      if (out != nullptr) out[count] = static_cast<std::uint32_t>(row);
      ++count;
    }
    if (out == nullptr && offsets != nullptr) offsets[query + 1] = count;
  }
};

void run(const HostSpace& host, const QueryRows& kernel) {
  const std::size_t queries = kernel.candidates.rows();
  if (queries == 0) return;
  const auto& offsets = kernel.candidates.offsets;
  if (offsets.back() - offsets.front() < serial_max || queries < 2) {
    for (std::size_t query = 0; query < queries; ++query) kernel(query);
    return;
  }
  Kokkos::parallel_for("Kindred::VectorIndex::score::rows",
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                           Kokkos::IndexType<std::size_t>>(host, 0, queries),
                       kernel);
  host.fence("Kindred::VectorIndex::score::rows");
}

}  // namespace

std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id) {
  return "candidate " + std::to_string(place) + " of query " + std::to_string(query) + " is " +
         std::to_string(id) + "; the index has " + std::to_string(store.size()) +
         " rows with ids below " + std::to_string(store.end_id());
}

CandidateRows::CandidateRows(const HostSpace& host, const VectorStore& store,
                             RaggedSpan<std::uint64_t> candidates, const IdFilter& filter)
    : m_store(store), m_filter(filter), m_candidates(candidates) {
  check_offsets();
  if (store.segments().size() == 1) {
    check_ids(host);
  } else {
    make_lists();
  }
}

void CandidateRows::check_offsets() const {
  for (std::size_t query = 0; query < m_candidates.rows(); ++query) {
    const std::uint64_t begin = m_candidates.offsets[query];
    const std::uint64_t end = m_candidates.offsets[query + 1];
    KINDRED_THROW_IF(end < begin || end > m_candidates.values.size(),
                     "candidate list " + std::to_string(query) + " goes from " +
                         std::to_string(begin) + " to " + std::to_string(end) + "; there are " +
                         std::to_string(m_candidates.values.size()) + " candidates");
  }
}

void CandidateRows::check_ids(const HostSpace& host) const {
  const VectorSegment& segment = *m_store.segments()[0];
  std::atomic<std::size_t> bad_query = none;
  run(host, {&segment, m_candidates, &m_filter, 0, nullptr, nullptr, &bad_query});
  if (bad_query == none) return;
  const auto ids = m_candidates[bad_query];
  std::size_t place = 0;
  while (segment.find(ids[place])) ++place;
  KINDRED_THROW_IF(true, no_row(m_store, place, bad_query, ids[place]));
}

void CandidateRows::make_lists() {
  const auto segments = m_store.segments();
  m_lists.resize(segments.size());
  for (std::size_t query = 0; query < m_candidates.rows(); ++query) {
    const auto ids = m_candidates[query];
    for (std::size_t place = 0; place < ids.size(); ++place) {
      bool found = false;
      for (std::size_t s = 0; s < segments.size() && !found; ++s) {
        const auto row = segments[s]->find(ids[place]);
        found = row.has_value();
        if (found && m_filter.passes(query, ids[place]))
          m_lists[s].values.push_back(static_cast<std::uint32_t>(*row));
      }
      KINDRED_THROW_IF(!found, no_row(m_store, place, query, ids[place]));
    }
    for (auto& list : m_lists) list.close_row();
  }
}

RaggedSpan<std::uint32_t> CandidateRows::rows(const HostSpace& host, std::size_t segment,
                                              std::size_t first, std::size_t count,
                                              CandidateRoom& room) const {
  if (m_store.segments().size() > 1) {
    return {std::span<const std::uint64_t>(m_lists[segment].offsets).subspan(first, count + 1),
            m_lists[segment].values};
  }
  const RaggedSpan<std::uint64_t> lists{m_candidates.offsets.subspan(first, count + 1),
                                        m_candidates.values};
  std::atomic<std::size_t> bad_query = none;
  room.offsets.assign(count + 1, 0);
  QueryRows kernel{m_store.segments()[0].get(), lists,   &m_filter, first,
                   room.offsets.data(),         nullptr, &bad_query};
  if (m_filter.passes_all()) {
    for (std::size_t query = 0; query < count; ++query)
      room.offsets[query + 1] = lists.length(query);
  } else {
    run(host, kernel);
  }
  for (std::size_t query = 0; query < count; ++query)
    room.offsets[query + 1] += room.offsets[query];
  room.rows.resize_discarding(room.offsets.back());
  kernel.rows = room.rows.data();
  run(host, kernel);
  return {room.offsets, {room.rows.data(), room.offsets.back()}};
}

}  // namespace Kindred::Impl
