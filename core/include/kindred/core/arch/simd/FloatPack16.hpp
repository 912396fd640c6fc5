// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP
#define KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP

#include <kindred/core/arch/ElementBits.hpp>
#include <kindred/core/arch/simd/SimdPack.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Arch {

/// \brief Sixteen adjacent elements on the host. \tparam Bytes \see SimdPack
template <unsigned Bytes>
struct FloatPack16 {
  using Floats = SimdPack<float, 16, Bytes>;
  using Doubles = SimdPack<double, 16, Bytes>;
  /// The bits of stored elements.
  template <class Element>
  using Raw = SimdPack<element_bits<Element>, 16, Bytes>;

  /// Loads \p count elements, followed by zeros.
  template <class Element>
  static Raw<Element> load(const Element* from, unsigned count) {
    return Raw<Element>::load_between(bits_at(from), 0, count);
  }
  template <class Element>
  static Raw<Element> load(const Element* from) {
    return Raw<Element>::load(bits_at(from));
  }
  template <class Element>
  static void store(Element* to, const Raw<Element>& raw, unsigned count) {
    raw.store_between(bits_at(to), 0, count);
  }

  template <class Element>
  static Floats widen(const Raw<Element>& raw) {
    if constexpr (std::is_same_v<Element, float>)
      return raw.template as<float>();
    else if constexpr (std::is_same_v<Element, BFloat16>)
      return (raw.template to<std::uint32_t>() << 16).template as<float>();
    else
      return floats_of_halves(raw);
  }
  /// \name The operations of `Impl::OneFloat`
  ///@{
  static Floats all(float a) { return Floats::all(a); }
  static Floats magnitude(const Floats& a) {
    return (Bits::all(0x7FFFFFFFU) & bits(a)).template as<float>();
  }
  static Floats fused(const Floats& a, const Floats& b, const Floats& c) {
    return Floats::fused(a, b, c);
  }
  static Floats subtract(const Floats& a, const Floats& b) { return a - b; }
  static Floats negative(const Floats& a) {
    return (Bits::all(0x80000000U) + bits(a)).template as<float>();
  }
  static Floats if_less(const Floats& a, const Floats& b, const Floats& then,
                        const Floats& otherwise) {
    return Floats::select(a < b, then, otherwise);
  }
  static Floats raised(const Floats& a, const Floats& whole) {
    return (bits(a) + (bits(whole) << 23)).template as<float>();
  }
  ///@}
  /// \p a in the elements whose bit in \p mask is 1, else \p b.
  template <class Pack>
  static Pack choose(std::uint32_t mask, const Pack& a, const Pack& b) {
    return Pack::select(Pack::mask_of(mask), a, b);
  }
  /// `round_canonical`
  template <class Element>
  static Raw<Element> round(const Floats& a) {
    const auto nan = a != a;
    const Bits sane = Bits::select(nan, Bits::all(element_nan<float>), bits(a));
    if constexpr (std::is_same_v<Element, float>) {
      return sane;
    } else if constexpr (std::is_same_v<Element, BFloat16>) {
      // In integer arithmetic, since the instruction treats denormals as zeros.
      const Bits up = bits(a) + Bits::all(0x7FFF) + ((bits(a) >> 16) & Bits::all(1));
      return Bits::select(nan, Bits::all(element_nan<BFloat16>), up >> 16)
          .template to<std::uint16_t>();
    } else {
      return halves_of_floats(sane.template as<float>());
    }
  }

 protected:
  using Bits = SimdPack<std::uint32_t, 16, Bytes>;

  template <class Element>
  static auto* bits_at(Element* elements) {
    using Own = element_bits<std::remove_const_t<Element>>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<Element>, const Own, Own>*>(
        elements);
  }
  static Bits bits(const Floats& a) { return a.template as<std::uint32_t>(); }
};

using ScalarFloatPack16 = FloatPack16<0>;
/// In plain variables where the only registers are those of 16 bytes.
inline constexpr unsigned pack16_register_bytes =
    float_register_bytes < 32 ? 0 : float_register_bytes;
using HostFloatPack16 = FloatPack16<pack16_register_bytes>;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_FLOAT_PACK16_HPP
