// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP
#define KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP

#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace Kindred::Impl {

/// \brief A forward pass of a `SeedSequence`.
struct SeedSequenceCall {
  SeedLayer::State* layer = nullptr;  ///< stays where it is if the layer is moved
  std::span<const std::byte> x;
  std::span<std::byte> y;
  SeedBatch batch;
  SeedTelemetryUse telemetry = SeedTelemetryUse::last;
  SeedOverlap overlap = SeedOverlap::none;
  std::size_t plan = 0;
  std::uint64_t revision = 0;  ///< revision of the layer when the call was recorded
};

/// Whether two arrays do not overlap.
inline bool are_apart(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<> before;
  return a.empty() || b.empty() || !before(b.data(), a.data() + a.size()) ||
         !before(a.data(), b.data() + b.size());
}

/// \brief What \p call may do while the last of the calls \p before it is still running. O(calls).
inline SeedOverlap overlap_of(std::span<const SeedSequenceCall> before,
                              const SeedSequenceCall& call) {
  if (before.empty()) return SeedOverlap::none;
  const SeedSequenceCall& last = before.back();
  if (last.batch.rows == 0 || call.batch.rows == 0) return SeedOverlap::none;
  if (!are_apart(call.y, last.x) || !are_apart(call.y, last.y)) return SeedOverlap::launch;
  for (const SeedSequenceCall& earlier : before) {
    if (!are_apart(call.x, earlier.y)) return SeedOverlap::launch;
  }
  return SeedOverlap::rows;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_SEED_SEQUENCE_CALL_HPP
