// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_KEYS_HPP
#define KINDRED_C_KEYS_HPP

#include <kindred/matcher/KeySpan.hpp>

#include <kindred.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::C {

/// A view of \p keys for C.
kindred_key_span key_span_of(const KeyList& keys);

/// \brief The keys of the caller, in any form.
class KeyArgument {
 public:
  /// \param name of the parameter \throws InvalidArgument
  KeyArgument(const kindred_key_span* keys, const char* name);

  std::size_t size() const noexcept {
    return m_kind == KeyKind::integer ? m_integers.size() : m_texts.size();
  }
  /// The keys [begin, end).
  KeySpan part(std::size_t begin, std::size_t end) const noexcept;
  operator KeySpan() const noexcept {  // NOLINT(google-explicit-constructor): a view of itself
    return part(0, size());
  }

 private:
  KeyKind m_kind;
  std::span<const std::uint64_t> m_integers;
  std::vector<std::string_view> m_texts;
};

}  // namespace Kindred::C

#endif  // KINDRED_C_KEYS_HPP
