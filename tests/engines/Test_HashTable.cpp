// SPDX-License-Identifier: Apache-2.0
#include "kit/HashTable.hpp"

#include "TestGenerator.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <set>
#include <vector>

namespace HashTableTest {

using namespace Kindred;
using namespace Testing;
using Impl::HashTable;

constexpr std::uint64_t tag_mask = 0xFFFFFF;
constexpr std::uint64_t in_part(std::size_t part, std::uint64_t tag) {
  return std::uint64_t{part} << 56U | tag;
}

/// Entries with their hashes. Of equal tags and parts, the table must tell the indices apart.
using Entries = std::map<std::uint64_t, std::uint64_t>;  // index to hash

std::size_t used(const HashTable& table, std::size_t part) {
  const auto slots = table.part(part);
  return slots.size() - static_cast<std::size_t>(std::ranges::count(slots, 0U));
}

void expect_holds(const HashTable& table, const Entries& entries) {
  std::map<std::size_t, std::size_t> counts;
  for (const auto& [index, hash] : entries) {
    ++counts[HashTable::part_of(hash)];
    const auto is = [&](std::uint64_t wanted) {
      return [&entries, wanted](std::uint64_t other) {
        EXPECT_TRUE(entries.contains(other)) << "a slot that is empty was compared";
        return other == wanted;
      };
    };
    EXPECT_EQ(table.find(hash, is(index)), index);
    EXPECT_FALSE(table.find(hash, is(HashTable::index_max)));
  }
  std::uint64_t bytes = 0;
  for (std::size_t part = 0; part < HashTable::part_count; ++part) {
    const std::size_t slots = table.part(part).size();
    bytes += 8 * slots;
    EXPECT_EQ(used(table, part), counts[part]);
    if (slots == 0) continue;
    EXPECT_TRUE(std::has_single_bit(slots));
    EXPECT_LE(2 * counts[part], slots);
  }
  EXPECT_EQ(table.bytes(), bytes);
}

TEST(HashTable, HoldsTheEntriesOfAnyHistory) {
  for (const std::uint64_t tags : {1U, 4U, 40U, 1U << 24U}) {
    // Tags at the end of a part continue at its beginning.
    const auto any_hash = [&] {
      return in_part(random_below(3) * 127, (tag_mask - random_below(tags)) & tag_mask) |
             random_below(std::uint64_t{1} << 32U) << 24U;
    };
    HashTable table;
    Entries entries;
    std::vector<std::pair<HashTable, Entries>> copies;
    for (std::uint64_t next = 0; next < 2000; ++next) {
      const auto kind = random_below(next < 1000 ? 4 : 6);
      if (kind < 2) {
        const std::uint64_t hash = any_hash();
        table.insert(hash, next);
        entries.emplace(next, hash);
      } else if (!entries.empty() && kind < 5) {
        const auto one =
            std::next(entries.begin(), static_cast<std::ptrdiff_t>(random_below(entries.size())));
        table.prepare_to_erase(one->second);
        table.erase(one->second, one->first);
        entries.erase(one);
      } else {
        table.reserve(random_below(3) * 127, random_below(40));
      }
      if (next % 100 == 0) {
        expect_holds(table, entries);
        copies.emplace_back(table, entries);
      }
    }
    for (const auto& [copy, held] : copies) expect_holds(copy, held);
    for (const auto& [index, hash] : Entries(entries)) {
      table.prepare_to_erase(hash);
      table.erase(hash, index);
    }
    expect_holds(table, {});
  }
}

TEST(HashTable, GrowsAtHalfAndShrinksAtAnEighth) {
  HashTable table;
  const auto slots = [&] { return table.part(5).size(); };
  std::size_t expected = 0;
  for (std::size_t count = 1; count <= 100; ++count) {
    table.insert(in_part(5, 7 * count), count);
    expected = std::max<std::size_t>({8, expected, std::bit_ceil(2 * count)});
    ASSERT_EQ(slots(), expected) << count;
  }
  for (std::size_t count = 100; count > 1; --count) {
    table.erase(in_part(5, 7 * count), count);
    if (expected > 8 && 8 * (count - 1) <= expected) expected /= 2;
    ASSERT_EQ(slots(), expected) << count - 1;
  }
  EXPECT_EQ(slots(), 8U);
  table.erase(in_part(5, 7), 1);
  EXPECT_EQ(table.bytes(), 0U) << "an empty part needs no slots";
  table.reserve(5, 40);
  for (const std::uint64_t index : {1, 2}) table.insert(in_part(5, index), index);
  EXPECT_EQ(slots(), 128U);
  table.erase(in_part(5, 2), 2);
  EXPECT_EQ(slots(), 64U);
  table.erase(in_part(5, 1), 1);
  EXPECT_EQ(table.bytes(), 0U) << "nor does one that was large";
}

TEST(HashTable, ReservesTheLeastThatSuffices) {
  HashTable table;
  table.reserve(9, 0);
  EXPECT_EQ(table.bytes(), 0U);
  for (const auto& [more, slots] : std::map<std::size_t, std::size_t>{
           {1, 8}, {4, 8}, {5, 16}, {8, 16}, {9, 32}, {16, 32}, {17, 64}}) {
    HashTable fresh;
    fresh.reserve(9, more);
    EXPECT_EQ(fresh.part(9).size(), slots) << more;
    const auto* const before = fresh.part(9).data();
    for (std::uint64_t i = 0; i < more; ++i) fresh.insert(in_part(9, i), i);
    EXPECT_EQ(fresh.part(9).data(), before) << "an insertion moved the part";
    fresh.reserve(9, slots / 2 - more);
    EXPECT_EQ(fresh.part(9).data(), before) << "there was enough";
    fresh.reserve(9, slots / 2 - more + 1);
    EXPECT_EQ(fresh.part(9).size(), 2 * slots);
  }
}

TEST(HashTable, ACopySharesThePartsThatNeitherChanges) {
  HashTable table;
  for (std::uint64_t part = 0; part < 4; ++part) table.insert(in_part(part, part), part);
  const auto* const original = table.part(0).data();
  {
    const HashTable copy = table;
    for (std::size_t part = 0; part < 4; ++part)
      EXPECT_EQ(copy.part(part).data(), table.part(part).data());
    table.insert(in_part(0, 100), 100);
    table.prepare_to_erase(in_part(1, 1));
    EXPECT_EQ(copy.part(0).data(), original);
    EXPECT_NE(table.part(0).data(), original);
    EXPECT_NE(table.part(1).data(), copy.part(1).data()) << "erasing could still fail";
    EXPECT_EQ(table.part(2).data(), copy.part(2).data());
    expect_holds(copy,
                 {{0, in_part(0, 0)}, {1, in_part(1, 1)}, {2, in_part(2, 2)}, {3, in_part(3, 3)}});
  }
  const auto* const here = table.part(0).data();
  table.insert(in_part(0, 101), 101);
  EXPECT_EQ(table.part(0).data(), here) << "nobody shares it any more";
}

TEST(HashTable, ErasingWhatItDoesNotHoldChangesNothing) {
  HashTable table;
  Entries entries;
  for (std::uint64_t index = 0; index < 3; ++index) {
    entries.emplace(index, in_part(1, tag_mask));
    table.insert(in_part(1, tag_mask), index);
  }
  table.prepare_to_erase(in_part(2, 0));
  for (const std::uint64_t tag : {tag_mask, std::uint64_t{0}, std::uint64_t{3}}) {
    for (const std::size_t part : {1U, 2U}) {
      table.erase(in_part(part, tag), 3);
      expect_holds(table, entries);
    }
  }
}

/// The slot of tag 0 and index 0 is 1, that of no entry 0.
TEST(HashTable, TheEntryOfTheSmallestSlotIsNoEmptyOne) {
  HashTable table;
  Entries entries;
  for (const std::uint64_t index : {2, 0, 1}) {
    table.insert(in_part(1, 0), index);
    entries.emplace(index, in_part(1, 0));
  }
  for (const std::uint64_t index : {2, 1}) {
    table.erase(in_part(1, 0), index);
    entries.erase(index);
    expect_holds(table, entries);
  }
}

TEST(HashTable, MayLieInOtherMemoryUntilItGrows) {
  HashTable source;
  Entries entries;
  for (std::uint64_t index = 0; index < 40; ++index) {
    const std::uint64_t hash = in_part(index % 4 * 85, index * 11);
    source.insert(hash, index);
    entries.emplace(index, hash);
  }
  std::vector<std::uint64_t> slots;
  std::vector<std::uint64_t> ends;
  for (std::size_t part = 0; part < HashTable::part_count; ++part) {
    slots.insert(slots.end(), source.part(part).begin(), source.part(part).end());
    ends.push_back(slots.size());
  }
  HashTable table(slots, ends);
  expect_holds(table, entries);
  EXPECT_EQ(table.part(0).data(), slots.data());
  for (const std::uint64_t index : {0U, 4U}) {
    table.erase(entries.at(index), index);
    entries.erase(index);
  }
  EXPECT_EQ(table.part(0).data(), slots.data()) << "changes are made in place";
  for (std::uint64_t index = 100; index < 110; ++index) {
    entries.emplace(index, in_part(85, index));
    table.insert(in_part(85, index), index);
  }
  expect_holds(table, entries);
  EXPECT_EQ(table.part(170).data(), slots.data() + ends[169]);
}

}  // namespace HashTableTest
