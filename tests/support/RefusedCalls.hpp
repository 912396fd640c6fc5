// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP
#define KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP

#include <gmock/gmock.h>
#include <kindred/core/common/Error.hpp>

#include <functional>
#include <vector>

#include "MessageOf.hpp"

namespace Kindred::Testing {

/// A call that must be refused, and words of its message.
struct RefusedCall {
  std::function<void()> call;
  std::string words;
};
/// A text that must be refused, and words of the message.
struct RefusedText {
  std::string text;
  std::string words;
};

/// Expects that each call throws the \p Type with a message that contains its words.
template <class Type = InvalidArgument>
void expect_refused(const std::vector<RefusedCall>& calls) {
  for (const auto& [call, words] : calls) {
    SCOPED_TRACE("to be refused: " + words);
    EXPECT_THAT(message_of<Type>(call), ::testing::HasSubstr(words));
  }
}

/// Expects that the message of each text, which \p message_of_text returns, contains its words.
template <class Message>
void expect_refused(const std::vector<RefusedText>& texts, const Message& message_of_text) {
  for (const auto& [text, words] : texts)
    EXPECT_THAT(message_of_text(text), ::testing::HasSubstr(words)) << text.substr(0, 200);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_REFUSED_CALLS_HPP
