// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_STORED_GRAPH_HPP
#define KINDRED_MATCHER_GRAPH_STORED_GRAPH_HPP

#include "EdgeForm.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace Kindred::Impl {

/// A column as a sequence of pieces; a column read from a file has one piece.
template <class T>
using StoredColumn = std::vector<std::span<const T>>;

/// Non-owning view of the rows of one direction.
struct StoredRows {
  std::span<const std::uint64_t> offsets;  ///< one per node, then the number of edges
  StoredColumn<std::uint32_t> ends;
  StoredColumn<float> weights;                ///< if the weights are float32
  StoredColumn<std::uint16_t> short_weights;  ///< if the weights are bfloat16
  StoredColumn<std::uint8_t> kinds;           ///< if kinds are kept
};

/// Non-owning view of a graph in its file layout.
struct StoredGraph {
  EdgeForm form;
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  StoredRows out;
  StoredRows in;
  bool has_node_kinds = false;
  std::span<const std::uint8_t> node_kinds;
  std::span<const std::uint64_t> removed;  ///< one bit per node; empty: none was removed
  std::optional<RaggedSpan<char>> names;   ///< one row per node
  // Set only for a loaded file:
  std::uint64_t outside_unit = 0;  ///< edges with a weight outside [0, 1]
  Ragged<char> texts;              ///< of `names`
  std::shared_ptr<const SectionFile> owner;
};

/// Writes a graph with consistent columns. \throws as SectionWriter
void save_graph(FileTarget target, const StoredGraph& graph);

/// \brief Reads a file and validates every byte, every number used to locate rows, and that both
/// directions contain the same edges. \throws as SectionFile
StoredGraph load_graph(const FileSource& source, int threads);

/// For a loaded file. \throws CorruptFile for a duplicate name
std::optional<Vocabulary> names_of(const StoredGraph& graph);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_STORED_GRAPH_HPP
