// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/KernelProfile.hpp>

#include "BulkPlaces.hpp"

namespace Kindred::Testing::BulkTest {

using ::testing::IsEmpty;
using ::testing::Not;

TEST(Bulk, NormalizesLikeReferenceAlsoInPlace) {
  const auto expect = [](auto type, bool special) {
    using T = decltype(type);
    const auto a = numbers<T>("normalise", special);
    std::vector<std::vector<T>> expected;
    for (const auto& array : a.reads) expected.push_back(Reference::normalised(array));
    for (const Space space : spaces()) {
      SCOPED_TRACE(to_string(space));
      auto in_place = a, out = a.outputs();
      Bulk(context()).normalise(a, out, {space});
      Bulk(context()).normalise(in_place, in_place, {space});
      expect_same(out, expected);
      expect_same(in_place, expected);
    }
  };
  for (const bool special : {true, false}) {
    expect(float(), special);
    expect(double(), special);
  }
}

template <class T>
void expect_random(std::uint64_t seed, std::uint64_t offset,
                   T (*random_of)(std::uint64_t seed, std::uint64_t place)) {
  for (const Space space : spaces()) {
    std::vector<std::vector<T>> expected;
    std::uint64_t place = offset;
    for (const std::size_t length : {0, 1, 5, 16, 63, 257, 4099, 20001}) {
      expected.emplace_back(length);
      for (T& value : expected.back()) value = random_of(seed, place++);
    }
    List<T> list = List<T>(expected).outputs();
    Bulk(context()).random_fill(list, seed, offset, {space});
    expect_same(list, expected);
  }
}

TEST(Bulk, RandomNumbersDependOnlyOnTheirIndex) {
  expect_random(Testing::seed(), 3, Reference::random_byte);
  expect_random(Testing::seed() + 1, (std::uint64_t{1} << 34U) - 50, Reference::random_float);
  expect_random(~Testing::seed(), 0, Reference::random_double);
}

TEST(Bulk, XorMatchesReferenceOnEverySpaceAlsoInBatches) {
  const auto a = numbers<std::uint8_t>("a", false), key = numbers<std::uint8_t>("key", false);
  auto expected = a.arrays;
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t e = 0; e < expected[i].size(); ++e) expected[i][e] ^= key.arrays[i][e];
  for (const Space space : spaces()) {
    for (const std::size_t batch : {std::size_t{0}, std::size_t{100}, std::size_t{40000}}) {
      auto out = a.outputs();
      const BulkReport report = Bulk(context()).xor_elements(a, key, out, {space, batch});
      expect_same(out, expected);
      EXPECT_EQ(report.record.chosen, space);
      EXPECT_EQ(report.record.items, 283899U);
      EXPECT_TRUE(space == Space::cuda || report.batches == 1);
      EXPECT_TRUE(space != Space::cuda || batch == 0 || report.batches > 5);
    }
  }
}

TEST(Bulk, LargeResultsThatBypassTheCachesAreTheSame) {
  std::vector<std::uint8_t> a((9U << 20U) + 77), key(a.size(), 0x5A), expected(a.size() + 3, 7);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  for (const Space space : spaces()) {
    for (const std::vector<std::uint8_t>& with : {a, key}) {
      std::vector<std::uint8_t> out(a.size() + 3, 7);
      for (std::size_t i = 0; i < a.size(); ++i) expected[i + 3] = a[i] ^ with[i];
      Bulk(context()).xor_elements(a, with, std::span(out).subspan(3), {space});
      EXPECT_TRUE(out == expected) << to_string(space);
    }
  }
}

TEST(Bulk, NewKeysDifferUnlessTheirSeedIsGiven) {
  const auto a = numbers<std::uint8_t>("a", false);
  const Bulk bulk(context());
  const auto key_of = [&](std::optional<std::uint64_t> seed) {
    auto keys = a.outputs(), out = a.outputs();
    bulk.xor_with_new_keys(a, keys, out, seed);
    bulk.xor_elements(out, keys, out);
    expect_same(out, a.arrays);
    return keys.arrays;
  };
  EXPECT_NE(key_of({}), key_of({}));
  EXPECT_EQ(key_of(5), key_of(5));
  EXPECT_EQ(key_of(5).back()[9], Reference::random_byte(5, 13898 + 9));
}

