// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_RANDOM_OPERATIONS_HPP
#define KINDRED_TESTS_C_RANDOM_OPERATIONS_HPP

#include "CSupport.hpp"

#include <cstddef>
#include <cstdint>
#include <random>

/// What tests of random sequences of operations share.
namespace Kindred::Testing {

inline constexpr std::size_t operations = 14;  // of a sequence

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

/// A copy of an object by its bytes.
template <class Handle, class FromBytes>
void reopen(Handle*& handle, const FromBytes& from_bytes) {
  kindred_string* bytes = nullptr;
  KINDRED_ASSERT_OK(kindred_to_bytes(handle, &bytes));
  Handle* copy = nullptr;
  const std::string_view text = view_of(bytes);
  KINDRED_ASSERT_OK(
      from_bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), &copy));
  KINDRED_EXPECT_OK(kindred_destroy(bytes));
  KINDRED_EXPECT_OK(kindred_destroy(handle));
  handle = copy;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_RANDOM_OPERATIONS_HPP
