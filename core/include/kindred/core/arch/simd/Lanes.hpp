// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_LANES_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/arch/simd/PackLanes.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief The 32 lanes of a reproducible sum, as carried by one work item.
///
/// Kernels are written once against this layer. On the host one thread carries all 32 lanes in
/// packs (`F32` and `F64` hold 32 values). On a device a warp carries them, one lane per thread
/// (`F32` and `F64` are scalars), and every thread of the warp must make the same calls. Indices
/// are those of lane 0. The operations are those of `ScalarLanes`, to which every form is
/// bit-identical.
template <class ExecutionSpace>
class Lanes;

/// Host: the form of the instruction set if there is one, else plain loops.
template <>
class Lanes<HostSpace> : public HostLanes {
 public:
  template <class Member>
  KOKKOS_FUNCTION explicit Lanes(const Member&) {}
};

/// Device: lane = thread of the warp.
template <>
class Lanes<DeviceSpace> {
 public:
  using F32 = float;
  using F64 = double;

  template <class Member>
  KOKKOS_FUNCTION explicit Lanes(const Member&) {
    m_lane = Warp<DeviceSpace>::lane();
  }

  KOKKOS_INLINE_FUNCTION F64 zero() const { return 0.0; }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data) const {
    return to_float(data[m_lane]);
  }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data, int count) const {
    return static_cast<int>(m_lane) < count ? to_float(data[m_lane]) : 0.0F;
  }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data, int count, Element rest) const {
    return to_float(static_cast<int>(m_lane) < count ? data[m_lane] : rest);
  }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data) const { return data[m_lane]; }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data, int count) const {
    return static_cast<int>(m_lane) < count ? data[m_lane] : 0.0;
  }
  KOKKOS_INLINE_FUNCTION void store(double* data, F64 value, int count) const {
    if (static_cast<int>(m_lane) < count) data[m_lane] = value;
  }
  KOKKOS_INLINE_FUNCTION void store(float* data, F32 value, int count) const {
    if (static_cast<int>(m_lane) < count) data[m_lane] = value;
  }
  KOKKOS_INLINE_FUNCTION void prefetch(const char*, std::uint64_t) const {}
  KOKKOS_INLINE_FUNCTION F32 broadcast(float a) const { return a; }
  KOKKOS_INLINE_FUNCTION F32 quotient(F64 a, double b) const { return rounded_quotient(a, b); }
  KOKKOS_INLINE_FUNCTION F32 multiply(F32 a, float b) const { return a * b; }
  KOKKOS_INLINE_FUNCTION F64 multiply(F64 a, F64 b) const { return rounded_product(a, b); }
  KOKKOS_INLINE_FUNCTION F64 widen(F32 a) const { return static_cast<double>(a); }
  KOKKOS_INLINE_FUNCTION F64 multiply_add(F32 a, F32 b, F64 sum) const {
    return ::fma(static_cast<double>(a), static_cast<double>(b), sum);
  }
  KOKKOS_INLINE_FUNCTION F64 multiply_add(F64 a, F64 b, F64 sum) const { return ::fma(a, b, sum); }
  KOKKOS_INLINE_FUNCTION F64 add_difference(F32 a, F32 b, F64 sum) const {
    return sum + (static_cast<double>(a) - static_cast<double>(b));
  }
  KOKKOS_INLINE_FUNCTION F64 add_squared_difference(F32 a, F32 b, F64 sum) const {
    return add_squared_difference(static_cast<double>(a), static_cast<double>(b), sum);
  }
  KOKKOS_INLINE_FUNCTION F64 add_squared_difference(F64 a, F64 b, F64 sum) const {
    const double difference = a - b;
    return sum + rounded_product(difference, difference);
  }
  KOKKOS_INLINE_FUNCTION F64 add(F64 a, F64 b) const { return a + b; }
  /// Every lane gets the sum. Addition commutes, so the butterfly is bit-identical to the tree.
  KOKKOS_INLINE_FUNCTION double tree_sum(F64 sum) const { return Warp<DeviceSpace>::sum(sum); }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return m_lane == 0; }
  template <class Body>
  KOKKOS_INLINE_FUNCTION void for_each(int count, const Body& body) const {
    if (static_cast<int>(m_lane) < count) body(static_cast<int>(m_lane));
  }
  KOKKOS_INLINE_FUNCTION double& of_lane(F64& sum, int) const { return sum; }
  template <int Rows, int Columns, class Body>
  KOKKOS_INLINE_FUNCTION void share(const double (&values)[Rows][Columns], const Body& body) const {
    static_assert(Rows * Columns <= 32);
    const int lane = static_cast<int>(m_lane);
    double mine = 0.0;
    KINDRED_UNROLL
    for (int i = 0; i < Rows * Columns; ++i)
      mine = i == lane ? values[i / Columns][i % Columns] : mine;
    if (lane < Rows * Columns) body(lane / Columns, lane % Columns, mine);
  }

 private:
  unsigned m_lane = 0;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_LANES_HPP
