// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_GIVEN_HPP
#define KINDRED_TESTS_C_GIVEN_HPP

#include <kindred.h>

#include <bit>
#include <cstddef>
#include <cstdint>

/// \brief Structs of C with their defaults, of which members can be named:
/// `const kindred_search_options options = Given::search_options{.top = 3};`
namespace Kindred::Testing::Given {

#include <Given.inc>
/// The only one of calls that no description has.
struct key_span {
  std::size_t struct_size = sizeof(kindred_key_span);
  std::uint64_t count = 0;
  const std::uint64_t* integers = nullptr;
  const kindred_text* texts = nullptr;
  const char* bytes = nullptr;
  const std::uint64_t* offsets = nullptr;
  std::uint64_t width = 0;
  std::int32_t kind = KINDRED_KEYS_INTEGERS;
  std::int32_t reserved = 0;
  operator kindred_key_span() const { return std::bit_cast<kindred_key_span>(*this); }
};

}  // namespace Kindred::Testing::Given

#endif  // KINDRED_TESTS_C_GIVEN_HPP
