// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/Error.hpp>

#include <string>

namespace Kindred::Impl {

namespace {

[[noreturn, gnu::cold]] void throw_invalid(const char* function, const char* name,
                                           const std::string& what) {
  throw InvalidArgument("Kindred::" + std::string(function) + ": " + name + " " + what);
}

std::string elements(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " element" : " elements");
}

}  // namespace

void ArgumentCheck::throw_wrong_size(const char* name, std::uint64_t size, std::uint64_t needed,
                                     bool is_exact) const {
  if (needed == extent_overflow) {
    throw_invalid(m_function, name,
                  "needs more elements than 64 bits can count; pass smaller sizes");
  }
  throw_invalid(m_function, name,
                "has " + elements(size) + "; the other arguments need " +
                    (is_exact ? "exactly " : "at least ") + std::to_string(needed) +
                    ", so pass a " + (is_exact ? "View of that size" : "longer View"));
}

void ArgumentCheck::throw_misaligned(const char* name, const void* pointer,
                                     std::size_t bytes) const {
  throw_invalid(m_function, name,
                "begins " +
                    std::to_string(reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)) +
                    " bytes behind a multiple of " + std::to_string(bytes) +
                    "; it must be aligned to " + std::to_string(bytes) + " bytes");
}

void ArgumentCheck::throw_wrong_type(const char* name, DataType type) const {
  throw_invalid(m_function, name,
                "has elements of type " + std::string(to_string(type)) +
                    ", which this function does not take; convert them");
}

void ArgumentCheck::throw_null(const char* name, std::uint64_t count) const {
  throw_invalid(m_function, name,
                "is null; pass a pointer to " +
                    (count == extent_overflow ? std::string("its elements") : elements(count)));
}

void ArgumentCheck::throw_wrong_number(const char* name, std::uint64_t value, const char* needed,
                                       std::uint64_t limit) const {
  throw_invalid(
      m_function, name,
      "is " + std::to_string(value) + "; it must be " + needed + " " + std::to_string(limit));
}

}  // namespace Kindred::Impl
