// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/KeyTable.hpp>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "Allocations.hpp"
#include "ChangedBytes.hpp"
#include "KeySupport.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

namespace KeysTest {

using ::testing::HasSubstr;
using Numbers = std::vector<std::uint64_t>;
using Ids = std::vector<std::int64_t>;

TEST(KeySpan, HasTheSameKeysInEveryForm) {
  const std::vector<std::string_view> texts{"", "ab", std::string_view("\0x", 2)};
  Ragged<char> ragged;
  for (const std::string_view text : texts) ragged.push_row({text.data(), text.size()});
  const KeySpan views{std::span<const std::string_view>(texts)};
  EXPECT_TRUE(same_keys(views, KeySpan(RaggedSpan<char>(ragged))));
  const std::string uuids = "0123456789abcdefFEDCBA9876543210";
  const KeySpan fixed = KeySpan::of_width(std::as_bytes(std::span(uuids)), 16);
  EXPECT_EQ(fixed.size(), 2U);
  EXPECT_EQ(fixed.bytes(1), "FEDCBA9876543210");
  EXPECT_EQ(KeySpan(KeyKind::bytes).size(), 0U);
  EXPECT_EQ(to_string(KeyKind::integer), "integer");
  EXPECT_EQ(to_string(KeyKind::bytes), "bytes");
  EXPECT_THROW(KeySpan::of_width(std::as_bytes(std::span(uuids)), 0), InvalidArgument);
  EXPECT_THROW(KeySpan::of_width(std::as_bytes(std::span(uuids)), 15), InvalidArgument);
  const std::vector<std::uint64_t> offsets{0, 9};
  const std::vector<char> values(3);
  EXPECT_THROW(KeySpan(RaggedSpan<char>{offsets, values}), InvalidArgument);
}

TEST(KeyTable, FollowsAMapThroughRandomChanges) {
  auto random = Testing::generator("changes");
  for (const KeyKind kind : kinds) {
    KeyTable table(kind);
    std::map<std::uint64_t, std::uint64_t> expected;
    std::uint64_t next_id = 0;
    for (int step = 0; step < 300; ++step) {
      Numbers numbers;
      std::vector<std::uint64_t> ids;
      if (step % 3 != 2 || expected.size() < 50) {
        for (std::size_t i = 0, count = random() % 40; i < count; ++i) {
          const std::uint64_t number = random() % 3000;
          if (!expected.emplace(number, next_id).second) continue;
          numbers.push_back(number);
          ids.push_back(next_id);
          next_id += 1 + random() % 3;
        }
        table.add(SomeKeys(kind, numbers), ids);
      } else {
        for (std::size_t i = 0, count = random() % 50; i < count; ++i) {
          auto at = expected.lower_bound(random() % 3000);
          if (at == expected.end()) continue;
          numbers.push_back(at->first);
          expected.erase(at);
        }
        table.remove(SomeKeys(kind, numbers));
        EXPECT_EQ(table.find(SomeKeys(kind, numbers)), Ids(numbers.size(), -1));
      }
      ASSERT_EQ(table.size(), expected.size());
    }
    Numbers all;
    Ids ids;
    for (const auto& [number, id] : expected) {
      all.push_back(number);
      ids.push_back(static_cast<std::int64_t>(id));
    }
    EXPECT_EQ(table.find(SomeKeys(kind, all)), ids);
    EXPECT_TRUE(same_keys(table.keys(ids).span(), SomeKeys(kind, all)));
    EXPECT_EQ(table.find(SomeKeys(kind, {5000})), Ids{-1});
  }
}

TEST(KeyTable, ReleasesTheMemoryOfRemovedKeys) {
  KeyTable table(KeyKind::bytes);
  std::uint64_t most = 0;
  for (std::uint64_t round = 0; round < 50; ++round) {
    Numbers numbers;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      numbers.push_back(round * 2000 + i);
      ids.push_back(round * 2000 + i);
    }
    table.add(SomeKeys(KeyKind::bytes, numbers), ids);
    if (round == 2) most = table.bytes();
    table.remove(SomeKeys(KeyKind::bytes, numbers));
  }
  EXPECT_LE(table.bytes(), most);
}

TEST(KeyTable, RefusesDuplicatesAndUnknownKeysAndChangesNothing) {
  for (const KeyKind kind : kinds) {
    KeyTable table(kind);
    table.add(SomeKeys(kind, {1, 2}), std::vector<std::uint64_t>{10, 20});
    const auto add = [&](const Numbers& numbers, const std::vector<std::uint64_t>& ids) {
      return Testing::message_of<InvalidArgument>([&] { table.add(SomeKeys(kind, numbers), ids); });
    };
    EXPECT_THAT(add({3, 1}, {30, 40}), HasSubstr("already there"));
    EXPECT_THAT(add({3, 3}, {30, 40}), HasSubstr("listed twice"));
    EXPECT_THAT(add({3, 4}, {30, 20}), HasSubstr("id 20 already has a key"));
    EXPECT_THAT(add({3, 4}, {30}), HasSubstr("1 ids are given for 2 keys"));
    EXPECT_THAT(add({3}, {std::uint64_t{1} << 63U}), HasSubstr("below 2⁶³"));
    const KeyKind other = kind == KeyKind::integer ? KeyKind::bytes : KeyKind::integer;
    EXPECT_THROW((void)table.find(SomeKeys(other, {1})), InvalidArgument);
    EXPECT_THROW(table.remove(SomeKeys(other, {1})), InvalidArgument);
    EXPECT_THROW(table.remove(SomeKeys(kind, {1, 3})), NotFound);
    EXPECT_THROW(table.remove(SomeKeys(kind, {1, 1})), NotFound);
    EXPECT_THROW((void)table.keys(Ids{10, 11}), NotFound);
    EXPECT_THROW((void)table.keys(Ids{-1}), NotFound);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(table.find(SomeKeys(kind, {1, 2, 3, 4})), (Ids{10, 20, -1, -1}));
  }
}

