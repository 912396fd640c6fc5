// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_KEYS_HPP
#define KINDRED_C_KEYS_HPP

#include <kindred/matcher/KeyedVectorIndex.hpp>

#include <kindred.h>

#include "Handle.hpp"
#include "Results.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::C {

KINDRED_C_ENGINE(keyed_index, KeyedVectorIndex)

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

/// One list of keys for each of \p rows. \throws InvalidArgument
std::vector<KeySpan> lists_of(const KeyArgument& keys, const std::uint64_t* offsets,
                              std::size_t rows);

/// \param rows number of queries
Results results_of(KeyedScoreResults found, std::size_t rows);
/// The same without the slots that no row has filled.
Results results_of(const KeyedSearchResults& found, std::size_t rows);

}  // namespace Kindred::C

#endif  // KINDRED_C_KEYS_HPP
