// SPDX-License-Identifier: Apache-2.0
#include "RowChange.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <algorithm>
#include <cstring>
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

/// The rows of segments as they are.
struct RowsBefore {
  RowsBefore(const VectorSpan& like, const std::vector<RowChange::Place>& places)
      : element(like.element),
        dimension(like.dimension),
        values(places.size() * like.row_bytes()),
        scales(like.scales.empty() ? 0 : places.size()),
        columns(places.size(), stride_of(places)) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const VectorSpan row = places[i].segment->row(places[i].row);
      std::copy(row.values.begin(), row.values.end(), values.begin() + offset(i));
      std::copy(row.scales.begin(), row.scales.end(), scales.begin() + offset_of_scale(i));
      places[i].segment->read(places[i].row, columns, i);
    }
  }
  std::ptrdiff_t offset(std::size_t i) const {
    return static_cast<std::ptrdiff_t>(i * dimension * size_of(element));
  }
  std::ptrdiff_t offset_of_scale(std::size_t i) const {
    return scales.empty() ? 0 : static_cast<std::ptrdiff_t>(i);
  }
  VectorSpan span() const { return {element, values, dimension, scales}; }

  DataType element;
  std::size_t dimension;
  std::vector<std::byte> values;
  std::vector<float> scales;
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
  std::vector<std::byte> values(std::min(block, m_places.size()) * rows.row_bytes());
  std::vector<float> scales(rows.scales.empty() ? 0 : std::min(block, m_places.size()));
  for (std::size_t begin = 0; begin < m_places.size(); begin += block) {
    const std::size_t count = std::min(block, m_places.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const VectorSpan row = rows.rows(m_places[begin + i].given, 1);
      std::memcpy(values.data() + i * rows.row_bytes(), row.values.data(), row.values.size());
      if (!scales.empty()) scales[i] = row.scales.front();
    }
    VectorRows<HostSpace> view;
    view.values = ArrayView<const std::byte, HostSpace>(values.data(), count * rows.row_bytes());
    view.element = rows.element;
    view.scales = ArrayView<const float, HostSpace>(scales.data(), std::min(scales.size(), count));
    view.dimension = rows.dimension;
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
      m_places[i].segment->write(m_places[i].row, before->span().rows(i, 1), before->columns, i);
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
