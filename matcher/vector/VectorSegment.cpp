// SPDX-License-Identifier: Apache-2.0
#include "VectorSegment.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/vector/RowFilter.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace Kindred::Impl {

namespace {

Space host_space(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

/// The cast is safe, because the elements are written only after `VectorSegment::make_writable`.
template <class T>
Buffer<T, HostSpace::memory_space> borrowed(std::span<const T> elements) {
  return {const_cast<T*>(elements.data()), elements.size()};
}

template <class T>
void copy_to(Buffer<T, HostSpace::memory_space>& to,
             const Buffer<T, HostSpace::memory_space>& from) {
  std::copy_n(from.data(), from.size(), to.data());
}

std::size_t live_rows(std::span<const std::shared_ptr<VectorSegment>> parts) {
  std::size_t count = 0;
  for (const auto& part : parts) count += part->size() - part->removed();
  return count;
}

}  // namespace

VectorSegment::VectorSegment(Context& context, DataType element, std::size_t dimension,
                             std::size_t count, std::uint32_t first_id)
    : m_context(&context),
      m_host(context.memory(host_space(context)), element, dimension, count, first_id != 0),
      m_first_id(first_id) {
  for (std::size_t row = 0; row < m_host.ids.size(); ++row)
    m_host.ids.data()[row] = first_id + static_cast<std::uint32_t>(row);
}

VectorSegment::VectorSegment(Context& context, const StoredVectors& stored, StoredAccess access)
    : m_context(&context),
      m_owner(stored.owner),
      m_is_shared(access == StoredAccess::read),
      m_first_id(stored.ids.empty() ? stored.first_id : stored.ids.front()),
      m_live(stored.live.begin(), stored.live.end()) {
  const std::size_t count = stored.rows.count();
  MemoryResource& memory = context.memory(host_space(context));
  m_host.element = stored.rows.element;
  m_host.dimension = stored.rows.dimension;
  m_host.values = borrowed(stored.rows.values);
  m_host.scales = borrowed(stored.rows.scales);
  m_host.norms = borrowed(stored.norms);
  m_host.ids = borrowed(stored.ids);
  if (stored.ids.empty() && stored.first_id != 0) {
    m_host.ids = {memory, "Kindred::VectorIndex::ids", count};
    std::iota(m_host.ids.data(), m_host.ids.data() + count, stored.first_id);
  }
  for (const std::uint64_t word : m_live)
    m_removed += 64 - static_cast<std::size_t>(std::popcount(word));
  if (!m_live.empty()) m_removed -= 64 * m_live.size() - count;
  if (stored.quantized.stride != Kindred::quantized_stride(m_host.dimension)) return;
  QuantizedBuffers<HostSpace>& quantized = m_quantized.get<HostSpace>();
  quantized.values = borrowed(stored.quantized.values);
  quantized.scales = borrowed(stored.quantized.scales);
  quantized.errors = borrowed(stored.quantized.errors);
  quantized.norms = borrowed(stored.quantized.norms);
  quantized.stride = stored.quantized.stride;
  m_quantized_bytes[0] = quantized.bytes();
}

StoredVectors VectorSegment::stored() const {
  const auto all = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };
  StoredVectors out;
  out.rows = {m_host.element, all(m_host.values), m_host.dimension, all(m_host.scales)};
  out.norms = all(m_host.norms);
  out.ids = all(m_host.ids);
  out.first_id = m_first_id;
  out.live = m_live;
  const std::shared_lock lock(m_quantized_mutex);
  const QuantizedBuffers<HostSpace>& quantized = m_quantized.get<HostSpace>();
  out.quantized = {all(quantized.values), all(quantized.scales), all(quantized.errors),
                   all(quantized.norms), quantized.stride};
  return out;
}

VectorSegment::VectorSegment(Context& context,
                             std::span<const std::shared_ptr<VectorSegment>> parts)
    : m_context(&context) {
  const ResidentRows<HostSpace>& first = parts.front()->host();
  const std::size_t count = live_rows(parts);
  bool numbered = parts.front()->id(0) != 0 || parts.back()->last_id() + std::size_t{1} != count;
  for (const auto& part : parts) numbered = numbered || part->removed() > 0;
  m_host = ResidentRows<HostSpace>(context.memory(host_space(context)), first.element,
                                   first.dimension, count, numbered);
  const std::size_t row_bytes = first.dimension * size_of(first.element);
  std::size_t place = 0;
  for (const auto& part : parts) {
    const ResidentRows<HostSpace>& rows = part->host();
    for (std::size_t row = 0; row < part->size(); ++row) {
      if (!part->find(part->id(row))) continue;
      std::memcpy(m_host.values.data() + place * row_bytes, rows.values.data() + row * row_bytes,
                  row_bytes);
      if (rows.scales.size() > 0) m_host.scales.data()[place] = rows.scales.data()[row];
      m_host.norms.data()[place] = rows.norms.data()[row];
      if (numbered) m_host.ids.data()[place] = part->id(row);
      ++place;
    }
  }
}

