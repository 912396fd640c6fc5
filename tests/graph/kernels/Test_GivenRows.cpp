// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/GivenRows.hpp>

#include "GraphSupport.hpp"

namespace Kindred::Testing::Graphs::GivenRowsTest {

/// Rows of the given lengths.
template <class Offset>
struct Rows {
  std::vector<Offset> offsets;
  std::vector<std::uint32_t> ends;

  explicit Rows(const std::vector<std::uint64_t>& lengths) {
    for (const std::uint64_t offset : offsets_of(lengths))
      offsets.push_back(static_cast<Offset>(offset));
    ends.resize(static_cast<std::size_t>(offsets.back()));
  }
  GivenRows<Offset> given() const {
    GivenRows<Offset> rows;
    rows.offsets = decltype(rows.offsets)(offsets.data(), offsets.size());
    rows.ends = decltype(rows.ends)(ends.data(), ends.size());
    rows.end_limit = static_cast<std::uint32_t>(offsets.size() - 1);
    return rows;
  }
};

template <class Offset>
class GivenRowsOf : public ::testing::Test {};
using Offsets = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(GivenRowsOf, Offsets);

TYPED_TEST(GivenRowsOf, LongOnesAreSplitAsByTheirPlan) {
  on_hosts([&](const HostSpace& exec_space) {
    for (const std::size_t count : {0, 1, 2, 3, 31, 4095, 4096, 4097, 20'000}) {
      std::vector<std::uint64_t> lengths(count);
      for (std::uint64_t& length : lengths)
        length = random_below(500) == 0 ? 4090 + random_below(9000) : random_below(20);
      if (count > 2) lengths[1] = 4096;
      if (count > 2) lengths[count - 1] = 4097;
      const Rows<TypeParam> rows(lengths);
      const std::vector<std::uint64_t> offsets(rows.offsets.begin(), rows.offsets.end());
      const RowPlan expected = plan_rows(offsets, short_row_max<HostSpace>(), 2048);
      RowPlan plan;
      ASSERT_TRUE(plan_long_rows(exec_space, rows.given(), plan));
      EXPECT_EQ(plan.long_rows, expected.long_rows);
      EXPECT_EQ(plan.long_first, expected.long_first);
      EXPECT_EQ(plan.block_long_row, expected.block_long_row);
    }
  });
}

TYPED_TEST(GivenRowsOf, InvalidOffsetsAreFound) {
  constexpr TypeParam least = std::numeric_limits<TypeParam>::min();
  constexpr TypeParam most = std::numeric_limits<TypeParam>::max();
  std::vector<Rows<TypeParam>> invalid;
  const auto other = [&]() -> std::vector<TypeParam>& {
    return invalid.emplace_back(std::vector<std::uint64_t>(9000, 3)).offsets;
  };
  for (const std::size_t row : {1, 4096, 4097, 8998}) {
    for (const TypeParam offset : {least, TypeParam{-1}, TypeParam{27'001}, most})
      other()[row] = offset;
    auto& extremes = other();
    extremes[row] = most;
    extremes[row + 1] = least;
    // Rows that overlap, more long ones than there can be.
    auto& overlapping = other();
    overlapping[row] = most;
    overlapping[row + 1] = least;
    for (std::size_t i = row; i < 8999; ++i) overlapping[i] = i % 2 == 0 ? 0 : 20'000;
  }
  for (const std::size_t row : {0, 9000}) {
    for (const TypeParam change : {-1, 1}) other()[row] += change;
  }
  on_hosts([&](const HostSpace& exec_space) {
    for (const Rows<TypeParam>& rows : invalid) {
      RowPlan plan;
      EXPECT_FALSE(plan_long_rows(exec_space, rows.given(), plan));
    }
  });
}

}  // namespace Kindred::Testing::Graphs::GivenRowsTest
