// SPDX-License-Identifier: Apache-2.0
// The functions of kindred.h: each calls the implementation that owns its first handle, within the
// cancellation of the calling thread.
#include <kindred/Version.hpp>

#include "Cancellation.hpp"
#include "Errors.hpp"
#include "FunctionTable.hpp"
#include "Handle.hpp"
#include "Library.hpp"

namespace Kindred::C {

const Functions& own_functions() noexcept {
  static constexpr Functions functions{
      sizeof(Functions),
      KINDRED_VERSION,
      [](std::optional<Cancellation::Scope>& scope, Cancellation& cancellation) noexcept {
        scope.emplace(cancellation);
      },
      [](std::optional<Cancellation::Scope>& scope) noexcept { scope.reset(); },
#define KINDRED_C_FUNCTION(type, name, parameters, arguments, handle, kinds) &C::name,
#define KINDRED_C_CHOOSING_FUNCTION KINDRED_C_FUNCTION
#include "Functions.inc"
#undef KINDRED_C_FUNCTION
#undef KINDRED_C_CHOOSING_FUNCTION
  };
  return functions;
}

namespace {

const Functions& functions_of(const void* handle) noexcept {
  return handle == nullptr ? own_functions() : *static_cast<const Slot*>(handle)->functions;
}

}  // namespace

std::uint32_t kindred_version() noexcept { return KINDRED_VERSION; }
const char* kindred_version_string() noexcept { return KINDRED_VERSION_STRING; }

}  // namespace Kindred::C

extern "C" {

const Kindred::C::Functions* kindred_c_functions(const Kindred::C::Opener* opener) noexcept {
  // A library that opens itself stays as it is.
  if (opener->store_error != &Kindred::C::store_error) {
    Kindred::C::pass_errors_to(opener->store_error);
    Kindred::C::set_library_names({opener->name, opener->why});
  }
  return &Kindred::C::own_functions();
}

#define KINDRED_C_FUNCTION(type, name, parameters, arguments, handle, kinds)   \
  type name parameters noexcept {                                              \
    const Kindred::C::Functions& functions = Kindred::C::functions_of(handle); \
    const Kindred::C::CallScope<decltype(handle)> scope(functions);            \
    return functions.name arguments;                                           \
  }
#define KINDRED_C_CHOOSING_FUNCTION(type, name, parameters, arguments, handle, kinds) \
  type name parameters noexcept {                                                     \
    const Kindred::C::Functions* functions = nullptr;                                 \
    const kindred_status status =                                                     \
        Kindred::C::guarded([&] { functions = &Kindred::C::chosen_functions(); });    \
    if (status != KINDRED_OK) return status;                                          \
    const Kindred::C::CallScope<> scope(*functions);                                  \
    return functions->name arguments;                                                 \
  }
#include "Functions.inc"
#undef KINDRED_C_FUNCTION
#undef KINDRED_C_CHOOSING_FUNCTION

}  // extern "C"
