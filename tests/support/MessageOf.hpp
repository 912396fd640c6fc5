// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_MESSAGE_OF_HPP
#define KINDRED_TESTS_SUPPORT_MESSAGE_OF_HPP

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace Kindred::Testing {

/// The message of the \p Type that \p body throws; fails the test if it does not throw that type.
template <class Type, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Type& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_MESSAGE_OF_HPP
