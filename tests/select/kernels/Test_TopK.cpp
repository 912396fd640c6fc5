// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/select/TopK.hpp>
#include <kindred/core/select/impl/BlockTopK.hpp>

#include <algorithm>
#include <limits>

#include "OnSpaces.hpp"
#include "RaggedRows.hpp"
#include "TestGenerator.hpp"
#include "ToHost.hpp"
#include "ToSpace.hpp"

namespace TopKTest {

using namespace Kindred;
using namespace Testing;

template <class Key>
using Rows = std::vector<std::vector<Key>>;
using Sizes = std::vector<std::size_t>;

/// The oracle: sorts the row, truncates it and pads it.
template <class Key>
std::vector<Key> sorted_top(const Rows<Key>& rows, std::size_t k) {
  std::vector<Key> out;
  for (std::vector<Key> row : rows) {
    std::sort(row.begin(), row.end());
    row.resize(k, key_none<Key>());
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

template <class Key>
TopKShape shape_of(const Rows<Key>& rows, std::size_t k) {
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.size());
  return {rows.size(), longest, k};
}

/// Copies the input, runs `body(keys, offsets, out, workspace)` and copies the results back. Guard
/// elements behind the workspace detect overruns.
template <class Key, class Body>
std::vector<Key> launch(const auto& exec_space, const Rows<Key>& rows, std::size_t k,
                        std::size_t workspace_keys, const Body& body) {
  using execution_space = std::decay_t<decltype(exec_space)>;
  const auto packed = ragged(rows);
  const auto keys = to_space(exec_space, packed.values);
  const auto offsets = to_space(exec_space, packed.offsets);
  const auto out = to_space(exec_space, std::vector<Key>(rows.size() * k));
  const auto workspace = to_space(exec_space, std::vector<Key>(workspace_keys + 64));
  body(ArrayView<const Key, execution_space>(keys.data(), keys.size()),
       ArrayView<const std::uint64_t, execution_space>(offsets.data(), offsets.size()),
       ArrayView<Key, execution_space>(out.data(), out.size()),
       ArrayView<Key, execution_space>(workspace.data(), workspace_keys));
  const auto guard = to_host(exec_space, workspace);
  EXPECT_EQ(std::vector<Key>(guard.end() - 64, guard.end()), std::vector<Key>(64))
      << "the workspace was overrun";
  return to_host(exec_space, out);
}

/// Runs every algorithm on every space.
template <class Key>
void expect_matches_on_every_space(const Rows<Key>& rows, const Sizes& ks) {
  for (const std::size_t k : ks) {
    const std::vector<Key> expected = sorted_top(rows, k);
    const TopKShape shape = shape_of(rows, k);
    const bool dense = std::all_of(rows.begin(), rows.end(),
                                   [&](const auto& row) { return row.size() == shape.longest; });
    on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
      const auto size = top_k_workspace<ExecutionSpace, Key>(shape);
      for (const bool as_dense : {false, true}) {
        if (as_dense && !dense) continue;
        const auto found = launch(
            exec_space, rows, k, size, [&](auto keys, auto offsets, auto out, auto workspace) {
              as_dense ? top_k(exec_space, keys, shape, out, workspace)
                       : top_k(exec_space, keys, offsets, shape, out, workspace);
            });
        EXPECT_EQ(found, expected) << shape.longest << " keys, k = " << k << ", dense " << as_dense;
      }
    });
  }
}

/// The same, and the device's algorithm on the host.
template <class Key>
void expect_matches_reference(const Rows<Key>& rows, const Sizes& ks) {
  expect_matches_on_every_space(rows, ks);
  using Twin = Impl::BlockTopK<HostSpace, Key>;
  const HostSpace& exec_space = Impl::host_instance(context(), Space::openmp);
  for (const std::size_t k : ks) {
    if (rows.empty()) continue;
    const TopKShape shape = shape_of(rows, k);
    const auto found =
        launch(exec_space, rows, k, Twin::workspace(shape),
               [&](auto keys, auto offsets, auto out, auto workspace) {
                 const Impl::TopKRows<Key> given{keys.data(), offsets.data(), shape.longest};
                 Twin::run(exec_space, given, shape, out.data(), workspace.data());
               });
    EXPECT_EQ(found, sorted_top(rows, k)) << "the device's algorithm on the host, k = " << k;
  }
}

