// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_VALID_STRUCTS_HPP
#define KINDRED_TESTS_C_VALID_STRUCTS_HPP

#include <kindred.h>

#include <cstdint>
#include <type_traits>

namespace Kindred::Testing {

/// A struct that calls accept: the defaults, or what they need.
template <class Struct>
Struct valid_struct() {
  Struct out{};
  out.struct_size = sizeof(std::size_t);  // the others have the defaults
  if constexpr (std::is_same_v<Struct, kindred_key_span>) {
    static const std::uint64_t key = 1;  // of the tables and indexes of the fixture
    out = kindred_key_span KINDRED_KEY_SPAN_INIT;
    out.count = 1;
    out.integers = &key;
  }
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_VALID_STRUCTS_HPP
