// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_FUSED_LAYERS_HPP
#define KINDRED_MATCHER_FUSED_LAYERS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/layers/LayerActivation.hpp>
#include <kindred/matcher/Prepared.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

namespace KINDRED_PUBLIC Kindred {

// The matrices of layers are arrays of two dimensions, of float32, float16 or bfloat16. The
// elements of a row are consecutive; there may be gaps between rows. \see matrix_array

/// \brief y = act(LayerNorm(x)), row by row: (x − mean) / √(variance + ε) · γ + β, population
/// variance. Bitwise identical on every space; docs/internals/layers.md gives the definition and
/// the error bound.
struct NormLayer {
  ConstArray x = {};
  Array y = {};  ///< same shape as x; may be x itself if element type and stride are equal
  std::span<const float> gamma = {};  ///< one per column; empty: 1
  std::span<const float> beta = {};   ///< one per column; empty: 0
  std::span<float> mean = {};         ///< output, one per row; empty: not computed
  std::span<float> variance = {};     ///< output, one per row; empty: not computed
  float epsilon = 1e-5F;              ///< normal and positive
  LayerActivation activation = LayerActivation::gelu;
};

/// \brief y = act(x·Wᵀ + b): `torch.nn.Linear` followed by an activation. Sums are computed in
/// float32 or higher precision.
struct LinearLayer {
  ConstArray x = {};                 ///< rows × inputs
  ConstArray w = {};                 ///< outputs × inputs, of x's element
  std::span<const float> bias = {};  ///< one per output; empty: none
  Array y = {};                      ///< rows × outputs, of any element; overlaps neither x nor w
  LayerActivation activation = LayerActivation::none;
};

/// \brief The backward pass of a `NormLayer` with the same x, γ, β, ε and activation, whose
/// statistics are computed again. Bitwise identical on every space.
struct NormGradient {
  ConstArray x = {};
  ConstArray gradient = {};  ///< with respect to y; same shape as x, any element
  Array dx = {};             ///< shape and element of x; may be the gradient itself if element type
                             ///< and stride are equal
  std::span<const float> gamma = {};  ///< one per column; empty: 1
  std::span<const float> beta = {};   ///< one per column; empty: 0
  std::span<float> dgamma = {};       ///< output, one per column; empty: not computed
  std::span<float> dbeta = {};        ///< output, one per column; empty: not computed
  float epsilon = 1e-5F;              ///< normal and positive
  LayerActivation activation = LayerActivation::gelu;
};

/// \brief The backward pass of a `LinearLayer` with the same x, w, bias and activation. With an
/// activation, its argument is computed again.
///
/// The gradient with respect to the argument of the activation is rounded to the element type of x;
/// dx and dw are matrix products with it, within the bound of `LinearLayer`, and dbias is its sum
/// over the rows in double.
struct LinearGradient {
  ConstArray x = {};                 ///< rows × inputs
  ConstArray w = {};                 ///< outputs × inputs, of x's element
  std::span<const float> bias = {};  ///< one per output; empty: none
  ConstArray gradient = {};          ///< with respect to y: rows × outputs, of any element
  Array dx = {};                     ///< rows × inputs, of any element; no elements: not computed
  Array dw = {};                ///< outputs × inputs, of any element; no elements: not computed
  std::span<float> dbias = {};  ///< output, one per output; empty: not computed
  LayerActivation activation = LayerActivation::none;
};

/// The layers of a call, all of one kind.
using LayerList = std::variant<std::span<const NormLayer>, std::span<const LinearLayer>,
                               std::span<const NormGradient>, std::span<const LinearGradient>>;

struct LayerOptions {
  std::optional<Space> space = {};  ///< by default the device for arrays there, otherwise the host,
                                    ///< with one thread or all threads depending on the amount of
                                    ///< work
  /// For products. True: reproducible sums in double, bitwise identical on every space, but slower.
  /// False: layers of 2²¹ or more products use the vendor's library, bitwise identical for repeated
  /// runs on the same space.
  bool reproducible = false;
  /// For layers on the device of the context, which are then used in place: orders the call, which
  /// does not fence. Must outlive the context.
  std::optional<Stream> stream = {};
  /// \brief For calls on a stream: bytes on the device, aligned to 256, that the call may use until
  /// it ends, and the next call on the same stream again. By default the context keeps a workspace
  /// for each of 64 streams, which cannot be used while the stream is captured. \see
  /// layers_workspace
  Array workspace = {};
};

/// \brief Computes \p layers, which are in host memory, or all on the device of the context: it
/// copies those in host memory to the space and back, waits for the result and fences the instance
/// of the space. All layers of a call form one launch under the same conditions as in \ref
/// prepare_layers.
///
/// With a stream, all arrays lie on the device of the context. A call launches each layer by
/// itself, in order, and neither fences nor brings anything to the host: later work on the stream
/// sees the results, which have the same bits. Only a call that needs a larger workspace than those
/// before it on its stream waits for them, if it has none of the caller. Beyond 64 streams, the
/// first call on another stream that needs one waits for the calls that use the oldest, which it
/// frees. Calls that need no workspace, and those with one of the caller, can be captured in a CUDA
/// graph, after a call of the same element types and shapes. Thread-safe for calls with different
/// outputs and workspaces. \throws as `prepare_layers`; no output is changed then
void run_layers(Context& context, const LayerList& layers, const LayerOptions& options = {});

/// \brief Bytes of `LayerOptions::workspace` that `run_layers` uses on a stream. Launches nothing.
///
/// Gradients: as `prepare_layers` reserves them for the largest layer. Linear layers: 0 for those
/// that a kernel of Kindred computes or whose y the library writes itself, otherwise at most about
/// 32 MiB, or 128 rows of float32 products if these are larger. Norm layers: 0.
/// \param options as for the call; the stream may be missing
/// \throws InvalidArgument, SpaceUnavailable
std::size_t layers_workspace(const Context& context, const LayerList& layers,
                             const LayerOptions& options = {});

/// \brief Prepares \p layers on memory of `LayerOptions::space`. Fences the stream, and reserves
/// the workspace of the runs. A run neither allocates, copies nor fences.
///
/// - Norm layers: one launch.
/// - Linear layers: all that do not use the vendor's library form one launch. Workspace: on a
/// device
///   at most 32 MiB, and nothing if the library writes y directly; on the host some rows of w and
///   of products per thread.
/// - Gradients of norm layers: at most four launches per layer. Workspace: 32 bytes per row and,
///   with dgamma or dbeta, at most 4 KiB per column.
/// - Gradients of linear layers. Workspace of each layer: the gradient of the activation's
/// argument,
///   its transposed copy and those of x and w, and with an activation its argument in float32.
/// \param layers their arrays must be in the memory of the space (device memory for `cuda`); no
/// layer may read the output of another
/// \param options the stream is for a device; without one, the runs use the context's stream
/// \throws InvalidArgument for inconsistent shapes, other elements, rows that overlap, a
/// norm of 0 or more than 2²⁴ columns, an ε that is not a normal positive number, memory of another
/// space, or a workspace; SpaceUnavailable; OutOfMemory
Prepared prepare_layers(Context& context, const LayerList& layers,
                        const LayerOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_FUSED_LAYERS_HPP
