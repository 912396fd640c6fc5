// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_FUNCTION_TABLE_HPP
#define KINDRED_C_FUNCTION_TABLE_HPP

#include <kindred/core/common/Cancellation.hpp>

#include <kindred.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace Kindred::C {

/// \brief The functions of kindred.h as one implementation provides them. A process has the
/// built-in one and, if it uses a GPU, that of the library that was opened for it.
struct Functions {
  std::size_t size;       ///< of this struct
  std::uint32_t version;  ///< of Kindred
  /// Make and end a scope in the implementation, whose threads have scopes of their own.
  void (*begin_scope)(std::optional<Cancellation::Scope>& scope,
                      Cancellation& cancellation) noexcept;
  void (*end_scope)(std::optional<Cancellation::Scope>& scope) noexcept;
#define KINDRED_C_FUNCTION(type, name, parameters, arguments, handle, kinds) \
  type(*name) parameters noexcept;
#define KINDRED_C_CHOOSING_FUNCTION KINDRED_C_FUNCTION
#include "Functions.inc"
#undef KINDRED_C_FUNCTION
};

// The built-in implementation. The functions of the same names outside of the namespace call it, or
// another one (Forward.cpp).
#define KINDRED_C_FUNCTION(type, name, parameters, arguments, handle, kinds) \
  type name parameters noexcept;
#include "Functions.inc"
#undef KINDRED_C_FUNCTION
#undef KINDRED_C_CHOOSING_FUNCTION

/// What a library that is opened learns from the one that opens it.
struct Opener {
  void (*store_error)(const char* message);  ///< receives the messages of failed calls
  const char* name;                          ///< of the library that was chosen
  const char* why;                           ///< it was chosen
};

/// The table of the built-in implementation.
const Functions& own_functions() noexcept;

}  // namespace Kindred::C

/// \brief The entry of a library that another one opens. Not a part of the interface.
/// \param opener must stay valid
extern "C" KINDRED_API const Kindred::C::Functions* kindred_c_functions(
    const Kindred::C::Opener* opener) noexcept;

#endif  // KINDRED_C_FUNCTION_TABLE_HPP
