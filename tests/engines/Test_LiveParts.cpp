// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "Allocations.hpp"
#include "Support.hpp"
#include "kit/LiveParts.hpp"

namespace LivePartsTest {

using namespace Kindred;
using Impl::LiveBits;
using ::testing::ElementsAre;

/// A part whose elements are their ids.
struct Ids {
  std::size_t size() const { return ids.size(); }
  std::uint64_t id(std::size_t i) const { return ids[i]; }
  std::optional<std::size_t> find_id(std::uint64_t id) const {
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    if (at == ids.end() || *at != id) return {};
    return static_cast<std::size_t>(at - ids.begin());
  }

  std::vector<std::uint64_t> ids;
};
using Part = Impl::LivePart<Ids>;
using Parts = std::vector<Part>;

Part part_of(std::vector<std::uint64_t> ids, std::vector<std::size_t> removed = {}) {
  Part part(std::make_shared<const Ids>(Ids{std::move(ids)}));
  if (!removed.empty()) part.remove(removed);
  return part;
}

std::vector<std::uint64_t> ids_of(std::span<const Part> parts) {
  std::vector<std::uint64_t> ids;
  Impl::for_each_run(parts, [&](std::size_t p, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) ids.push_back(parts[p].id(begin));
  });
  return ids;
}

TEST(LiveBits, OfEverySizeLoseWhatIsRemovedAndOnlyThat) {
  for (const std::size_t size :
       {1UL, 63UL, 64UL, 65UL, 131'072UL, 131'073UL, 262'143UL, 300'000UL}) {
    const LiveBits all;
    EXPECT_TRUE(all.has_all());
    EXPECT_TRUE(all.words(size).empty());
    const std::vector<std::size_t> first{size - 1};
    const LiveBits one = all.without(first, size);
    EXPECT_EQ(one.removed(), 1U);
    EXPECT_FALSE(one[size - 1]);
    EXPECT_TRUE(all[size - 1]) << "a version does not change";
    const std::vector<std::uint64_t> words = one.words(size);
    ASSERT_EQ(words.size(), (size + 63) / 64);
    EXPECT_EQ(words.back() >> ((size - 1) % 64), 0U) << "nothing is set behind the elements";
    if (size < 64) continue;
    const std::vector<std::size_t> more{0, 7, 62};
    const LiveBits rest = one.without(more, size);
    EXPECT_EQ(rest.removed(), 4U);
    for (const std::size_t i : more) {
      EXPECT_FALSE(rest[i]) << i;
      EXPECT_TRUE(one[i]) << i;
    }
    const LiveBits read(rest.words(size), size);
    EXPECT_EQ(read.words(size), rest.words(size));
    EXPECT_EQ(read.removed(), 4U);
  }
}

TEST(LiveBits, ReadNoMoreThanTheWords) {
  const std::vector<std::uint64_t> words(4096);  // of two blocks
  const std::size_t before = Testing::allocated_bytes();
  const LiveBits bits(words, 64 * words.size());
  EXPECT_LT(Testing::allocated_bytes() - before, 9 * words.size());
}

TEST(LiveParts, FindAndVisitWhatWasNotRemoved) {
  const Part part = part_of({3, 5, 9, 200}, {1});
  EXPECT_EQ(part.find(9), 2U);
  EXPECT_EQ(part.find(5), std::nullopt);
  EXPECT_EQ(part.find(4), std::nullopt);
  EXPECT_EQ(part.live_count(), 3U);
  std::vector<std::size_t> live;
  part.for_each_live(1, 4, [&](std::size_t i) { live.push_back(i); });
  EXPECT_THAT(live, ElementsAre(2, 3));
}

TEST(LiveParts, AreReadInTheOrderOfTheirIds) {
  const Parts none;
  EXPECT_TRUE(ids_of(none).empty());
  // An element that moved to a later part is removed in the earlier one.
  const Parts parts{part_of({0, 1, 2, 3, 8, 9}, {2, 4}), part_of({2, 5}), part_of({8, 10}, {1})};
  EXPECT_THAT(ids_of(parts), ElementsAre(0, 1, 2, 3, 5, 8, 9));
  std::size_t runs = 0;
  const Parts apart{part_of({0, 1, 2}), part_of({4, 5})};
  Impl::for_each_run(apart, [&](std::size_t, std::size_t, std::size_t) { ++runs; });
  EXPECT_EQ(runs, 2U);
}

