// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace Kindred {

namespace {

using PinnedMoments = Kokkos::View<SeedMoments*, Kokkos::SharedHostPinnedSpace,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

std::vector<SeedTelemetry> telemetry_of(std::span<const SeedMoments> moments) {
  std::vector<SeedTelemetry> out;
  out.reserve(moments.size());
  for (const SeedMoments& one : moments) out.push_back(Kindred::telemetry_of(one));
  return out;
}

}  // namespace

std::uint32_t SeedLayer::State::slot_of(std::uint32_t age) const {
  if (age >= options.telemetry_epochs) {
    throw NotFound("an epoch of age " + std::to_string(age) + "; the ring keeps " +
                   std::to_string(options.telemetry_epochs));
  }
  const auto count = static_cast<std::uint32_t>(slots.size());
  const std::uint32_t slot = (head + count - age) % count;
  if (!slots[slot].filled) {
    throw NotFound("the epoch of age " + std::to_string(age) +
                   " had no forward pass with telemetry");
  }
  return slot;
}

void SeedLayer::State::move_slot(std::uint32_t slot, bool to_device) {
  Impl::with_instance(
      context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        auto& device = sides.get<ExecutionSpace>();
        device.streams.wait();
        const auto host = sides.get<HostSpace>().ring.slot(slot);
        if (to_device) {
          Impl::upload(exec_space, device.ring.slot(slot), host.data(), host.size());
        } else {
          Impl::download(exec_space, host.data(), device.ring.slot(slot), host.size());
        }
      });
  slots[slot].on_device = to_device;
  slots[slot].stream = {};
}

void SeedLayer::State::advance_ring() {
  if (slots.empty()) return;
  head = next_slot();
  slots[head] = {};
  const Impl::HostLease lease(context, Space::serial);
  const HostSpace& host = lease.get();
  sides.get<HostSpace>().ring.clear(host, head);
  on_the_device([&](const auto& exec_space, auto& side) { side.ring.clear(exec_space, head); });
}

SeedLayer::State::Transfer& SeedLayer::State::start_transfer(std::uint32_t slot) {
  const Slot& from = slots[slot];
  for (Transfer& transfer : transfers) {
    if (transfer.filling == from.filling) return transfer;
  }
  Transfer& transfer = transfers[next_transfer];
  next_transfer = (next_transfer + 1) % transfers.size();
  Impl::with_instance(context, Space::cuda,
                      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                        auto& side = sides.get<ExecutionSpace>();
                        if (transfer.filling != 0)
                          Arch::fence(side.streams.on(exec_space, transfer.stream),
                                      "Kindred::SeedLayer::start_telemetry");
                        transfer.filling = 0;
                        Kokkos::deep_copy(side.streams.on(exec_space, from.stream),
                                          PinnedMoments(transfer.moments.data(), chunks.seeds),
                                          side.ring.slot(slot));
                      });
  transfer.slot = slot;
  transfer.filling = from.filling;
  transfer.stream = from.stream;
  return transfer;
}

bool SeedLayer::has_telemetry(std::uint32_t age) const try {
  const State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  const auto count = static_cast<std::uint32_t>(state.slots.size());
  return age < state.options.telemetry_epochs &&
         state.slots[(state.head + count - age) % count].filled;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::has_telemetry");
}

void SeedLayer::start_telemetry(std::uint32_t age) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  const std::uint32_t slot = state.slot_of(age);
  if (state.slots[slot].on_device && state.chunks.seeds > 0) state.start_transfer(slot);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::start_telemetry");
}

std::vector<SeedTelemetry> SeedLayer::telemetry(std::uint32_t age) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  const std::uint32_t slot = state.slot_of(age);
  const std::size_t seeds = state.chunks.seeds;
  if (!state.slots[slot].on_device || seeds == 0)
    return telemetry_of({state.sides.get<HostSpace>().ring.slot(slot).data(), seeds});
  const State::Transfer& transfer = state.start_transfer(slot);
  Impl::with_instance(state.context, Space::cuda,
                      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                        state.sides.get<ExecutionSpace>()
                            .streams.on(exec_space, transfer.stream)
                            .fence("Kindred::SeedLayer::telemetry");
                      });
  return telemetry_of({transfer.moments.data(), seeds});
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::telemetry");
}

SeedLayer::Reduced SeedLayer::reduce_telemetry(std::uint32_t epochs, std::uint32_t first,
                                               std::uint32_t count) try {
  State& state = *m_state;
  const auto lock = Impl::engine_lock(state.mutex);
  KINDRED_THROW_IF(epochs == 0 || epochs > state.options.telemetry_epochs,
                   std::to_string(epochs) + " epochs; the ring keeps " +
                       std::to_string(state.options.telemetry_epochs));
  KINDRED_THROW_IF(first > state.chunks.seeds || count > state.chunks.seeds - first,
                   "the range from seed " + std::to_string(first) + " with " +
                       std::to_string(count) + " seeds; the number of seeds is " +
                       std::to_string(state.chunks.seeds));
  Reduced out;
  if (count == 0) return out;
  const auto slots = static_cast<std::uint32_t>(state.slots.size());
  const std::uint32_t first_slot = (state.head + slots - (epochs - 1)) % slots;
  bool on_device = state.on_device && !state.trouble;
  for (std::uint32_t i = 0; i < epochs; ++i) {
    const State::Slot& slot = state.slots[(first_slot + i) % slots];
    if (slot.filled && !slot.on_device) on_device = false;
  }
  for (std::uint32_t i = 0; i < epochs && !on_device; ++i) {
    const std::uint32_t slot = (first_slot + i) % slots;
    if (state.slots[slot].filled && state.slots[slot].on_device) state.move_slot(slot, false);
  }
  std::vector<SeedMoments> each(count);
  SeedMoments whole;
  Impl::with_instance(state.context, on_device ? Space::cuda : Space::serial,
                      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                        auto& side = state.sides.get<ExecutionSpace>();
                        side.streams.wait();
                        side.ring.reduce(exec_space, first_slot, epochs, first, count,
                                         side.ring.each());
                        Impl::download(exec_space, each.data(), side.ring.each(), count);
                        Impl::download(exec_space, &whole, side.ring.whole(), 1);
                      });
  out.each = telemetry_of(each);
  out.whole = Kindred::telemetry_of(whole);
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::reduce_telemetry");
}

}  // namespace Kindred
