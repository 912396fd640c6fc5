// SPDX-License-Identifier: Apache-2.0
#include "RowChange.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace Kindred::Impl {

namespace {

std::uint64_t stride_of(const std::vector<RowChange::Place>& places) {
  std::uint64_t stride = 0;
  for (const RowChange::Place& place : places)
    stride = std::max(stride, place.segment->quantized_stride());
  return stride;
}

/// Copies \p row to row \p i of \p to.
void put_row(VectorArray& to, std::size_t i, const VectorSpan& row) {
  std::copy(row.values.begin(), row.values.end(),
            to.values().subspan(i * row.values.size()).begin());
  std::copy(row.scales.begin(), row.scales.end(),
            to.scales().begin() + static_cast<std::ptrdiff_t>(row.scales.empty() ? 0 : i));
}

/// The rows of segments as they are.
struct RowsBefore {
  RowsBefore(const VectorSpan& like, const std::vector<RowChange::Place>& places)
      : rows(like.element, places.size(), like.dimension),
        columns(places.size(), stride_of(places)) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      put_row(rows, i, places[i].segment->row(places[i].row));
      places[i].segment->read(places[i].row, columns, i);
    }
  }

  VectorArray rows;
  RowColumns columns;
};

}  // namespace

RowChange::RowChange(Context& context, const VectorSpan& rows, std::vector<Place> places)
    : m_rows(rows), m_places(std::move(places)), m_columns(m_places.size(), stride_of(m_places)) {
  for_each_segment(
      [](VectorSegment& segment, std::size_t, std::size_t) { segment.make_writable(); });
  // Blocks that stay in a cache until their columns are computed.
  constexpr std::size_t block_bytes = std::size_t{1} << 20U;
  constexpr double element_nanoseconds = 0.3;
  const std::size_t block = std::max<std::size_t>(1, block_bytes / rows.row_bytes());
  VectorArray values(rows.element, std::min(block, m_places.size()), rows.dimension);
  for (std::size_t begin = 0; begin < m_places.size(); begin += block) {
    const std::size_t count = std::min(block, m_places.size() - begin);
    for (std::size_t i = 0; i < count; ++i)
      put_row(values, i, rows.rows(m_places[begin + i].given, 1));
    const VectorSpan part = values.span().rows(0, count);
    VectorRows<HostSpace> view;
    view.values = ArrayView<const std::byte, HostSpace>(part.values.data(), part.values.size());
    view.element = part.element;
    view.scales = ArrayView<const float, HostSpace>(part.scales.data(), part.scales.size());
    view.dimension = part.dimension;
    const HostLease lease(
        context,
        host_space_for(context, element_nanoseconds * static_cast<double>(count * rows.dimension)));
    const HostSpace& exec_space = lease.get();
    m_columns.compute(exec_space, view, begin, count);
    Arch::fence(exec_space, "Kindred::VectorIndex::replace");
    CancelPoint().check();
  }
}

template <class Visit>
void RowChange::for_each_segment(const Visit& visit) const {
  for (std::size_t begin = 0; begin < m_places.size();) {
    std::size_t end = begin + 1;
    while (end < m_places.size() && m_places[end].segment == m_places[begin].segment) ++end;
    visit(*m_places[begin].segment, begin, end);
    begin = end;
  }
}

void RowChange::write_to_device() const {
  for_each_segment([&](VectorSegment& segment, std::size_t begin, std::size_t end) {
    if (!segment.on_device()) return;
    std::vector<std::size_t> rows;
    rows.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) rows.push_back(m_places[i].row);
    segment.write_to_device(rows);
  });
}

void RowChange::apply() {
  const bool on_device = std::any_of(m_places.begin(), m_places.end(),
                                     [](const Place& place) { return place.segment->on_device(); });
  std::optional<RowsBefore> before;
  if (on_device) before.emplace(m_rows, m_places);
  const CancelPoint::Suspended suspended;  // a change that has begun ends
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    const Place& place = m_places[i];
    place.segment->write(place.row, m_rows.rows(place.given, 1), m_columns, i);
  }
  if (!on_device) return;
  try {
    write_to_device();
  } catch (...) {
    for (std::size_t i = 0; i < m_places.size(); ++i)
      m_places[i].segment->write(m_places[i].row, before->rows.span().rows(i, 1), before->columns,
                                 i);
    try {
      write_to_device();
    } catch (...) {
      for_each_segment(
          [](VectorSegment& segment, std::size_t, std::size_t) { segment.leave_device(); });
    }
    throw;
  }
}

}  // namespace Kindred::Impl
