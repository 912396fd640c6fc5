// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_HNSW_STORE_HPP
#define KINDRED_MATCHER_HNSW_HNSW_STORE_HPP

#include "ByteRows.hpp"
#include "FloatRows.hpp"
#include "GrowingArray.hpp"
#include "Links.hpp"

#include <kindred/matcher/HnswIndex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

class SectionFile;

/// \brief The columns of an index: one row per node. Nodes are numbered by position; callers use
/// ids.
struct HnswStore {
  HnswStore(MemoryResource& resource, std::size_t dimension, const HnswSettings& settings);

  std::size_t size() const noexcept { return ids.size(); }
  std::size_t live() const noexcept { return size() - dead; }
  std::size_t row_stride() const noexcept { return FloatRows::stride_of(dimension); }
  std::size_t code_stride() const noexcept { return ByteRows::stride_of(dimension); }
  const float* row(std::size_t node) const noexcept { return rows.data() + node * row_stride(); }
  /// For an exclusive writer.
  Links links() const noexcept;
  std::uint64_t bytes() const noexcept;

  /// Calls `visit(column, size, empty)` for every column: its size if there are \p nodes nodes with
  /// \p lists upper lists, and the value of elements that are not set yet.
  template <class Visit>
  void for_each_column(std::size_t nodes, std::size_t lists, const Visit& visit) {
    const bool has_codes = traversal == HnswTraversal::bytes;
    visit(rows, nodes * row_stride(), 0.0F);
    visit(codes, has_codes ? nodes * code_stride() : 0, std::uint8_t{0});
    visit(ids, nodes, std::uint64_t{0});
    visit(deleted, nodes, std::uint8_t{0});
    visit(levels, nodes, std::uint8_t{0});
    visit(base, nodes * 2 * settings.m, no_node);
    visit(upper_first, nodes, std::uint32_t{0});
    visit(upper, lists * settings.m, no_node);
  }
  /// An id that two nodes have.
  std::optional<std::uint64_t> repeated_id() const;
  /// Makes all columns of \p nodes nodes with \p lists upper lists. \throws OutOfMemory; nothing is
  /// then changed but capacities
  void resize(std::size_t nodes, std::size_t lists);

  ByteRows byte_rows() const noexcept;
  FloatRows float_rows() const noexcept;
  /// Calls `function(rows)` with the rows used for traversal.
  template <class Function>
  decltype(auto) with_rows(const Function& function) const {
    if (traversal == HnswTraversal::bytes) return function(byte_rows());
    return function(float_rows());
  }

  std::size_t dimension;
  HnswSettings settings;
  HnswTraversal traversal = HnswTraversal::automatic;  ///< chosen with the first rows
  float unit = 1;           ///< a power of two; l2 and ip: rows times it have norms up to about 1
  std::vector<float> mean;  ///< mean of the rows, which is subtracted before encoding
  std::uint64_t next_id = 0;
  std::size_t dead = 0;
  std::uint32_t entry = no_node;
  int top_level = -1;

  // A row has one additional element: 1 / norm under cosine, as FloatRows reads it.
  GrowingArray<float> rows;                 ///< nodes × row_stride
  GrowingArray<std::uint8_t> codes;         ///< nodes × code_stride; empty if floats are traversed
  GrowingArray<std::uint64_t> ids;          ///< per node
  GrowingArray<std::uint8_t> deleted;       ///< 1: removed
  GrowingArray<std::uint8_t> levels;        ///< per node
  GrowingArray<std::uint32_t> base;         ///< nodes × 2m
  GrowingArray<std::uint32_t> upper_first;  ///< per node \see Links
  GrowingArray<std::uint32_t> upper;        ///< lists × m

  std::shared_ptr<SectionFile> file;  ///< the file that columns may refer to
};

/// The level of the node with \p id: at least l with the probability m^−l.
int level_of(std::uint64_t seed, std::uint64_t id, std::size_t m);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_HNSW_HNSW_STORE_HPP
