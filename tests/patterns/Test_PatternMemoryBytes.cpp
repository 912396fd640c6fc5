// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Allocations.hpp"
#include "ChangedBytes.hpp"
#include "MessageOf.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace PatternMemoryBytesTest {

using namespace Kindred;
using namespace Kindred::Testing;
using testing::HasSubstr;

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

void fill(PatternMemory& memory) {
  for (std::uint64_t i = 0; i < 60; ++i)
    learn(memory, {{"same", numbered('x', i)}, {numbered('y', i % 7)}}, numbered('n', i));
  memory.sync();
  memory.forget("n5");
  learn(memory, {{"late"}}, {}, 4);
}

TEST(PatternMemoryBytes, AreThoseOfASavedFile) {
  const TempFolder folder;
  for (const Level level : {Level::token, Level::character}) {
    PatternMemory memory(context(), quiet(), level);
    EXPECT_EQ(PatternMemory::load(context(), memory.to_bytes(), quiet()).size(), 0U);
    fill(memory);
    const std::vector<std::byte> bytes = memory.to_bytes();
    memory.save(folder / "memory");
    EXPECT_EQ(bytes, bytes_of(folder / "memory"));
    const PatternMemory copy = PatternMemory::load(context(), bytes, quiet(), level);
    EXPECT_EQ(copy.size(), memory.size());
    EXPECT_EQ(copy.find("n8"), memory.find("n8"));
    EXPECT_EQ(answer(copy, {{"same", "y3"}}, 0.0, 100), answer(memory, {{"same", "y3"}}, 0.0, 100));
    EXPECT_EQ(copy.symbol_frequencies(), memory.symbol_frequencies());
  }
}

TEST(PatternMemoryBytes, DoNotAffectTheNextAppend) {
  const TempFolder folder;
  PatternMemory memory(context(), quiet());
  fill(memory);
  memory.save(folder / "memory");
  learn(memory, {{"a"}});
  memory.forget("n7");
  const std::vector<std::byte> bytes = memory.to_bytes();
  memory.append(folder / "memory");
  const PatternMemory loaded = PatternMemory::load(context(), folder / "memory", quiet());
  EXPECT_EQ(loaded.size(), memory.size());
  EXPECT_FALSE(loaded.find("n7"));
  // What is loaded from bytes continues the file that has these bytes.
  {
    std::ofstream file(folder / "copy", std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  PatternMemory copy = PatternMemory::load(context(), bytes, quiet());
  learn(copy, {{"b"}}, "b");
  copy.append(folder / "copy");
  EXPECT_TRUE(PatternMemory::load(context(), folder / "copy", quiet()).find("b"));
}

TEST(PatternMemoryBytes, ThatAreDamagedAreRejected) {
  PatternMemory memory(context(), quiet());
  fill(memory);
  const std::vector<std::byte> bytes = memory.to_bytes();
  const auto refuse = [&](const std::vector<std::byte>& damaged, const char* message) {
    EXPECT_THAT(message_of<CorruptFile>([&] { PatternMemory::load(context(), damaged, quiet()); }),
                HasSubstr(message));
  };
  refuse({}, "the buffer:0: the file ends within the header");
  Testing::for_each_beginning(
      bytes, [&](const std::vector<std::byte>& part) { refuse(part, "the file ends"); });
  Testing::for_each_flipped_bit(
      bytes, 97, [&](const std::vector<std::byte>& damaged) { refuse(damaged, "the buffer"); });
  Vocabulary vocabulary;
  vocabulary.add("a");
  refuse(vocabulary.to_bytes(), "holds 'vocabulary', not 'patterns'");
}

TEST(PatternMemoryBytes, ThatDoNotFitIntoMemoryChangeNothing) {
  PatternMemory memory(context(), quiet());
  fill(memory);
  const std::vector<std::byte> expected = memory.to_bytes();
  std::vector<std::byte> bytes;
  const std::size_t failures = fail_every_allocation(
      longer_than_labels, [&] { bytes = memory.to_bytes(); }, [](std::size_t) {});
  EXPECT_GT(failures, 5U);
  EXPECT_EQ(bytes, expected);
  learn(memory, {{"after"}});
  memory.forget("n1");
}

TEST(PatternMemoryBytes, OfAVocabularyKeepItsNumbers) {
  Vocabulary vocabulary;
  EXPECT_EQ(Vocabulary::load(vocabulary.to_bytes()).size(), 0U);
  for (const char* text : {"b", "", "a", "naïve"}) vocabulary.add(text);
  const Vocabulary copy = Vocabulary::load(vocabulary.to_bytes());
  ASSERT_EQ(copy.size(), 4U);
  for (Symbol symbol = 0; symbol < 4; ++symbol)
    EXPECT_EQ(copy.text(symbol), vocabulary.text(symbol));
  std::vector<std::byte> damaged = vocabulary.to_bytes();
  damaged.back() ^= std::byte{1};
  EXPECT_THROW(Vocabulary::load(damaged), CorruptFile);
}

}  // namespace PatternMemoryBytesTest
