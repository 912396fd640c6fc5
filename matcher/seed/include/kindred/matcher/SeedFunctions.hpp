// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_FUNCTIONS_HPP
#define KINDRED_MATCHER_SEED_FUNCTIONS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace KINDRED_PUBLIC Kindred {

// Forward and backward passes of seeds whose state, weights and telemetry are arrays of the caller,
// which may change between calls: every call reads them. `SeedLayer` is the form that owns a state
// and its rules. Both compute the same bits.

/// What the codes in `SeedArrays::mode` mean.
enum class SeedModeCodes : std::uint8_t {
  kindred,        ///< those of `ApplyMode`; a seed with another code copies its features
  kasmina_v2,     ///< 0 linear, 1 multiplicative, every other code additive
  kasmina_simple  ///< 0 multiplicative, 1 additive, every other code mixed
};

/// \brief The seeds of a pass.
///
/// Values in the arrays are not checked, because those in device memory cannot be without waiting
/// for the device. A seed changes its features if its lifecycle is the code of a state that applies
/// a blueprint, its mode has a meaning and its blueprint is a row of `weights`; a seed with any
/// other values copies its features, as do features that belong to no seed. Alphas are used as
/// they are, also outside 0 … 1.
struct SeedArrays {
  ConstArray lifecycle;  ///< int32, int8 or uint8 [seeds]: codes of `Lifecycle`
  ConstArray blueprint;  ///< int32 [seeds]: rows of `weights`
  ConstArray mode;       ///< int32, int8 or uint8 [seeds]
  ConstArray alpha;      ///< float32 [seeds]
  ConstArray weights;    ///< float32 [blueprints, hidden]
  /// 0: chunks of equal width, as those of a `SeedLayer`. Otherwise seed s owns the features
  /// s · chunk_size … (s + 1) · chunk_size − 1 as far as they exist, and features behind the last
  /// seed belong to none.
  std::uint32_t chunk_size = 0;
  SeedModeCodes mode_codes = SeedModeCodes::kindred;
  /// Whether a fossilized seed applies its blueprint, with an alpha of 1. False: it copies its
  /// features, as Kasmina's kernels do.
  bool fossilized_applies = true;
};

/// \brief Telemetry of one forward pass, which replaces what the arrays contain. An array without
/// elements is not written.
struct SeedSums {
  Array sum = {};             ///< float32 or float64 [seeds]: of the elements of a seed's features
  Array sum_of_squares = {};  ///< float32 or float64 [seeds]
  Array count = {};           ///< int32, int64, float32 or float64 [seeds]: number of elements
};

struct SeedPassOptions {
  /// For arrays in host memory: serial or openmp. None: the dispatcher chooses.
  std::optional<Space> space = {};
  /// For arrays on a device. None: the stream of the context. A call with the same stream as the
  /// previous one allocates nothing; the context keeps those used last.
  std::optional<Stream> stream = {};
  /// For arrays on a device: uint8 or int8 [`…_seeds_workspace`] there, aligned to 64 bytes, with
  /// any contents. May be reused by the next call on the same stream. Without a device, none is
  /// needed.
  Array workspace = {};
};

/// \brief Bytes of the workspace of `forward_seeds` with \p telemetry for arrays on a device; 0 for
/// arrays in host memory. \throws as `forward_seeds`
std::size_t forward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                    const ConstArray& x, const SeedSums& telemetry = {});
/// Likewise for `backward_seeds`.
std::size_t backward_seeds_workspace(const Context& context, const SeedArrays& seeds,
                                     const ConstArray& x);

/// \brief Forward pass: y = seeds applied to x. Bitwise identical to `SeedLayer::forward` for the
/// same state, on every space.
///
/// All arrays lie in the same memory. On the host, the result is complete on return. On a device,
/// the call is ordered by the stream, does not fence, allocates nothing and copies nothing to the
/// host, so that it can be captured in a CUDA graph; load its kernels by a call of the same element
/// types before the capture. Thread-safe for calls with different outputs and workspaces.
/// Complexity O(rows × hidden).
/// \param x float32, float16 or bfloat16 [rows, hidden] \param y float32, float16 or bfloat16
/// [rows, hidden]; may be the same rows with the same element type and stride, and must not
/// overlap any other array
/// \param telemetry in double, sum = count · mean and sum of squares = m2 + mean · sum of the
/// moments that a `SeedLayer` computes, rounded once to the element type \throws InvalidArgument
/// for types, shapes or strides that do not match, misaligned or overlapping arrays, arrays in
/// different memories, a space or stream that does not fit the memory, and a workspace that is too
/// small; SpaceUnavailable; OutOfMemory (host)
DispatchRecord forward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                             const Array& y, const SeedSums& telemetry = {},
                             const SeedPassOptions& options = {});

/// \brief Gradients of `forward_seeds` with respect to x, the weights and the alphas. Fences,
/// memory, threads and exceptions as for `forward_seeds`; complexity O((rows + blueprints) ×
/// hidden + seeds).
///
/// A weight is applied by at most one seed, so the gradient of the table needs no atomic addition:
/// it is the gradient of `SeedLayer::backward` in the row of the blueprint that the feature's seed
/// applies, and 0 elsewhere. The gradient of an alpha is Σ (w − 1) · Σ x·g over the features of a
/// seed that applies a blueprint linearly, and 0 for every other seed and for a fossilized one.
/// \param gradient with respect to y; has the element type and shape of x
/// \param dx of the type and shape of x; may be the same rows as \p gradient
/// \param dweights float32 [blueprints, hidden]; without elements: not computed
/// \param dalpha float32 [seeds]; without elements: not computed
DispatchRecord backward_seeds(Context& context, const SeedArrays& seeds, const ConstArray& x,
                              const ConstArray& gradient, const Array& dx,
                              const Array& dweights = {}, const Array& dalpha = {},
                              const SeedPassOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_FUNCTIONS_HPP
