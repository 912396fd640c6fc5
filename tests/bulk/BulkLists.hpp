// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_BULK_BULK_LISTS_HPP
#define KINDRED_TESTS_BULK_BULK_LISTS_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace BulkTest {

using namespace Kindred;

/// The type of sums of integers, as in NumPy.
template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

/// The arrays of a list, and views of them.
template <class T>
struct List {
  explicit List(std::vector<std::vector<T>> given) : arrays(std::move(given)) {
    for (auto& array : arrays) {
      spans.push_back(array);
      reads.push_back(array);
    }
  }
  operator BulkArrays() const { return reads; }
  operator BulkResults() const { return spans; }

  std::vector<std::vector<T>> arrays;
  std::vector<std::span<T>> spans;
  std::vector<std::span<const T>> reads;
};

/// Products of a call.
struct Products {
  std::vector<ConstArray> a;
  std::vector<ConstArray> b;
  std::vector<Array> c;

  template <class T>
  void add(std::span<const T> left, std::span<const T> right, std::span<T> product, std::size_t m,
           std::size_t n, std::size_t k) {
    a.push_back(matrix_array(left, m, k));
    b.push_back(matrix_array(right, k, n));
    c.push_back(matrix_array(product, m, n));
  }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline const std::vector<std::size_t> lengths{0, 1,  2,  3,   31,   32,   33,   63,   64,    65,
                                              0, 96, 97, 100, 1023, 4095, 4096, 4097, 270001};

template <class T>
List<T> outputs_for(const List<T>& list) {
  std::vector<std::vector<T>> arrays;
  for (const auto& array : list.arrays) arrays.emplace_back(array.size(), T{7});
  return List<T>(std::move(arrays));
}

template <class Call>
void expect_refused(const Call& call, const std::vector<std::string>& says) {
  try {
    call();
    ADD_FAILURE() << "was not refused";
  } catch (const InvalidArgument& error) {
    for (const std::string& text : says) EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
  }
}

}  // namespace BulkTest

#endif  // KINDRED_TESTS_BULK_BULK_LISTS_HPP