TEST(KeyTable, IsUnchangedWhereAnAllocationFails) {
  for (const KeyKind kind : kinds) {
    KeyTable table(kind);
    Numbers numbers;
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 40; ++i) {
      numbers.push_back(i);
      ids.push_back(i);
    }
    const SomeKeys keys(kind, numbers);
    const std::size_t failures = Testing::fail_every_allocation(
        0, [&] { table.add(keys, ids); },
        [&](std::size_t k) {
          EXPECT_EQ(table.size(), 0U) << k;
          EXPECT_EQ(table.find(keys), Ids(40, -1)) << k;
        });
    EXPECT_GT(failures, 20U);
    EXPECT_EQ(table.size(), 40U);
    EXPECT_TRUE(same_keys(table.keys(Ids(ids.begin(), ids.end())).span(), keys));
  }
}

TEST(KeyTable, IsRestoredFromItsFile) {
  const Testing::TempFolder folder;
  for (const KeyKind kind : kinds) {
    for (const std::size_t size : {0, 1, 3, 1000}) {
      KeyTable table(kind);
      Numbers numbers;
      std::vector<std::uint64_t> ids;
      for (std::uint64_t i = 0; i < size; ++i) {
        numbers.push_back((i * 7919) % 1'000'003);
        ids.push_back(3 * size - 3 * i);
      }
      const SomeKeys keys(kind, numbers);
      table.add(keys, ids);
      table.save(folder / "keys");
      const KeyTable loaded = KeyTable::load(folder / "keys");
      EXPECT_EQ(loaded.kind(), kind);
      EXPECT_EQ(loaded.size(), size);
      EXPECT_EQ(loaded.find(keys), Ids(ids.begin(), ids.end()));
      const std::vector<std::byte> bytes = table.to_bytes();
      EXPECT_EQ(Testing::read_all(folder / "keys"),
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      const KeyTable copied = KeyTable::from_bytes(bytes);
      EXPECT_EQ(copied.kind(), kind);
      EXPECT_EQ(copied.find(keys), Ids(ids.begin(), ids.end()));
      EXPECT_EQ(copied.to_bytes(), bytes);
    }
  }
  std::string bytes = Testing::read_all(folder / "keys");
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_THROW((void)KeyTable::load(folder.write("changed", changed)), CorruptFile) << at;
  }
  EXPECT_THROW((void)KeyTable::load(folder.write("short", bytes.substr(0, 300))), CorruptFile);
  EXPECT_THROW((void)KeyTable::load(folder / "absent"), NotFound);
}

TEST(KeyTable, DamagedBytesAreRefused) {
  for (const KeyKind kind : kinds) {
    KeyTable table(kind);
    table.add(SomeKeys(kind, {4, 30, 7}), std::vector<std::uint64_t>{2, 3, 9});
    const std::vector<std::byte> whole = table.to_bytes();
    const auto refused = [](const std::vector<std::byte>& damaged) {
      EXPECT_THROW((void)KeyTable::from_bytes(damaged), CorruptFile);
    };
    Testing::for_each_beginning(whole, refused);
    Testing::for_each_flipped_bit(whole, 7, refused);
    refused({});
  }
}

TEST(KeyTable, AForgedFileIsRefusedOrIsATable) {
  const Testing::TempFolder folder;
  for (const KeyKind kind : kinds) {
    KeyTable table(kind);
    table.add(SomeKeys(kind, {4, 30, 7}), std::vector<std::uint64_t>{2, 3, 9});
    table.save(folder / "keys");
    const std::string bytes = Testing::read_all(folder / "keys");
    std::size_t tried = 0;
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 5) {
      for (const int change : {0x01, 0x80}) {
        ++tried;
        std::string forged = bytes;
        forged[at] = static_cast<char>(forged[at] ^ change);
        Testing::reseal(forged);
        try {
          const KeyTable loaded = KeyTable::load(folder.write("forged", forged));
          const Ids ids = loaded.find(SomeKeys(loaded.kind(), {4, 30, 7}));
          EXPECT_EQ(ids.size(), 3U);
        } catch (const CorruptFile&) {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, tried / 4);
  }
}

TEST(KeyTable, ReadersSeeWholeChanges) {
  KeyTable table(KeyKind::integer);
  std::atomic<bool> is_done{false};
  std::atomic<bool> is_wrong{false};
  Numbers numbers;
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < 64; ++i) {
    numbers.push_back(i);
    ids.push_back(i + 100);
  }
  const SomeKeys keys(KeyKind::integer, numbers);
  std::thread reader([&] {
    while (!is_done) {
      const Ids found = table.find(keys);
      const bool has_all = found == Ids(ids.begin(), ids.end());
      if (!has_all && found != Ids(64, -1)) is_wrong = true;
    }
  });
  for (int i = 0; i < 200; ++i) {
    table.add(keys, ids);
    table.remove(keys);
  }
  is_done = true;
  reader.join();
  EXPECT_FALSE(is_wrong);
}

}  // namespace KeysTest
