// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP
#define KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP

#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/seed/SeedChunks.hpp>
#include <kindred/core/seed/SeedStateView.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred {

/// \brief One code per seed, each of one or of four bytes.
class SeedCodes {
 public:
  SeedCodes() = default;
  /// \param view of `std::int8_t`, `std::uint8_t` or `std::int32_t`
  template <class View>
  requires requires { typename View::value_type; }
  SeedCodes(const View& view)  // NOLINT(google-explicit-constructor): a view like any other
      : SeedCodes(view.data()) {}
  template <class Code>
  explicit SeedCodes(const Code* codes) : m_codes(codes), m_is_wide(sizeof(Code) == 4) {
    static_assert(std::is_same_v<Code, std::int8_t> || std::is_same_v<Code, std::uint8_t> ||
                      std::is_same_v<Code, std::int32_t>,
                  "codes are int8, uint8 or int32");
  }

  KOKKOS_INLINE_FUNCTION std::int32_t operator[](std::uint32_t seed) const {
    return m_is_wide ? static_cast<const std::int32_t*>(m_codes)[seed]
                     : std::int32_t{static_cast<const std::int8_t*>(m_codes)[seed]};
  }

 private:
  const void* m_codes = nullptr;
  bool m_is_wide = false;
};

/// \brief How codes of a seed's apply mode are read: five digits of four bits, for the codes 0 … 3
/// and for all others. A digit is an `ApplyMode`, or 15: the seed copies its features.
using SeedModeTable = std::uint32_t;
/// The codes of `ApplyMode`.
inline constexpr SeedModeTable seed_modes = 0xF3210;

/// \brief The fields of the seeds that a pass reads. A seed changes its features only if its
/// lifecycle, mode and blueprint are all valid: every other value is harmless.
template <class ExecutionSpace>
struct SeedPassState {
  SeedCodes lifecycle;                                      ///< `Lifecycle`
  SeedCodes mode;                                           ///< \see modes
  ArrayView<const std::int32_t, ExecutionSpace> blueprint;  ///< `seed_none`: no blueprint
  ArrayView<const float, ExecutionSpace> alpha;
  SeedModeTable modes = seed_modes;
  bool fossilized_applies = true;  ///< false: a fossilized seed copies its features

  SeedPassState() = default;
  SeedPassState(  // NOLINT(google-explicit-constructor): the part of the state that passes read
      const SeedStateView<ExecutionSpace>& state)
      : lifecycle(state.lifecycle),
        mode(state.mode),
        blueprint(state.blueprint),
        alpha(state.alpha) {}
};

/// \brief The blueprints' weights: one row of `hidden` float32 each; its element f applies to
/// feature f.
template <class ExecutionSpace>
struct SeedWeights {
  ArrayView<const float, ExecutionSpace> values;  ///< row-major
  /// The row of each blueprint; size 0: row = id.
  ArrayView<const std::int32_t, ExecutionSpace> slots;
  std::uint32_t blueprints = 0;  ///< ids are below it
  std::uint64_t stride = 0;      ///< floats from one row to the next
};

/// \brief A layer as its kernels read it.
template <class ExecutionSpace>
struct SeedLayerView {
  SeedChunks chunks;
  SeedPassState<ExecutionSpace> state;  ///< of `chunks.seeds` seeds
  SeedWeights<ExecutionSpace> weights;
};

}  // namespace Kindred

#endif  // KINDRED_CORE_SEED_SEED_LAYER_VIEW_HPP
