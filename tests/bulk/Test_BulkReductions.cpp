// SPDX-License-Identifier: Apache-2.0
#include "bulk/RowLaunch.hpp"

#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/memory/SpaceResource.hpp>

#include "BulkPlaces.hpp"

namespace Kindred::Testing::BulkTest {

/// Views of arrays.
template <class T>
using Views = std::vector<std::span<const T>>;

/// The results of a reduction in elements of \p R, by `Reference`.
template <class R, class T>
std::vector<R> expected_of(Reduction reduction, const Views<T>& arrays) {
  std::vector<R> results;
  for (const std::span<const T> array : arrays) {
    if constexpr (std::is_floating_point_v<T>) {
      const double value =
          Reference::reduced(reduction, std::vector<double>(array.begin(), array.end()));
      results.push_back(std::isnan(value) ? std::numeric_limits<R>::quiet_NaN()
                                          : static_cast<R>(value));
    } else {
      const std::vector<Wide<T>> wide(array.begin(), array.end());
      results.push_back(reduction == Reduction::mean
                            ? static_cast<R>(Reference::integer_mean(wide))
                            : static_cast<R>(Reference::reduced(reduction, wide)));
    }
  }
  return results;
}

/// Calls `body(reduction, of_list, of_rows)` for all reductions of T with numbers of the types of
/// their results: of lists, and of arrays of rows.
template <class T, class Body>
void for_each_reduction(const Body& body) {
  constexpr bool is_real = std::is_floating_point_v<T>;
  using Sum = std::conditional_t<is_real, T, Wide<T>>;
  using Mean = std::conditional_t<is_real, T, double>;
  body(Reduction::sum, Sum(), Sum());
  body(Reduction::min, Sum(), T());
  body(Reduction::max, Sum(), T());
  body(Reduction::mean, Mean(), Mean());
  if constexpr (is_real) body(Reduction::deviation, T(), T());
}

template <class T>
class BulkReductions : public ::testing::Test {};
TYPED_TEST_SUITE(BulkReductions, Elements);

TYPED_TEST(BulkReductions, OfListsMatchReferenceOnEverySpace) {
  using T = TypeParam;
  const Bulk bulk(context());
  // Almost every long array with special numbers has NaN as its result.
  for (const bool special : {true, false}) {
    const List<T> a = numbers<T>("reduce", special);
    for_each_reduction<T>([&]<class R>(Reduction reduction, R /*of_list*/, auto /*of_rows*/) {
      Views<T> arrays;
      for (const auto& array : a.arrays)
        if (!array.empty() || reduction == Reduction::sum) arrays.push_back(array);
      const auto expected = expected_of<R>(reduction, arrays);
      for (const Space space : spaces()) {
        // Batches on a device, which does not split the arrays of reductions.
        for (const std::size_t batch : {std::size_t{0}, std::size_t{4'000'000}}) {
          std::vector<R> results(arrays.size());
          bulk.reduce(reduction, arrays, results, {space, batch});
          EXPECT_TRUE(same_bits(results, expected))
              << to_string(space) << ", reduction " << static_cast<int>(reduction);
        }
      }
    });
  }
}

/// Launches rows that need no table, as on a device, on the host.
template <class T, class R>
void launch(const Impl::BulkTask<T>& task, const BulkItems<T>& rows, R* results) {
  SpaceResource<Kokkos::HostSpace> memory;
  Impl::ListWorkspace<HostSpace> workspace(memory);
  Impl::launch_rows(Impl::host_instance(context(), Space::serial), workspace, task, rows,
                    {data_type_of<R>, results});
}

TYPED_TEST(BulkReductions, OfRowsMatchReferenceAlsoWithoutATable) {
  using T = TypeParam;
  auto random = Testing::generator("rows");
  for (const std::uint32_t count : {1, 2, 3, 33, 70}) {
    for (const std::size_t length : {1, 2, 31, 33, 4096, 4097, 20'000}) {
      const std::size_t step = length + (count % 2 == 0 ? 1 : 0);
      const auto a = random_values<T>(random, count * step + 1);
      Views<T> arrays;
      for (std::uint32_t row = 0; row < count; ++row)
        arrays.push_back(std::span(a).subspan(row * step, length));
      const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
      at_places([&](const Caller& caller) {
        Placed<T> in(caller.place, a);
        const Array source = count == 1 ? in.array({extent(length)})
                                        : in.array({count, extent(length)}, {extent(step), 1});
        for_each_reduction<T>([&]<class R>(Reduction reduction, auto /*of_list*/, R /*of_rows*/) {
          Placed<R> out(caller.place, std::vector<R>(count, R{7}));
          caller.bulk.reduce(reduction, source, out.flat(), caller.options());
          caller.wait();
          EXPECT_TRUE(same_bits(out.values(), expected_of<R>(reduction, arrays)))
              << static_cast<int>(reduction) << ", " << count << " × " << length;
        });
      });
      BulkItems<T> rows;
      rows.count = count;
      rows.first.count = length;
      rows.first.input = a.data();
      rows.input_step = step;
      Impl::BulkTask<T> task;
      task.kind = Impl::BulkKind::reduce;
      for_each_reduction<T>([&](Reduction reduction, auto /*of_list*/, auto /*of_rows*/) {
        if (reduction == Reduction::mean && !std::is_floating_point_v<T>) return;
        task.reduction = reduction;
        // The wide results have the size of float64.
        std::vector<std::conditional_t<std::is_floating_point_v<T>, double, Wide<T>>> wide(count,
                                                                                           7);
        std::vector<T> narrow(count, T{7});
        launch(task, rows, wide.data());
        launch(task, rows, narrow.data());
        EXPECT_TRUE(same_bits(narrow, expected_of<T>(reduction, arrays)));
        if constexpr (std::is_integral_v<T>) {
          EXPECT_EQ(wide, expected_of<Wide<T>>(reduction, arrays));
        } else {
          EXPECT_EQ(std::vector<T>(wide.begin(), wide.end()), narrow);
        }
      });
      if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) continue;
      // Elements, which of signed integers are computed as unsigned ones.
      std::vector<T> out(count * (length + 2), T{7}), squares = out;
      rows.first.output = out.data();
      rows.output_step = length + 2;
      task.kind = Impl::BulkKind::element_wise;
      task.op = ElementWise::square;
      launch(task, rows, static_cast<T*>(nullptr));
      for (std::uint32_t row = 0; row < count; ++row)
        std::ranges::transform(arrays[row], squares.begin() + row * extent(length + 2), [](T x) {
          using Product = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
          return static_cast<T>(static_cast<Product>(x) * static_cast<Product>(x));
        });
      EXPECT_TRUE(same_bits(out, squares)) << count << " × " << length;
    }
  }
}

TEST(BulkReductions, SumsWrapAroundWhereMeansAreExact) {
  const auto expect = [](auto most, double expected_mean) {
    using T = decltype(most);
    const std::vector<T> array(100'003, most);
    for (const Space space : spaces()) {
      T sum = 0;
      double mean = 0;
      Bulk(context()).reduce(Reduction::sum, array, std::span(&sum, 1), {space});
      EXPECT_EQ(sum, most - 100'002);
      Bulk(context()).reduce(Reduction::mean, array, std::span(&mean, 1), {space});
      EXPECT_EQ(mean, expected_mean);
    }
  };
  expect(std::numeric_limits<std::int64_t>::max(), 0x1p63);
  expect(std::numeric_limits<std::uint64_t>::max(), 0x1p64);
}

TEST(BulkReductions, OfNoElementsAreZeroForSums) {
  at_places([](const Caller& caller) {
    Placed<std::int32_t> in(caller.place, std::vector<std::int32_t>(1));
    Placed<std::int64_t> out(caller.place, {7, 7, 7});
    caller.bulk.reduce(Reduction::sum, in.array({3, 0}), out.flat(), caller.options());
    caller.wait();
    EXPECT_EQ(out.values(), (std::vector<std::int64_t>{0, 0, 0}));
    caller.bulk.reduce(Reduction::max, in.array({0, 5}), in.array({0}), caller.options());
  });
}

TEST(BulkReductions, AnArrayThatDoesNotFitOnTheDeviceIsReducedOnTheHost) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  constexpr std::size_t budget = 1 << 20;
  Context own({.device_budget_max = budget, .load_profile = false});
  own.dispatcher().calibrate_transfer(1e15, 0);
  const Bulk bulk(own);
  for (const std::size_t count : {1 << 14, 1 << 19, 1 << 14}) {
    const bool fits = count * sizeof(float) < budget;
    own.dispatcher().calibrate(Operations::reduction, Space::cuda, static_cast<double>(count),
                               1e-9);
    const std::vector<float> values(count, 1);
    float sum = 0;
    const DispatchRecord record = bulk.reduce(Reduction::sum, values, std::span(&sum, 1)).record;
    EXPECT_EQ(record.chosen == Space::cuda, fits) << count;
    EXPECT_EQ(record.why == Reason::memory, !fits) << count;
    EXPECT_EQ(sum, static_cast<float>(count));
  }
}

}  // namespace Kindred::Testing::BulkTest
