// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_BULK_BULK_LISTS_HPP
#define KINDRED_TESTS_BULK_BULK_LISTS_HPP

#include <gmock/gmock.h>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "OnSpaces.hpp"
#include "VectorValues.hpp"

namespace Kindred::Testing::BulkTest {

using Kindred::Array;

/// The type of sums of integers, as in NumPy.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

using Elements =
    ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double>;

/// The arrays of a list, and views of them.
template <class T>
struct List {
  explicit List(std::vector<std::vector<T>> given) : arrays(std::move(given)) {
    for (auto& array : arrays) {
      spans.push_back(array);
      reads.push_back(array);
    }
  }
  List(const List& other) : List(other.arrays) {}
  /// \returns a list of the same lengths whose elements are 7
  List outputs() const {
    List list = *this;
    for (auto& array : list.arrays) std::ranges::fill(array, T{7});
    return list;
  }
  operator BulkArrays() const { return reads; }
  operator BulkResults() const { return spans; }

  std::vector<std::vector<T>> arrays;
  std::vector<std::span<T>> spans;
  std::vector<std::span<const T>> reads;
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
void expect_same(const List<T>& list, const std::vector<std::vector<T>>& expected) {
  ASSERT_EQ(list.arrays.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(same_bits(list.arrays[i], expected[i])) << "array " << i;
}

/// Floating-point numbers of all magnitudes and, if \p special, also infinities, NaN, signed zeros
/// and denormals.
template <class T>
requires std::is_floating_point_v<T> T any_number(std::mt19937_64& random, bool special) {
  using Limits = std::numeric_limits<T>;
  const T positive[] = {0, Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(),
                        Limits::max()};
  if (special && random() % 16 == 0) {
    const T sign = random() % 2 == 0 ? 1 : -1;
    return std::copysign(positive[random() % 5], sign);
  }
  return static_cast<T>(
      std::ldexp(std::normal_distribution<double>()(random), static_cast<int>(random() % 12) - 6));
}
/// Integers of all bit patterns or, if \p special, small ones and the extremes.
template <class T>
requires std::is_integral_v<T> T any_number(std::mt19937_64& random, bool special) {
  if (!special) return static_cast<T>(random());
  if (random() % 8 == 0) return std::numeric_limits<T>::min();
  return random() % 2 == 0 ? std::numeric_limits<T>::max() : static_cast<T>(random() % 100);
}

template <class T>
std::vector<T> random_values(std::mt19937_64& random, std::size_t size) {
  std::vector<T> values(size);
  for (T& value : values) value = any_number<T>(random, false);
  return values;
}

inline const std::vector<std::size_t> lengths{0, 1,  2,  3,   31,   32,   33,   63,   64,    65,
                                              0, 96, 97, 100, 1023, 4095, 4096, 4097, 270001};

/// Arrays of all lengths; every other one has special numbers if \p special.
template <class T>
List<T> numbers(const std::string& name, bool special = true) {
  auto random = Testing::generator(name);
  std::vector<std::vector<T>> arrays;
  for (const std::size_t length : lengths) {
    arrays.emplace_back(length);
    const bool has_special = special && arrays.size() % 2 == 0;
    for (T& value : arrays.back()) value = any_number<T>(random, has_special);
  }
  return List<T>(std::move(arrays));
}

}  // namespace Kindred::Testing::BulkTest

#endif  // KINDRED_TESTS_BULK_BULK_LISTS_HPP
