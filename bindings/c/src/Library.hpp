// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_LIBRARY_HPP
#define KINDRED_C_LIBRARY_HPP

#include "FunctionTable.hpp"

namespace Kindred::C {

/// \brief The functions of the library that serves the contexts of this process: the built-in one,
/// or the one for its GPU, which the first call opens.
/// \throws SpaceUnavailable if KINDRED_LIBRARY names a library that cannot be used
const Functions& chosen_functions();

/// The library that serves this implementation, and why; set by whoever has opened it.
struct LibraryNames {
  const char* name;
  const char* why;
};
LibraryNames library_names() noexcept;
void set_library_names(LibraryNames names) noexcept;

}  // namespace Kindred::C

#endif  // KINDRED_C_LIBRARY_HPP
