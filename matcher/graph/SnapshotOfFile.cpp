// SPDX-License-Identifier: Apache-2.0
#include "SnapshotOfFile.hpp"

#include <bit>
#include <utility>

namespace Kindred::Impl {

namespace {

template <class T>
Buffer<T, Kokkos::HostSpace> borrowed(std::span<const T> values) {
  // The mapping is writable, but rows are never written.
  return {const_cast<T*>(values.data()), values.size()};  // NOLINT(*-const-cast)
}
template <class T>
Buffer<T, Kokkos::HostSpace> borrowed(const StoredColumn<T>& column) {
  return column.empty() ? Buffer<T, Kokkos::HostSpace>() : borrowed(column.front());
}

HostRows borrowed_rows(const StoredRows& stored) {
  HostRows rows;
  rows.offsets = borrowed(stored.offsets);
  rows.sources = borrowed(stored.ends);
  rows.weights = borrowed(stored.weights);
  rows.short_weights = borrowed(stored.short_weights);
  rows.kinds = borrowed(stored.kinds);
  return rows;
}

}  // namespace

std::shared_ptr<const GraphSnapshot> snapshot_of(Context& context, const StoredGraph& stored,
                                                 const GraphOptions& options) {
  BothRows<Kokkos::HostSpace> rows;
  rows.in = borrowed_rows(stored.in);
  rows.out = borrowed_rows(stored.out);
  const auto base = std::make_shared<BuiltGraph>(context, std::move(rows), stored.form,
                                                 options.residency, stored.owner);
  const auto table = std::make_shared<NodeTable>();
  table->kinds = borrowed(stored.node_kinds);
  table->removed.assign(stored.removed.begin(), stored.removed.end());
  for (const std::uint64_t word : table->removed)
    table->removed_count += static_cast<std::uint64_t>(std::popcount(word));
  table->owner = stored.owner;
  return std::make_shared<GraphSnapshot>(context, base, std::make_shared<HostDelta>(), table,
                                         stored.nodes, stored.edges, stored.outside_unit);
}

}  // namespace Kindred::Impl
