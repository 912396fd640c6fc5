// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_TELEMETRY_RING_HPP
#define KINDRED_MATCHER_SEED_TELEMETRY_RING_HPP

#include "MomentsRing.hpp"
#include "StreamInstances.hpp"

#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/matcher/SeedLayer.hpp>
#include <kindred/memory/PinnedArray.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace Kindred::Impl {

/// \brief The telemetry of a layer's last epochs: one slot each, filled on the host or on the
/// device, and one more as the workspace of a merge. Used by the call in turn.
class TelemetryRing {
 public:
  /// \param streams of the layer, must outlive this
  TelemetryRing(Context& context, Arch::PerSpace<StreamInstances>& streams, std::uint32_t seeds,
                std::uint32_t epochs);
  /// Fences \p exec_space. \throws OutOfMemory
  template <class ExecutionSpace>
  void bind(const ExecutionSpace& exec_space, MemoryResource& memory) {
    m_rings.get<ExecutionSpace>().bind(exec_space, memory, m_seeds, slots());
    if (!Arch::is_device<ExecutionSpace> || m_slots.empty()) return;
    for (Transfer& transfer : m_transfers) transfer.moments.resize_discarding(m_seeds);
  }

  /// Whether a pass with \p use writes telemetry.
  bool has(SeedTelemetryUse use) const noexcept {
    return use != SeedTelemetryUse::none && !m_slots.empty();
  }
  bool is_filled(std::uint32_t age) const noexcept {
    return age < m_epochs && m_slots[slot_at(age)].filled;
  }
  /// \brief Calls `launch(moments)`, which launches a pass that writes \p moments; without rows,
  /// the telemetry of such a pass is written instead.
  template <class ExecutionSpace, class Launch>
  void write(const ExecutionSpace& exec_space, const std::optional<Stream>& stream,
             SeedTelemetryUse use, bool has_rows, const Launch& launch) {
    constexpr bool device = Arch::is_device<ExecutionSpace>;
    const MomentsRing<ExecutionSpace>& ring = m_rings.get<ExecutionSpace>();
    if (!has(use)) {
      if (has_rows) launch(ArrayView<SeedMoments, ExecutionSpace>());
      return;
    }
    const Slot& slot = m_slots[m_head];
    if (!has_rows) {
      if (use == SeedTelemetryUse::last) ring.clear(exec_space, m_head);
    } else if (m_seeds > 0 && use == SeedTelemetryUse::merged && slot.filled) {
      if (slot.on_device != device) move_slot(m_head, device);
      if (slot.stream != stream)
        Arch::fence(m_streams.get<ExecutionSpace>().on(exec_space, slot.stream),
                    "Kindred::SeedLayer::merge");
      launch(ring.slot(next_slot()));
      ring.reduce(exec_space, m_head, 2, 0, m_seeds, ring.slot(m_head));
    } else {
      launch(ring.slot(m_head));
    }
    fill(device, stream);
  }
  /// Notes that a pass has written the telemetry of the current epoch.
  void fill(bool device, const std::optional<Stream>& stream) {
    m_slots[m_head] = {true, device, stream, ++m_fillings};
  }
  /// Begins the next epoch of a ring that has slots, on the host.
  void advance() noexcept;
  /// Empties the slot of the current epoch on a space.
  template <class ExecutionSpace>
  void clear(const ExecutionSpace& exec_space) const {
    m_rings.get<ExecutionSpace>().clear(exec_space, m_head);
  }

  /// \throws NotFound
  void start_transfer(std::uint32_t age);
  std::vector<SeedTelemetry> telemetry(std::uint32_t age);
  /// \param device_is_ready whether the device can be used \throws InvalidArgument
  SeedLayer::Reduced reduce(std::uint32_t epochs, std::uint32_t first, std::uint32_t count,
                            bool device_is_ready);

 private:
  struct Slot {
    bool filled = false;
    bool on_device = false;             ///< whether it was filled on the device
    std::optional<Stream> stream = {};  ///< stream on which it was filled
    std::uint64_t filling = 0;          ///< sequence number of the filling
  };
  struct Transfer {
    std::uint64_t filling = 0;  ///< filling that is transferred; 0: none
    std::optional<Stream> stream = {};
    PinnedArray<SeedMoments> moments;
  };

  std::uint32_t slots() const noexcept { return static_cast<std::uint32_t>(m_slots.size()); }
  std::uint32_t slot_at(std::uint32_t age) const noexcept {
    return (m_head + slots() - age) % slots();
  }
  std::uint32_t next_slot() const noexcept { return (m_head + 1) % slots(); }
  std::uint32_t filled_slot(std::uint32_t age) const;
  void move_slot(std::uint32_t slot, bool to_device);
  const Transfer& transfer_of(std::uint32_t slot);

  Context& m_context;
  Arch::PerSpace<StreamInstances>& m_streams;
  Arch::PerSpace<MomentsRing> m_rings;
  std::uint32_t m_seeds;
  std::uint32_t m_epochs;
  std::vector<Slot> m_slots;
  std::uint32_t m_head = 0;
  std::uint64_t m_fillings = 0;
  std::array<Transfer, 2> m_transfers;
  std::size_t m_next_transfer = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_TELEMETRY_RING_HPP
