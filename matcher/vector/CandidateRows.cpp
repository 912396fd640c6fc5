// SPDX-License-Identifier: Apache-2.0
#include "CandidateRows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace Kindred::Impl {

namespace {

/// Represents an id without a row: larger than every row.
constexpr std::uint64_t no_row_number = std::numeric_limits<std::uint32_t>::max();

/// Calls \p kernel for the lists `first … first + count`, in parallel if that is worthwhile.
template <class Kernel>
void for_each_list(const HostWorkers& host, const IdSpans& candidates, std::size_t first,
                   std::size_t count, const Kernel& kernel) {
  constexpr double candidate_nanoseconds = 1;
  std::size_t all = 0;
  for (std::size_t query = first; query < first + count; ++query) all += candidates[query].size();
  host.for_each_range(count,
                      candidate_nanoseconds * static_cast<double>(all) / static_cast<double>(count),
                      [&](std::size_t begin, std::size_t end) {
                        for (std::size_t query = begin; query < end; ++query) kernel(first + query);
                      });
}

/// The position of the first of \p ids that has no row; their number if all have one.
std::size_t first_unknown(const VectorStore& store, std::span<const std::uint64_t> ids) {
  const auto segments = store.segments();
  if (segments.empty()) return 0;
  const RowFinder find(segments.front());
  std::size_t place = 0;
  for (; place < ids.size(); ++place) {
    if (!find(ids[place]) && (segments.size() == 1 || store.find(ids[place]).first == nullptr))
      break;
  }
  return place;
}

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

IdSpans::IdSpans(const VectorCall& call, const CandidateLists& given) : m_ragged(given.ragged) {
  const std::size_t count = call.queries.count;
  if (given.array) {
    const NamedArray lists{"candidates", *given.array};
    m_array.length = call.columns(lists, DataType::int64);
    m_array.ids = static_cast<const std::int64_t*>(lists.array.data());
    m_array.queries = count;
    m_array.stride = call.is_flat ? m_array.length : stride_of(lists);
    constexpr std::uint64_t length_max = 0xFFFFFFFEU;
    KINDRED_THROW_IF(m_array.length > length_max,
                     value_message("the length of the lists", m_array.length) +
                         "; it must be at most " + std::to_string(length_max));
    m_size = size_product("queries × candidates", {count, m_array.length});
    KINDRED_THROW_IF(m_size != lists.array.size(),
                     "candidates has " + std::to_string(lists.array.size()) +
                         " elements; it must have equally many for each of the " +
                         std::to_string(count) + " queries");
    return;
  }
  KINDRED_THROW_IF(call.on_device,
                   "the queries lie on a device, and the candidates do not; give them as an array "
                   "there");
  KINDRED_THROW_IF(m_ragged.rows() != count,
                   value_message("the number of candidate lists", m_ragged.rows()) +
                       "; there are " + std::to_string(count) + " queries");
  check_offsets(m_ragged);
  if (count > 0) m_size = m_ragged.offsets.back() - m_ragged.offsets.front();
}

CandidateRows::CandidateRows(const VectorStore& store, const IdSpans& candidates,
                             const IdFilter& filter)
    : m_store(store), m_candidates(candidates), m_filter(filter), m_are_ids(false) {
  if (!candidates.skips_unknown() && filter.passes_all() && store.segments().size() == 1) {
    const LiveSegment& segment = store.segments().front();
    m_are_ids = segment->is_contiguous() && segment.live().has_all();
  }
}

void CandidateRows::check(const HostWorkers& host) const {
  if (m_candidates.skips_unknown()) return;
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> bad_query = none;
  for_each_list(host, m_candidates, 0, m_candidates.rows(), [&](std::size_t query) {
    const auto ids = m_candidates[query];
    if (first_unknown(m_store, ids) == ids.size()) return;
    for (std::size_t known = bad_query.load();
         query < known && !bad_query.compare_exchange_weak(known, query);) {
    }
  });
  if (bad_query != none) refuse(bad_query);
}

std::optional<std::uint64_t> CandidateRows::checked_rows() const {
  if (!m_are_ids) return {};
  return m_store.segments().front().size();
}

void CandidateRows::refuse(std::size_t query) const {
  const auto ids = m_candidates[query];
  const std::size_t place = first_unknown(m_store, ids);
  KINDRED_THROW_IF(true, no_row(m_store, place, query, ids[place]));
}

RaggedSpan<std::uint32_t> CandidateRows::rows(const HostWorkers& host, std::size_t segment_number,
                                              std::size_t first, std::size_t count,
                                              CandidateBuffers& buffers) const {
  const LiveSegment& segment = m_store.segments()[segment_number];
  const bool all_pass = m_filter.passes_all();
  buffers.offsets.assign(count + 1, 0);
  // Calls `visit(row)` for the rows of a list that are in the segment and pass.
  const auto for_each_row = [&](std::size_t query, const auto& visit) {
    const RowFinder find(segment);
    for (const std::uint64_t id : m_candidates[query]) {
      const auto row = find(id);
      if (row && (all_pass || m_filter.passes(query, id))) visit(static_cast<std::uint32_t>(*row));
    }
  };
  if (all_pass && m_store.segments().size() == 1 && !m_candidates.skips_unknown()) {
    for (std::size_t query = 0; query < count; ++query)
      buffers.offsets[query + 1] = m_candidates[first + query].size();
  } else {
    for_each_list(host, m_candidates, first, count, [&](std::size_t query) {
      std::uint64_t rows = 0;
      for_each_row(query, [&](std::uint32_t) { ++rows; });
      buffers.offsets[query - first + 1] = rows;
    });
  }
  for (std::size_t query = 0; query < count; ++query)
    buffers.offsets[query + 1] += buffers.offsets[query];
  buffers.rows.resize_discarding(buffers.offsets.back());
  const std::uint64_t first_id = segment.id(0);
  for_each_list(host, m_candidates, first, count, [&](std::size_t query) {
    std::uint32_t* out = buffers.rows.data() + buffers.offsets[query - first];
    if (!m_are_ids) return for_each_row(query, [&](std::uint32_t row) { *out++ = row; });
    for (const std::uint64_t id : m_candidates[query])
      *out++ = static_cast<std::uint32_t>(std::min(id - first_id, no_row_number));
  });
  return {buffers.offsets, {buffers.rows.data(), buffers.offsets.back()}};
}

}  // namespace Kindred::Impl
