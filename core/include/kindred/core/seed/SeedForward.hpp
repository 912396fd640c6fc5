// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_FORWARD_HPP
#define KINDRED_CORE_SEED_SEED_FORWARD_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/SeedLayerView.hpp>
#include <kindred/core/seed/SeedRows.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief The sizes of one call of `seed_forward`.
struct SeedForwardShape {
  SeedChunks chunks;
  std::uint64_t rows = 0;
  DataType input = DataType::float32;
  bool telemetry = true;
};

/// \brief How a call is divided: stripes of features by blocks of rows, one team or thread each.
struct SeedForwardPlan {
  std::uint32_t stripes = 0;
  std::uint32_t width = 0;  ///< features per stripe
  /// Of a team, in units of four features: stripes end where seeds do.
  std::uint32_t extra_columns = 0;
  std::uint32_t groups = 0;      ///< blocks of rows
  std::uint32_t group_rows = 0;  ///< a power of two
  std::uint32_t threads = 0;     ///< on the host
  std::size_t workspace = 0;     ///< bytes
  std::size_t counters = 0;      ///< bytes at the beginning of the workspace
};

/// \brief What a call may do before the preceding call in its stream, which must be a
/// `seed_forward` too, has ended. Used only on a device.
enum class SeedOverlap : std::uint8_t {
  none,    ///< nothing; any work may precede it
  launch,  ///< be launched
  /// Read x, which was complete before the last call with `none`, and write y, which does not
  /// overlap x or y of the preceding call.
  rows
};

template <class ExecutionSpace>
SeedForwardPlan seed_forward_plan(const ExecutionSpace& exec_space, const SeedForwardShape& shape);

/// The plan for a host space of \p threads threads. Fewer threads may need a larger workspace.
SeedForwardPlan seed_forward_host_plan(const SeedForwardShape& shape, std::uint32_t threads);

/// \brief Applies the seeds to x, giving y, and computes the moments of x in the same pass. Does
/// not fence. One launch on a device; allocates nothing.
///
/// A seed whose state `applies_blueprint` and whose blueprint has a row of weights changes its
/// features by its mode; every other seed copies them, as do features without a seed. Per element,
/// in float32, each operation rounded: linear `t·x + u·x` with t = a·w, u = 1 − a (a = 1 when
/// fossilized); multiplicative w·x; additive x + w; mixed 0.5·x + 0.5·w; then rounded once to y's
/// element type, to nearest, ties to even. A computed NaN is 0x7FC00000, 0x7E00 or 0x7FC0. Copied
/// values keep their bits if x and y have the same element type.
///
/// Moments: the rows of a feature are divided into at most 32 blocks of equal size, the smallest
/// power of two from 512 to 32768 that suffices. In a block, float32 elements are shifted by the
/// block's first row in double, others by 0; lane l of 8 adds rows l, l + 8, … : s += d, q = fma(d,
/// d, q). The s and q of the lanes are added by a pairwise tree: 0 + 4, 1 + 5, …, then 0 + 2, ….
/// With r = 1 / rows of the block: mean = shift + s·r, m2 = max(0, q − s·(s·r)). The blocks of a
/// feature are merged in one step, in order: with n_i rows in block i, d = mean_i − mean_0, w =
/// n_i·d: S += w, Q = fma(w, d, Q), r = 1 / Σn; mean = mean_0 + S·r, m2 = Σm2_i + max(0, Q −
/// S·(S·r)). Sixteen features of a chunk are merged in the same way, with counts in features (the
/// maximum is multiplied by the rows), then sixteen of these, and so on.
///
/// Complexity O(rows × hidden).
/// \param layer any codes, ids and alphas are allowed \param x, y may be the same rows; otherwise
/// they must not overlap \param moments one per seed of `chunks.covering()`, or size 0: not
/// computed \param workspace `plan.workspace` bytes, aligned to 64; its counters are 0 before the
/// first call with a plan, and each call leaves them 0
/// \throws InvalidArgument if an array is too short or misaligned, or a size is out of range
template <class ExecutionSpace>
void seed_forward(const ExecutionSpace& exec_space, const SeedForwardPlan& plan,
                  const SeedLayerView<ExecutionSpace>& layer, std::uint64_t rows,
                  const SeedRows<const std::byte, ExecutionSpace>& x,
                  const SeedRows<std::byte, ExecutionSpace>& y,
                  const ArrayView<SeedMoments, ExecutionSpace>& moments,
                  const ArrayView<std::byte, ExecutionSpace>& workspace,
                  SeedOverlap overlap = SeedOverlap::none);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_FORWARD_HPP
