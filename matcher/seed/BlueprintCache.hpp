// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_BLUEPRINT_CACHE_HPP
#define KINDRED_MATCHER_SEED_BLUEPRINT_CACHE_HPP

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>
#include <kindred/matcher/BlueprintRegistry.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief The weights of blueprints in the memory of an execution space, one row per blueprint. A
/// blueprint that is no longer used keeps its row until the row is needed (LRU).
template <class ExecutionSpace>
class BlueprintCache {
 public:
  /// \param bytes maximum size of the rows; 0: as many rows as are in use
  void bind(MemoryResource& memory, std::uint32_t hidden, std::uint64_t bytes) {
    m_memory = &memory;
    m_hidden = hidden;
    m_is_limited = bytes > 0;
    m_limit = bytes == 0 ? ~std::size_t{0} : bytes / (hidden * sizeof(float));
  }

  /// \brief Provides rows for \p needed, ascending ids of \p registry. Fences \p exec_space if it
  /// copies. \throws OutOfMemory, std::bad_alloc; on the host the cache is then unchanged, on a
  /// device it must be cleared
  void serve(const ExecutionSpace& exec_space, const BlueprintRegistry& registry,
             std::span<const std::int32_t> needed) {
    ++m_clock;
    std::size_t missing = 0;
    for (const std::int32_t id : needed) missing += slot_of(id) < 0 ? 1 : 0;
    if (missing == 0 && registry.size() <= m_slots.size()) return touch(needed);
    if (needed.size() > m_limit) {
      const auto bytes = checked_product({needed.size(), m_hidden, sizeof(float)});
      throw OutOfMemory(std::string(m_memory->space()), bytes.value_or(~std::uint64_t{0}),
                        rows_label,
                        std::to_string(needed.size()) +
                            " blueprints are in use and there is room "
                            "for " +
                            std::to_string(m_limit) + "; raise blueprint_bytes");
    }
    std::vector<float> staged = new_staged();
    grow(exec_space, registry, needed, missing);
    for (const std::int32_t id : needed) {
      if (slot_of(id) < 0) take_slot(id, needed);
    }
    for (std::size_t slot = 0; slot < m_places.size(); ++slot) {
      Place& place = m_places[slot];
      if (!place.fresh) continue;
      if (!registry.contains(place.id)) {  // the blueprint was removed
        m_slot_of[static_cast<std::size_t>(place.id)] = -1;
        place = {};
        continue;
      }
      upload_row(exec_space, registry.weights(place.id), slot, staged);
    }
    if constexpr (Arch::is_device<ExecutionSpace>)
      upload(exec_space, m_slots.view(), m_slot_of.data(), m_slot_of.size());
    else
      std::copy(m_slot_of.begin(), m_slot_of.end(), m_slots.data());
    for (Place& place : m_places) place.fresh = false;
    touch(needed);
  }
  /// Invalidates the weights of \p id. Fences \p exec_space. Does not throw on the host.
  void refresh(const ExecutionSpace& exec_space, const BlueprintRegistry& registry,
               std::int32_t id) {
    std::vector<float> staged = new_staged();
    if (slot_of(id) >= 0) {
      upload_row(exec_space, registry.weights(id), static_cast<std::size_t>(slot_of(id)), staged);
    }
  }
  /// Invalidates all sets.
  void clear() {
    m_places.assign(m_places.size(), {});
    std::fill(m_slot_of.begin(), m_slot_of.end(), -1);
  }

  SeedWeights<ExecutionSpace> view() const {
    SeedWeights<ExecutionSpace> out;
    out.values = ArrayView<const float, ExecutionSpace>(m_rows.data(), m_rows.size());
    out.slots = ArrayView<const std::int32_t, ExecutionSpace>(m_slots.data(), m_slots.size());
    out.blueprints = static_cast<std::uint32_t>(m_slots.size());
    out.stride = m_hidden;
    return out;
  }
  /// Number of rows that contain a blueprint; for tests.
  std::size_t resident() const {
    return static_cast<std::size_t>(std::count_if(
        m_places.begin(), m_places.end(), [](const Place& place) { return place.id >= 0; }));
  }
  bool is_resident(std::int32_t id) const { return slot_of(id) >= 0; }

 private:
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr const char* rows_label = "Kindred::SeedLayer::blueprints";

  struct Place {
    std::int32_t id = -1;
    std::uint64_t used = 0;  ///< clock value of its last use
    bool fresh = false;      ///< not copied yet
  };

