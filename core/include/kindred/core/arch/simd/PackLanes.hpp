// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_PACK_LANES_HPP
#define KINDRED_CORE_ARCH_SIMD_PACK_LANES_HPP

#include <kindred/core/arch/simd/FloatPack8.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>
#include <kindred/core/arch/simd/Prefetch.hpp>
#include <kindred/core/numeric/CanonicalNan.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// `float(a / b)`, with NaN canonical and zero as +0; 0 if b is 0.
KOKKOS_INLINE_FUNCTION float rounded_quotient(double a, double b) {
  if (b == 0.0) return 0.0F;
  const auto rounded = static_cast<float>(a / b);
  return rounded == 0.0F ? 0.0F : with_canonical_nan(rounded);
}

/// \brief The 32 lanes of a reproducible sum in one thread, as four packs of eight. Host only.
/// \tparam Pack `HostFloatPack8`, or `ScalarFloatPack8`, which defines the operations
template <class Pack>
class PackLanes {
 public:
  // Plain arrays that are only accessed as packs, so that they stay in registers: nvcc rejects
  // vector types in the signature of a host-and-device kernel.
  struct alignas(32) F32 {
    float lane[32];
  };
  struct alignas(64) F64 {
    double lane[32];
  };

  /// +0 in every lane.
  F64 zero() const {
    return doubles([](int) { return Pack::Doubles::all(0.0); });
  }
  /// `data[0 … 32)`, stored elements of any type, as floats.
  template <class Element>
  F32 load(const Element* data) const {
    return floats([&](int p) { return Pack::load(data + p * 8); });
  }
  /// `data[0 … count)`, and +0 in the other lanes.
  template <class Element>
  F32 load(const Element* data, int count) const {
    return load(data, count, Element{});
  }
  F32 load(const float* data, int count) const {
    return floats([&](int p) { return Pack::Floats::load_below(data + p * 8, p * 8, count); });
  }
  /// `data[0 … count)`, and \p rest in the other lanes.
  template <class Element>
  F32 load(const Element* data, int count, Element rest) const {
    Element padded[32];
    for (int l = 0; l < 32; ++l) padded[l] = l < count ? data[l] : rest;
    return load(padded);
  }
  F64 load(const double* data) const {
    return doubles([&](int p) { return Pack::Doubles::load(data + p * 8); });
  }
  F64 load(const double* data, int count) const {
    return doubles([&](int p) { return Pack::Doubles::load_below(data + p * 8, p * 8, count); });
  }
  void store(double* data, const F64& value) const {
    for (int p = 0; p < packs; ++p) get(value, p).store(data + p * 8);
  }
  /// Writes the first \p count lanes to `data[0 … count)`.
  void store(double* data, const F64& value, int count) const {
    for (int p = 0; p < packs; ++p) get(value, p).store_below(data + p * 8, p * 8, count);
  }
  void store(float* data, const F32& value, int count) const {
    for (int l = 0; l < count; ++l) data[l] = value.lane[l];
  }
  /// \p a in every lane.
  F32 broadcast(float a) const {
    return floats([&](int) { return Pack::Floats::all(a); });
  }
  /// `float(a / b)` per lane, with NaN canonical and zero as +0; 0 if b is 0.
  F32 quotient(const F64& a, double b) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = rounded_quotient(a.lane[l], b);
    return r;
  }
  /// `a · b` per lane, rounded to float.
  F32 multiply(const F32& a, float b) const {
    return floats([&](int p) { return get(a, p) * Pack::Floats::all(b); });
  }
  /// Prefetches the cache lines of \p data; plain loops leave that to the processor.
  void prefetch(const char* data, std::uint64_t bytes) const {
    if constexpr (!std::is_same_v<Pack, ScalarFloatPack8>) prefetch_bytes(data, bytes);
  }
  F64 widen(const F32& a) const {
    return doubles([&](int p) { return get(a, p).template to<double>(); });
  }
  /// `a · b` per lane, rounded to double.
  F64 multiply(const F64& a, const F64& b) const {
    return doubles([&](int p) { return get(a, p) * get(b, p); });
  }
  /// `sum + a·b` per lane; the product of two floats is exact in double, so a fused form gives the
  /// same bits.
  F64 multiply_add(const F32& a, const F32& b, const F64& sum) const {
    return multiply_add(widen(a), widen(b), sum);
  }
  /// The same for floats that were already widened.
  F64 multiply_add(const F64& a, const F64& b, const F64& sum) const {
    return doubles([&](int p) KINDRED_ALWAYS_INLINE {
      return Pack::add_exact(get(a, p), get(b, p), get(sum, p));
    });
  }
  /// `sum + (a − b)` per lane, each rounded to double.
  KINDRED_ALWAYS_INLINE F64 add_difference(const F32& a, const F32& b, const F64& sum) const {
    const F64 x = widen(a);
    const F64 y = widen(b);
    return doubles([&](int p)
                       KINDRED_ALWAYS_INLINE { return get(sum, p) + (get(x, p) - get(y, p)); });
  }
  /// `sum + (a − b)²` per lane: difference, square and sum are each rounded to double, never fused.
  KINDRED_ALWAYS_INLINE F64 add_squared_difference(const F32& a, const F32& b,
                                                   const F64& sum) const {
    return add_squared_difference(widen(a), widen(b), sum);
  }
  KINDRED_ALWAYS_INLINE F64 add_squared_difference(const F64& a, const F64& b,
                                                   const F64& sum) const {
    return doubles([&](int p) KINDRED_ALWAYS_INLINE {
      const auto difference = get(a, p) - get(b, p);
      return get(sum, p) + difference * difference;
    });
  }
  /// `a + b` per lane.
  F64 add(const F64& a, const F64& b) const {
    return doubles([&](int p) { return get(a, p) + get(b, p); });
  }
  /// The pairwise tree reduction of the lanes (16, 8, 4, 2, 1).
  double tree_sum(const F64& sum) const {
    return ((get(sum, 0) + get(sum, 2)) + (get(sum, 1) + get(sum, 3))).tree_sum();
  }
  /// Calls `body(lane)` for those of the first \p count lanes that this thread carries.
  template <class Body>
  KINDRED_ALWAYS_INLINE void for_each(int count, const Body& body) const {
    if (count >= 32) {
      for (int lane = 0; lane < 32; ++lane) body(lane);
    } else {
      for (int lane = 0; lane < count; ++lane) body(lane);
    }
  }
  /// What \p sum holds of \p lane, which this thread carries.
  double& of_lane(F64& sum, int lane) const { return sum.lane[lane]; }
  /// Calls `body(row, column, value)` for \p values that every thread has: in one of them each.
  template <int Rows, int Columns, class Body>
  void share(const double (&values)[Rows][Columns], const Body& body) const {
    for (int row = 0; row < Rows; ++row) {
      for (int column = 0; column < Columns; ++column) body(row, column, values[row][column]);
    }
  }
  /// True in the one thread that writes the result of the work item.
  bool is_leader() const { return true; }

 private:
  static constexpr int packs = 4;

  static auto get(const F32& a, int p) { return Pack::Floats::load(a.lane + p * 8); }
  static auto get(const F64& a, int p) { return Pack::Doubles::load(a.lane + p * 8); }

  template <class Value>
  KINDRED_ALWAYS_INLINE static F32 floats(const Value& value) {
    F32 r;
    for (int p = 0; p < packs; ++p) value(p).store(r.lane + p * 8);
    return r;
  }
  template <class Value>
  KINDRED_ALWAYS_INLINE static F64 doubles(const Value& value) {
    F64 r;
    for (int p = 0; p < packs; ++p) value(p).store(r.lane + p * 8);
    return r;
  }
};

using ScalarLanes = PackLanes<ScalarFloatPack8>;
using HostLanes = PackLanes<HostFloatPack8>;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_PACK_LANES_HPP
