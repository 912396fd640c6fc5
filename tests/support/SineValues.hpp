// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_SINE_VALUES_HPP
#define KINDRED_TESTS_SUPPORT_SINE_VALUES_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace Kindred::Testing {

/// \p count numbers from -1 to 1 without a pattern; the same for the same \p first.
inline std::vector<float> sine_values(std::size_t count, float first) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(first + 0.37F * static_cast<float>(i) * static_cast<float>(i % 7 + 1));
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_SINE_VALUES_HPP
