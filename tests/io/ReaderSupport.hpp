// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_IO_READER_SUPPORT_HPP
#define KINDRED_TESTS_IO_READER_SUPPORT_HPP

#include "RefusedCalls.hpp"
#include "TempFolder.hpp"
#include "program/Errors.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace Kindred::Testing::ReaderSupport {

using namespace Tools;
// What tests of readers use without saying where it is from.
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::message_of;
using Testing::TempFolder;

/// What `reader(path)` returns for a file with \p text.
template <class Reader>
auto read_text(const std::string& text, const Reader& reader) {
  const TempFolder folder;
  return reader(folder.write("t", text));
}

/// Expects that `reader(path)` refuses each text behind \p before, with the path and words of the
/// message that follow it.
template <class Reader>
void expect_refused_input(const Reader& reader, const std::vector<RefusedText>& texts,
                          const std::string& before = {}) {
  const TempFolder folder;
  expect_refused(texts, [&](const std::string& text) {
    const auto path = folder.write("t", before + text);
    const auto message = message_of<Tools::InputError>([&] { reader(path); });
    EXPECT_THAT(message, ::testing::StartsWith(path));
    return message.substr(std::min(message.size(), path.size() + 1));
  });
}

}  // namespace Kindred::Testing::ReaderSupport

#endif  // KINDRED_TESTS_IO_READER_SUPPORT_HPP
