// SPDX-License-Identifier: Apache-2.0
#include "Errors.hpp"

#include <kindred/core/common/Error.hpp>

#include "FunctionTable.hpp"

#include <array>
#include <atomic>
#include <exception>
#include <new>
#include <stdexcept>

namespace Kindred::C {

namespace {

/// The libraries that have opened this one; each returns the messages to its callers.
constexpr std::size_t openers_max = 16;
std::array<std::atomic<void (*)(const char*)>, openers_max> openers{};

/// The message of this thread.
std::string& last_error() {
  thread_local std::string message;
  return message;
}
/// Used where memory is missing for the message.
thread_local bool without_memory = false;

kindred_status stored(kindred_status status, const char* message) noexcept {
  store_error(message);
  return status;
}

}  // namespace

void store_error(const char* message) noexcept {
  for (const auto& opener : openers)
    if (const auto store = opener.load(); store != nullptr) store(message);
  try {
    last_error() = message;
    without_memory = false;
  } catch (...) {
    without_memory = true;
  }
}

void pass_errors_to(void (*store)(const char* message)) noexcept {
  for (auto& opener : openers) {
    void (*known)(const char*) = nullptr;
    if (opener.compare_exchange_strong(known, store) || known == store) return;
  }
}

kindred_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return stored(KINDRED_INVALID, error.what());
  } catch (const OutOfMemory& error) {
    return stored(KINDRED_NO_MEMORY, error.what());
  } catch (const SpaceUnavailable& error) {
    return stored(KINDRED_NO_SPACE, error.what());
  } catch (const DeviceLost& error) {
    return stored(KINDRED_DEVICE_LOST, error.what());
  } catch (const CorruptFile& error) {
    return stored(KINDRED_CORRUPT, error.what());
  } catch (const NotFound& error) {
    return stored(KINDRED_NOT_FOUND, error.what());
  } catch (const Busy& error) {
    return stored(KINDRED_BUSY, error.what());
  } catch (const Cancelled& error) {
    return stored(KINDRED_CANCELLED, error.what());
  } catch (const std::bad_alloc&) {
    return stored(KINDRED_NO_MEMORY, "there is not enough host memory for the call");
  } catch (const std::length_error&) {
    return stored(KINDRED_NO_MEMORY, "an array of the call would exceed the address space");
  } catch (const std::exception& error) {
    return stored(KINDRED_INTERNAL, error.what());
  } catch (...) {
    return stored(KINDRED_INTERNAL, "an unknown failure inside the library");
  }
}

void refuse(const std::string& message) { throw InvalidArgument(message); }

void cancel_if(int returned, const char* callback) {
  if (returned != 0)
    throw Cancelled(std::string("the callback ") + callback + " returned " +
                    std::to_string(returned) + ", which cancels the call");
}

const char* kindred_last_error() noexcept {
  if (without_memory) return "there is not enough host memory for the message of the failure";
  return last_error().c_str();
}

const char* kindred_status_name(std::int32_t status) noexcept {
  switch (status) {
    case KINDRED_OK:
      return "KINDRED_OK";
    case KINDRED_INVALID:
      return "KINDRED_INVALID";
    case KINDRED_NO_MEMORY:
      return "KINDRED_NO_MEMORY";
    case KINDRED_NO_SPACE:
      return "KINDRED_NO_SPACE";
    case KINDRED_DEVICE_LOST:
      return "KINDRED_DEVICE_LOST";
    case KINDRED_CORRUPT:
      return "KINDRED_CORRUPT";
    case KINDRED_NOT_FOUND:
      return "KINDRED_NOT_FOUND";
    case KINDRED_BUSY:
      return "KINDRED_BUSY";
    case KINDRED_CANCELLED:
      return "KINDRED_CANCELLED";
    case KINDRED_INTERNAL:
      return "KINDRED_INTERNAL";
    default:
      return "unknown status";
  }
}

}  // namespace Kindred::C
