// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_ERRORS_HPP
#define KINDRED_C_ERRORS_HPP

#include <kindred.h>

#include <initializer_list>
#include <string>

namespace Kindred::C {

/// Stores the message of a failed call of this thread.
void store_error(const char* message) noexcept;
/// Passes messages to \p store, too, which belongs to a library that has opened this one.
void pass_errors_to(void (*store)(const char* message)) noexcept;

/// Called in an exception handler: stores the message of the exception and returns its status. This
/// is the only place where exceptions become statuses.
kindred_status status_of_exception() noexcept;

/// Runs \p body, which throws what C++ calls of Kindred throw.
template <class Body>
kindred_status guarded(const Body& body) noexcept {
  try {
    body();
    return KINDRED_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// \throws InvalidArgument with \p message
[[noreturn]] void refuse(const std::string& message);
/// \throws InvalidArgument if a pointer is null. \param name of the parameter
inline void require(const void* pointer, const char* name) {
  if (pointer == nullptr) refuse(std::string(name) + " is NULL");
}
struct NamedPointer {
  const void* pointer;
  const char* name;  ///< of the parameter
};
/// The same for several pointers.
inline void require_all(std::initializer_list<NamedPointer> pointers) {
  for (const auto& [pointer, name] : pointers) require(pointer, name);
}
template <class Function>
void require_callback(Function* function, const char* name) {
  if (function == nullptr) refuse(std::string(name) + " is NULL");
}
/// \throws Cancelled if a callback returned nonzero
void cancel_if(int returned, const char* callback);

}  // namespace Kindred::C

/// Refuses a call with a message, which is made only then, if a condition holds.
#define KINDRED_C_REFUSE_IF(condition, ...)           \
  do {                                                \
    if (condition) ::Kindred::C::refuse(__VA_ARGS__); \
  } while (false)

#endif  // KINDRED_C_ERRORS_HPP
