// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/LineReader.hpp"

namespace LineReaderTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

std::vector<std::string> lines_of_file(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> out;
  while (const auto line = reader.next()) out.emplace_back(*line);
  EXPECT_EQ(reader.line(), out.size());
  return out;
}
std::vector<std::string> lines_of(const std::string& text) {
  return read_text(text, lines_of_file);
}

TEST(LineReader, EndsALineAtEitherEnd) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\r\nb\r"), ElementsAre("a", "b\r"));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const std::string large(5'000'000, 'x');
  EXPECT_THAT(lines_of("s\n" + large + "\nt\n" + large), ElementsAre("s", large, "t", large));
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

TEST(LineReader, ReportsTheEndOfALine) {
  const TempFolder folder;
  LineReader reader(folder.write("a", "a\nb\r\n\r\nc\r"));
  for (const char* end : {"\n", "\r\n", "\r\n", ""}) {
    reader.next();
    EXPECT_EQ(reader.line_end(), end);
  }
}

/// "ab\ncd\n" in gzip.
std::string gzip_member() {
  constexpr std::string_view bytes(
      "\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03\x4B\x4C\xE2\x4A\x4E\xE1\x02\x00\xD1\x8B\xF0\x55"
      "\x06\x00\x00\x00",
      26);
  return std::string(bytes);
}

/// A zstd frame with \p text, fewer than 256 bytes, as it is.
std::string zstd_frame(const std::string& text) {
  const std::size_t block = text.size() << 3U | 1U;
  std::string frame = "\x28\xB5\x2F\xFD\x20";
  frame += static_cast<char>(text.size());
  for (const unsigned shift : {0U, 8U, 16U}) frame += static_cast<char>(block >> shift);
  return frame + text;
}

TEST(LineReader, Decompresses) {
  const TempFolder folder;
  const std::string skipped("\x5A\x2A\x4D\x18\x02\x00\x00\x00zz", 10);
  EXPECT_THAT(lines_of(gzip_member()), ElementsAre("ab", "cd"));
  EXPECT_THAT(lines_of(gzip_member() + gzip_member()), ElementsAre("ab", "cd", "ab", "cd"));
  EXPECT_THAT(lines_of(zstd_frame("ab\nc")), ElementsAre("ab", "c"));
  EXPECT_THAT(lines_of(skipped + zstd_frame("ab\nc") + zstd_frame("d\n")), ElementsAre("ab", "cd"));
  LineReader reader(folder.write("a", gzip_member()));
  reader.next();
  EXPECT_FALSE(reader.bytes_left());
}

TEST(LineReader, ReadsTextThatBeginsLikeCompressedData) {
  for (const char* text : {"(", "P", "_*", "P*M", "\x1F", "(a", "P*Mn", "\x28\xB5\x2F"})
    EXPECT_THAT(lines_of(text), ElementsAre(text));
}

TEST(LineReader, RefusesDamagedCompressedData) {
  const auto refusal = [](const std::string& bytes) {
    return message_of<InputError>([&] { lines_of(bytes); });
  };
  const std::string gzip = gzip_member();
  for (std::size_t size = 3; size < gzip.size(); ++size)
    EXPECT_THAT(refusal(gzip.substr(0, size)), HasSubstr("the gzip data ends too early"));
  std::string changed = gzip;
  changed[gzip.size() - 8] = '\0';  // the checksum
  EXPECT_THAT(refusal(changed), HasSubstr("after line 2: the gzip data is damaged"));
  EXPECT_THAT(refusal(gzip + "tail"), HasSubstr("the gzip data is damaged"));
  const std::string zstd = zstd_frame("ab\ncd\n");
  for (std::size_t size = 4; size < zstd.size(); ++size)
    EXPECT_THAT(refusal(zstd.substr(0, size)), HasSubstr("the zstd data ends too early"));
  EXPECT_THAT(refusal(zstd + "more data"), HasSubstr("the zstd data cannot be decompressed"));
}

TEST(LineReader, RefusesWhatCannotBeRead) {
  const TempFolder folder;
  EXPECT_THAT(message_of<InputError>([&] { LineReader reader(folder / "none"); }),
              HasSubstr("none: No such file"));
  EXPECT_THAT(message_of<InputError>([&] { lines_of_file(folder / "."); }),
              HasSubstr("Is a directory"));
}

}  // namespace LineReaderTest
