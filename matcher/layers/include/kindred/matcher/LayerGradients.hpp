// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYER_GRADIENTS_HPP
#define KINDRED_MATCHER_LAYER_GRADIENTS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/layers/LayerActivation.hpp>
#include <kindred/matcher/FusedLayers.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief The backward pass of a `NormLayer` with the same x, γ, β, ε and activation, whose
/// statistics are computed again. Bitwise identical on every space.
struct NormGradient {
  ConstMatrix x = {};
  ConstMatrix gradient = {};  ///< with respect to y; same shape as x, any element
  MutableMatrix dx = {};  ///< shape and element of x; may be the gradient itself if element type
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
  ConstMatrix x = {};                ///< rows × inputs
  ConstMatrix w = {};                ///< outputs × inputs, of x's element
  std::span<const float> bias = {};  ///< one per output; empty: none
  ConstMatrix gradient = {};         ///< with respect to y: rows × outputs, of any element
  MutableMatrix dx = {};             ///< rows × inputs, of any element; no values: not computed
  MutableMatrix dw = {};             ///< outputs × inputs, of any element; no values: not computed
  std::span<float> dbias = {};       ///< output, one per output; empty: not computed
  LayerActivation activation = LayerActivation::none;
};

// These functions take matrices in host memory and copy them to the space and back. They wait for
// the result and fence the instance of the space. \throws as the constructors of the prepared
// forms; OutOfMemory; no output is changed then. With a stream they take arrays on the device, and
// do not fence, \see run_norm_layers.
void run_norm_gradients(Context& context, std::span<const NormGradient> layers,
                        const NormOptions& options = {});
void run_linear_gradients(Context& context, std::span<const LinearGradient> layers,
                          const LinearOptions& options = {});

/// \brief Bytes of the workspace that these calls use on a stream, as the prepared forms reserve
/// them for the largest layer. Launches nothing. \param options as for the call; the stream may be
/// missing \throws InvalidArgument, SpaceUnavailable
std::size_t norm_gradients_workspace(const Context& context, std::span<const NormGradient> layers,
                                     const NormOptions& options = {});
std::size_t linear_gradients_workspace(const Context& context,
                                       std::span<const LinearGradient> layers,
                                       const LinearOptions& options = {});

/// \brief Prepared backward passes of normalisations on memory of one space. A run is at most four
/// launches per layer and neither allocates, copies nor fences. Not thread-safe.
class PreparedNormGradients {
 public:
  /// Parameters and exceptions as for `PreparedNorms`. Reserves a workspace of 32 bytes per row
  /// and, with dgamma or dbeta, at most 4 KiB per column.
  PreparedNormGradients(Context& context, std::span<const NormGradient> layers, Space space,
                        const std::optional<Stream>& stream = {});

  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process
  void run() const;
  /// Fences the instance. \throws as `run`
  void wait() const;

 private:
  struct State;
  Impl::HostState<State> m_state;
};

/// \brief Prepared backward passes of linear layers on memory of one space. A run neither
/// allocates, copies nor fences. Not thread-safe.
class PreparedLinearGradients {
 public:
  /// \brief Reserves a workspace for each layer: the gradient of the activation's argument, its
  /// transposed copy and those of x and w, and with an activation its argument in float32. Other
  /// parameters and exceptions as for `PreparedLinears`.
  PreparedLinearGradients(Context& context, std::span<const LinearGradient> layers,
                          bool reproducible, Space space, const std::optional<Stream>& stream = {});

  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process
  void run() const;
  /// Fences the instance. \throws as `run`
  void wait() const;

 private:
  struct State;
  Impl::HostState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LAYER_GRADIENTS_HPP
