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
  Ragged<std::uint32_t>* rows;
  bool counts_only;                     // where the filter decides how many there are
  std::atomic<std::size_t>* bad_query;  // the first with an id that is no row's

  void operator()(std::size_t query) const {
    const auto ids = candidates[query];
    const bool all_pass = filter->passes_all();
    const bool plain = segment->is_contiguous() && segment->live().empty() && segment->size() > 0;
    const std::uint64_t first_id = segment->size() > 0 ? segment->id(0) : 0;
    std::uint32_t* out = counts_only ? nullptr : rows->values.data() + rows->offsets[query];
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
      if (!all_pass && !filter->passes(query, id)) continue;
      if (!counts_only) out[count] = static_cast<std::uint32_t>(row);
      ++count;
    }
    if (counts_only) rows->offsets[query + 1] = count;
  }
};

void run(const HostSpace& host, const QueryRows& kernel) {
  const std::size_t queries = kernel.candidates.rows();
  if (kernel.candidates.values.size() < serial_max || queries < 2) {
    for (std::size_t query = 0; query < queries; ++query) kernel(query);
    return;
  }
  Kokkos::parallel_for("Kindred::VectorIndex::score::rows",
                       Kokkos::RangePolicy<HostSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                           Kokkos::IndexType<std::size_t>>(host, 0, queries),
                       kernel);
  host.fence("Kindred::VectorIndex::score::rows");
}

Ragged<std::uint32_t> rows_of_one(const HostSpace& host, const VectorStore& store,
                                  RaggedSpan<std::uint64_t> candidates, const IdFilter& filter) {
  Ragged<std::uint32_t> rows;
  std::atomic<std::size_t> bad_query = none;
  QueryRows kernel{store.segments()[0].get(), candidates, &filter, &rows,
                   !filter.passes_all(),      &bad_query};
  rows.offsets.resize(candidates.rows() + 1);
  if (kernel.counts_only) {
    run(host, kernel);
  } else {
    for (std::size_t query = 0; query < candidates.rows(); ++query)
      rows.offsets[query + 1] = candidates.length(query);
  }
  if (bad_query == none) {
    for (std::size_t query = 0; query < candidates.rows(); ++query)
      rows.offsets[query + 1] += rows.offsets[query];
    rows.values.resize(rows.offsets.back());
    kernel.counts_only = false;
    run(host, kernel);
  }
  if (bad_query == none) return rows;
  const std::size_t query = bad_query;
  const auto ids = candidates[query];
  std::size_t place = 0;
  while (kernel.segment->find(ids[place])) ++place;
  KINDRED_THROW_IF(true, no_row(store, place, query, ids[place]));
  return rows;
}

}  // namespace

std::string no_row(const VectorStore& store, std::size_t place, std::size_t query,
                   std::uint64_t id) {
  return "candidate " + std::to_string(place) + " of query " + std::to_string(query) + " is " +
         std::to_string(id) + "; the index has " + std::to_string(store.size()) +
         " rows with ids below " + std::to_string(store.end_id());
}

std::vector<Ragged<std::uint32_t>> rows_of_candidates(const HostSpace& host,
                                                      const VectorStore& store,
                                                      RaggedSpan<std::uint64_t> candidates,
                                                      const IdFilter& filter) {
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    const std::uint64_t begin = candidates.offsets[query];
    const std::uint64_t end = candidates.offsets[query + 1];
    KINDRED_THROW_IF(end < begin || end > candidates.values.size(),
                     "candidate list " + std::to_string(query) + " goes from " +
                         std::to_string(begin) + " to " + std::to_string(end) + "; there are " +
                         std::to_string(candidates.values.size()) + " candidates");
  }
  const auto segments = store.segments();
  std::vector<Ragged<std::uint32_t>> lists(segments.size());
  if (segments.size() == 1) {
    lists[0] = rows_of_one(host, store, candidates, filter);
    return lists;
  }
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    const auto ids = candidates[query];
    for (std::size_t place = 0; place < ids.size(); ++place) {
      bool found = false;
      for (std::size_t s = 0; s < segments.size() && !found; ++s) {
        const auto row = segments[s]->find(ids[place]);
        found = row.has_value();
        if (found && filter.passes(query, ids[place]))
          lists[s].values.push_back(static_cast<std::uint32_t>(*row));
      }
      KINDRED_THROW_IF(!found, no_row(store, place, query, ids[place]));
    }
    for (auto& list : lists) list.close_row();
  }
  return lists;
}

}  // namespace Kindred::Impl
