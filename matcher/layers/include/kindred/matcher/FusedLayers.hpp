// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_FUSED_LAYERS_HPP
#define KINDRED_MATCHER_FUSED_LAYERS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/seed/LayerActivation.hpp>
#include <kindred/core/vector/VectorElement.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace Kindred {

/// \brief A row-major matrix that someone else holds, of float32, float16 or bfloat16. \p Byte is
/// `std::byte`, const for what is only read. Neighbours of a row are neighbours in memory.
template <class Byte>
struct MatrixSpan {
  VectorElement element = VectorElement::float32;
  std::span<Byte> values;  ///< aligned to an element
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;  ///< elements from row to row; 0: `columns`

  std::size_t row_stride() const noexcept { return stride == 0 ? columns : stride; }
};
using ConstMatrix = MatrixSpan<const std::byte>;
using MutableMatrix = MatrixSpan<std::byte>;

/// A matrix of float32. \param values rows × columns
inline ConstMatrix matrix_of(std::span<const float> values, std::size_t rows, std::size_t columns) {
  return {VectorElement::float32, std::as_bytes(values), rows, columns, 0};
}
inline MutableMatrix matrix_of(std::span<float> values, std::size_t rows, std::size_t columns) {
  return {VectorElement::float32, std::as_writable_bytes(values), rows, columns, 0};
}

/// \brief y = act(LayerNorm(x)), row by row: (x − mean) / √(variance + ε) · γ + β, population
/// variance. The same bits on every space; docs/internals/layers.md has the definition and its
/// error.
struct NormLayer {
  ConstMatrix x;
  MutableMatrix
      y;  ///< as many rows and columns; may be x itself where element and stride are equal
  std::span<const float> gamma;  ///< one a column; empty: 1
  std::span<const float> beta;   ///< one a column; empty: 0
  std::span<float> mean;         ///< of each row; empty: not told
  std::span<float> variance;     ///< of each row; empty: not told
  float epsilon = 1e-5F;         ///< normal and positive
  LayerActivation activation = LayerActivation::gelu;
};

/// \brief y = act(x·Wᵀ + b): `torch.nn.Linear` and an activation. Sums in float32 or better.
struct LinearLayer {
  ConstMatrix x;                ///< rows × inputs
  ConstMatrix w;                ///< outputs × inputs, of x's element
  std::span<const float> bias;  ///< one an output; empty: none
  MutableMatrix y;              ///< rows × outputs, of any element; overlaps neither x nor w
  LayerActivation activation = LayerActivation::none;
};

struct LinearOptions {
  /// True: canonical sums, the same bits on every space, in double and so slower. False: layers of
  /// 2²¹ products and more go to the vendor's library, the same bits on every run on a space.
  bool reproducible = false;
};

// Over matrices of the host: taken to the space and back, by default the host, on one thread or all
// by the amount of work. All layers of a call are one launch where `PreparedNorms` and
// `PreparedLinears` make one. They wait for the answer and fence the instance of the space. \throws
// as the constructors of the prepared forms, OutOfMemory; no y is changed then.
void run_norm_layers(Context& context, std::span<const NormLayer> layers,
                     std::optional<Space> space = {});
void run_linear_layers(Context& context, std::span<const LinearLayer> layers,
                       const LinearOptions& options = {}, std::optional<Space> space = {});

/// \brief A list of normalisations over memory of one space, checked and shared out once; a run is
/// one launch and neither allocates, copies nor fences. One run at a time.
class PreparedNorms {
 public:
  /// \param layers whose arrays lie in the memory of \p space (of a device under `cuda`) and
  /// outlive this; no layer reads what another writes \param stream a cudaStream_t for a device,
  /// outlives this; null: the context's own. Fences it. \throws InvalidArgument for shapes that do
  /// not fit together, arrays that are too short, an element int8, no columns or more than 2²⁴, ε
  /// that is not a normal positive number, memory of another space; SpaceUnavailable; OutOfMemory
  PreparedNorms(Context& context, std::span<const NormLayer> layers, Space space,
                void* stream = nullptr);
  ~PreparedNorms();
  PreparedNorms(PreparedNorms&&) noexcept;
  PreparedNorms& operator=(PreparedNorms&&) noexcept;

  /// Queues the launch. Does not fence on a device; returns with the answer on the host.
  void run() const;
  /// Fences the instance.
  void wait() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// \brief A list of linear layers over memory of one space. A run neither allocates, copies nor
/// fences; what is not the vendor's is one launch. One run at a time.
class PreparedLinears {
 public:
  /// \brief Reserves what runs need: on a device at most 32 MiB, and nothing where the library
  /// writes y; on the host some rows of w and of products a thread.
  /// \param layers, space, stream, \throws as of `PreparedNorms`; rows, inputs and outputs may be 0
  PreparedLinears(Context& context, std::span<const LinearLayer> layers,
                  const LinearOptions& options, Space space, void* stream = nullptr);
  ~PreparedLinears();
  PreparedLinears(PreparedLinears&&) noexcept;
  PreparedLinears& operator=(PreparedLinears&&) noexcept;

  /// Queues the launches. Does not fence on a device; returns with the answer on the host.
  void run() const;
  /// Fences the instance.
  void wait() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_FUSED_LAYERS_HPP
