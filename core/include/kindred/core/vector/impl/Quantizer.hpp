// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_IMPL_QUANTIZER_HPP
#define KINDRED_CORE_VECTOR_IMPL_QUANTIZER_HPP

#include <kindred/core/vector/PrefilterBound.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The smallest float that is ≥ \p value; infinite for NaN.
KOKKOS_INLINE_FUNCTION float round_up(double value) {
  if (!(value <= 0x1.fffffep127)) return static_cast<float>(prefilter_infinity());
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) >= value) return nearest;
  // The next float, since value is not negative.
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(nearest) + 1);
}

/// \brief Quantizes values as integers of at most \p levels in magnitude, times a scale.
///
/// The scale is a float, so that scale · w is exact in double; for any scale, the residual measures
/// the error. \tparam Range of the threads of a warp or of a team, over the values
template <class Range>
class Quantizer {
 public:
  template <class Value>
  KOKKOS_INLINE_FUNCTION Quantizer(const Range& range, std::uint64_t count, int levels,
                                   const Value& value)
      : m_range(range), m_count(count), m_levels(levels) {
    std::uint32_t most = 0;
    Kokkos::parallel_reduce(
        range,
        [&](std::uint64_t i, std::uint32_t& local) {
          const std::uint32_t bits = Kokkos::bit_cast<std::uint32_t>(value(i)) & 0x7FFFFFFFU;
          local = bits > local ? bits : local;
        },
        Kokkos::Max<std::uint32_t>(most));
    m_finite = most < 0x7F800000U;
    if (m_finite) m_scale = round_up(static_cast<double>(Kokkos::bit_cast<float>(most)) / levels);
    m_inverse = m_scale > 0 ? 1 / static_cast<double>(m_scale) : 0;
  }

  KOKKOS_INLINE_FUNCTION float scale() const { return m_scale; }

  /// The integer of \p x; 0 if a value is not finite.
  KOKKOS_INLINE_FUNCTION int level(float x) const {
    if (!m_finite) return 0;
    const double scaled = static_cast<double>(x) * m_inverse;
    const int w = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    return w > m_levels ? m_levels : w < -m_levels ? -m_levels : w;
  }

  /// Σ term(w) for integer terms: exact below 2^53.
  template <class Value, class Term>
  KOKKOS_INLINE_FUNCTION double sum(const Value& value, const Term& term) const {
    double total = 0;
    Kokkos::parallel_reduce(
        m_range,
        [&](std::uint64_t i, double& local) {
          local += static_cast<double>(term(level(value(i))));
        },
        total);
    return total;
  }

  /// \brief Calls `store(i, w)` for every value. \return an upper bound of ‖x − scale · w‖;
  /// infinite or NaN if a value is
  template <class Value, class Store>
  KOKKOS_INLINE_FUNCTION double quantise(const Value& value, const Store& store) const {
    double squares = 0;
    Kokkos::parallel_reduce(
        m_range,
        [&](std::uint64_t i, double& local) {
          const float x = value(i);
          const int w = level(x);
          store(i, w);
          const double rest = static_cast<double>(x) - static_cast<double>(m_scale) * w;
          local += rest * rest;
        },
        squares);
    // Each addition rounds once.
    return Kokkos::sqrt(squares) * (1 + static_cast<double>(m_count + 8) * 0x1p-52);
  }

 private:
  Range m_range;
  std::uint64_t m_count;
  int m_levels;
  bool m_finite = false;
  float m_scale = 0;
  double m_inverse = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_VECTOR_IMPL_QUANTIZER_HPP
