// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_REFUSED_WITHOUT_MEMORY_HPP
#define KINDRED_TESTS_SUPPORT_REFUSED_WITHOUT_MEMORY_HPP

#include <gmock/gmock.h>

#include "Allocations.hpp"
#include "MessageOf.hpp"
#include "Support.hpp"

namespace Kindred::Testing {

using Call = std::function<void()>;

/// A call that must be refused, and what its message contains.
struct Refused {
  std::vector<std::string> words;
  Call call;
};

inline std::vector<MemoryStatistics> memory_of_spaces() {
  std::vector<MemoryStatistics> out;
  for (const Space space : spaces()) out.push_back(context().memory_statistics(space));
  return out;
}

/// Each call must throw a \p Type whose message contains its words, and allocate memory only for
/// that message.
template <class Type = InvalidArgument>
void expect_refused_without_memory(const std::vector<Refused>& calls) {
  constexpr std::size_t message_bytes = 4096;
  for (const auto& [words, call] : calls) {
    SCOPED_TRACE("to be refused: " + words.front());
    const std::vector<MemoryStatistics> before = memory_of_spaces();
    std::size_t bytes = 0;
    std::string said;
    for (int attempt = 0; attempt < 2; ++attempt) {  // the first one may make an empty workspace
      const std::size_t bytes_before = allocated_bytes();
      said = message_of<Type>(call);
      bytes = allocated_bytes() - bytes_before;
    }
    for (const std::string& word : words) EXPECT_THAT(said, ::testing::HasSubstr(word));
    EXPECT_LE(bytes, message_bytes) << said;
    EXPECT_TRUE(memory_of_spaces() == before) << said;
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_REFUSED_WITHOUT_MEMORY_HPP
