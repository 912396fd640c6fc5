// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_SEARCH_ONE_HPP
#define KINDRED_MATCHER_HNSW_SEARCH_ONE_HPP

#include "HnswStore.hpp"
#include "RowCodes.hpp"
#include "Walk.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The ids that may be returned; without a mask, all.
struct HnswFilter {
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint64_t> words;

  bool is_open() const noexcept { return bytes.empty() && words.empty(); }
  bool passes(std::uint64_t id) const noexcept {
    if (!bytes.empty()) return bytes[id] != 0;
    return words.empty() || (words[id / 64] >> (id % 64) & 1U) != 0;
  }
};

/// A found row: exact score as ascending bits, and id.
using Found = std::pair<std::uint32_t, std::uint64_t>;

struct SearchBuffers {
  WalkBuffers walk;
  CodedQuery query;
  std::vector<Found> found;
  std::uint64_t visited = 0;
  std::uint64_t scanned = 0;
};

/// Parameters common to all queries of a call.
struct SearchPlan {
  std::size_t top = 0;
  std::size_t ef = 0;
  HnswFilter filter;
  std::size_t allowed = 0;  ///< rows that may be returned
};

/// \brief Searches the rows of one query: \p buffers.found is in total order and has at most `top`
/// elements.
/// \throws std::bad_alloc
void search_one(const HnswStore& store, std::span<const float> query, const SearchPlan& plan,
                SearchBuffers& buffers);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_SEARCH_ONE_HPP