std::optional<std::size_t> VectorSegment::find(std::uint64_t id) const noexcept {
  if (size() == 0 || id < this->id(0) || id > last_id()) return {};
  std::size_t row = id - this->id(0);
  if (!is_contiguous()) {
    const std::uint32_t* begin = m_host.ids.data();
    const auto at = std::lower_bound(begin, begin + size(), static_cast<std::uint32_t>(id));
    if (*at != id) return {};
    row = static_cast<std::size_t>(at - begin);
  }
  if (!m_live.empty() && (m_live[row / 64] >> (row % 64) & 1U) == 0) return {};
  return row;
}

void VectorSegment::put(std::size_t row, const VectorSpan& value) noexcept {
  std::memcpy(m_host.values.data() + row * value.row_bytes(), value.values.data(),
              value.values.size());
  if (value.scales.empty()) return;
  std::copy(value.scales.begin(), value.scales.end(), m_host.scales.data() + row);
}

void VectorSegment::fill(std::size_t begin, const VectorSpan& rows) { put(begin, rows); }

void VectorSegment::finish() {
  constexpr double element_nanoseconds = 0.3;
  const HostLease lease(
      *m_context, host_space_for(*m_context, element_nanoseconds *
                                                 static_cast<double>(size() * m_host.dimension)));
  const HostSpace& exec_space = lease.get();
  vector_norms(exec_space, m_host.view(), m_host.norms.view());
  Arch::fence(exec_space, "Kindred::VectorIndex::norms");
}

void VectorSegment::make_device_resident() {
  with_instance(*m_context, Space::cuda, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    ResidentRows<execution_space> rows(m_context->memory(Space::cuda), m_host.element,
                                       m_host.dimension, size(), m_host.ids.size() > 0);
    upload(exec_space, rows.values.view(), m_host.values.data(), m_host.values.size());
    upload(exec_space, rows.scales.view(), m_host.scales.data(), m_host.scales.size());
    upload(exec_space, rows.norms.view(), m_host.norms.data(), m_host.norms.size());
    upload(exec_space, rows.ids.view(), m_host.ids.data(), m_host.ids.size());
    m_device.get<execution_space>() = std::move(rows);
  });
  m_on_device = true;
}

void VectorSegment::prepare_to_remove() {
  if (!m_live.empty()) return;
  m_live.assign(filter_words(size()), ~std::uint64_t{0});
  if (size() % 64 != 0) m_live.back() = (std::uint64_t{1} << (size() % 64)) - 1;
}

