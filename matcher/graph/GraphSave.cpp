// SPDX-License-Identifier: Apache-2.0
#include "GraphStore.hpp"
#include "StoredGraph.hpp"

#include <algorithm>
#include <utility>
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
    if (form.kinds) m_zeros.resize(longest);
    rows.offsets = m_offsets;
    for (const HostRowPlace& piece : runs) {
      const auto& part = *piece.part;
      const auto add = [&](auto& column, const auto& values) {
        column.emplace_back(values.data() + piece.begin, piece.count);
      };
      add(rows.ends, part.sources);
      if (form.weights == EdgeWeights::float32) add(rows.weights, part.weights);
      if (form.weights == EdgeWeights::bfloat16) add(rows.short_weights, part.short_weights);
      if (!form.kinds) continue;
      if (part.kinds.extent(0) > 0)
        add(rows.kinds, part.kinds);
      else
        rows.kinds.emplace_back(m_zeros.data(), piece.count);
    }
  }

  StoredRows rows;

 private:
  std::vector<std::uint64_t> m_offsets;
  std::vector<std::uint8_t> m_zeros;  // the kinds of a part that does not store them
};

}  // namespace

void GraphStore::save(FileTarget target) const {
  const auto graph = snapshot();
  const GraphView<Kokkos::HostSpace>& view = graph->host();
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
  save_graph(std::move(target), stored);
}

}  // namespace Kindred::Impl
