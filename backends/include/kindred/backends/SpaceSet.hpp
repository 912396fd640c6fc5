// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SPACE_SET_HPP
#define KINDRED_BACKENDS_SPACE_SET_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Public.hpp>

namespace KINDRED_PUBLIC Kindred {

/// A set of spaces.
class SpaceSet {
 public:
  constexpr SpaceSet() = default;
  static constexpr SpaceSet all() noexcept { return SpaceSet(0x7); }
  static constexpr SpaceSet host() noexcept { return SpaceSet(0x3); }
  constexpr bool contains(Space space) const noexcept {
    return space_index(space) < space_count && (m_bits >> space_index(space) & 1U) != 0;
  }
  constexpr SpaceSet with(Space space) const noexcept {
    return SpaceSet(m_bits | 1U << static_cast<unsigned>(space));
  }
  constexpr SpaceSet without(Space space) const noexcept {
    return SpaceSet(m_bits & ~(1U << static_cast<unsigned>(space)));
  }
  constexpr SpaceSet operator&(SpaceSet other) const noexcept {
    return SpaceSet(m_bits & other.m_bits);
  }
  constexpr bool empty() const noexcept { return m_bits == 0; }

 private:
  explicit constexpr SpaceSet(unsigned bits) : m_bits(bits) {}
  unsigned m_bits = 0;
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_SPACE_SET_HPP
