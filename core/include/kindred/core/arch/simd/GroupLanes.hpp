// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief The 32 lanes of a reproducible sum in a group of threads: each group of a work item
/// processes one row, and a thread reads four adjacent elements at a time.
///
/// The operations are those of `ScalarLanes`. All groups of a work item must make the same calls.
/// \tparam Wide rows are aligned to four of their elements
template <class ExecutionSpace, bool Wide>
class GroupLanes;

/// Host: a single thread is the group.
template <bool Wide>
class GroupLanes<HostSpace, Wide> : public HostLanes {
 public:
  static constexpr int groups = 1;

  template <class Member>
  KOKKOS_FUNCTION explicit GroupLanes(const Member&) {}
  KOKKOS_INLINE_FUNCTION int group() const { return 0; }
};

/// Device: eight threads per group; thread t carries the lanes 4t … 4t + 3.
template <bool Wide>
class GroupLanes<DeviceSpace, Wide> {
 public:
  static constexpr int groups = 4;

  struct F32 {
    float lane[4];
  };
  struct F64 {
    double lane[4];
  };

  template <class Member>
  KOKKOS_FUNCTION explicit GroupLanes(const Member&) {
    m_thread = Warp<DeviceSpace>::lane() % 8;
    m_group = Warp<DeviceSpace>::lane() / 8;
  }
  KOKKOS_INLINE_FUNCTION int group() const { return static_cast<int>(m_group); }

  KOKKOS_INLINE_FUNCTION F64 zero() const { return {{0.0, 0.0, 0.0, 0.0}}; }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data) const {
    const Vec4<Element> vec4 = read(data + 4 * m_thread);
    F32 r;
    KINDRED_UNROLL
    for (int j = 0; j < 4; ++j) r.lane[j] = to_float(vec4.value[j]);
    return r;
  }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data, int count) const {
    F32 r;
    KINDRED_UNROLL
    for (int j = 0; j < 4; ++j) {
      const int l = static_cast<int>(4 * m_thread) + j;
      r.lane[j] = l < count ? to_float(data[l]) : 0.0F;
    }
    return r;
  }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data) const {
    const Vec4<double> vec4 = read(data + 4 * m_thread);
    return {{vec4.value[0], vec4.value[1], vec4.value[2], vec4.value[3]}};
  }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data, int count) const {
    return make([&](int j) {
      const int l = static_cast<int>(4 * m_thread) + j;
      return l < count ? data[l] : 0.0;
    });
  }
  KOKKOS_INLINE_FUNCTION void prefetch([[maybe_unused]] const char* data,
                                       [[maybe_unused]] std::uint64_t bytes) const {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    for (std::uint64_t i = m_thread * 128; i < bytes; i += 8 * 128)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i));
#endif
  }
  KOKKOS_INLINE_FUNCTION F32 multiply(const F32& a, float b) const {
    return {{a.lane[0] * b, a.lane[1] * b, a.lane[2] * b, a.lane[3] * b}};
  }
  KOKKOS_INLINE_FUNCTION F64 widen(const F32& a) const {
    return make([&](int j) { return static_cast<double>(a.lane[j]); });
  }
  KOKKOS_INLINE_FUNCTION F64 multiply_add(const F64& a, const F64& b, const F64& sum) const {
    return make([&](int j) { return ::fma(a.lane[j], b.lane[j], sum.lane[j]); });
  }
  KOKKOS_INLINE_FUNCTION F64 add_squared_difference(const F64& a, const F64& b,
                                                    const F64& sum) const {
    return make([&](int j) {
      const double difference = a.lane[j] - b.lane[j];
      return sum.lane[j] + rounded_product(difference, difference);
    });
  }
  /// The first levels combine threads whose lanes are 16, 8 and 4 apart; the last two levels are
  /// within a thread.
  KOKKOS_INLINE_FUNCTION double tree_sum(const F64& lanes) const {
    F64 sum = lanes;
    // Level by level, since the compiler keeps the order of exchanges: four are in flight together.
    KINDRED_UNROLL
    for (unsigned half = 4; half > 0; half /= 2) {
      KINDRED_UNROLL
      for (int j = 0; j < 4; ++j) sum.lane[j] += Warp<DeviceSpace>::exchange(sum.lane[j], half);
    }
    return (sum.lane[0] + sum.lane[2]) + (sum.lane[1] + sum.lane[3]);
  }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return m_thread == 0; }

 private:
  template <class Element>
  struct alignas(Wide ? 4 * sizeof(Element) : alignof(Element)) Vec4 {
    Element value[4];
  };
  template <class Element>
  KOKKOS_INLINE_FUNCTION static Vec4<Element> read(const Element* data) {
    return *reinterpret_cast<const Vec4<Element>*>(data);
  }
  template <class Value>
  KOKKOS_INLINE_FUNCTION static F64 make(const Value& value) {
    F64 r;
    KINDRED_UNROLL
    for (int j = 0; j < 4; ++j) r.lane[j] = value(j);
    return r;
  }

  unsigned m_thread = 0;
  unsigned m_group = 0;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP
