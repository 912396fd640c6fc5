// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "Allocations.hpp"
#include "KeySupport.hpp"
#include "Support.hpp"
#include "keys/KeyParts.hpp"

namespace KeysTest {

using Impl::KeyParts;
using Impl::KeyStore;

void add(KeyParts& parts, const KeySpan& keys, const Numbers& ids) {
  KeyStore added(parts.kind());
  for (std::size_t i = 0; i < ids.size(); ++i) added.add(keys, i, ids[i]);
  parts = parts.with(std::move(added));
}
void remove(KeyParts& parts, const KeySpan& keys) {
  parts = parts.without(Impl::ids_to_remove(keys, Impl::ids_of(parts, keys)));
}
template <class Keys>
KeyList keys_of(const Keys& of, const Ids& ids) {
  KeyList keys;
  keys.kind = of.kind();
  for (const std::int64_t id : ids) {
    if constexpr (std::is_same_v<Keys, KeyStore>)
      of.append_key(*of.find_id(static_cast<std::uint64_t>(id)), keys);
    else
      of.append_key(static_cast<std::uint64_t>(id), keys);
  }
  return keys;
}

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

TEST(KeyParts, FollowAMapThroughRandomChanges) {
  auto random = Testing::generator("changes");
  for (const KeyKind kind : kinds) {
    KeyParts store{KeyStore(kind)};
    std::map<std::uint64_t, std::uint64_t> expected;
    std::uint64_t next_id = 0;
    for (int step = 0; step < 300; ++step) {
      Numbers numbers;
      Numbers ids;
      if (step % 3 != 2 || expected.size() < 50) {
        for (std::size_t i = 0, count = random() % 40; i < count; ++i) {
          const std::uint64_t number = random() % 3000;
          if (!expected.emplace(number, next_id).second) continue;
          numbers.push_back(number);
          ids.push_back(next_id);
          next_id += 1 + random() % 3;
        }
        add(store, SomeKeys(kind, numbers), ids);
      } else {
        for (std::size_t i = 0, count = random() % 50; i < count; ++i) {
          auto at = expected.lower_bound(random() % 3000);
          if (at == expected.end()) continue;
          numbers.push_back(at->first);
          expected.erase(at);
        }
        remove(store, SomeKeys(kind, numbers));
        EXPECT_EQ(Impl::ids_of(store, SomeKeys(kind, numbers)), Ids(numbers.size(), -1));
      }
      ASSERT_EQ(store.size(), expected.size());
    }
    Numbers all;
    Ids ids;
    for (const auto& [number, id] : expected) {
      all.push_back(number);
      ids.push_back(static_cast<std::int64_t>(id));
    }
    EXPECT_EQ(Impl::ids_of(store, SomeKeys(kind, all)), ids);
    EXPECT_TRUE(same_keys(keys_of(store, ids).span(), SomeKeys(kind, all)));
    EXPECT_EQ(Impl::ids_of(store, SomeKeys(kind, {5000})), Ids{-1});
  }
}

TEST(KeyParts, ReleaseTheMemoryOfRemovedKeys) {
  KeyParts store{KeyStore(KeyKind::bytes)};
  std::uint64_t most = 0;
  for (std::uint64_t round = 0; round < 50; ++round) {
    Numbers numbers;
    Numbers ids;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      numbers.push_back(round * 2000 + i);
      ids.push_back(round * 2000 + i);
    }
    add(store, SomeKeys(KeyKind::bytes, numbers), ids);
    if (round == 2) most = store.bytes();
    remove(store, SomeKeys(KeyKind::bytes, numbers));
  }
  EXPECT_LE(store.bytes(), most);
}

TEST(KeyParts, RefuseKeysOfAnotherKindAndUnknownOnes) {
  for (const KeyKind kind : kinds) {
    KeyParts store{KeyStore(kind)};
    add(store, SomeKeys(kind, {1, 2}), {10, 20});
    const KeyKind other = kind == KeyKind::integer ? KeyKind::bytes : KeyKind::integer;
    EXPECT_THROW((void)Impl::ids_of(store, SomeKeys(other, {1})), InvalidArgument);
    EXPECT_THROW(remove(store, SomeKeys(other, {1})), InvalidArgument);
    EXPECT_THROW(remove(store, SomeKeys(kind, {1, 3})), NotFound);
    EXPECT_THROW(remove(store, SomeKeys(kind, {1, 1})), NotFound);
    EXPECT_EQ(store.size(), 2U);
    EXPECT_EQ(Impl::ids_of(store, SomeKeys(kind, {1, 2, 3, 4})), (Ids{10, 20, -1, -1}));
  }
}

TEST(KeyStore, IsUnchangedWhereAnAllocationFails) {
  for (const KeyKind kind : kinds) {
    KeyStore store(kind);
    Numbers numbers;
    for (std::uint64_t i = 0; i < 40; ++i) numbers.push_back(i);
    const SomeKeys keys(kind, numbers);
    std::size_t failures = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      failures += Testing::fail_every_allocation(
          0,
          [&] { Impl::translating_out_of_memory("add", [&] { store.add(keys, i, numbers[i]); }); },
          [&](std::size_t k) {
            EXPECT_EQ(store.size(), i) << k;
            EXPECT_FALSE(store.find(keys, i).has_value()) << k;
            EXPECT_FALSE(store.find_id(numbers[i]).has_value()) << k;
          });
    }
    EXPECT_GT(failures, 20U);
    EXPECT_EQ(store.size(), 40U);
    EXPECT_TRUE(same_keys(keys_of(store, Ids(numbers.begin(), numbers.end())).span(), keys));
  }
}

}  // namespace KeysTest
