// SPDX-License-Identifier: Apache-2.0
// Lists and tables of keys.
#include "Keys.hpp"

#include <kindred/matcher/KeyTable.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Strings.hpp"

#include <limits>
#include <string>

namespace Kindred::C {

KINDRED_C_HANDLE(keys, KeyList);
KINDRED_C_HANDLE(key_table, KeyTable);

KeyKind key_kind_of(std::int32_t kind) { return enum_of<KeyKind>(kind, 2, "kind"); }

kindred_key_span key_span_of(const KeyList& keys) {
  kindred_key_span out = KINDRED_KEY_SPAN_INIT;
  out.count = keys.size();
  out.kind = static_cast<std::int32_t>(keys.kind);
  if (keys.kind == KeyKind::integer) {
    out.integers = keys.integers.data();
  } else {
    out.bytes = keys.bytes.values.data();
    out.offsets = keys.bytes.offsets.data();
  }
  return out;
}

KeyArgument::KeyArgument(const kindred_key_span* keys, const char* name) : m_kind() {
  require(keys, name);
  const kindred_key_span given = options_of(keys, kindred_key_span KINDRED_KEY_SPAN_INIT, name);
  const std::string prefix = std::string(name) + ".";
  check_reserved(given.reserved, name);
  m_kind = key_kind_of(given.kind);
  if (m_kind == KeyKind::integer) {
    KINDRED_C_REFUSE_IF(given.texts != nullptr || given.bytes != nullptr ||
                            given.offsets != nullptr || given.width != 0,
                        prefix + "kind is KINDRED_KEYS_INTEGERS, but byte strings are given");
    m_integers = span_of(given.integers, given.count, (prefix + "integers").c_str());
    return;
  }
  KINDRED_C_REFUSE_IF(given.integers != nullptr,
                      prefix + "kind is KINDRED_KEYS_BYTES, but integers are given");
  KINDRED_C_REFUSE_IF((given.texts != nullptr ? 1 : 0) + (given.offsets != nullptr ? 1 : 0) +
                              (given.width != 0 ? 1 : 0) >
                          1,
                      prefix +
                          "texts, offsets and width are forms of byte strings, of which one "
                          "must be given");
  KINDRED_C_REFUSE_IF(given.texts != nullptr && given.bytes != nullptr,
                      prefix + "texts and bytes are given; byte strings have one form");
  if (given.count == 0) return;
  if (given.texts != nullptr) {
    m_texts = texts_of(given.texts, given.count, (prefix + "texts").c_str());
  } else if (given.offsets != nullptr) {
    const auto rows =
        ragged_of(given.bytes, given.offsets, given.count, (prefix + "bytes").c_str());
    m_texts.reserve(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      m_texts.emplace_back(rows[i].data(), rows[i].size());
  } else {
    KINDRED_C_REFUSE_IF(given.width == 0,
                        prefix +
                            "kind is KINDRED_KEYS_BYTES, but neither texts nor offsets nor a "
                            "width are given");
    KINDRED_C_REFUSE_IF(given.count > std::numeric_limits<std::uint64_t>::max() / given.width,
                        std::to_string(given.count) + " keys of " + std::to_string(given.width) +
                            " bytes exceed the memory");
    const std::span<const char> bytes =
        span_of(given.bytes, given.count * given.width, (prefix + "bytes").c_str());
    m_texts.reserve(given.count);
    for (std::size_t i = 0; i < given.count; ++i)
      m_texts.emplace_back(bytes.data() + i * given.width, given.width);
  }
}

KeySpan KeyArgument::part(std::size_t begin, std::size_t end) const noexcept {
  if (m_kind == KeyKind::integer) return m_integers.subspan(begin, end - begin);
  return std::span(m_texts).subspan(begin, end - begin);
}

// Lists

kindred_status kindred_keys_get(const kindred_keys* keys, kindred_key_span* span) noexcept {
  return guarded([&] {
    const KeyList& object = object_of(keys, "keys");
    check_output(span, "span");
    write_output(span, key_span_of(object));
  });
}

kindred_status kindred_keys_destroy(kindred_keys* keys) noexcept {
  return destroy_handle(keys, "keys");
}

// KeyTable

kindred_status kindred_key_table_create(std::int32_t kind, kindred_key_table** table) noexcept {
  return guarded([&] {
    require(table, "table");
    *table = make_handle_of<kindred_key_table>(KeyTable(key_kind_of(kind)));
  });
}

kindred_status kindred_key_table_load(const char* path, kindred_key_table** table) noexcept {
  return guarded([&] {
    require(table, "table");
    *table = make_handle_of<kindred_key_table>(KeyTable::load(path_of(path)));
  });
}

kindred_status kindred_key_table_from_bytes(const std::uint8_t* bytes, std::size_t size,
                                            kindred_key_table** table) noexcept {
  return guarded([&] {
    require(table, "table");
    *table = make_handle_of<kindred_key_table>(
        KeyTable::from_bytes(std::as_bytes(span_of(bytes, size, "bytes"))));
  });
}

kindred_status kindred_key_table_destroy(kindred_key_table* table) noexcept {
  return destroy_handle(table, "table");
}

kindred_status kindred_key_table_add(kindred_key_table* table, const kindred_key_span* keys,
                                     const std::uint64_t* ids) noexcept {
  return guarded([&] {
    KeyTable& object = object_of(table, "table");
    const KeyArgument given(keys, "keys");
    object.add(given, span_of(ids, given.size(), "ids"));
  });
}

kindred_status kindred_key_table_remove(kindred_key_table* table,
                                        const kindred_key_span* keys) noexcept {
  return guarded([&] {
    KeyTable& object = object_of(table, "table");
    object.remove(KeyArgument(keys, "keys"));
  });
}

kindred_status kindred_key_table_find(const kindred_key_table* table, const kindred_key_span* keys,
                                      std::int64_t* ids) noexcept {
  return guarded([&] {
    const KeyTable& object = object_of(table, "table");
    const KeyArgument given(keys, "keys");
    const std::span<std::int64_t> out = span_of(ids, given.size(), "ids");
    const std::vector<std::int64_t> found = object.find(given);
    std::copy(found.begin(), found.end(), out.begin());
  });
}

kindred_status kindred_key_table_keys(const kindred_key_table* table, const std::int64_t* ids,
                                      std::size_t count, kindred_keys** keys) noexcept {
  return guarded([&] {
    const KeyTable& object = object_of(table, "table");
    require(keys, "keys");
    *keys = make_handle_of<kindred_keys>(object.keys(span_of(ids, count, "ids")));
  });
}

kindred_status kindred_key_table_get_statistics(const kindred_key_table* table,
                                                kindred_key_table_statistics* statistics) noexcept {
  return guarded([&] {
    const KeyTable& object = object_of(table, "table");
    check_output(statistics, "statistics");
    write_output(statistics, kindred_key_table_statistics{
                                 sizeof(kindred_key_table_statistics), object.size(),
                                 object.bytes(), static_cast<std::int32_t>(object.kind()), 0});
  });
}

kindred_status kindred_key_table_save(const kindred_key_table* table, const char* path) noexcept {
  return guarded([&] { object_of(table, "table").save(path_of(path)); });
}

kindred_status kindred_key_table_to_bytes(const kindred_key_table* table,
                                          kindred_string** bytes) noexcept {
  return guarded([&] {
    const KeyTable& object = object_of(table, "table");
    require(bytes, "bytes");
    *bytes = make_string(object.to_bytes());
  });
}

}  // namespace Kindred::C
