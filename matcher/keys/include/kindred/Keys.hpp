// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_KEYS_HPP
#define KINDRED_KEYS_HPP

// All public headers of Kindred::keys.
#include <kindred/matcher/KeySpan.hpp>
#include <kindred/matcher/KeyedVectorIndex.hpp>

#endif  // KINDRED_KEYS_HPP
