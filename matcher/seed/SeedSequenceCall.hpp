// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP
#define KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP

#include "PassArguments.hpp"

#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace Kindred::Impl {

/// \brief A forward pass of a `SeedSequence`.
struct SeedSequenceCall {
  SeedLayerState* layer = nullptr;  ///< stays where it is if the layer is moved
  const std::byte* x = nullptr;
  std::byte* y = nullptr;
  RowLayout of_x = {};
  RowLayout of_y = {};
  SeedTelemetryUse telemetry = SeedTelemetryUse::last;
  SeedOverlap overlap = SeedOverlap::none;
  std::size_t plan = 0;
  std::uint64_t revision = 0;       ///< revision of the layer when the call was recorded
  std::shared_ptr<const void> pin;  ///< of the layer's instance on the stream of the sequence

  ByteRange range_of_x() const { return {x, of_x.bytes}; }
  ByteRange range_of_y() const { return {y, of_y.bytes}; }
};

/// \brief What \p call may do while the last of the calls \p before it is still running. O(calls).
inline SeedOverlap overlap_of(std::span<const SeedSequenceCall> before,
                              const SeedSequenceCall& call) {
  if (before.empty()) return SeedOverlap::none;
  const SeedSequenceCall& last = before.back();
  if (last.of_x.bytes == 0 || call.of_x.bytes == 0) return SeedOverlap::none;
  const ByteRange y = call.range_of_y();
  if (overlap(y, last.range_of_x()) || overlap(y, last.range_of_y())) return SeedOverlap::launch;
  for (const SeedSequenceCall& earlier : before) {
    if (overlap(call.range_of_x(), earlier.range_of_y())) return SeedOverlap::launch;
  }
  return SeedOverlap::rows;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP
