// SPDX-License-Identifier: Apache-2.0
// The top-k of hosts with keys that are computed: they are written into the workspace first.
#include <kindred/core/select/special/BufferTopK.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

#include "OnSpaces.hpp"

namespace BufferTopKTest {

using namespace Kindred;
using Select = Impl::BufferTopK<Rank>;

Rank key_at(std::size_t row, std::size_t i) { return (row * 7919 + i * 104729 + 1) % 1000003; }

/// Rows of such keys.
struct ComputedRows {
  static constexpr bool is_computed = true;
  struct Row {
    std::size_t row;
    Rank operator[](std::size_t i) const { return key_at(row, i); }
  };
  Row row(std::size_t row) const {
    if (row >= rows) *is_exceeded = true;
    return {row};
  }

  std::size_t rows;
  std::atomic<bool>* is_exceeded;
};

TEST(BufferTopK, SelectsKeysThatAreComputed) {
  constexpr std::size_t guard = 1000;
  constexpr Rank unused = 42;
  Testing::on_hosts([&](const HostSpace& exec_space) {
    for (const TopKShape& shape : {TopKShape{100, 3, 1}, {3, 200, 2}, {2, 40000, 5}}) {
      SCOPED_TRACE(shape.longest);
      const std::size_t size = Select::workspace<ComputedRows>(shape);
      EXPECT_EQ(size, shape.rows * shape.longest + Select::workspace(shape));
      std::vector<Rank> workspace(guard + size + guard, unused);
      std::vector<Rank> out(shape.rows * shape.k);
      std::atomic<bool> is_exceeded = false;
      Select::run(exec_space, ComputedRows{shape.rows, &is_exceeded}, shape, out.data(),
                  workspace.data() + guard);
      exec_space.fence();
      EXPECT_FALSE(is_exceeded);
      std::vector<Rank> expected;
      for (std::size_t row = 0; row < shape.rows; ++row) {
        std::vector<Rank> keys(shape.longest);
        for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_at(row, i);
        std::ranges::sort(keys);
        expected.insert(expected.end(), keys.begin(), keys.begin() + shape.k);
      }
      EXPECT_EQ(out, expected);
      EXPECT_EQ(std::count(workspace.begin(), workspace.begin() + guard, unused), guard);
      EXPECT_EQ(std::count(workspace.end() - guard, workspace.end(), unused), guard);
    }
  });
}

}  // namespace BufferTopKTest
