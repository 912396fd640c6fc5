// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEED_IMPL_SEED_ELEMENTS_HPP
#define KINDRED_CORE_SEED_IMPL_SEED_ELEMENTS_HPP

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Error.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace Kindred::Impl {

/// Calls `function` with the type of \p element. \throws InvalidArgument for one that seeds cannot
/// have
template <class Function>
void with_seed_element(DataType element, const Function& function) {
  switch (element) {
    case DataType::float32:
      return function(std::type_identity<float>());
    case DataType::float16:
      return function(std::type_identity<Arch::Float16>());
    case DataType::bfloat16:
      return function(std::type_identity<Arch::BFloat16>());
    default:
      break;
  }
  KINDRED_THROW_IF(true, "seeds support float32, float16 and bfloat16 elements, not " +
                             std::string(to_string(element)));
}

/// Whether rows can be read and written four elements at a time.
template <class Element>
bool in_vec4(const Element* data, std::uint64_t stride) {
  return rows_begin_at(4 * sizeof(Element), data, stride);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEED_IMPL_SEED_ELEMENTS_HPP
