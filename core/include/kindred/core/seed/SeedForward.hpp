// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_FORWARD_HPP
#define KINDRED_CORE_SEED_SEED_FORWARD_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/seed/SeedRows.hpp>
#include <kindred/core/seed/SeedTelemetry.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred {

/// \brief What a call of `seed_forward` covers.
struct SeedForwardShape {
  SeedChunks chunks;
  std::uint64_t rows = 0;
  VectorElement input = VectorElement::float32;
  bool telemetry = true;
};

/// \brief How a call is cut: stripes of features by blocks of rows, a team or a thread each.
struct SeedForwardPlan {
  std::uint32_t stripes = 0;
  std::uint32_t width = 0;          ///< features of a stripe
  std::uint32_t extra_columns = 0;  ///< of a team, of four features: stripes end where seeds do
  std::uint32_t groups = 0;         ///< blocks of rows
  std::uint32_t group_rows = 0;     ///< a power of two
  std::uint32_t threads = 0;        ///< of the host
  std::size_t workspace = 0;        ///< bytes
};

/// \brief What a call may do before the one before it in its stream has ended, which must be a
/// `seed_forward` too. A device alone does any of it.
enum class SeedOverlap : std::uint8_t {
  none,    ///< nothing; anything may be before it
  launch,  ///< be launched
  rows     ///< read x, which was there before the last call with `none`, and write y, which has
           ///< nothing in common with x and y of the call before
};

template <class ExecutionSpace>
SeedForwardPlan seed_forward_plan(const ExecutionSpace& exec_space, const SeedForwardShape& shape);

/// \brief y = what the seeds make of x, and the moments of x, in one pass. Does not fence. One
/// launch on a device; nothing is allocated.
///
/// A seed whose state `applies_blueprint` and whose blueprint has a row of weights changes its
/// features by its mode; every other one copies them, as does a layer without seeds. Per element,
/// in float32, each operation rounded: linear `t·x + u·x` with t = a·w, u = 1 − a (a = 1 when
/// fossilized); multiplicative w·x; additive x + w; mixed 0.5·x + 0.5·w; then once to y's element,
/// to nearest, ties to even. A computed NaN is 0x7FC00000, 0x7E00, 0x7FC0. What is copied keeps its
/// bits if x and y have the same element.
///
/// Moments: a feature's rows are cut into blocks of 512, or of so many more, a power of two up to
/// 32768, that they are at most 32. In a block, float32 elements are shifted by the block's first
/// row in double, others by 0; lane l of 8 adds rows l, l + 8, … : s += d, q = fma(d, d, q). The
/// lanes' s and q add by halves: 0 + 4, 1 + 5, …, then 0 + 2, …. With r = 1 / rows of the block:
/// mean = shift + s·r, m2 = max(0, q − s·(s·r)). The blocks of a feature merge at once, in order:
/// with n_i rows in block i, d = mean_i − mean_0, w = n_i·d: S += w, Q = fma(w, d, Q), r = 1 / Σn;
/// mean = mean_0 + S·r, m2 = Σm2_i + max(0, Q − S·(S·r)). Sixteen features of a chunk do, counted
/// in features (the maximum is multiplied by the rows), then sixteen of these, ….
/// \param layer alpha in 0 … 1 \param x, y may be the same rows; else they do not overlap
/// \param moments one a seed, or of size 0: none \param workspace of `plan.workspace` bytes,
/// aligned to 64, 0 before the first call with a plan; a call leaves its counters so. Complexity
/// O(rows × hidden).
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
