// SPDX-License-Identifier: Apache-2.0
#include "ChangedBytes.hpp"
#include "PatternSupport.hpp"

namespace PatternMemoryBytesTest {

using namespace Kindred;
using namespace Kindred::Testing;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void fill(PatternMemory& memory) {
  for (std::uint64_t i = 0; i < 60; ++i)
    learn(memory, {{"same", numbered('s', i)}, {numbered('y', i % 7)}}, numbered('n', i));
  memory.sync();
  memory.forget("n5");
  learn(memory, {{"late"}}, {}, 4);
}

TEST(PatternMemoryBytes, AreThoseOfASavedFile) {
  const TempFolder folder;
  for (const Level level : levels) {
    PatternMemory memory = made(level);
    EXPECT_EQ(PatternMemory::load(context(), memory.to_bytes(), quiet()).size(), 0U);
    fill(memory);
    const std::vector<std::byte> bytes = memory.to_bytes();
    memory.save(folder / "memory");
    EXPECT_EQ(text_of(bytes), read_all(folder / "memory"));
    expect_same(PatternMemory::load(context(), bytes, quiet(), level), memory);
  }
}

TEST(PatternMemoryBytes, DoNotAffectTheNextAppend) {
  const TempFolder folder;
  PatternMemory memory = made();
  fill(memory);
  memory.save(folder / "memory");
  learn(memory, {{"a"}});
  memory.forget("n7");
  const std::vector<std::byte> bytes = memory.to_bytes();
  memory.append(folder / "memory");
  expect_same(loaded(folder / "memory"), memory);
  // What is loaded from bytes continues the file that has these bytes.
  folder.write("copy", text_of(bytes));
  PatternMemory copy = PatternMemory::load(context(), bytes, quiet());
  learn(copy, {{"b"}}, "b");
  copy.append(folder / "copy");
  EXPECT_TRUE(loaded(folder / "copy").find("b"));
}

TEST(PatternMemoryBytes, ThatAreDamagedAreRejected) {
  PatternMemory memory = made();
  fill(memory);
  const std::vector<std::byte> bytes = memory.to_bytes();
  const auto refuse = [&](const std::vector<std::byte>& damaged, const char* words) {
    expect_refused<CorruptFile>(
        {{[&] { PatternMemory::load(context(), damaged, quiet()); }, words}});
  };
  refuse({}, "the buffer:0: the file ends within the header");
  for_each_beginning(bytes,
                     [&](const std::vector<std::byte>& part) { refuse(part, "the file ends"); });
  for_each_flipped_bit(
      bytes, 97, [&](const std::vector<std::byte>& damaged) { refuse(damaged, "the buffer"); });
  Vocabulary vocabulary;
  vocabulary.add("a");
  refuse(vocabulary.to_bytes(), "holds 'vocabulary', not 'patterns'");
}

}  // namespace PatternMemoryBytesTest
