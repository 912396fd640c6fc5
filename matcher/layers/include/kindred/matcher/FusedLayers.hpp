// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_FUSED_LAYERS_HPP
#define KINDRED_MATCHER_FUSED_LAYERS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/layers/LayerActivation.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief Non-owning view of a row-major matrix of float32, float16 or bfloat16. \p Byte is
/// `std::byte`, const for inputs. The elements of a row are contiguous.
template <class Byte>
struct MatrixSpan {
  DataType element = DataType::float32;
  std::span<Byte> values = {};  ///< aligned to an element
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< elements between consecutive rows; 0: `columns`

  std::size_t row_stride() const noexcept { return stride == 0 ? columns : stride; }
};
using ConstMatrix = MatrixSpan<const std::byte>;
using MutableMatrix = MatrixSpan<std::byte>;

/// A view of a float32 matrix. \param values rows × columns
inline ConstMatrix matrix_of(std::span<const float> values, std::size_t rows, std::size_t columns) {
  return {DataType::float32, std::as_bytes(values), rows, columns, 0};
}
inline MutableMatrix matrix_of(std::span<float> values, std::size_t rows, std::size_t columns) {
  return {DataType::float32, std::as_writable_bytes(values), rows, columns, 0};
}

/// \brief y = act(LayerNorm(x)), row by row: (x − mean) / √(variance + ε) · γ + β, population
/// variance. Bitwise identical on every space; docs/internals/layers.md gives the definition and
/// the error bound.
struct NormLayer {
  ConstMatrix x = {};
  MutableMatrix y = {};  ///< same shape as x; may be x itself if element type and stride are equal
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
  ConstMatrix x = {};                ///< rows × inputs
  ConstMatrix w = {};                ///< outputs × inputs, of x's element
  std::span<const float> bias = {};  ///< one per output; empty: none
  MutableMatrix y = {};              ///< rows × outputs, of any element; overlaps neither x nor w
  LayerActivation activation = LayerActivation::none;
};

struct NormOptions {
  std::optional<Space> space = {};  ///< by default the host, with one thread or all threads
                                    ///< depending on the amount of work
  /// For layers on the device of the context, which are then used in place: orders the call, which
  /// does not fence. Must outlive the context.
  std::optional<Stream> stream = {};
  /// \brief For calls of gradients on a stream: bytes on the device, aligned to 256, that the call
  /// may use until it ends, and the next call on the same stream again. By default the context
  /// keeps a workspace for each of 64 streams, which cannot be used while the stream is captured.
  /// \see norm_gradients_workspace
  Array workspace = {};
};
struct LinearOptions {
  /// True: reproducible sums in double, bitwise identical on every space, but slower. False: layers
  /// of 2²¹ or more products use the vendor's library, bitwise identical for repeated runs on the
  /// same space.
  bool reproducible = false;
  std::optional<Space> space = {};    ///< as `NormOptions::space`
  std::optional<Stream> stream = {};  ///< as `NormOptions::stream`
  Array workspace = {};               ///< as `NormOptions::workspace`; \see linear_layers_workspace
};

// These functions take matrices in host memory and copy them to the space and back. All layers of
// a call form one launch under the same conditions as in `PreparedNorms` and `PreparedLinears`.
// They wait for the result and fence the instance of the space. \throws as the constructors of the
// prepared forms; OutOfMemory; no y is changed then.
//
// With a stream, all arrays lie on the device of the context. A call launches each layer by itself,
// in order, and neither fences nor brings anything to the host: later work on the stream sees the
// results, which have the same bits. Only a call that needs a larger workspace than those before it
// on its stream waits for them, if it has none of the caller. Beyond 64 streams, the first call on
// another stream that needs one waits for the calls that use the oldest, which it frees. Calls that
// need no workspace, and
// those with one of the caller, can be captured in a CUDA graph, after a call of the same element
// types and shapes. Thread-safe for calls with different outputs and workspaces.
void run_norm_layers(Context& context, std::span<const NormLayer> layers,
                     const NormOptions& options = {});
void run_linear_layers(Context& context, std::span<const LinearLayer> layers,
                       const LinearOptions& options = {});

/// \brief Bytes of `LinearOptions::workspace` that `run_linear_layers` uses on a stream; 0 for
/// layers that a kernel of Kindred computes or whose y the library writes itself, otherwise at most
/// about 32 MiB, or 128 rows of float32 products if these are larger. Launches nothing. \param
/// options as for the call; the stream may be missing \throws InvalidArgument, SpaceUnavailable
std::size_t linear_layers_workspace(const Context& context, std::span<const LinearLayer> layers,
                                    const LinearOptions& options = {});

/// \brief A prepared list of normalisations on memory of one space, validated and partitioned once;
/// a run is one launch and neither allocates, copies nor fences. Not thread-safe.
class PreparedNorms {
 public:
  /// Fences the stream.
  /// \param layers their arrays must be in the memory of \p space (device memory for `cuda`) and
  /// outlive this object; no layer may read the output of another
  /// \param stream for a device, must outlive this object; none: the context's stream
  /// \throws InvalidArgument for inconsistent shapes, arrays that are too short, int8 elements, 0
  /// or more than 2²⁴ columns, an ε that is not a normal positive number, or memory of another
  /// space; SpaceUnavailable; OutOfMemory
  PreparedNorms(Context& context, std::span<const NormLayer> layers, Space space,
                const std::optional<Stream>& stream = {});

  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process
  void run() const;
  /// Fences the instance. \throws as `run`
  void wait() const;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

/// \brief A prepared list of linear layers on memory of one space. A run neither allocates, copies
/// nor fences; all layers that do not use the vendor's library form one launch. Not thread-safe.
class PreparedLinears {
 public:
  /// \brief Reserves the workspace of the runs: on a device at most 32 MiB, and nothing if the
  /// library writes y directly; on the host some rows of w and of products per thread. Parameters
  /// and exceptions as for `PreparedNorms`, but rows, inputs and outputs may be 0.
  /// \param reproducible as `LinearOptions::reproducible`
  PreparedLinears(Context& context, std::span<const LinearLayer> layers, bool reproducible,
                  Space space, const std::optional<Stream>& stream = {});

  /// Launches the work. Does not fence on a device; on the host, the result is complete on return.
  /// \throws SpaceUnavailable in a forked process
  void run() const;
  /// Fences the instance. \throws as `run`
  void wait() const;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_FUSED_LAYERS_HPP
