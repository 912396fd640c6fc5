// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_VOCABULARY_HPP
#define KINDRED_C_VOCABULARY_HPP

#include <kindred/matcher/Vocabulary.hpp>

#include "Handle.hpp"

#include <span>
#include <string_view>

namespace Kindred::C {

KINDRED_C_HANDLE(vocabulary, Vocabulary);

inline Vocabulary& vocabulary_of(const kindred_vocabulary* vocabulary) {
  return object_of(vocabulary, "vocabulary");
}
/// A vocabulary in which text i has the number i. \throws InvalidArgument for a text that occurs
/// twice
Vocabulary vocabulary_of(std::span<const std::string_view> texts);

}  // namespace Kindred::C

#endif  // KINDRED_C_VOCABULARY_HPP
