// SPDX-License-Identifier: Apache-2.0
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

namespace Kindred::Impl {

namespace {

/// Made while there is memory, for a call that has none left even for its message.
const std::exception_ptr without_message = std::make_exception_ptr(
    OutOfMemory("host", 0, "a call", "the host has no memory left, not even for a message"));

[[noreturn]] void throw_out_of_memory(const char* what) {
  try {
    throw OutOfMemory("host", 0, what, "the host has no memory left");
  } catch (const std::bad_alloc&) {
    std::rethrow_exception(without_message);
  }
}

}  // namespace

void rethrow_translated(const char* what) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw_out_of_memory(what);
  } catch (const std::length_error&) {
    throw_out_of_memory(what);
  } catch (const std::runtime_error& error) {
    // What Kokkos throws where it cannot allocate has no type of its own.
    if (std::string_view(error.what()).find("failed to allocate") != std::string_view::npos &&
        dynamic_cast<const Error*>(&error) == nullptr)
      throw_out_of_memory(what);
    throw;
  }
}

}  // namespace Kindred::Impl
