// SPDX-License-Identifier: Apache-2.0
#include "SeedLayerState.hpp"

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <string>

namespace Kindred {

namespace {

std::vector<SeedTelemetry> telemetry_of(std::span<const SeedMoments> moments) {
  std::vector<SeedTelemetry> out;
  out.reserve(moments.size());
  for (const SeedMoments& one : moments) out.push_back(Kindred::telemetry_of(one));
  return out;
}

}  // namespace

namespace Impl {

TelemetryRing::TelemetryRing(Context& context, Arch::PerSpace<StreamInstances>& streams,
                             std::uint32_t seeds, std::uint32_t epochs)
    : m_context(context),
      m_streams(streams),
      m_seeds(seeds),
      m_epochs(epochs),
      m_slots(epochs > 0 ? std::size_t{epochs} + 1 : 0) {
  for (Transfer& transfer : m_transfers)
    transfer.moments = {context.pinned_memory(), "Kindred::SeedLayer::telemetry_host"};
}

std::uint32_t TelemetryRing::filled_slot(std::uint32_t age) const {
  if (age >= m_epochs) {
    throw NotFound("an epoch of age " + std::to_string(age) + "; the ring keeps " +
                   std::to_string(m_epochs));
  }
  if (!is_filled(age)) {
    throw NotFound("the epoch of age " + std::to_string(age) +
                   " had no forward pass with telemetry");
  }
  return slot_at(age);
}

void TelemetryRing::move_slot(std::uint32_t slot, bool to_device) {
  with_instance(m_context, Space::cuda,
                [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                  m_streams.get<ExecutionSpace>().wait();
                  const auto device = m_rings.get<ExecutionSpace>().slot(slot);
                  const auto host = m_rings.get<HostSpace>().slot(slot);
                  if (to_device) {
                    upload(exec_space, device, host.data(), host.size());
                  } else {
                    download(exec_space, host.data(), device, host.size());
                  }
                });
  m_slots[slot].on_device = to_device;
  m_slots[slot].stream = {};
}

void TelemetryRing::advance() noexcept {
  m_head = next_slot();
  m_slots[m_head] = {};
  m_rings.get<HostSpace>().clear_here(m_head);
}

const TelemetryRing::Transfer& TelemetryRing::transfer_of(std::uint32_t slot) {
  const Slot& from = m_slots[slot];
  for (const Transfer& transfer : m_transfers) {
    if (transfer.filling == from.filling) return transfer;
  }
  Transfer& transfer = m_transfers[m_next_transfer];
  m_next_transfer = (m_next_transfer + 1) % m_transfers.size();
  with_instance(
      m_context, Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
        auto& streams = m_streams.get<ExecutionSpace>();
        if (transfer.filling != 0)
          Arch::fence(streams.on(exec_space, transfer.stream),
                      "Kindred::SeedLayer::start_telemetry");
        transfer.filling = 0;
        Arch::start_copy(streams.on(exec_space, from.stream), "Kindred::SeedLayer::start_telemetry",
                         transfer.moments.data(), m_rings.get<ExecutionSpace>().slot(slot).data(),
                         m_seeds * sizeof(SeedMoments));
      });
  transfer.filling = from.filling;
  transfer.stream = from.stream;
  return transfer;
}

void TelemetryRing::start_transfer(std::uint32_t age) {
  const std::uint32_t slot = filled_slot(age);
  if (m_slots[slot].on_device && m_seeds > 0) transfer_of(slot);
}

std::vector<SeedTelemetry> TelemetryRing::telemetry(std::uint32_t age) {
  const std::uint32_t slot = filled_slot(age);
  if (!m_slots[slot].on_device || m_seeds == 0)
    return telemetry_of({m_rings.get<HostSpace>().slot(slot).data(), m_seeds});
  const Transfer& transfer = transfer_of(slot);
  with_instance(m_context, Space::cuda,
                [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                  Arch::fence(m_streams.get<ExecutionSpace>().on(exec_space, transfer.stream),
                              "Kindred::SeedLayer::telemetry");
                });
  return telemetry_of({transfer.moments.data(), m_seeds});
}

SeedLayer::Reduced TelemetryRing::reduce(std::uint32_t epochs, std::uint32_t first,
                                         std::uint32_t count, bool device_is_ready) {
  KINDRED_THROW_IF(epochs == 0 || epochs > m_epochs,
                   std::to_string(epochs) + " epochs; the ring keeps " + std::to_string(m_epochs));
  KINDRED_THROW_IF(first > m_seeds || count > m_seeds - first,
                   "the range from seed " + std::to_string(first) + " with " +
                       std::to_string(count) + " seeds; the number of seeds is " +
                       std::to_string(m_seeds));
  if (count == 0) return {};
  bool on_device = device_is_ready;
  for (std::uint32_t age = 0; age < epochs; ++age)
    on_device = on_device && (!is_filled(age) || m_slots[slot_at(age)].on_device);
  for (std::uint32_t age = epochs; age-- > 0 && !on_device;) {
    const std::uint32_t slot = slot_at(age);
    if (is_filled(age) && m_slots[slot].on_device) move_slot(slot, false);
  }
  std::vector<SeedMoments> each(count);
  SeedMoments whole;
  with_instance(m_context, on_device ? Space::cuda : Space::serial,
                [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                  m_streams.get<ExecutionSpace>().wait();
                  const auto& ring = m_rings.get<ExecutionSpace>();
                  ring.reduce(exec_space, slot_at(epochs - 1), epochs, first, count, ring.each());
                  download(exec_space, each.data(), ring.each(), count);
                  download(exec_space, &whole, ring.whole(), 1);
                });
  return {telemetry_of(each), Kindred::telemetry_of(whole)};
}

}  // namespace Impl

bool SeedLayer::has_telemetry(std::uint32_t age) const try {
  return m_state->turn()->telemetry.is_filled(age);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::has_telemetry");
}

void SeedLayer::start_telemetry(std::uint32_t age) try {
  m_state->turn()->telemetry.start_transfer(age);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::start_telemetry");
}

std::vector<SeedTelemetry> SeedLayer::telemetry(std::uint32_t age) try {
  return m_state->turn()->telemetry.telemetry(age);
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::telemetry");
}

SeedLayer::Reduced SeedLayer::reduce_telemetry(std::uint32_t epochs, std::uint32_t first,
                                               std::uint32_t count) try {
  const Impl::SeedTurn turn = m_state->turn();
  return turn->telemetry.reduce(epochs, first, count, turn->device_is_ready());
} catch (...) {
  Impl::rethrow_translated("Kindred::SeedLayer::reduce_telemetry");
}

}  // namespace Kindred
