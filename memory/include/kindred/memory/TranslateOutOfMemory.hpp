// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP
#define KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP

#include <kindred/core/common/Error.hpp>

#include <new>
#include <stdexcept>

namespace Kindred::Impl {

/// \brief Runs \p body, whose containers allocate host memory that no resource counts.
/// \param what the operation, `Kindred::Class::method`, used as label
/// \throws OutOfMemory in place of the exceptions that containers throw when memory runs out
template <class Body>
decltype(auto) translating_out_of_memory(const char* what, const Body& body) {
  constexpr const char* why = "the host has no memory left";
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("host", 0, what, why);
  } catch (const std::length_error&) {
    throw OutOfMemory("host", 0, what, why);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP
