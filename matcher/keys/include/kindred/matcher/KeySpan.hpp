// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KEY_SPAN_HPP
#define KINDRED_MATCHER_KEY_SPAN_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// What the keys of a caller are.
enum class KeyKind : std::uint8_t {
  integer,  ///< integers of 64 bits
  bytes     ///< byte strings of any length, such as texts or UUIDs, including the empty one
};
template <>
inline constexpr auto enum_names<KeyKind> = std::to_array<std::string_view>({"integer", "bytes"});

/// \brief Non-owning list of keys of one kind.
class KeySpan {
 public:
  /// No keys of \p kind.
  explicit KeySpan(KeyKind kind) noexcept : m_kind(kind) {}
  KeySpan(std::span<const std::uint64_t> keys) noexcept  // NOLINT(google-explicit-constructor)
      : m_integers(keys), m_size(keys.size()) {}
  /// Byte strings of different lengths, row by row.
  /// \throws InvalidArgument for offsets that do not start at 0, decrease, or end beyond the values
  KeySpan(RaggedSpan<char> keys);  // NOLINT(google-explicit-constructor)
  /// Byte strings of different lengths.
  KeySpan(std::span<const std::string_view> keys) noexcept  // NOLINT(google-explicit-constructor)
      : m_kind(KeyKind::bytes), m_texts(keys), m_size(keys.size()) {}
  /// \brief Byte strings of \p width bytes each, one after the other; 16 for UUIDs.
  /// \throws InvalidArgument if \p width is 0 or the size is not a multiple of it
  static KeySpan of_width(std::span<const std::byte> keys, std::size_t width);

  KeyKind kind() const noexcept { return m_kind; }
  std::size_t size() const noexcept { return m_size; }
  /// Key \p i, of integers.
  std::uint64_t integer(std::size_t i) const noexcept { return m_integers[i]; }
  /// Key \p i, of byte strings.
  std::string_view bytes(std::size_t i) const noexcept;

 private:
  KeyKind m_kind = KeyKind::integer;
  std::span<const std::uint64_t> m_integers;
  std::span<const std::string_view> m_texts;
  RaggedSpan<char> m_ragged;
  std::span<const char> m_fixed;
  std::size_t m_width = 0;
  std::size_t m_size = 0;
};

/// \brief Owned keys of one kind.
struct KeyList {
  KeyKind kind = KeyKind::integer;
  std::vector<std::uint64_t> integers;  ///< of the kind `integer`
  Ragged<char> bytes;                   ///< of the kind `bytes`, one row per key

  std::size_t size() const noexcept {
    return kind == KeyKind::integer ? integers.size() : bytes.rows();
  }
  KeySpan span() const {
    return kind == KeyKind::integer ? KeySpan(std::span(integers))
                                    : KeySpan(RaggedSpan<char>(bytes));
  }
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_KEY_SPAN_HPP
