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

/// Throws if the extent that an argument needs cannot be counted.
[[gnu::cold]] void refuse_overflow(const char* function, const char* name, std::uint64_t needed) {
  if (needed == extent_overflow) {
    throw_invalid(function, name, "needs more elements than 64 bits can count; pass smaller sizes");
  }
}

}  // namespace

void ArgumentCheck::throw_too_short(const char* name, std::uint64_t size,
                                    std::uint64_t least) const {
  refuse_overflow(m_function, name, least);
  throw_invalid(m_function, name,
                "has " + elements(size) + "; the other arguments need at least " +
                    std::to_string(least) + ", so pass a longer View");
}

void ArgumentCheck::throw_other_size(const char* name, std::uint64_t size,
                                     std::uint64_t expected) const {
  refuse_overflow(m_function, name, expected);
  throw_invalid(m_function, name,
                "has " + elements(size) + "; the other arguments need exactly " +
                    std::to_string(expected) + ", so pass a View of that size");
}

void ArgumentCheck::throw_misaligned(const char* name, const void* pointer,
                                     std::size_t bytes) const {
  throw_invalid(m_function, name,
                "begins " +
                    std::to_string(reinterpret_cast<std::uintptr_t>(pointer) & (bytes - 1)) +
                    " bytes behind a multiple of " + std::to_string(bytes) +
                    "; it must be aligned to " + std::to_string(bytes) + " bytes");
}

void ArgumentCheck::throw_null(const char* name, std::uint64_t count) const {
  throw_invalid(m_function, name,
                "is null; pass a pointer to " +
                    (count == extent_overflow ? std::string("its elements") : elements(count)));
}

void ArgumentCheck::throw_too_small(const char* name, std::uint64_t value,
                                    std::uint64_t least) const {
  throw_invalid(m_function, name,
                "is " + std::to_string(value) + "; it must be at least " + std::to_string(least));
}

void ArgumentCheck::throw_too_large(const char* name, std::uint64_t value,
                                    std::uint64_t most) const {
  throw_invalid(m_function, name,
                "is " + std::to_string(value) + "; it must be at most " + std::to_string(most));
}

void ArgumentCheck::throw_no_multiple(const char* name, std::uint64_t value,
                                      std::uint64_t unit) const {
  throw_invalid(
      m_function, name,
      "is " + std::to_string(value) + "; it must be a multiple of " + std::to_string(unit));
}

}  // namespace Kindred::Impl
