// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_VOCABULARY_HPP
#define KINDRED_C_VOCABULARY_HPP

#include <kindred/matcher/Vocabulary.hpp>

#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(vocabulary, Vocabulary);

}  // namespace Kindred::C

#endif  // KINDRED_C_VOCABULARY_HPP