  std::int32_t slot_of(std::int32_t id) const {
    return static_cast<std::size_t>(id) < m_slot_of.size() ? m_slot_of[static_cast<std::size_t>(id)]
                                                           : -1;
  }
  void touch(std::span<const std::int32_t> needed) {
    for (const std::int32_t id : needed)
      m_places[static_cast<std::size_t>(slot_of(id))].used = m_clock;
  }
  /// \brief Reserves space for the ids of the registry and the needed rows. Existing rows are kept
  /// as long as the limit allows it.
  void grow(const ExecutionSpace& exec_space, const BlueprintRegistry& registry,
            std::span<const std::int32_t> needed, std::size_t missing) {
    const std::size_t ids = std::max<std::size_t>(registry.size(), 1);
    Buffer<std::int32_t, memory_space> slots;
    if (ids > m_slots.size()) {
      slots = Buffer<std::int32_t, memory_space>(*m_memory, "Kindred::SeedLayer::blueprint_slots",
                                                 std::max(ids, 2 * m_slots.size()));
      m_slot_of.reserve(slots.size());
    }
    std::size_t empty = 0;
    std::size_t idle = 0;  // rows whose blueprint is not needed
    for (const Place& place : m_places) {
      empty += place.id < 0 ? 1 : 0;
      idle += place.id >= 0 && !std::binary_search(needed.begin(), needed.end(), place.id) ? 1 : 0;
    }
    const bool must = missing > empty + idle;
    if (must || (m_is_limited && missing > empty && m_places.size() < m_limit)) {
      const std::size_t rows =
          std::min(m_limit, std::max(m_places.size() + missing - empty, 2 * m_places.size()));
      try {
        Buffer<float, memory_space> more(*m_memory, rows_label, rows * m_hidden);
        m_places.reserve(rows);
        Arch::fence(exec_space, "Kindred::SeedLayer::blueprints");
        m_rows = std::move(more);
        m_places.resize(rows);
        for (Place& place : m_places) place.fresh = place.id >= 0;
      } catch (const OutOfMemory&) {
        if (must) throw;  // otherwise other rows are evicted
      }
    }
    if (slots.size() > 0) m_slots = std::move(slots);
    m_slot_of.resize(m_slots.size(), -1);
  }
  /// A free row, or that of the least recently used blueprint that is not needed.
  void take_slot(std::int32_t id, std::span<const std::int32_t> needed) {
    std::size_t best = m_places.size();
    for (std::size_t i = 0; i < m_places.size(); ++i) {
      const Place& place = m_places[i];
      if (place.id >= 0 && std::binary_search(needed.begin(), needed.end(), place.id)) continue;
      if (best == m_places.size() || (place.id < 0 && m_places[best].id >= 0) ||
          ((place.id < 0) == (m_places[best].id < 0) && place.used < m_places[best].used))
        best = i;
    }
    Place& place = m_places[best];
    if (place.id >= 0) m_slot_of[static_cast<std::size_t>(place.id)] = -1;
    place = {id, m_clock, true};
    m_slot_of[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(best);
  }
  /// A row of zeros in the staging memory for a device.
  std::vector<float> new_staged() const {
    return std::vector<float>(Arch::is_device<ExecutionSpace> ? m_hidden : 0);
  }
  void upload_row(const ExecutionSpace& exec_space, std::span<const float> weights,
                  std::size_t slot, std::vector<float>& staged) {
    const ArrayView<float, ExecutionSpace> row(m_rows.data() + slot * m_hidden, m_hidden);
    float* const to = Arch::is_device<ExecutionSpace> ? staged.data() : row.data();
    std::fill(std::copy(weights.begin(), weights.end(), to), to + m_hidden, 0.0F);
    if constexpr (Arch::is_device<ExecutionSpace>)
      upload(exec_space, row, staged.data(), staged.size());
  }
  MemoryResource* m_memory = nullptr;
  std::uint32_t m_hidden = 0;
  bool m_is_limited = false;
  std::size_t m_limit = 0;
  std::uint64_t m_clock = 0;
  Buffer<float, memory_space> m_rows;
  Buffer<std::int32_t, memory_space> m_slots;
  std::vector<Place> m_places;          ///< per row
  std::vector<std::int32_t> m_slot_of;  ///< per id; −1: no row
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_BLUEPRINT_CACHE_HPP
