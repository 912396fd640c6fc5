// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "RowCopies.hpp"
#include "VectorIndexState.hpp"
#include "VectorSections.hpp"

namespace Kindred {

using Impl::value_message;

namespace {

/// \brief Rows of \p array, of the type and dimension of the index. \p packed keeps a copy of rows
/// with gaps between them or on a device. \throws InvalidArgument, SpaceUnavailable
VectorSpan dense_rows(const Context& context, DataType element, std::size_t dimension,
                      const ConstArray& array, std::vector<std::byte>& packed) {
  const Impl::NamedArray given{"rows", array};
  KINDRED_THROW_IF(element == DataType::int8,
                   "the index has rows of int8, which need scales; give them as a VectorSpan");
  Impl::require_array(given, element, {Impl::any_extent, static_cast<std::int64_t>(dimension)});
  const std::size_t row_bytes = dimension * size_of(element);
  const auto count = static_cast<std::size_t>(array.extent(0));
  const std::size_t stride_bytes = Impl::stride_of(given) * size_of(element);
  const bool is_dense = count <= 1 || stride_bytes == row_bytes;
  const bool on_device = Impl::space_of(context, {given}).has_value();
  const auto* const from = static_cast<const std::byte*>(array.data());
  if (!on_device && is_dense) return {element, {from, count * row_bytes}, dimension};
  packed.resize(size_product("rows × bytes", {count, row_bytes}));
  if (!on_device) {
    for (std::size_t row = 0; row < count; ++row)
      std::memcpy(packed.data() + row * row_bytes, from + row * stride_bytes, row_bytes);
  } else {
    Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
      Impl::start_row_copies(exec_space, "Kindred::VectorIndex::add", packed.data(), row_bytes,
                             from, stride_bytes, count, row_bytes);
      Arch::fence(exec_space, "Kindred::VectorIndex::add");
    });
  }
  return {element, packed, dimension};
}

}  // namespace

VectorIndex::VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
                         Residency residency) try {
  KINDRED_THROW_IF(dimension != 0 && rows.size() % dimension != 0,
                   value_message("the size of the rows", rows.size()) +
                       "; it must be a multiple of the dimension, " + std::to_string(dimension));
  VectorIndexOptions options;
  options.residency = residency;
  *this = VectorIndex(context, VectorSpan(rows, dimension), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex");
}

VectorIndex::VectorIndex(Context& context, const VectorSpan& rows,
                         const VectorIndexOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::VectorIndex", [&] {
        return std::make_unique<State>(context, rows, options);
      })) {}

VectorIndex::VectorIndex(Context& context, const StoredVectors& stored,
                         const VectorIndexOptions& options)
    : m_state(Impl::translating_out_of_memory("Kindred::VectorIndex", [&] {
        return std::make_unique<State>(context, stored, options);
      })) {}

VectorIndex VectorIndex::load(Context& context, const FileSource& source,
                              const VectorIndexOptions& options, int threads) try {
  return VectorIndex(context, StoredVectors::load(source, threads), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::load");
}

void VectorIndex::save(const std::string& path) const try {
  const auto rows = m_state->rows.get();
  Impl::save_vectors(path, rows->stored(), rows->end_id());
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::save");
}

std::vector<std::byte> VectorIndex::to_bytes() const try {
  const auto rows = m_state->rows.get();
  std::vector<std::byte> bytes;
  Impl::save_vectors(bytes, rows->stored(), rows->end_id());
  return bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::to_bytes");
}

std::size_t VectorIndex::size() const noexcept { return m_state->size; }
std::uint64_t VectorIndex::end_id() const noexcept { return m_state->end_id; }
std::uint64_t VectorIndex::changes() const noexcept {
  // While a change is published, every call returns another number, so that none seems to have been
  // the same before and after it.
  const std::uint64_t now = m_state->changes;
  return now % 2 == 0 ? now : m_state->changes.fetch_add(2);
}
std::size_t VectorIndex::dimension() const noexcept { return m_state->dimension; }
DataType VectorIndex::element() const noexcept { return m_state->element; }

std::vector<std::uint64_t> VectorIndex::ids() const try {
  const auto rows = m_state->rows.get();
  std::vector<std::uint64_t> out;
  out.reserve(rows->size());
  const auto segments = rows->segments();
  Impl::for_each_run(segments, [&](std::size_t s, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) out.push_back(segments[s].id(begin));
  });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::ids");
}

void VectorIndex::rows(std::span<const std::uint64_t> ids, std::span<float> out) const try {
  const auto rows = m_state->rows.get();
  const std::size_t dimension = rows->dimension();
  KINDRED_THROW_IF(out.size() % dimension != 0 || out.size() / dimension != ids.size(),
                   "out has " + std::to_string(out.size()) + " elements; " +
                       std::to_string(ids.size()) + " rows have " + std::to_string(dimension) +
                       " elements each");
  for (const std::uint64_t id : ids) {
    if (rows->find(id).first == nullptr)
      throw NotFound("no row has the id " + std::to_string(id) + "; ids are below " +
                     std::to_string(rows->end_id()));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [segment, row] = rows->find(ids[i]);
    decode_rows((*segment)->rows().rows(row, 1), out.subspan(i * dimension, dimension));
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::rows");
}

VectorStatistics VectorIndex::statistics() const try {
  return m_state->rows.get()->statistics();
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::statistics");
}

std::uint64_t VectorIndex::bytes(Space space) const {
  const auto rows = m_state->rows.get();
  if (!m_state->context.is_usable(space)) return 0;
  const VectorStatistics statistics = rows->statistics();
  if (space != Space::cuda) return statistics.host_bytes;
  return rows->on_device() ? statistics.device_bytes : 0;
}

std::uint64_t VectorIndex::add(const RowArray& rows) try {
  std::vector<std::byte> packed;
  const VectorSpan span =
      rows.array ? dense_rows(m_state->context, element(), dimension(), *rows.array, packed)
                 : rows.span;
  return m_state->change([&](const Impl::VectorStore& store) { return store.with(span); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::add");
}

void VectorIndex::remove(std::span<const std::uint64_t> ids) try {
  m_state->change([&](const Impl::VectorStore& store) { return store.without(ids); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::remove");
}

void VectorIndex::replace(std::uint64_t id, const VectorSpan& row) try {
  m_state->change([&](const Impl::VectorStore& store) { return store.with(id, row); });
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorIndex::replace");
}

}  // namespace Kindred
