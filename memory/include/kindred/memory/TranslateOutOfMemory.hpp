// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP
#define KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP

#include <kindred/core/common/Error.hpp>

namespace Kindred::Impl {

/// \brief Called in the exception handler of a public function: rethrows the current exception, or
/// `OutOfMemory` in place of those that containers throw when memory runs out.
///
/// Every public function that can allocate ends in this handler, since containers allocate host
/// memory that no resource counts. It is that of the function itself, so locks are released and
/// constructed members destroyed before.
/// \param what the function, `Kindred::Class::method`, used as label
[[noreturn]] void rethrow_translated(const char* what);

/// \brief Runs \p body with the same translation.
template <class Body>
decltype(auto) translating_out_of_memory(const char* what, const Body& body) {
  try {
    return body();
  } catch (...) {
    rethrow_translated(what);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MEMORY_TRANSLATE_OUT_OF_MEMORY_HPP
