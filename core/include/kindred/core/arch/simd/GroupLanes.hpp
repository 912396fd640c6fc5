// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/arch/simd/Lanes.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief The 32 lanes of a reproducible sum in a group of threads: each group of a work item
/// processes one row, and a thread reads adjacent elements at a time.
///
/// The operations are those of `ScalarLanes`. All groups of a work item must make the same calls.
/// \tparam Aligned rows are aligned to four of their elements
/// \tparam Threads threads per group on a device: with more of them a row takes less time, and a
/// warp processes fewer rows together
template <class ExecutionSpace, bool Aligned, unsigned Threads = 8>
class GroupLanes;

/// Host: a single thread is the group.
template <bool Aligned, unsigned Threads>
class GroupLanes<HostSpace, Aligned, Threads> : public HostLanes {
 public:
  static constexpr int groups = 1;

  template <class Member>
  KOKKOS_FUNCTION explicit GroupLanes(const Member&) {}
  KOKKOS_INLINE_FUNCTION int group() const { return 0; }
};

/// Device: thread t of a group carries the lanes `each`·t … `each`·t + `each` − 1.
template <bool Aligned, unsigned Threads>
class GroupLanes<DeviceSpace, Aligned, Threads> {
 public:
  static constexpr int groups = 32 / Threads;
  static constexpr int each = 32 / Threads;

  struct F32 {
    float lane[each];
  };
  struct F64 {
    double lane[each];
  };

  template <class Member>
  KOKKOS_FUNCTION explicit GroupLanes(const Member&) {
    m_thread = Warp<DeviceSpace>::lane() % Threads;
    m_group = Warp<DeviceSpace>::lane() / Threads;
  }
  KOKKOS_INLINE_FUNCTION int group() const { return static_cast<int>(m_group); }

  KOKKOS_INLINE_FUNCTION F64 zero() const {
    return make([](int) { return 0.0; });
  }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data) const {
    const Vector<Element> vector = read(data + each * m_thread);
    F32 r;
    KINDRED_UNROLL
    for (int j = 0; j < each; ++j) r.lane[j] = to_float(vector.value[j]);
    return r;
  }
  template <class Element>
  KOKKOS_INLINE_FUNCTION F32 load(const Element* data, int count) const {
    F32 r;
    KINDRED_UNROLL
    for (int j = 0; j < each; ++j) {
      const int l = first_lane() + j;
      r.lane[j] = l < count ? to_float(data[l]) : 0.0F;
    }
    return r;
  }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data) const {
    const Vector<double> vector = read(data + each * m_thread);
    return make([&](int j) { return vector.value[j]; });
  }
  KOKKOS_INLINE_FUNCTION F64 load(const double* data, int count) const {
    return make([&](int j) {
      const int l = first_lane() + j;
      return l < count ? data[l] : 0.0;
    });
  }
  KOKKOS_INLINE_FUNCTION void prefetch([[maybe_unused]] const char* data,
                                       [[maybe_unused]] std::uint64_t bytes) const {
#if KINDRED_HAS_DEVICE_INSTRUCTIONS
    for (std::uint64_t i = m_thread * 128; i < bytes; i += Threads * 128)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i));
#endif
  }
  KOKKOS_INLINE_FUNCTION F32 multiply(const F32& a, float b) const {
    F32 r;
    KINDRED_UNROLL
    for (int j = 0; j < each; ++j) r.lane[j] = a.lane[j] * b;
    return r;
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
  /// The first levels combine threads, the last ones are within a thread.
  KOKKOS_INLINE_FUNCTION double tree_sum(const F64& lanes) const {
    F64 sum = lanes;
    // Level by level, since the compiler keeps the order of exchanges: those of a level are in
    // flight together.
    KINDRED_UNROLL
    for (unsigned half = Threads / 2; half > 0; half /= 2) {
      KINDRED_UNROLL
      for (int j = 0; j < each; ++j) sum.lane[j] += Warp<DeviceSpace>::exchange(sum.lane[j], half);
    }
    KINDRED_UNROLL
    for (int half = each / 2; half > 0; half /= 2) {
      KINDRED_UNROLL
      for (int j = 0; j < half; ++j) sum.lane[j] += sum.lane[j + half];
    }
    return sum.lane[0];
  }
  KOKKOS_INLINE_FUNCTION bool is_leader() const { return m_thread == 0; }

 private:
  template <class Element>
  struct alignas(Aligned ? each * sizeof(Element) : alignof(Element)) Vector {
    Element value[each];
  };
  template <class Element>
  KOKKOS_INLINE_FUNCTION static Vector<Element> read(const Element* data) {
    return *reinterpret_cast<const Vector<Element>*>(data);
  }
  KOKKOS_INLINE_FUNCTION int first_lane() const { return static_cast<int>(each * m_thread); }
  template <class Value>
  KOKKOS_INLINE_FUNCTION static F64 make(const Value& value) {
    F64 r;
    KINDRED_UNROLL
    for (int j = 0; j < each; ++j) r.lane[j] = value(j);
    return r;
  }

  unsigned m_thread = 0;
  unsigned m_group = 0;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_GROUP_LANES_HPP
