// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SCALAR_LANES_HPP
#define KINDRED_CORE_ARCH_SCALAR_LANES_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/arch/RoundedProduct.hpp>

#include <cstdint>

namespace Kindred::Arch {

/// \brief The 32 lanes as plain loops: the definition of the operations, and the form for any
/// instruction set. Host only.
class ScalarLanes {
 public:
  struct F32 {
    float lane[32];
  };
  struct F64 {
    double lane[32];
  };

  /// +0 in every lane.
  F64 zero() const {
    return make([](int) { return 0.0; });
  }
  /// `data[0 … 32)`, stored elements of any type, as floats.
  template <class Element>
  F32 load(const Element* data) const {
    return load(data, 32);
  }
  /// `data[0 … count)`, and +0 in the other lanes.
  template <class Element>
  F32 load(const Element* data, int count) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = l < count ? to_float(data[l]) : 0.0F;
    return r;
  }
  /// `data[0 … count)`, and \p rest in the other lanes.
  template <class Element>
  F32 load(const Element* data, int count, Element rest) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = to_float(l < count ? data[l] : rest);
    return r;
  }
  F64 load(const double* data) const { return load(data, 32); }
  F64 load(const double* data, int count) const {
    return make([&](int l) { return l < count ? data[l] : 0.0; });
  }
  /// Writes the first \p count lanes to `data[0 … count)`.
  void store(double* data, const F64& value, int count) const {
    for (int l = 0; l < count; ++l) data[l] = value.lane[l];
  }
  void store(float* data, const F32& value, int count) const {
    for (int l = 0; l < count; ++l) data[l] = value.lane[l];
  }
  /// Prefetches the cache lines of \p data.
  void prefetch(const char*, std::uint64_t) const {}
  /// \p a in every lane.
  F32 broadcast(float a) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = a;
    return r;
  }
  /// `float(a / b)` per lane, with NaN canonical and zero as +0; 0 if b is 0.
  F32 quotient(const F64& a, double b) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = rounded_quotient(a.lane[l], b);
    return r;
  }
  /// `a · b` per lane, rounded to float.
  F32 multiply(const F32& a, float b) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = a.lane[l] * b;
    return r;
  }
  /// `data[index[0 … 32)]`
  F32 gather(const float* data, const std::uint32_t* index) const {
    return gather(data, index, 32);
  }
  /// `data[index[0 … count)]`, and +0 in the other lanes.
  F32 gather(const float* data, const std::uint32_t* index, int count) const {
    F32 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = l < count ? data[index[l]] : 0.0F;
    return r;
  }
  F64 widen(const F32& a) const {
    return make([&](int l) { return static_cast<double>(a.lane[l]); });
  }
  /// `sum + a·b` per lane; the product of two floats is exact in double, so a fused form gives the
  /// same bits.
  F64 multiply_add(const F32& a, const F32& b, const F64& sum) const {
    return multiply_add(widen(a), widen(b), sum);
  }
  /// The same for floats that were already widened.
  F64 multiply_add(const F64& a, const F64& b, const F64& sum) const {
    return make([&](int l) { return sum.lane[l] + a.lane[l] * b.lane[l]; });
  }
  /// `sum + (a − b)` per lane, each rounded to double.
  F64 add_difference(const F32& a, const F32& b, const F64& sum) const {
    const F64 x = widen(a);
    const F64 y = widen(b);
    return make([&](int l) { return sum.lane[l] + (x.lane[l] - y.lane[l]); });
  }
  /// `sum + (a − b)²` per lane: difference, square and sum are each rounded to double, never fused.
  F64 add_squared_difference(const F32& a, const F32& b, const F64& sum) const {
    return add_squared_difference(widen(a), widen(b), sum);
  }
  F64 add_squared_difference(const F64& a, const F64& b, const F64& sum) const {
    return make([&](int l) {
      const double difference = a.lane[l] - b.lane[l];
      return sum.lane[l] + rounded_product(difference, difference);
    });
  }
  /// `a + b` per lane.
  F64 add(const F64& a, const F64& b) const {
    return make([&](int l) { return a.lane[l] + b.lane[l]; });
  }
  /// The pairwise tree reduction of the lanes (16, 8, 4, 2, 1).
  double tree_sum(F64 sum) const {
    for (int half = 16; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) sum.lane[l] += sum.lane[l + half];
    }
    return sum.lane[0];
  }
  /// True in the one thread that writes the result of the work item.
  bool is_leader() const { return true; }

 private:
  template <class Value>
  static F64 make(const Value& value) {
    F64 r;
    for (int l = 0; l < 32; ++l) r.lane[l] = value(l);
    return r;
  }
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SCALAR_LANES_HPP
