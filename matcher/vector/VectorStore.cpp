// SPDX-License-Identifier: Apache-2.0
#include "VectorStore.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/vector/RowFilter.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "VectorSections.hpp"
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
  add(rows);
}

VectorStore::VectorStore(Context& context, const StoredVectors& stored,
                         const VectorIndexOptions& options, StoredAccess access)
    : m_context(&context),
      m_element(stored.rows.element),
      m_dimension(stored.rows.dimension),
      m_options(options),
      m_end_id(stored.end_id) {
  check_options();
  checked_head({&stored, 1}, stored.end_id);
  if (stored.rows.count() == 0) return;
  m_segments.push_back(std::make_shared<VectorSegment>(context, stored, access));
  place(*m_segments.front());
  m_size = m_segments.front()->size() - m_segments.front()->removed();
}

std::vector<StoredVectors> VectorStore::stored() const {
  std::vector<StoredVectors> parts;
  for (const auto& segment : m_segments) parts.push_back(segment->stored());
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
  if (!needs_device(m_options.residency) || m_context->is_usable(Space::cuda)) return;
  throw SpaceUnavailable("residency both or device needs space cuda, which cannot be used: " +
                         m_context->info(Space::cuda).why_not);
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
                     [](const auto& segment) { return segment->on_device(); });
}

void VectorStore::place(VectorSegment& segment) const {
  if (m_options.residency == Residency::host || !m_context->is_usable(Space::cuda)) return;
  try {
    segment.make_device_resident();
  } catch (const OutOfMemory& error) {
    if (needs_device(m_options.residency)) throw;
    m_context->log(LogLevel::info, std::string("rows stay on the host: ") + error.what());
  }
}

VectorStore::Segments VectorStore::compacted(Segments segments) const {
  const auto sparse = [](const VectorSegment& segment) {
    return 4 * segment.removed() > segment.size();
  };
  std::vector<std::shared_ptr<VectorSegment>> out;
  for (std::size_t end = segments.size(); end > 0;) {
    // From the last segment on, merges every segment that has at most twice as many rows as those
    // after it.
    std::size_t begin = end - 1;
    std::size_t rows = segments[begin]->size();
    bool rebuild = sparse(*segments[begin]);
    while (begin > 0 && segments[begin - 1]->size() <= 2 * rows) {
      --begin;
      rows += segments[begin]->size();
      rebuild = true;
    }
    const std::span joined(segments.data() + begin, end - begin);
    end = begin;
    if (!rebuild) {
      out.push_back(joined.front());
      continue;
    }
    const bool any = std::any_of(joined.begin(), joined.end(), [](const auto& segment) {
      return segment->size() > segment->removed();
    });
    if (!any) continue;
    out.push_back(std::make_shared<VectorSegment>(*m_context, joined));
    place(*out.back());
  }
  std::reverse(out.begin(), out.end());
  return out;
}

VectorStore::Segments VectorStore::with(
    const VectorSpan& rows, std::optional<std::span<const std::size_t>> positions) const {
  const std::size_t count = positions ? positions->size() : rows.count();
  Segments segments = m_segments;
  if (count == 0) return segments;
  KINDRED_THROW_IF(count >= id_limit - m_end_id,
                   value_message("the number of rows", count) + "; ids from " +
                       std::to_string(m_end_id) + " must stay below " + std::to_string(id_limit));
  auto segment = std::make_shared<VectorSegment>(*m_context, m_element, m_dimension, count,
                                                 static_cast<std::uint32_t>(m_end_id));
  if (!positions) segment->fill(0, rows);
  for (std::size_t i = 0; positions && i < count; ++i)
    segment->fill(i, rows.rows((*positions)[i], 1));
  segment->finish();
  const bool alone = segments.empty() || segments.back()->size() > 2 * count;
  segments.push_back(segment);
  if (!alone) return compacted(std::move(segments));
  place(*segment);
  return segments;
}