void VectorSegment::remove(std::size_t row) noexcept {
  m_live[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  ++m_removed;
}

std::uint64_t VectorSegment::rounded_bytes(Space space) const {
  const std::shared_lock lock(m_rounded_mutex);
  return with_instance(*m_context, space, [&](const auto& exec_space) {
    return m_rounded.get<std::decay_t<decltype(exec_space)>>().bytes();
  });
}

bool VectorSegment::has_memory_for(std::uint64_t bytes) const {
  const std::uint64_t half = m_context->info(Space::cuda).memory_budget / 2;
  const std::uint64_t used = m_context->memory_statistics(Space::cuda).bytes_in_use;
  return used <= half && bytes <= half - used;
}

void VectorSegment::make_writable() {
  if (!m_is_shared) return;
  MemoryResource& memory = m_context->memory(host_space(*m_context));
  ResidentRows<HostSpace> rows(memory, m_host.element, m_host.dimension, size(), false);
  copy_to(rows.values, m_host.values);
  copy_to(rows.scales, m_host.scales);
  copy_to(rows.norms, m_host.norms);
  QuantizedBuffers<HostSpace>& quantized = m_quantized.get<HostSpace>();
  if (quantized.stride != 0) {
    QuantizedBuffers<HostSpace> own(memory, m_host.dimension, size());
    copy_to(own.values, quantized.values);
    copy_to(own.scales, quantized.scales);
    copy_to(own.errors, quantized.errors);
    copy_to(own.norms, quantized.norms);
    quantized = std::move(own);
    m_quantized_bytes[0] = quantized.bytes();
  }
  rows.ids = std::move(m_host.ids);  // ids are never written
  m_host = std::move(rows);
  m_is_shared = false;
}

void VectorSegment::write_to_device(std::span<const std::size_t> changed) {
  // Starting a copy takes as long as copying this many bytes.
  constexpr std::size_t gap_bytes = std::size_t{64} << 10U;
  constexpr std::size_t rounded_most = 64;  // rows that are rounded one by one
  const std::size_t row_bytes = m_host.dimension * size_of(m_host.element);
  with_instance(*m_context, Space::cuda, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    const auto& rows = m_device.get<execution_space>();
    const QuantizedBuffers<execution_space>& quantized = m_quantized.get<execution_space>();
    for (std::size_t i = 0; i < changed.size();) {
      const std::size_t begin = changed[i];
      std::size_t end = begin + 1;
      while (++i < changed.size() && (changed[i] - end) * row_bytes <= gap_bytes)
        end = changed[i] + 1;
      const auto copy = [&](const auto& to, const auto* from, std::size_t unit) {
        if (to.size() == 0) return;
        upload(exec_space, Kokkos::subview(to, std::pair(begin * unit, end * unit)),
               from + begin * unit, (end - begin) * unit);
      };
      copy(rows.values.view(), m_host.values.data(), row_bytes);
      copy(rows.scales.view(), m_host.scales.data(), 1);
      copy(rows.norms.view(), m_host.norms.data(), 1);
      if (quantized.stride != 0)
        quantized.build(exec_space, rows.view(begin, end - begin), begin, end - begin);
    }
    const RoundedBuffers<execution_space>& rounded = m_rounded.get<execution_space>();
    if (rounded.values.size() != 0 && changed.size() > rounded_most) {
      rounded.build(exec_space, rows.view(), 0, rounded.squares.size());
    } else if (rounded.values.size() != 0) {
      for (const std::size_t row : changed) rounded.rebuild(exec_space, rows.view(), row);
    }
    Arch::fence(exec_space, "Kindred::VectorIndex::replace");
  });
}

VectorSpan VectorSegment::row(std::size_t row) const noexcept {
  const std::size_t bytes = m_host.dimension * size_of(m_host.element);
  std::span<const float> scale;
  if (m_host.scales.size() != 0) scale = {m_host.scales.data() + row, 1};
  return {m_host.element, {m_host.values.data() + row * bytes, bytes}, m_host.dimension, scale};
}

void VectorSegment::read(std::size_t row, RowColumns& columns, std::size_t i) const noexcept {
  columns.norms[i] = m_host.norms.data()[row];
  const QuantizedBuffers<HostSpace>& quantized = m_quantized.get<HostSpace>();
  if (quantized.stride == 0) return;
  std::copy_n(quantized.values.data() + row * quantized.stride, quantized.stride,
              columns.quantized.data() + i * quantized.stride);
  columns.quantized_scales[i] = quantized.scales.data()[row];
  columns.quantized_errors[i] = quantized.errors.data()[row];
  columns.quantized_norms[i] = quantized.norms.data()[row];
}

void VectorSegment::write(std::size_t row, const VectorSpan& value, const RowColumns& columns,
                          std::size_t i) noexcept {
  put(row, value);
  m_host.norms.data()[row] = columns.norms[i];
  QuantizedBuffers<HostSpace>& quantized = m_quantized.get<HostSpace>();
  if (quantized.stride == 0) return;
  std::copy_n(columns.quantized.data() + i * quantized.stride, quantized.stride,
              quantized.values.data() + row * quantized.stride);
  quantized.scales.data()[row] = columns.quantized_scales[i];
  quantized.errors.data()[row] = columns.quantized_errors[i];
  quantized.norms.data()[row] = columns.quantized_norms[i];
}

void RowColumns::compute(const HostSpace& exec_space, const VectorRows<HostSpace>& rows,
                         std::size_t begin, std::size_t count) {
  vector_norms(exec_space, rows, ArrayView<double, HostSpace>(norms.data() + begin, count));
  if (stride == 0) return;
  const auto part = [&](std::vector<float>& column) {
    return ArrayView<float, HostSpace>(column.data() + begin, count);
  };
  quantize_rows<HostSpace>(
      exec_space, rows,
      ArrayView<std::int8_t, HostSpace>(quantized.data() + begin * stride, count * stride),
      part(quantized_scales), part(quantized_errors), part(quantized_norms));
}

}  // namespace Kindred::Impl