TEST(Bulk, EmptyListsAreNoOps) {
  const Bulk bulk(context());
  for (const Space space : spaces()) {
    SCOPED_TRACE(to_string(space));
    const KernelProfile profile;
    const auto reports = {bulk.xor_elements({}, {}, {}, {space}),
                          bulk.element_wise(ElementWise::square, {}, {}, {}, {space}),
                          bulk.normalise({}, {}, {space}),
                          bulk.reduce(Reduction::max, {}, {}, {space}),
                          bulk.multiply({}, {}, {}, {space}),
                          bulk.random_fill({}, 1, 0, {space})};
    EXPECT_THAT(profile.kernels(), IsEmpty());
    for (const BulkReport& report : reports) {
      SCOPED_TRACE(to_string(report.record.operation));
      EXPECT_EQ(report.batches, 0U);
      EXPECT_EQ(report.batch_bytes, 0U);
      EXPECT_EQ(report.record.items, 0U);
      EXPECT_EQ(report.record.chosen, space);
    }
    // An array of one number is something to do, and the profile sees it.
    List<float> one(std::vector<std::vector<float>>{{3}});
    EXPECT_EQ(bulk.element_wise(ElementWise::square, one, {}, one, {space}).batches, 1U);
    EXPECT_EQ(one.arrays[0][0], 9.0F);
    EXPECT_THAT(profile.kernels(), Not(IsEmpty()));
  }
}

TEST(Bulk, PreparedCallsMatchTheOthers) {
  const auto a = numbers<float>("prepared");
  auto expected = a.outputs();
  Bulk(context()).normalise(a, expected);
  Testing::on_hosts([&](const auto&, Space space) {
    auto out = a.outputs();
    const auto prepared = Bulk::prepare_normalise(context(), a, out, {space});
    EXPECT_EQ(prepared.space(), space);
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (auto& array : out.arrays) std::ranges::fill(array, 7.0F);
      prepared.run();
      prepared.wait();
      expect_same(out, expected.arrays);
    }
    std::vector<double> sums(a.arrays.size());
    Bulk::prepare_reduce(context(), Reduction::sum, a, sums, {space}).run();
    const std::vector<double> summed(a.arrays[3].begin(), a.arrays[3].end());
    EXPECT_EQ(sums[3], Reference::reduced(Reduction::sum, summed));
  });
}

TEST(Bulk, SmallPreparedCallsRunOnOneThread) {
  const std::vector<float> few(2);
  const std::vector<float> many(std::size_t{1} << 23U);
  double sum = 0;
  const auto space_of = [&](std::span<const float> values) {
    return Bulk::prepare_reduce(context(), Reduction::sum, values, std::span(&sum, 1)).space();
  };
  EXPECT_EQ(space_of(few), Space::serial);
  EXPECT_EQ(space_of(many), context().is_usable(Space::openmp) ? Space::openmp : Space::serial);
}

TEST(Bulk, AContextKeepsOne) {
  Context own;
  const Bulk& bulk = Bulk::of(own);
  EXPECT_EQ(&Bulk::of(own), &bulk);
  EXPECT_NE(&Bulk::of(context()), &bulk);
  std::vector<float> values{1, 4};
  bulk.element_wise(ElementWise::square_root, values, {}, values);
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
}

TEST(Bulk, CallsOnAStreamNeedNoWaitBetweenThem) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "needs a device";
  const Caller beside(Place::stream);  // streams outlive the objects that are used on them
  const Caller caller(Place::stream);
  const std::size_t size = 100'003;
  Placed<std::int32_t> a(Place::device, std::vector<std::int32_t>(size, 1));
  Placed<std::int64_t> sums(Place::device, std::vector<std::int64_t>(64, 7));
  const std::int32_t one = 1;
  Placed<std::int32_t> other(Place::device, std::vector<std::int32_t>(size, 5));
  Placed<std::int64_t> other_sum(Place::device, {7});
  for (std::size_t i = 0; i < 64; ++i) {
    caller.bulk.reduce(Reduction::sum, a.flat(), sums.array({1}, {}, i), caller.options());
    caller.bulk.element_wise(ElementWise::add, a.flat(), std::span<const std::int32_t>(&one, 1),
                             a.flat(), caller.options());
    // Another stream has a workspace of its own.
    caller.bulk.reduce(Reduction::sum, other.flat(), other_sum.flat(), beside.options());
  }
  caller.wait();
  beside.wait();
  const auto found = sums.values();
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(found[i], static_cast<std::int64_t>(size * (i + 1))) << i;
  EXPECT_EQ(other_sum.values()[0], static_cast<std::int64_t>(5 * size));
}

}  // namespace Kindred::Testing::BulkTest
