// SPDX-License-Identifier: Apache-2.0
#include "GraphStore.hpp"
#include "StoredGraph.hpp"

#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace Kindred::Impl {

namespace {

/// Views the rows of a side as the fewest contiguous pieces.
class SidePieces {
 public:
  SidePieces(const HostGraphSide& side, EdgeForm form) {
    m_offsets.push_back(0);
    HostRowPlace run;
    std::uint64_t longest = 0;
    std::vector<HostRowPlace> runs;
    for (std::size_t node = 0; node < side.nodes; ++node) {
      const HostRowPlace row = row_of(side, static_cast<std::uint32_t>(node));
      m_offsets.push_back(m_offsets.back() + row.count);
      if (row.count == 0) continue;
      if (run.part == row.part && run.begin + run.count == row.begin) {
        run.count += row.count;
        continue;
      }
      if (run.count > 0) runs.push_back(run);
      run = row;
    }
    if (run.count > 0) runs.push_back(run);
    for (const HostRowPlace& piece : runs) longest = std::max(longest, piece.count);
    const auto add = [&](bool required, auto& column, const auto& of) {
      for (const HostRowPlace& piece : runs)
        if (required) column.emplace_back(of(*piece.part).data() + piece.begin, piece.count);
    };
    rows.offsets = m_offsets;
    add(true, rows.ends, [](const auto& part) { return part.sources; });
    add(form.weights == EdgeWeights::float32, rows.weights,
        [](const auto& part) { return part.weights; });
    add(form.weights == EdgeWeights::bfloat16, rows.short_weights,
        [](const auto& part) { return part.short_weights; });
    for (const HostRowPlace& piece : runs) {
      if (!form.kinds) break;
      if (piece.part->kinds.extent(0) > 0) {
        rows.kinds.emplace_back(piece.part->kinds.data() + piece.begin, piece.count);
      } else {
        m_zeros.resize(longest);
        rows.kinds.emplace_back(m_zeros.data(), piece.count);
      }
    }
  }

  StoredRows rows;

 private:
  std::vector<std::uint64_t> m_offsets;
  std::vector<std::uint8_t> m_zeros;  // the kinds of a part that does not store them
};

}  // namespace

template <class Write>
void GraphStore::write(const Write& write) const {
  const auto graph = snapshot();
  const GraphView<Kokkos::HostSpace> view = graph->host();
  const NodeTable& table = *graph->table();
  const SidePieces out(view.out, graph->form());
  const SidePieces in(view.in, graph->form());
  StoredGraph stored;
  stored.form = graph->form();
  stored.nodes = graph->nodes();
  stored.edges = graph->edges();
  stored.out = out.rows;
  stored.in = in.rows;
  stored.has_node_kinds = table.kinds.size() > 0;
  stored.node_kinds = {table.kinds.data(), table.kinds.size()};
  std::vector<std::uint64_t> removed = table.removed;
  removed.resize((graph->nodes() + 63) / 64);
  if (table.removed_count > 0) stored.removed = removed;
  Ragged<char> texts;
  if (m_names) {
    texts = m_names->texts();
    texts.offsets.resize(graph->nodes() + 1);  // a name may have been added in the meantime
    texts.values.resize(texts.offsets.back());
    stored.names = texts;
  }
  write(stored);
}

void GraphStore::save(const std::string& path) const {
  translating_out_of_memory("Kindred::SpreadingEngine::save", [&] {
    write([&](const StoredGraph& graph) { save_graph(path, graph); });
  });
}

std::vector<std::byte> GraphStore::to_bytes() const {
  std::vector<std::byte> bytes;
  translating_out_of_memory("Kindred::SpreadingEngine::to_bytes", [&] {
    write([&](const StoredGraph& graph) { bytes = graph_bytes(graph); });
  });
  return bytes;
}

}  // namespace Kindred::Impl
