// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_CHANGED_BYTES_HPP
#define KINDRED_TESTS_SUPPORT_CHANGED_BYTES_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace Kindred::Testing {

/// \brief Calls `check(changed, at, value)` for files that equal \p whole except for one byte,
/// which takes several values at every position. Returns the number of files.
template <class Check>
std::size_t for_each_changed_byte(const std::string& whole, const Check& check) {
  std::size_t tried = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const auto byte = static_cast<unsigned char>(whole[at]);
    for (const int value : {0, 255, byte ^ 1, byte ^ 0x80, byte + 1}) {
      if (static_cast<unsigned char>(value) == byte) continue;
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      check(changed, at, value);
      ++tried;
    }
  }
  return tried;
}

/// Calls `check(part)` for beginnings of \p whole that are not all of it, but not for none.
template <class Check>
void for_each_beginning(const std::vector<std::byte>& whole, const Check& check) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{127}, whole.size() - 1})
    check({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
}

/// Calls `check(damaged)` for bytes that equal \p whole except for one bit, at every \p step-th
/// byte.
template <class Check>
void for_each_flipped_bit(const std::vector<std::byte>& whole, std::size_t step,
                          const Check& check) {
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0x10};
    check(damaged);
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_CHANGED_BYTES_HPP
