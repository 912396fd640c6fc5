// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_REFERENCE_CANONICAL_HPP
#define KINDRED_REFERENCE_CANONICAL_HPP

#include <cmath>
#include <limits>

namespace Kindred::Reference {

/// \p value; a NaN as the quiet one without a payload, 0x7FC00000 in float32.
template <class T>
T canonical(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

}  // namespace Kindred::Reference

#endif  // KINDRED_REFERENCE_CANONICAL_HPP
