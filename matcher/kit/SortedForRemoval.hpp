// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_SORTED_FOR_REMOVAL_HPP
#define KINDRED_MATCHER_KIT_SORTED_FOR_REMOVAL_HPP

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Impl {

/// \brief What is to be removed, in ascending order.
/// \param name `name(element)` is its name in the message
/// \throws NotFound for an element that is listed twice
template <class T, class Name>
std::vector<T> sorted_for_removal(std::span<const T> listed, const Name& name) {
  std::vector<T> sorted(listed.begin(), listed.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw NotFound(std::string(name(*twice)) + " is listed twice for removal; list it once");
  return sorted;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_SORTED_FOR_REMOVAL_HPP
