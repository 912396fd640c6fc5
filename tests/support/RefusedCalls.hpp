// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP
#define KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP

#include <gmock/gmock.h>
#include <kindred/core/common/Error.hpp>

#include <functional>
#include <string>
#include <vector>

#include "MessageOf.hpp"

namespace Kindred::Testing {

/// A call that must be refused, and words of the message.
struct RefusedCall {
  std::string words;
  std::function<void()> call;
};

/// Expects that every call throws this type, with its words in the message.
template <class Type = InvalidArgument>
void expect_refused(const std::vector<RefusedCall>& calls) {
  for (const RefusedCall& refused : calls) {
    SCOPED_TRACE(refused.words);
    EXPECT_THAT(message_of<Type>(refused.call), ::testing::HasSubstr(refused.words));
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP
