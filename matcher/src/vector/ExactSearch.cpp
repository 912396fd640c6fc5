// SPDX-License-Identifier: Apache-2.0
#include "ExactSearch.hpp"

#include <string>

namespace Kindred::Impl {

std::vector<Ragged<std::uint64_t>> rows_of_candidates(const VectorStore& store,
                                                      RaggedSpan<std::uint64_t> candidates,
                                                      const IdFilter& filter) {
  const auto segments = store.segments();
  std::vector<Ragged<std::uint64_t>> lists(segments.size());
  for (std::size_t query = 0; query < candidates.rows(); ++query) {
    const std::uint64_t begin = candidates.offsets[query];
    const std::uint64_t end = candidates.offsets[query + 1];
    KINDRED_THROW_IF(end < begin || end > candidates.values.size(),
                     "candidate list " + std::to_string(query) + " goes from " +
                         std::to_string(begin) + " to " + std::to_string(end) + "; there are " +
                         std::to_string(candidates.values.size()) + " candidates");
    for (std::uint64_t at = begin; at < end; ++at) {
      const std::uint64_t id = candidates.values[at];
      bool found = false;
      for (std::size_t s = 0; s < segments.size() && !found; ++s) {
        const auto row = segments[s]->find(id);
        found = row.has_value();
        if (found && filter.passes(query, id)) lists[s].values.push_back(*row);
      }
      KINDRED_THROW_IF(!found, "candidate " + std::to_string(at - begin) + " of query " +
                                   std::to_string(query) + " is " + std::to_string(id) +
                                   "; the index has " + std::to_string(store.size()) +
                                   " rows with ids below " + std::to_string(store.end_id()));
    }
    for (auto& list : lists) list.close_row();
  }
  return lists;
}

}  // namespace Kindred::Impl
