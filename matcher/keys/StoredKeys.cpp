// SPDX-License-Identifier: Apache-2.0
#include "StoredKeys.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace Kindred::Impl {

std::vector<std::size_t> slots_by_id(const KeyStore& store) {
  std::vector<std::size_t> slots(store.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::sort(slots.begin(), slots.end(),
            [&](std::size_t a, std::size_t b) { return store.id(a) < store.id(b); });
  return slots;
}

void write_keys(SectionWriter& writer, const KeyList& keys) {
  if (keys.kind == KeyKind::integer) {
    writer.write<std::uint64_t>("key.integer", keys.integers);
    return;
  }
  writer.write<std::uint8_t>(
      "key.byte",
      {reinterpret_cast<const std::uint8_t*>(keys.bytes.values.data()), keys.bytes.values.size()});
  writer.write<std::uint64_t>("key.end", std::span(keys.bytes.offsets).subspan(1));
}

bool has_keys(const SectionChecks& checks) {
  return checks.has("key.integer") || checks.has("key.end");
}

StoredKeys::StoredKeys(const SectionChecks& checks, std::uint64_t count)
    : is_integer(checks.has("key.integer")) {
  if (is_integer) {
    integers = checks.section<std::uint64_t>("key.integer");
    checks.count<std::uint64_t>("key.integer", integers, count);
    return;
  }
  const auto text = checks.section<std::uint8_t>("key.byte");
  const std::span<const std::uint64_t> ends = checks.section<std::uint64_t>("key.end");
  checks.count<std::uint64_t>("key.end", ends, count);
  checks.ends("key.end", ends, text.size());
  offsets.reserve(ends.size() + 1);
  offsets.push_back(0);
  offsets.insert(offsets.end(), ends.begin(), ends.end());
  bytes.values = {reinterpret_cast<const char*>(text.data()), text.size()};
}

KeySpan StoredKeys::span() const {
  if (is_integer) return KeySpan(integers);
  return KeySpan(RaggedSpan<char>{offsets, bytes.values});
}

}  // namespace Kindred::Impl
