// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LANES_HPP
#define KINDRED_CORE_ARCH_LANES_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief The 32 lanes of a canonical sum, as one unit of work carries them.
///
/// A kernel is written once against this layer. On the host one thread carries all 32 lanes in
/// packs
/// (`F32`, `F64` hold 32 values); on a device a warp carries them, one a thread (`F32`, `F64` are
/// scalars) and every thread of the warp must make the same calls. Indices are those of lane 0.
template <class ExecutionSpace>
class Lanes;

/// Host: packs of 32 in plain loops that the compiler vectorises.
template <>
class Lanes<HostSpace> {
 public:
  struct F32 {
    float lane[32];
  };
  struct F64 {
    double lane[32];
  };

  template <class Member>
  KOKKOS_FUNCTION explicit Lanes(const Member&) {}

  /// +0 in every lane.
  KOKKOS_INLINE_FUNCTION F64 zero() const {
    F64 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = 0.0;
    return r;
  }
  /// `data[0 … 32)`
  KOKKOS_INLINE_FUNCTION F32 load(const float* data) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = data[l];
    return r;
  }
  /// `data[0 … count)`, +0 beyond.
  KOKKOS_INLINE_FUNCTION F32 load(const float* data, int count) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = l < count ? data[l] : 0.0F;
    return r;
  }
  /// `data[index[0 … 32)]`
  KOKKOS_INLINE_FUNCTION F32 gather(const float* data, const std::uint32_t* index) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = data[index[l]];
    return r;
  }
  /// `data[index[0 … count)]`, +0 beyond.
  KOKKOS_INLINE_FUNCTION F32 gather(const float* data, const std::uint32_t* index,
                                    int count) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = l < count ? data[index[l]] : 0.0F;
    return r;
  }
  /// `sum + a·b` a lane; the product of two floats is exact in double, so a fused form has the same
  /// bits.
  KOKKOS_INLINE_FUNCTION F64 multiply_add(const F32& a, const F32& b, const F64& sum) const {
    F64 r;
    for (int l = 0; l < 32; ++l) {
      r.lane[l] = sum.lane[l] + static_cast<double>(a.lane[l]) * static_cast<double>(b.lane[l]);
    }
    return r;
  }
  /// `sum + (a − b)²` a lane: difference, square and sum each rounded to double, never fused.
  KOKKOS_INLINE_FUNCTION F64 add_squared_difference(const F32& a, const F32& b,
                                                    const F64& sum) const {
    F64 r;
    for (int l = 0; l < 32; ++l) {
      const double difference = static_cast<double>(a.lane[l]) - static_cast<double>(b.lane[l]);
      r.lane[l] = sum.lane[l] + difference * difference;
    }
    return r;
  }
  /// `a + b` a lane.
  KOKKOS_INLINE_FUNCTION F64 add(const F64& a, const F64& b) const {
    F64 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = a.lane[l] + b.lane[l];
    return r;
  }
  /// The lanes added by the halving tree (16, 8, 4, 2, 1).
  KOKKOS_INLINE_FUNCTION double halving_sum(F64 sum) const {
    for (int half = 16; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sum.lane[l] += sum.lane[l + half];
    }
    return sum.lane[0];
  }
  /// True in the one thread that writes the unit's result.
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return true; }
};

#if KINDRED_HAS_DEVICE
/// Device: lane = thread of the warp.
template <>
class Lanes<DeviceSpace> {
 public:
  using F32 = float;
  using F64 = double;

  template <class Member>
  KOKKOS_FUNCTION explicit Lanes(const Member&) {
    KOKKOS_IF_ON_DEVICE((m_lane = threadIdx.x & 31U;))
  }

  KOKKOS_INLINE_FUNCTION F64 zero() const { return 0.0; }
  KOKKOS_INLINE_FUNCTION F32 load(const float* data) const { return data[m_lane]; }
  KOKKOS_INLINE_FUNCTION F32 load(const float* data, int count) const {
    return static_cast<int>(m_lane) < count ? data[m_lane] : 0.0F;
  }
  KOKKOS_INLINE_FUNCTION F32 gather(const float* data, const std::uint32_t* index) const {
    return data[index[m_lane]];
  }
  KOKKOS_INLINE_FUNCTION F32 gather(const float* data, const std::uint32_t* index,
                                    int count) const {
    return static_cast<int>(m_lane) < count ? data[index[m_lane]] : 0.0F;
  }
  KOKKOS_INLINE_FUNCTION F64 multiply_add(F32 a, F32 b, F64 sum) const {
    return ::fma(static_cast<double>(a), static_cast<double>(b), sum);
  }
  KOKKOS_INLINE_FUNCTION F64 add_squared_difference(F32 a, F32 b, F64 sum) const {
    const double difference = static_cast<double>(a) - static_cast<double>(b);
    KOKKOS_IF_ON_DEVICE((return __dadd_rn(sum, __dmul_rn(difference, difference));))
    KOKKOS_IF_ON_HOST((return sum + difference * difference;))
  }
  KOKKOS_INLINE_FUNCTION F64 add(F64 a, F64 b) const { return a + b; }
  /// Every lane gets the sum (addition commutes, so the butterfly has the tree's bits).
  KOKKOS_INLINE_FUNCTION double halving_sum(F64 sum) const {
    KOKKOS_IF_ON_DEVICE((for (int half = 16; half > 0;
                              half /= 2) { sum += __shfl_xor_sync(0xFFFFFFFFU, sum, half); }))
    return sum;
  }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return m_lane == 0; }

 private:
  unsigned m_lane = 0;
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LANES_HPP
