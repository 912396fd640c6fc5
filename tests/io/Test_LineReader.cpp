// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "io/Errors.hpp"
#include "io/LineReader.hpp"

namespace LineReaderTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::TempFolder;

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> out;
  while (const auto line = reader.next()) out.emplace_back(*line);
  EXPECT_EQ(reader.line(), out.size());
  return out;
}

TEST(LineReader, EndsALineAtEitherEnd) {
  const TempFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "")), IsEmpty());
  EXPECT_THAT(lines_of(folder.write("b", "\n")), ElementsAre(""));
  EXPECT_THAT(lines_of(folder.write("c", "a\n\nb")), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of(folder.write("d", "a\r\nb\r")), ElementsAre("a", "b\r"));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const TempFolder folder;
  const std::string large(5'000'000, 'x');
  EXPECT_THAT(lines_of(folder.write("a", "s\n" + large + "\nt\n" + large)),
              ElementsAre("s", large, "t", large));
}

TEST(LineReader, KnowsWhatIsLeft) {
  const TempFolder folder;
  LineReader reader(folder.write("a", "abc\ndefg\n"));
  EXPECT_FALSE(reader.buffered());
  reader.next();
  EXPECT_TRUE(reader.buffered());
  EXPECT_EQ(reader.bytes_left(), 5U);
  reader.next();
  EXPECT_FALSE(reader.buffered());
  EXPECT_EQ(reader.bytes_left(), 0U);
}

TEST(LineReader, RefusesWhatCannotBeRead) {
  const TempFolder folder;
  EXPECT_THAT(Testing::message_of<InputError>([&] { LineReader reader(folder / "none"); }),
              HasSubstr("none: No such file"));
  EXPECT_THAT(Testing::message_of<InputError>([&] { lines_of(folder / "."); }),
              HasSubstr("Is a directory"));
}

}  // namespace LineReaderTest
