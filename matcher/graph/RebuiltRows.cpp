// SPDX-License-Identifier: Apache-2.0
#include "RebuiltRows.hpp"

#include <algorithm>

namespace Kindred::Impl {

namespace {

std::uint16_t short_weight_at(const HostRowPlace& row, std::uint64_t i) {
  return row.part->short_weights(row.begin + i);
}

void add_row(RebuiltRows& list, std::uint32_t node, const HostRowPlace& row) {
  list.begin(node);
  for (std::uint64_t i = 0; i < row.count; ++i) list.add(row, i);
  list.end();
}

}  // namespace

float weight_at(const HostRowPlace& row, std::uint64_t i) {
  if (row.part->weights.extent(0) != 0) return row.part->weights(row.begin + i);
  return row.part->short_weights.extent(0) != 0 ? widen_weight(short_weight_at(row, i)) : 1.0F;
}

void RebuiltRows::begin(std::uint32_t node) { m_nodes.push_back(node); }

void RebuiltRows::add(const HostRowPlace& row, std::uint64_t i) {
  m_ends.push_back(row.part->sources(row.begin + i));
  if (m_form.weights == EdgeWeights::float32) m_weights.push_back(row.part->weights(row.begin + i));
  if (m_form.weights == EdgeWeights::bfloat16) m_short_weights.push_back(short_weight_at(row, i));
  if (m_form.kinds) m_kinds.push_back(kind_at(row, i));
}

void RebuiltRows::add(const HalfEdge& edge) {
  m_ends.push_back(edge.end);
  if (m_form.weights == EdgeWeights::float32) m_weights.push_back(edge.weight);
  if (m_form.weights == EdgeWeights::bfloat16) m_short_weights.push_back(short_weight(edge.weight));
  if (m_form.kinds) m_kinds.push_back(edge.kind);
}

HostRows RebuiltRows::rows(MemoryResource& memory) const {
  HostRows rows;
  if (m_nodes.empty()) return rows;
  const auto copy = [&](const char* label, const auto& values) {
    return host_copy(memory, label, std::span(values));
  };
  rows.offsets = copy("Kindred::SpreadingEngine::rebuilt_offsets", m_offsets);
  rows.sources = copy("Kindred::SpreadingEngine::rebuilt_sources", m_ends);
  rows.weights = copy("Kindred::SpreadingEngine::rebuilt_weights", m_weights);
  rows.short_weights = copy("Kindred::SpreadingEngine::rebuilt_short_weights", m_short_weights);
  rows.kinds = copy("Kindred::SpreadingEngine::rebuilt_kinds", m_kinds);
  rows.row_nodes = copy("Kindred::SpreadingEngine::rebuilt_row_nodes", m_nodes);
  plan_host_rows(memory, rows);
  return rows;
}

RebuiltRows changed_rows(const HostGraphSide& side, const RowChange& change, EdgeForm form,
                         std::int64_t& outside, std::int64_t& edges) {
  RebuiltRows list(form);
  const auto is_outside = [](float weight) { return is_in_unit_interval(weight) ? 0 : 1; };
  const auto rebuild = [&](std::uint32_t node, std::span<const HalfEdge> added) {
    const HostRowPlace row = row_of(side, node);
    list.begin(node);
    std::size_t next = 0;
    const auto add_next = [&] {
      const HalfEdge& edge = added[next++];
      list.add(edge);
      ++edges;
      outside +=
          is_outside(form.weights == EdgeWeights::bfloat16 ? widen_weight(short_weight(edge.weight))
                                                           : edge.weight);
    };
    for (std::uint64_t i = 0; i < row.count; ++i) {
      const std::uint32_t end = row.part->sources(row.begin + i);
      while (change.by_source && next < added.size() && added[next].end < end) add_next();
      if (!change.drops || !change.drops(node, end, kind_at(row, i))) {
        list.add(row, i);
        continue;
      }
      --edges;
      outside -= is_outside(weight_at(row, i));
    }
    while (next < added.size()) add_next();
    list.end();
  };

  const auto& old = side.delta.row_nodes;
  std::size_t row = 0;
  std::size_t first_added = 0;
  for (const std::uint32_t node : change.touched) {
    for (; row < old.extent(0) && old(row) < node; ++row)
      add_row(list, old(row), row_of(side, old(row)));
    if (row < old.extent(0) && old(row) == node) ++row;
    std::size_t end = first_added;
    while (end < change.added.size() && change.added[end].node == node) ++end;
    rebuild(node, change.added.subspan(first_added, end - first_added));
    first_added = end;
  }
  for (; row < old.extent(0); ++row) add_row(list, old(row), row_of(side, old(row)));
  return list;
}

RebuiltRows rows_of(const HostGraphSide& side, std::span<const std::uint32_t> nodes,
                    EdgeForm form) {
  RebuiltRows list(form);
  for (const std::uint32_t node : nodes) add_row(list, node, row_of(side, node));
  return list;
}

void allocate_edges(MemoryResource& memory, std::size_t edges, EdgeForm form, HostRows& rows) {
  const auto required = [&](bool kept) { return kept ? edges : 0; };
  rows.sources = {memory, "Kindred::SpreadingEngine::sources", edges};
  rows.weights = {memory, "Kindred::SpreadingEngine::weights",
                  required(form.weights == EdgeWeights::float32)};
  rows.short_weights = {memory, "Kindred::SpreadingEngine::short_weights",
                        required(form.weights == EdgeWeights::bfloat16)};
  rows.kinds = {memory, "Kindred::SpreadingEngine::kinds", required(form.kinds)};
}

HostRows rows_for(MemoryResource& memory, std::size_t nodes, std::size_t edges, EdgeForm form) {
  HostRows rows;
  rows.offsets = {memory, "Kindred::SpreadingEngine::offsets", nodes + 1};
  allocate_edges(memory, edges, form, rows);
  return rows;
}

AdjacencySpan adjacency_of(const HostRows& rows) {
  const auto all = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };
  return {all(rows.offsets), all(rows.sources), all(rows.weights), all(rows.short_weights),
          all(rows.kinds)};
}

HostRows joined_rows(MemoryResource& memory, const HostGraphSide& side, EdgeForm form) {
  HostRows rows;
  rows.offsets = {memory, "Kindred::SpreadingEngine::offsets", side.nodes + 1};
  std::uint64_t* const offsets = rows.offsets.data();
  offsets[0] = 0;
  for (std::size_t node = 0; node < side.nodes; ++node)
    offsets[node + 1] = offsets[node] + row_of(side, static_cast<std::uint32_t>(node)).count;
  const std::uint64_t edges = offsets[side.nodes];
  allocate_edges(memory, edges, form, rows);
  for (std::size_t node = 0; node < side.nodes; ++node) {
    const HostRowPlace row = row_of(side, static_cast<std::uint32_t>(node));
    if (row.count == 0) continue;
    const auto copy = [&](const auto& buffer, const auto& from) {
      if (buffer.size() == 0) return;
      if (from.extent(0) == 0) {
        // The kinds of a part that does not store them.
        std::fill_n(buffer.data() + offsets[node], row.count, 0);
      } else {
        std::copy_n(from.data() + row.begin, row.count, buffer.data() + offsets[node]);
      }
    };
    copy(rows.sources, row.part->sources);
    copy(rows.weights, row.part->weights);
    copy(rows.short_weights, row.part->short_weights);
    copy(rows.kinds, row.part->kinds);
  }
  plan_host_rows(memory, rows);
  return rows;
}

}  // namespace Kindred::Impl
