// SPDX-License-Identifier: Apache-2.0
#include "VectorStore.hpp"

#include <kindred/core/common/CheckedSize.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "VectorSections.hpp"
#include "kit/Placement.hpp"
#include "kit/SortedForRemoval.hpp"
#include "kit/ValueMessage.hpp"

namespace Kindred::Impl {

void check_sizes(const VectorSpan& rows) {
  check_element(rows.element);
  KINDRED_THROW_IF(rows.values.size() % rows.row_bytes() != 0,
                   value_message("the size of the rows", rows.values.size()) +
                       " bytes; it must be a multiple of that of a row, " +
                       std::to_string(rows.row_bytes()));
  const std::size_t scales = rows.element == DataType::int8 ? rows.count() : 0;
  KINDRED_THROW_IF(rows.scales.size() != scales,
                   value_message("the number of scales", rows.scales.size()) + "; " +
                       std::to_string(rows.count()) + " rows of " +
                       std::string(to_string(rows.element)) + " take " + std::to_string(scales));
}

VectorStore::VectorStore(Context& context, const VectorSpan& rows,
                         const VectorIndexOptions& options)
    : m_context(&context),
      m_element(rows.element),
      m_dimension(rows.dimension),
      m_options(options) {
  check_options();
  *this = with(rows);
}

VectorStore::VectorStore(Context& context, const StoredVectors& stored,
                         const VectorIndexOptions& options)
    : m_context(&context),
      m_element(stored.rows.element),
      m_dimension(stored.rows.dimension),
      m_options(options),
      m_end_id(stored.end_id) {
  check_options();
  checked_head({&stored, 1}, stored.end_id);
  if (stored.rows.count() == 0) return;
  auto segment = std::make_shared<VectorSegment>(context, stored);
  place(*segment);
  m_segments.emplace_back(std::move(segment), LiveBits(stored.live, stored.rows.count()));
  m_size = m_segments.front().live_count();
}

std::vector<StoredVectors> VectorStore::stored() const {
  // Copies of the rows that were added last, so that the file keeps that of the others.
  const std::size_t without = rows_without_copy(Space::serial);
  if (without > 0 && 2 * without < m_size) {
    const Space space =
        host_space_for(*m_context, static_cast<double>(without) * static_cast<double>(m_dimension));
    const HostLease lease(*m_context, space);
    try {
      for (const LiveSegment& segment : m_segments)
        segment->quantized(lease.get(), m_context->memory(space));
    } catch (const OutOfMemory&) {
      // The file is complete without them.
    }
  }
  std::vector<StoredVectors> parts;
  for (const LiveSegment& segment : m_segments) {
    StoredVectors& part = parts.emplace_back(segment->stored());
    if (segment.live().has_all()) continue;
    const auto words =
        std::make_shared<const std::vector<std::uint64_t>>(segment.live().words(segment.size()));
    part.live = *words;
    part.owner = words;
  }
  if (parts.empty()) {
    parts.emplace_back();
    parts.back().rows.element = m_element;
    parts.back().rows.dimension = m_dimension;
  }
  return parts;
}

void VectorStore::check_options() const {
  KINDRED_THROW_IF(m_dimension == 0 || m_dimension >= id_limit,
                   value_message("the dimension", m_dimension) + "; it must be 1 … " +
                       std::to_string(id_limit - 1));
  check_placement(*m_context, m_options.residency, "rows");
}

void VectorStore::check(const VectorSpan& rows) const {
  KINDRED_THROW_IF(rows.element != m_element || rows.dimension != m_dimension,
                   "rows of " + std::to_string(rows.dimension) + " × " +
                       std::string(to_string(rows.element)) + "; the index has " +
                       std::to_string(m_dimension) + " × " + std::string(to_string(m_element)));
  check_sizes(rows);
  const auto bad = std::find_if(rows.scales.begin(), rows.scales.end(),
                                [](float scale) { return !(scale >= 0) || std::isinf(scale); });
  KINDRED_THROW_IF(bad != rows.scales.end(), "scale " + std::to_string(bad - rows.scales.begin()) +
                                                 " is " + std::to_string(*bad) +
                                                 "; it must be finite and ≥ 0");
}

bool VectorStore::on_device() const noexcept {
  return m_context->is_usable(Space::cuda) && m_options.residency != Residency::host &&
         std::all_of(m_segments.begin(), m_segments.end(),
                     [](const LiveSegment& segment) { return segment->on_device(); });
}

void VectorStore::place(VectorSegment& segment) const {
  place_on_device(*m_context, m_options.residency, "rows", [&] { segment.make_device_resident(); });
}

std::shared_ptr<const VectorSegment> VectorStore::merge(std::span<const LiveSegment> parts) const {
  const auto on_device = [](const LiveSegment& part) { return part->on_device(); };
  std::string why = "the device has no memory for them";
  try {
    auto segment = std::make_shared<VectorSegment>(*m_context, parts);
    place(*segment);
    if (segment->on_device() || !std::all_of(parts.begin(), parts.end(), on_device)) return segment;
  } catch (const OutOfMemory& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    return nullptr;  // and none for a message
  }
  try {
    m_context->log(LogLevel::info, "rows were not merged yet: " + why);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return nullptr;
}

void VectorStore::compact() {
  if (m_pause > 0) --m_pause;
  m_segments = merged(m_segments, [this](std::span<const LiveSegment> parts) {
    std::size_t size = 0;
    for (const LiveSegment& part : parts) size += part.size();
    if (m_pause > 0 && size >= m_too_large) return std::shared_ptr<const VectorSegment>();
    auto segment = merge(parts);
    constexpr unsigned longest = 1024;
    if (segment == nullptr) {
      m_too_large = size;
      m_last_pause = std::min(longest, 2 * m_last_pause + 1);
      m_pause = m_last_pause;
    } else if (size >= m_too_large) {
      m_last_pause = 0;
    }
    return segment;
  });
}

void VectorStore::require_ids(std::size_t added) const {
  KINDRED_THROW_IF(added > 0 && added >= id_limit - m_end_id,
                   value_message("the number of rows", added) + "; ids from " +
                       std::to_string(m_end_id) + " must stay below " + std::to_string(id_limit));
}

void VectorStore::append(const std::shared_ptr<VectorSegment>& segment, std::size_t added) {
  m_segments.emplace_back(segment);
  compact();
  if (m_segments.back().part() == segment) place(*segment);
  m_end_id += added;
  m_size += segment->size();
}

VectorStore VectorStore::with(const VectorSpan& rows) const {
  check(rows);
  VectorStore next = *this;
  const std::size_t count = rows.count();
  if (count == 0) return next;
  require_ids(count);
  next.append(std::make_shared<VectorSegment>(*m_context, rows, m_end_id), count);
  return next;
}

VectorStore VectorStore::with(const VectorSpan& rows, std::span<const std::uint64_t> ids,
                              std::span<const std::size_t> replacements,
                              std::span<const std::size_t> added) const {
  check(rows);
  require_ids(added.size());
  std::vector<VectorSegment::Row> chosen;
  chosen.reserve(ids.size() + added.size());
  for (std::size_t i = 0; i < ids.size(); ++i) chosen.push_back({ids[i], replacements[i]});
  std::sort(chosen.begin(), chosen.end(), [](auto a, auto b) { return a.id < b.id; });
  std::vector<std::uint64_t> sorted;
  sorted.reserve(ids.size());
  for (const VectorSegment::Row& row : chosen) sorted.push_back(row.id);
  VectorStore next = *this;
  next.remove(sorted, [&](std::uint64_t id) {
    return "no row has the id " + std::to_string(id) + "; ids are below " +
           std::to_string(m_end_id);
  });
  for (std::size_t i = 0; i < added.size(); ++i) chosen.push_back({m_end_id + i, added[i]});
  if (!chosen.empty())
    next.append(std::make_shared<VectorSegment>(*m_context, rows, chosen), added.size());
  return next;
}

VectorStore VectorStore::with(std::uint64_t id, const VectorSpan& row) const {
  check(row);
  KINDRED_THROW_IF(row.count() != 1, value_message("the number of rows", row.count()) +
                                         "; exactly one row must be passed");
  constexpr std::size_t only = 0;
  return with(row, {&id, 1}, {&only, 1}, {});
}

VectorStore VectorStore::without(std::span<const std::uint64_t> ids) const {
  const auto missing = [&](std::uint64_t id) {
    return "no row has the id " + std::to_string(id) + "; " + std::to_string(m_size) +
           " of the ids below " + std::to_string(m_end_id) + " have one";
  };
  for (const std::uint64_t id : ids)
    if (find(id).first == nullptr) throw NotFound(missing(id));
  VectorStore next = *this;
  next.remove(sorted_for_removal(ids, [](std::uint64_t id) { return "id " + std::to_string(id); }),
              missing);
  try {
    try {
      next.compact();
    } catch (const std::exception& error) {
      m_context->log(LogLevel::info,
                     std::string("removed rows were not reclaimed yet: ") + error.what());
    }
  } catch (const std::exception&) {
    return next;  // no memory for the message; the rows are removed nevertheless
  }
  return next;
}

template <class Missing>
void VectorStore::remove(std::span<const std::uint64_t> ids, const Missing& missing) {
  std::vector<std::vector<std::size_t>> rows(m_segments.size());
  for (const std::uint64_t id : ids) {
    const auto [segment, row] = find(id);
    if (segment == nullptr) throw NotFound(missing(id));
    rows[static_cast<std::size_t>(segment - m_segments.data())].push_back(row);
  }
  for (std::size_t s = 0; s < rows.size(); ++s)
    if (!rows[s].empty()) m_segments[s].remove(rows[s]);
  m_size -= ids.size();
}

std::pair<const LiveSegment*, std::size_t> VectorStore::find(std::uint64_t id) const noexcept {
  for (const LiveSegment& segment : m_segments) {
    if (const auto row = segment.find(id)) return {&segment, *row};
  }
  return {nullptr, 0};
}

std::vector<VectorStore::Numbers> VectorStore::numbers() const {
  std::vector<Numbers> out(m_segments.size());
  const auto overlaps = [](const LiveSegment& a, const LiveSegment& b) {
    return a->last_id() > b->id(0);
  };
  if (std::adjacent_find(m_segments.begin(), m_segments.end(), overlaps) == m_segments.end()) {
    for (std::size_t s = 1; s < out.size(); ++s)
      out[s].first = out[s - 1].first + m_segments[s - 1].live_count();
    return out;
  }
  for (std::size_t s = 0; s < out.size(); ++s) out[s].each.reserve(m_segments[s].live_count());
  std::uint32_t number = 0;
  for_each_run(m_segments, [&](std::size_t s, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) out[s].each.push_back(number++);
  });
  return out;
}

std::size_t VectorStore::rows_without_copy(Space space) const noexcept {
  std::size_t rows = 0;
  for (const LiveSegment& segment : m_segments)
    if (m_element != DataType::int8 && segment->quantized_bytes(space) == 0) rows += segment.size();
  return rows;
}

VectorStatistics VectorStore::statistics() const {
  VectorStatistics out;
  out.rows = m_size;
  out.segments = m_segments.size();
  for (const auto& segment : m_segments) {
    out.removed += segment.removed();
    const std::uint64_t host_quantized = segment->quantized_bytes(Space::serial);
    out.host_bytes += segment->host().bytes() + host_quantized;
    out.quantized_bytes += host_quantized;
    if (!segment->on_device()) continue;
    const std::uint64_t device_quantized =
        segment->quantized_bytes(Space::cuda) + segment->rounded_bytes(Space::cuda);
    out.quantized_bytes += device_quantized;
    out.device_bytes +=
        device_quantized + with_instance(*m_context, Space::cuda, [&](const auto& exec_space) {
          return segment->resident<std::decay_t<decltype(exec_space)>>().bytes();
        });
  }
  return out;
}

}  // namespace Kindred::Impl