std::vector<Rank> random_row(std::size_t size) {
  std::vector<Rank> row(size);
  std::uniform_real_distribution<float> score(-1, 1);
  for (std::size_t i = 0; i < size; ++i)
    row[i] = rank_descending(score(generator()), static_cast<std::uint32_t>(i));
  return row;
}

TEST(TopK, MatchesReferenceAtEdgeSizes) {
  for (const std::size_t n : edge_sizes)
    expect_matches_reference<Rank>({random_row(n)},
                                   {1, 2, 10, 33, std::max<std::size_t>(1, n), n + 3});
}

TEST(TopK, MatchesReferenceOnLongRows) {
  for (const std::size_t n : {2047UL, 2048UL, 2049UL, 16384UL, 16385UL, 70001UL, 300000UL})
    expect_matches_reference<Rank>({random_row(n)}, {1, 10, 100, 512, 513, 1000, 2048, 10000});
}

TEST(TopK, ReturnsAWholeRowSorted) {
  for (const std::size_t n : {1UL, 2048UL, 5000UL, 40000UL})
    expect_matches_reference<Rank>({random_row(n)}, {n});
}

TEST(TopK, MatchesReferenceOnTies) {
  for (const std::size_t n : {1UL, 129UL, 5000UL, 40000UL}) {
    std::vector<Rank> row;
    for (std::size_t i = n; i > 0; --i)
      row.push_back(rank_ascending(1.5F, static_cast<std::uint32_t>(i - 1)));
    expect_matches_reference<Rank>({row}, {1, 10, 700});
  }
}

TEST(TopK, MatchesReferenceOnSortedRows) {
  std::vector<Rank> row = random_row(50000);
  std::sort(row.begin(), row.end());
  expect_matches_reference<Rank>({row}, {1, 10, 700});
  std::reverse(row.begin(), row.end());
  expect_matches_reference<Rank>({row}, {1, 10, 700});
}

TEST(TopK, OrdersSpecialScores) {
  using Limits = std::numeric_limits<float>;
  constexpr float nan = Limits::quiet_NaN(), infinity = Limits::infinity();
  constexpr float least = Limits::denorm_min(), most = Limits::max();
  const std::vector<float> special{nan,   -nan,   infinity, -infinity, 0.0F, -0.0F,
                                   least, -least, 1.0F,     -1.0F,     most, -most};
  std::vector<Rank> row;
  for (std::uint32_t i = 0; i < 3000; ++i) row.push_back(rank_descending(special[i % 12], i));
  expect_matches_reference<Rank>({row}, {1, 12, 400, 3000});
  const std::vector<Rank> first = sorted_top<Rank>({{row.begin(), row.begin() + 12}}, 12);
  std::vector<std::uint32_t> order;
  for (const Rank rank : first) order.push_back(rank_index(rank));
  EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 10, 8, 6, 4, 5, 7, 9, 11, 3, 0, 1}));
}

TEST(TopK, MatchesReferenceOnManyRows) {
  Rows<Rank> dense;
  Rows<Rank> ragged;
  for (std::size_t r = 0; r < 500; ++r) {
    dense.push_back(random_row(1000));
    ragged.push_back(random_row(random_below(300)));
  }
  expect_matches_reference(dense, {1, 10, 100});
  expect_matches_reference(ragged, {1, 10, 100});
}

TEST(TopK, MatchesReferenceOnRowsOfVeryDifferentLength) {
  Rows<Rank> rows;
  for (const std::size_t n : {0UL, 40000UL, 1UL, 0UL, 17000UL, 2048UL, 3UL, 0UL})
    rows.push_back(random_row(n));
  expect_matches_reference(rows, {1, 10, 600, 3000});
}

TEST(TopK, FindsTheBestOfLongRowsBesideHundredsOfShortOnes) {
  Rows<Rank> rows;
  for (std::size_t r = 0; r < 640; ++r) rows.push_back(random_row(r < 2 ? 17000 : 20));
  expect_matches_on_every_space(rows, {1, 10});
}

