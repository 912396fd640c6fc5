// SPDX-License-Identifier: Apache-2.0
#include "CandidateSearch.hpp"

#include <algorithm>
#include <bit>

namespace Kindred::Impl {

namespace {

/// Finds repeated ids with a hash table. Entries of earlier lists are recognised by their stamp, so
/// that the table is cleared only once.
class SeenIds {
 public:
  explicit SeenIds(std::size_t longest)
      : m_slots(std::bit_ceil(2 * longest + 1), 0), m_mask(m_slots.size() - 1) {}

  void next_list() { ++m_stamp; }
  /// Returns true if \p id is new in this list.
  bool insert(std::uint32_t id) {
    const std::uint64_t entry = m_stamp << 32U | id;
    for (std::size_t slot = id * 0x9E3779B97F4A7C15ULL >> 32U & m_mask;;
         slot = (slot + 1) & m_mask) {
      if (m_slots[slot] == entry) return false;
      if (m_slots[slot] >> 32U != m_stamp) {
        m_slots[slot] = entry;
        return true;
      }
    }
  }

 private:
  std::vector<std::uint64_t> m_slots;
  std::size_t m_mask;
  std::uint64_t m_stamp = 0;
};

constexpr std::size_t block = 64;  // lists that share a table

/// Fills the rows `block_index * block …` of \p tiles.
struct FillTiles {
  RaggedSpan<std::uint32_t> lists;
  CandidateTiles* tiles;
  std::size_t tile_size;

  void operator()(std::size_t block_index) const {
    const std::size_t begin = block_index * block;
    const std::size_t end = std::min(lists.rows(), begin + block);
    std::size_t longest = 0;
    for (std::size_t row = begin; row < end; ++row) longest = std::max(longest, lists.length(row));
    SeenIds seen(longest);
    for (std::size_t row = begin; row < end; ++row) {
      seen.next_list();
      std::size_t place = tiles->offsets[row];
      for (const std::uint32_t id : lists[row]) {
        if (seen.insert(static_cast<std::uint32_t>(id)))
          tiles->ids[place++] = static_cast<std::uint32_t>(id);
      }
      std::fill(tiles->ids.begin() + static_cast<std::ptrdiff_t>(place),
                tiles->ids.begin() + static_cast<std::ptrdiff_t>(tiles->offsets[row + 1]),
                no_candidate);
      std::fill(tiles->work_item_queries.begin() +
                    static_cast<std::ptrdiff_t>(tiles->offsets[row] / tile_size),
                tiles->work_item_queries.begin() +
                    static_cast<std::ptrdiff_t>(tiles->offsets[row + 1] / tile_size),
                static_cast<std::uint32_t>(row));
    }
  }
};

}  // namespace

std::uint32_t first_outside(const HostWorkers& host, RaggedSpan<std::uint32_t> lists,
                            std::uint64_t rows) {
  constexpr double candidate_nanoseconds = 0.5;
  std::uint32_t first = 0xFFFFFFFFU;
  const auto all = static_cast<double>(lists.offsets.back() - lists.offsets.front());
  host.for_each_range(
      lists.rows(), candidate_nanoseconds * all / static_cast<double>(lists.rows()),
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t query = begin; query < end; ++query) {
          const auto list = lists[query];
          if (std::all_of(list.begin(), list.end(), [&](std::uint32_t row) { return row < rows; }))
            continue;
          Kokkos::atomic_min(&first, static_cast<std::uint32_t>(query));
          return;
        }
      });
  return first;
}

void CandidateTiles::assign(const HostWorkers& host, RaggedSpan<std::uint32_t> lists,
                            std::size_t tile_size) {
  offsets.assign(1, 0);
  longest = 0;
  for (std::size_t row = 0; row < lists.rows(); ++row) {
    const std::size_t length = quotient_up(lists.length(row), tile_size) * tile_size;
    offsets.push_back(offsets.back() + length);
    longest = std::max(longest, length);
  }
  ids.resize(offsets.back());
  work_item_queries.resize(offsets.back() / tile_size);
  const FillTiles fill{lists, this, tile_size};
  const std::size_t blocks = quotient_up(lists.rows(), block);
  constexpr double candidate_nanoseconds = 5;
  const double all = static_cast<double>(offsets.back());
  host.for_each_item(blocks, 1, candidate_nanoseconds * all / static_cast<double>(blocks),
                     [&](std::size_t, std::size_t i) { fill(i); });
}

}  // namespace Kindred::Impl
