// SPDX-License-Identifier: Apache-2.0
#include "VectorSegment.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace Kindred::Impl {

namespace {

Space host_space(const Context& context) {
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

/// The cast is safe, because the elements are never written.
template <class T>
Buffer<T, HostSpace::memory_space> borrowed(std::span<const T> elements) {
  return {const_cast<T*>(elements.data()), elements.size()};
}

/// Whether \p count rows with ids up to \p last need them: if not, row r has the id r.
bool needs_ids(std::uint64_t last, std::size_t count) { return last + 1 != count; }

std::size_t live_rows(std::span<const LiveSegment> parts) {
  std::size_t count = 0;
  for (const LiveSegment& part : parts) count += part.live_count();
  return count;
}

bool needs_ids(std::span<const LiveSegment> parts) {
  std::uint32_t last = 0;
  for (const LiveSegment& part : parts) last = std::max(last, part->last_id());
  return needs_ids(last, live_rows(parts));
}

/// Copies the rows `from … from + count` of \p values to the rows \p to ….
void copy_rows(ResidentRows<HostSpace>& rows, std::size_t to, const VectorSpan& values,
               std::size_t from, std::size_t count) {
  const VectorSpan part = values.rows(from, count);
  std::memcpy(rows.values.data() + to * part.row_bytes(), part.values.data(), part.values.size());
  if (!part.scales.empty())
    std::copy(part.scales.begin(), part.scales.end(), rows.scales.data() + to);
}

}  // namespace

VectorSegment::VectorSegment(Context& context, const VectorSpan& rows, std::uint64_t first_id)
    : m_context(&context),
      m_host(context.memory(host_space(context)), rows.element, rows.dimension, rows.count(),
             first_id != 0),
      m_first_id(static_cast<std::uint32_t>(first_id)) {
  copy_rows(m_host, 0, rows, 0, size());
  std::iota(m_host.ids.data(), m_host.ids.data() + m_host.ids.size(), m_first_id);
  compute_norms();
}

VectorSegment::VectorSegment(Context& context, const VectorSpan& rows, std::span<const Row> chosen)
    : m_context(&context),
      m_host(context.memory(host_space(context)), rows.element, rows.dimension, chosen.size(),
             needs_ids(chosen.back().id, chosen.size())) {
  for (std::size_t i = 0; i < chosen.size(); ++i) copy_rows(m_host, i, rows, chosen[i].given, 1);
  for (std::size_t i = 0; i < m_host.ids.size(); ++i)
    m_host.ids.data()[i] = static_cast<std::uint32_t>(chosen[i].id);
  compute_norms();
}

VectorSegment::VectorSegment(Context& context, const StoredVectors& stored)
    : m_context(&context),
      m_owner(stored.owner),
      m_first_id(stored.ids.empty() ? stored.first_id : stored.ids.front()) {
  const std::size_t count = stored.rows.count();
  m_host.element = stored.rows.element;
  m_host.dimension = stored.rows.dimension;
  m_host.values = borrowed(stored.rows.values);
  m_host.scales = borrowed(stored.rows.scales);
  m_host.norms = borrowed(stored.norms);
  m_host.ids = borrowed(stored.ids);
  if (stored.ids.empty() && stored.first_id != 0) {
    m_host.ids = {context.memory(host_space(context)), "Kindred::VectorIndex::ids", count};
    std::iota(m_host.ids.data(), m_host.ids.data() + count, stored.first_id);
  }
  if (stored.quantized.stride != quantized_stride(m_host.dimension)) return;
  m_quantized.get<HostSpace>().get([&] {
    QuantizedBuffers<HostSpace> quantized;
    quantized.values = borrowed(stored.quantized.values);
    quantized.scales = borrowed(stored.quantized.scales);
    quantized.errors = borrowed(stored.quantized.errors);
    quantized.norms = borrowed(stored.quantized.norms);
    quantized.stride = stored.quantized.stride;
    return quantized;
  });
}

VectorSegment::VectorSegment(Context& context, std::span<const LiveSegment> parts)
    : m_context(&context),
      m_host(context.memory(host_space(context)), parts.front()->m_host.element,
             parts.front()->m_host.dimension, live_rows(parts), needs_ids(parts)) {
  std::size_t place = 0;
  for_each_run(parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
    const VectorSegment& part = *parts[p];
    copy_rows(m_host, place, part.rows(), begin, end - begin);
    std::copy(part.m_host.norms.data() + begin, part.m_host.norms.data() + end,
              m_host.norms.data() + place);
    for (std::size_t i = 0; i < end - begin && m_host.ids.size() > 0; ++i)
      m_host.ids.data()[place + i] = part.id(begin + i);
    place += end - begin;
  });
}

StoredVectors VectorSegment::stored() const {
  const auto all = [](const auto& buffer) { return std::span(buffer.data(), buffer.size()); };
  StoredVectors out;
  out.rows = rows();
  out.norms = all(m_host.norms);
  out.ids = all(m_host.ids);
  out.first_id = m_first_id;
  if (const auto* const quantized = m_quantized.get<HostSpace>().get())
    out.quantized = {all(quantized->values), all(quantized->scales), all(quantized->errors),
                     all(quantized->norms), quantized->stride};
  return out;
}

VectorSpan VectorSegment::rows() const noexcept {
  return {m_host.element,
          {m_host.values.data(), m_host.values.size()},
          m_host.dimension,
          {m_host.scales.data(), m_host.scales.size()}};
}

std::optional<std::size_t> VectorSegment::find_id(std::uint64_t id) const noexcept {
  if (id < this->id(0) || id > last_id()) return {};
  if (is_contiguous()) return id - this->id(0);
  const std::uint32_t* begin = m_host.ids.data();
  const auto at = std::lower_bound(begin, begin + size(), static_cast<std::uint32_t>(id));
  if (*at != id) return {};
  return static_cast<std::size_t>(at - begin);
}

void VectorSegment::compute_norms() {
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

bool VectorSegment::has_memory_for(std::uint64_t bytes) const {
  const std::uint64_t half = m_context->info(Space::cuda).memory_budget / 2;
  const std::uint64_t used = m_context->memory_statistics(Space::cuda).bytes_in_use;
  return used <= half && bytes <= half - used;
}

}  // namespace Kindred::Impl