std::vector<RowChange::Place> VectorStore::places_of(const Segments& segments,
                                                     std::span<const std::uint64_t> ids,
                                                     std::span<const std::size_t> positions) const {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::is_sorted(ids.begin(), ids.end()))
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ids[a] < ids[b]; });
  std::vector<RowChange::Place> places;
  places.reserve(ids.size());
  std::size_t s = 0;  // segments hold ascending ids
  for (const std::size_t i : order) {
    while (s < segments.size() && segments[s]->last_id() < ids[i]) ++s;
    const auto row = s < segments.size() ? segments[s]->find(ids[i]) : std::nullopt;
    if (!row) {
      throw NotFound("no row has the id " + std::to_string(ids[i]) + "; ids are below " +
                     std::to_string(m_end_id));
    }
    places.push_back({segments[s].get(), *row, positions[i]});
  }
  return places;
}

std::uint64_t VectorStore::upsert(const VectorSpan& rows, std::span<const std::uint64_t> ids,
                                  std::span<const std::size_t> replacements,
                                  std::span<const std::size_t> added) {
  check(rows);
  // Rows that are replaced may be in a segment that is not published yet, merged with new ones.
  Segments next = with(rows, added);
  if (!ids.empty()) RowChange(*m_context, rows, places_of(next, ids, replacements)).apply();
  return publish(std::move(next), added.size());
}

std::uint64_t VectorStore::add(const VectorSpan& rows) {
  check(rows);
  return publish(with(rows, {}), rows.count());
}

std::uint64_t VectorStore::publish(Segments next, std::size_t added) noexcept {
  const std::uint64_t first = m_end_id;
  m_segments = std::move(next);
  m_end_id += added;
  m_size += added;
  return first;
}

void VectorStore::remove(std::span<const std::uint64_t> ids) {
  for (const std::uint64_t id : ids) {
    if (find(id).first != nullptr) continue;
    throw NotFound("no row has the id " + std::to_string(id) + "; " + std::to_string(m_size) +
                   " of the ids below " + std::to_string(m_end_id) + " have one");
  }
  const std::vector<std::uint64_t> sorted =
      sorted_for_removal(ids, [](std::uint64_t id) { return "id " + std::to_string(id); });
  std::vector<std::pair<VectorSegment*, std::size_t>> rows;
  rows.reserve(sorted.size());
  for (const std::uint64_t id : sorted) {
    for (const auto& segment : m_segments) {
      if (const auto row = segment->find(id)) rows.emplace_back(segment.get(), *row);
    }
  }
  for (const auto& [segment, row] : rows) segment->prepare_to_remove();
  for (const auto& [segment, row] : rows) segment->remove(row);
  m_size -= sorted.size();
  compact_quietly();
}

void VectorStore::compact_quietly() noexcept {
  const auto sparse = [](const auto& segment) { return 4 * segment->removed() > segment->size(); };
  if (std::none_of(m_segments.begin(), m_segments.end(), sparse)) return;
  try {
    try {
      m_segments = compacted(m_segments);
    } catch (const std::exception& error) {
      m_context->log(LogLevel::info,
                     std::string("removed rows were not reclaimed yet: ") + error.what());
    }
  } catch (const std::exception&) {
    return;  // no memory for the message; the rows are removed nevertheless
  }
}

void VectorStore::replace(std::uint64_t id, const VectorSpan& row) {
  check(row);
  KINDRED_THROW_IF(row.count() != 1, value_message("the number of rows", row.count()) +
                                         "; exactly one row must be passed");
  constexpr std::size_t only = 0;
  upsert(row, {&id, 1}, {&only, 1}, {});
}

std::pair<const VectorSegment*, std::size_t> VectorStore::find(std::uint64_t id) const noexcept {
  for (const auto& segment : m_segments) {
    if (const auto row = segment->find(id)) return {segment.get(), *row};
  }
  return {nullptr, 0};
}

bool VectorStore::has_quantized_copy(Space space) const {
  return m_element == DataType::int8 ||
         std::all_of(m_segments.begin(), m_segments.end(),
                     [&](const auto& segment) { return segment->quantized_bytes(space) > 0; });
}

VectorStatistics VectorStore::statistics() const {
  VectorStatistics out;
  out.rows = m_size;
  out.segments = m_segments.size();
  for (const auto& segment : m_segments) {
    out.removed += segment->removed();
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