TEST(TopK, ReadsNoKeyBehindTheLast) {
  // The keys end where the memory that may be read does.
  const std::vector<Rank> row = random_row(64);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* memory =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::byte* end = static_cast<std::byte*>(memory) + page;
  ASSERT_EQ(::mprotect(end, page, PROT_NONE), 0);
  Rank* keys = reinterpret_cast<Rank*>(end) - row.size();
  std::copy(row.begin(), row.end(), keys);
  const HostSpace& exec_space = Impl::host_instance(context(), Space::openmp);
  for (const std::size_t k : {1UL, 10UL, 64UL}) {
    const TopKShape shape{1, row.size(), k};
    std::vector<Rank> workspace(top_k_workspace<HostSpace, Rank>(shape));
    std::vector<Rank> out(k);
    top_k(exec_space, ArrayView<const Rank, HostSpace>(keys, row.size()), shape,
          ArrayView<Rank, HostSpace>(out.data(), out.size()),
          ArrayView<Rank, HostSpace>(workspace.data(), workspace.size()));
    exec_space.fence("TopKTest::ReadsNoKeyBehindTheLast");
    EXPECT_EQ(out, sorted_top<Rank>({row}, k));
  }
  ::munmap(memory, 2 * page);
}

TEST(TopK, NeedsLessWorkspaceOnTheHostThanThereAreKeys) {
  if (!Special::is_used<Special::Form::buffer_top_k, HostSpace>())
    GTEST_SKIP() << "the portable body sorts blocks of keys";
  const auto workspace = [](std::size_t longest, std::size_t k) {
    return top_k_workspace<HostSpace, Rank>({3, longest, k});
  };
  for (const std::size_t longest : {0UL, 1UL, 5UL, 100UL, 1000UL, 16384UL}) {
    for (const std::size_t k : {1UL, 10UL, 1000UL, 20000UL})
      EXPECT_LE(workspace(longest, k), 3 * longest) << longest << " keys, k = " << k;
  }
  for (const std::size_t k : {1UL, 10UL, 1000UL, 10000UL, 50000UL})
    EXPECT_LE(workspace(10'000'000, k), 3 * 5'000'000) << "half of the keys, k = " << k;
}

TEST(TopK, PadsWhereThereAreTooFewKeys) {
  std::vector<Rank> row = random_row(30000);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % 1000 != 7) row[i] = rank_none;
  }
  expect_matches_reference<Rank>({row}, {1, 30, 31, 600});
  expect_matches_reference<Rank>({std::vector<Rank>(20000, rank_none)}, {5});
}

TEST(TopK, HandlesNoRowsAndEmptyRows) {
  expect_matches_reference(Rows<Rank>{}, {3});
  expect_matches_reference(Rows<Rank>{{}, {}}, {3});
}

TEST(TopK, MatchesReferenceOnWideKeys) {
  for (const std::size_t n : {0UL, 1UL, 129UL, 3000UL, 40000UL}) {
    std::vector<WideRank> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = {random_below(100) << 60U | random_below(50), i};
    expect_matches_reference<WideRank>({row, row}, {1, 10, 600});
  }
}

TEST(TopK, MergesTheListsOfTwoParts) {
  for (const std::size_t k : {1UL, 2UL, 3UL, 10UL, 33UL, 600UL, 3000UL}) {
    SCOPED_TRACE(std::to_string(k));
    Rows<Rank> rows;
    Rows<Rank> lists[2];
    for (int r = 0; r < 9; ++r) {
      const std::vector<Rank> all = random_row(2 * k);
      rows.emplace_back();
      for (std::size_t list = 0; list < 2; ++list) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(list * k);
        std::vector<Rank> part(begin, begin + static_cast<std::ptrdiff_t>(random_below(k + 1)));
        rows.back().insert(rows.back().end(), part.begin(), part.end());
        std::sort(part.begin(), part.end());
        part.resize(k, rank_none);
        lists[list].push_back(part);
      }
    }
    on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
      const auto b = to_space(exec_space, ragged(lists[1]).values);
      EXPECT_EQ(launch(exec_space, lists[0], k, 0,
                       [&](auto a, auto, auto out, auto) {
                         merge_top_k<ExecutionSpace, Rank>(exec_space, a, b, k, out);
                       }),
                sorted_top(rows, k));
    });
  }
}

}  // namespace TopKTest