TEST(LiveParts, AreNotReadBehindTheirEnds) {
  struct Checked {
    std::size_t size() const { return part.size(); }
    std::uint64_t id(std::size_t i) const { return part.id(checked(i)); }
    bool is_live(std::size_t i) const { return part.is_live(checked(i)); }
    std::size_t removed() const { return part.removed(); }
    std::size_t checked(std::size_t i) const {
      EXPECT_LT(i, size());
      return i;
    }
    Part part;
  };
  const std::vector<Checked> parts{{part_of({0, 1, 8}, {2})}, {part_of({2, 3})}};
  std::size_t count = 0;
  Impl::for_each_run(
      parts, [&](std::size_t, std::size_t begin, std::size_t end) { count += end - begin; });
  EXPECT_EQ(count, 4U);
}

TEST(LiveParts, AreMergedOnlyAsFarAsTheirSizesRequire) {
  const auto sizes_of = [](const std::vector<std::pair<std::size_t, std::size_t>>& parts) {
    Parts made;
    std::uint64_t next = 0;
    for (const auto& [size, removed] : parts) {
      std::vector<std::uint64_t> ids(size);
      std::iota(ids.begin(), ids.end(), next);
      next += size;
      std::vector<std::size_t> elements(removed);
      std::iota(elements.begin(), elements.end(), std::size_t{0});
      made.push_back(part_of(ids, elements));
    }
    std::vector<std::size_t> sizes;
    const auto merge = [](std::span<const Part> together) {
      return std::make_shared<Ids>(Ids{ids_of(together)});
    };
    for (const Part& part : Impl::merged(made, merge)) sizes.push_back(part.size());
    return sizes;
  };
  EXPECT_THAT(sizes_of({{2, 0}, {1, 0}}), ElementsAre(3)) << "twice as many";
  EXPECT_THAT(sizes_of({{3, 0}, {1, 0}}), ElementsAre(3, 1)) << "more than twice as many";
  EXPECT_THAT(sizes_of({{9, 0}, {2, 0}, {1, 0}}), ElementsAre(9, 3));
  EXPECT_THAT(sizes_of({{4, 1}}), ElementsAre(4)) << "a quarter was removed";
  EXPECT_THAT(sizes_of({{5, 2}}), ElementsAre(3)) << "more than a quarter";
  EXPECT_THAT(sizes_of({{2, 2}}), ElementsAre()) << "all were removed";
}

/// Through any changes, the parts hold what a set holds, and are few.
TEST(LiveParts, StayFewThroughAnyHistory) {
  auto generator = Testing::generator("LiveParts");
  std::set<std::uint64_t> expected;
  Parts parts;
  std::uint64_t end = 0;
  std::size_t copied = 0;
  std::size_t added = 0;
  const auto merge = [&](std::span<const Part> together) {
    auto ids = std::make_shared<Ids>(Ids{ids_of(together)});
    copied += ids->size();
    return ids;
  };
  for (int step = 0; step < 3000; ++step) {
    std::vector<std::uint64_t> ids;  // of a new part: some that are there, and new ones
    for (const std::uint64_t id : expected)
      if (generator() % 64 == 0) ids.push_back(id);
    for (Part& part : parts) {
      std::vector<std::size_t> moved;
      for (const std::uint64_t id : ids)
        if (const auto at = part.find(id)) moved.push_back(*at);
      if (!moved.empty()) part.remove(moved);
    }
    if (step % 3 == 0) {
      for (const std::uint64_t id : ids) expected.erase(id);
      ids.clear();
    }
    for (std::size_t i = generator() % 3; i > 0; --i) ids.push_back(end++);
    expected.insert(ids.begin(), ids.end());
    added += ids.size();
    if (!ids.empty()) parts.push_back(part_of(ids));
    parts = Impl::merged(parts, merge);
    ASSERT_EQ(ids_of(parts), std::vector<std::uint64_t>(expected.begin(), expected.end())) << step;
    ASSERT_LE(parts.size(), 12U);
  }
  EXPECT_LT(copied, 12 * added);
}

}  // namespace LivePartsTest
