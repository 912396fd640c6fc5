// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ChangedBytes.hpp"
#include "MessageOf.hpp"
#include "SectionBytes.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <random>

namespace SectionFileTest {

using namespace Kindred;
using namespace Kindred::Impl;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::message_of;
using Testing::read_all;
using Testing::TempFolder;
using ::testing::UnorderedElementsAre;

constexpr const char* kind = "numbers";
const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6, 7};
const std::vector<std::uint64_t> words{10, 20, 30};
const std::vector<double> reals{-0.5, 1e300};

/// Three commits, of which the second has no sections.
FileRevision write_small(const std::string& path) {
  FileRevision revision;
  {
    SectionWriter writer(path, kind);
    writer.write<std::uint8_t>("bytes", bytes);
    writer.write<std::uint64_t>("words", words);
    writer.write<std::uint32_t>("none", {});
    revision = writer.commit();
  }
  revision = SectionWriter(path, kind, revision).commit();
  SectionWriter writer(path, kind, revision);
  writer.write<double>("reals", reals);
  writer.write<std::uint64_t>("words", std::span(words).first(1));
  return writer.commit();
}

std::size_t length_of(const std::string& path) { return read_all(path).size(); }

TEST(SectionFile, RestoresWhatWasWritten) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  const SectionFile file(folder / "a", kind, 2);
  EXPECT_EQ(file.revision(), revision);
  EXPECT_EQ(file.revision().bytes + sizeof(SectionHeader), length_of(folder / "a"))
      << "the second slot of the header follows";
  EXPECT_EQ(file.uncommitted_bytes(), 0U);
  ASSERT_EQ(file.commits(), 3U);
  EXPECT_THAT(file.section<std::uint8_t>(0, "bytes"), ElementsAreArray(bytes));
  EXPECT_THAT(file.section<std::uint64_t>(0, "words"), ElementsAreArray(words));
  EXPECT_THAT(file.section<std::uint32_t>(0, "none"), IsEmpty());
  EXPECT_THAT(file.sections(1), IsEmpty());
  EXPECT_THAT(file.section<double>(2, "reals"), ElementsAreArray(reals));
  EXPECT_THAT(file.section<std::uint64_t>(2, "words"), ElementsAre(10));
  EXPECT_TRUE(file.has(0, "bytes"));
  EXPECT_FALSE(file.has(2, "bytes"));
  for (std::size_t commit = 0; commit < 3; ++commit) {
    for (const auto& section : file.sections(commit)) EXPECT_EQ(section.offset % 64, 0U);
  }
}

TEST(SectionFile, MayBeginWithACommitWithoutSections) {
  const TempFolder folder;
  {
    SectionWriter writer(folder / "a", kind, SectionWriter(folder / "a", kind).commit());
    writer.write<std::uint64_t>("words", words);
    writer.commit();
  }
  const SectionFile file(folder / "a", kind, 1);
  ASSERT_EQ(file.commits(), 2U);
  EXPECT_THAT(file.sections(0), IsEmpty());
  EXPECT_THAT(file.section<std::uint64_t>(1, "words"), ElementsAreArray(words));
}

TEST(SectionFile, HasTheSameBytesInEveryRun) {
  const TempFolder folder;
  write_small(folder / "a");
  write_small(folder / "b");
  EXPECT_EQ(read_all(folder / "a"), read_all(folder / "b"));
}

TEST(SectionFile, AcceptsSectionsOfManyPiecesInParts) {
  const TempFolder folder;
  std::vector<std::uint32_t> numbers(section_piece / 4 * 2 + 12345);
  std::iota(numbers.begin(), numbers.end(), 7U);
  {
    SectionWriter writer(folder / "a", kind);
    writer.begin<std::uint32_t>("in_parts");
    for (std::size_t done = 0; done < numbers.size();) {
      const std::size_t count = std::min<std::size_t>(numbers.size() - done, 1 + done);
      writer.put<std::uint32_t>(std::span(numbers).subspan(done, count));
      done += count;
    }
    writer.write<std::uint32_t>("at_once", numbers);
    writer.commit();
  }
  for (const int threads : {1, 2, 5}) {
    const SectionFile file(folder / "a", kind, threads);
    EXPECT_TRUE(std::ranges::equal(file.section<std::uint32_t>(0, "in_parts"), numbers));
    EXPECT_TRUE(std::ranges::equal(file.section<std::uint32_t>(0, "at_once"), numbers));
    EXPECT_EQ(file.sections(0)[0].checksum, file.sections(0)[1].checksum);
  }
  std::string all = read_all(folder / "a");
  for (const std::size_t at :
       {std::size_t{200}, std::size_t{section_piece} + 999, all.size() / 2}) {
    std::string flipped = all;
    flipped[at] ^= 1;
    folder.write("b", flipped);
    EXPECT_THROW(SectionFile(folder / "b", kind, 2), CorruptFile) << at;
  }
}

TEST(SectionFile, ChangedColumnsDoNotModifyTheFile) {
  const TempFolder folder;
  write_small(folder / "a");
  const std::string before = read_all(folder / "a");
  const SectionFile file(folder / "a", kind, 1);
  file.section<std::uint64_t>(0, "words")[1] = 99;
  EXPECT_EQ(file.section<std::uint64_t>(0, "words")[1], 99U);
  EXPECT_EQ(read_all(folder / "a"), before);
}

TEST(SectionFile, StaysReadableWhileItIsAppendedToAndReplaced) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  const SectionFile file(folder / "a", kind, 1);
  SectionWriter(folder / "a", kind, revision).commit();
  EXPECT_EQ(SectionFile(folder / "a", kind, 1).commits(), 4U);
  SectionWriter(folder / "a", kind).commit();
  EXPECT_EQ(SectionFile(folder / "a", kind, 1).commits(), 1U);
  EXPECT_THAT(file.section<std::uint64_t>(0, "words"), ElementsAreArray(words));
}

TEST(SectionFile, AWriterThatDoesNotCommitChangesNothing) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  const std::string before = read_all(folder / "a");
  {
    SectionWriter over(folder / "a", kind);
    over.write<std::uint64_t>("words", words);
  }
  EXPECT_EQ(read_all(folder / "a"), before);
  {
    SectionWriter behind(folder / "a", kind, revision);
    behind.write<std::uint64_t>("words", words);
    behind.write<std::uint8_t>("bytes", bytes);
  }
  EXPECT_EQ(read_all(folder / "a").substr(0, revision.bytes), before.substr(0, revision.bytes));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a"));
  const SectionFile file(folder / "a", kind, 1);
  EXPECT_EQ(file.commits(), 3U);
  EXPECT_EQ(file.uncommitted_bytes(), 64U) << "the first section was written";
  SectionWriter(folder / "a", kind, revision).commit();
  EXPECT_EQ(SectionFile(folder / "a", kind, 1).uncommitted_bytes(), 0U);
}

TEST(SectionFile, ExcludesASecondWriter) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  {
    const SectionWriter first(folder / "a", kind, revision);
    EXPECT_THROW(SectionWriter(folder / "a", kind, revision), Busy);
    EXPECT_THROW(SectionWriter(folder / "a", kind), Busy);
  }
  SectionWriter(folder / "a", kind, revision).commit();
  EXPECT_THAT(message_of<InvalidArgument>([&] { SectionWriter(folder / "a", kind, revision); }),
              HasSubstr("has changed since"));
}

TEST(SectionFile, ReportsAMissingOrDifferentFile) {
  const TempFolder folder;
  EXPECT_THROW(SectionFile(folder / "missing", kind, 1), NotFound);
  EXPECT_THROW(SectionFile(folder / "missing/a", kind, 1), NotFound);
  EXPECT_THROW(SectionFile(folder / ".", kind, 1), InvalidArgument);
  EXPECT_THROW(SectionFile("/dev/null", kind, 1), InvalidArgument);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(SectionFile(folder / "pipe", kind, 1), InvalidArgument);
  EXPECT_THROW(SectionFile(folder.write("empty", ""), kind, 1), CorruptFile);
  EXPECT_THAT(message_of<CorruptFile>(
                  [&] { SectionFile(folder.write("text", std::string(500, 'x')), kind, 1); }),
              HasSubstr("is not a file of Kindred"));
  EXPECT_THROW(SectionWriter(folder / "none/a", kind), InvalidArgument);
  EXPECT_THROW(SectionWriter(folder / "missing", kind, FileRevision{}), NotFound);
}

TEST(SectionFile, WaitsForAWriterBeforeItReportsADamagedHeader) {
  const TempFolder folder;
  write_small(folder / "a");
  std::string damaged = read_all(folder / "a");
  for (const std::size_t slot : {sizeof(SectionHeader), damaged.size()}) damaged[slot - 1] ^= 1;
  const Testing::MemoryFile file;
  file.set(damaged);
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THAT(message_of<CorruptFile>([&] { SectionFile(file.path(), kind, 1); }),
                HasSubstr("the header is damaged"));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::microseconds(600));
  }
}

TEST(SectionFile, CannotBeReadWithoutPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempFolder folder;
  write_small(folder / "a");
  ::chmod((folder / "a").c_str(), 0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { SectionFile(folder / "a", kind, 1); }),
              HasSubstr("Permission denied"));
}

TEST(SectionFile, ReportsAFileThatCannotBeRead) {
  // The first page of a process is never mapped.
  EXPECT_THAT(message_of<Error>([&] { SectionFile("/proc/self/mem", kind, 1); }),
              HasSubstr("/proc/self/mem: reading failed at byte 0: Input/output error"));
}

TEST(SectionFile, ReportsAFileThatCannotBeMapped) {
  const TempFolder folder;
  write_small(folder / "a");
  std::string all = read_all(folder / "a");
  SectionHeader header{};
  std::memcpy(&header, all.data(), sizeof(header));
  header.bytes = std::uint64_t{1} << 60U;  // more than the address space
  header.table_offset = header.bytes - header.table_bytes;
  header.checksum = checksum_of(header);
  std::memcpy(all.data(), &header, sizeof(header));
  const Testing::MemoryFile file;
  file.set(all);
  if (::truncate(file.path().c_str(), static_cast<off_t>(header.bytes)) != 0)
    GTEST_SKIP() << "files in memory cannot be this large here";
  EXPECT_THAT(message_of<OutOfMemory>([&] { SectionFile(file.path(), kind, 1); }),
              HasSubstr("mapping " + file.path()));
}

TEST(SectionFile, ReportsAnotherKindOrVersion) {
  const TempFolder folder;
  write_small(folder / "a");
  EXPECT_THAT(message_of<CorruptFile>([&] { SectionFile(folder / "a", "vectors", 1); }),
              HasSubstr("holds 'numbers', not 'vectors'"));
  std::string all = read_all(folder / "a");
  const std::uint32_t version[2] = {Kindred::Impl::section_format_version + 1, 20304};
  std::memcpy(all.data() + 8, version, sizeof(version));
  Testing::reseal(all);
  EXPECT_THAT(message_of<CorruptFile>([&] { SectionFile(folder.write("newer", all), kind, 1); }),
              HasSubstr("use Kindred 2.3.4 or newer"));
}

TEST(SectionFile, AMissingSectionOrAnotherTypeIsCorrupt) {
  const TempFolder folder;
  write_small(folder / "a");
  const SectionFile file(folder / "a", kind, 1);
  EXPECT_THAT(message_of<CorruptFile>([&] { file.section<std::uint8_t>(2, "bytes"); }),
              HasSubstr("commit 2 has no section 'bytes'"));
  EXPECT_THROW(file.section<std::uint16_t>(0, "bytes"), CorruptFile);
  EXPECT_THROW(file.section<std::int8_t>(0, "bytes"), CorruptFile);
  EXPECT_THROW(file.section<float>(2, "reals"), CorruptFile);
  EXPECT_THROW(file.section<std::uint64_t>(2, "reals"), CorruptFile);
}

TEST(SectionFile, DetectsEveryChangedByte) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  const std::string whole = read_all(folder / "a");
  ASSERT_LT(whole.size(), 2000U) << "the sweep is meant for a small file";
  const Testing::MemoryFile file;
  const std::size_t tried = Testing::for_each_changed_byte(
      whole, [&](const std::string& changed, std::size_t at, int value) {
        file.set(changed);
        // One of the two slots of the header may be damaged.
        if (at < sizeof(SectionHeader) || at >= revision.bytes) {
          EXPECT_EQ(SectionFile(file.path(), kind, 1).revision(), revision)
              << "byte " << at << " is " << value;
        } else {
          EXPECT_THROW(SectionFile(file.path(), kind, 1), CorruptFile)
              << "byte " << at << " is " << value;
        }
      });
  EXPECT_GT(tried, 3 * whole.size());
}

TEST(SectionFile, DetectsEveryChangedByteOfASavedHeader) {
  const TempFolder folder;
  SectionWriter(folder / "a", kind).commit();
  const std::string whole = read_all(folder / "a");
  const Testing::MemoryFile file;
  Testing::for_each_changed_byte(whole, [&](const std::string& changed, std::size_t at, int value) {
    file.set(changed);
    EXPECT_THROW(SectionFile(file.path(), kind, 1), CorruptFile)
        << "byte " << at << " is " << value;
  });
}

TEST(SectionFile, DetectsEveryTruncation) {
  const TempFolder folder;
  const std::uint64_t committed = write_small(folder / "a").bytes;
  const std::string whole = read_all(folder / "a");
  const Testing::MemoryFile file;
  for (std::size_t length = 0; length < committed; ++length) {
    file.set(std::string_view(whole).substr(0, length));
    EXPECT_THAT(message_of<CorruptFile>([&] {
                  errno = EINTR;  // of an earlier call
                  SectionFile(file.path(), kind, 1);
                }),
                HasSubstr(length < 128 ? "ends within the header" : "it was cut"))
        << length;
  }
  file.set(whole + "left behind");
  EXPECT_EQ(SectionFile(file.path(), kind, 1).uncommitted_bytes(), 11U);
}

/// The file of `write_small` with one number changed and matching checksums is rejected.
class ForgedSections : public ::testing::Test {
 protected:
  ForgedSections() {
    write_small(m_folder / "a");
    m_good = read_all(m_folder / "a");
    SectionHeader header{};
    std::memcpy(&header, m_good.data(), sizeof(header));
    for (std::uint64_t offset = header.table_offset; offset != 0;
         offset = number<std::uint64_t>(offset + offsetof(TableHead, previous_offset)))
      tables.insert(tables.begin(), offset);
  }

  template <class T>
  T number(std::size_t at) const {
    T value{};
    std::memcpy(&value, m_good.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  std::string with(std::size_t at, T value) const {
    std::string bad = m_good;
    std::memcpy(bad.data() + at, &value, sizeof(T));
    Testing::reseal(bad);
    return bad;
  }
  template <class T>
  void refuse(std::size_t at, T value, const std::string& why) const {
    m_file.set(with(at, value));
    EXPECT_THAT(message_of<CorruptFile>([&] { SectionFile(m_file.path(), kind, 1); }),
                HasSubstr(why))
        << "byte " << at << " is " << ::testing::PrintToString(value);
  }
  template <class T>
  void refuse_differences(std::size_t at, std::initializer_list<int> differences,
                          const std::string& why) const {
    for (const int difference : differences)
      refuse<T>(at, static_cast<T>(number<T>(at) + static_cast<T>(difference)), why);
  }

  std::vector<std::uint64_t> tables;  ///< where they begin

 private:
  TempFolder m_folder;
  Testing::MemoryFile m_file;
  std::string m_good;
};

TEST_F(ForgedSections, OfTheHeaderAreRejected) {
  const std::string why = "the header contradicts itself";
  refuse_differences<std::uint64_t>(offsetof(SectionHeader, bytes), {-64, -1, 64}, why);
  for (const std::uint64_t bytes : {0, 64, 128}) refuse(offsetof(SectionHeader, bytes), bytes, why);
  refuse<std::uint64_t>(offsetof(SectionHeader, commits), 0, why);
  refuse_differences<std::uint64_t>(offsetof(SectionHeader, table_offset), {-64, 64, 1}, why);
  refuse_differences<std::uint64_t>(offsetof(SectionHeader, table_bytes), {-64, 64, 1}, why);
  for (const std::uint64_t bytes : {std::uint64_t{0}, ~std::uint64_t{63}})
    refuse(offsetof(SectionHeader, table_bytes), bytes, why);
  for (std::size_t i = 0; i < 6; ++i)
    refuse<std::uint64_t>(offsetof(SectionHeader, reserved) + 8 * i, 1, why);
  refuse<char>(offsetof(SectionHeader, kind) + 15, 'x', why);
  refuse<std::uint32_t>(offsetof(SectionHeader, format_version), 0, "format version 0");
  // Tables within the header, at an odd place, of no length, over the header.
  const auto size = number<std::uint64_t>(offsetof(SectionHeader, bytes));
  using Numbers = std::array<std::uint64_t, 4>;  // bytes, commits, offset and bytes of the table
  for (const Numbers& bad : {Numbers{64, 3, 0, 64}, Numbers{size - 32, 3, size - 96, 64},
                             Numbers{size, 3, size, 0}, Numbers{size, 3, 64, size - 64}})
    refuse(offsetof(SectionHeader, bytes), bad, why);
}

TEST_F(ForgedSections, OfTablesAreRejected) {
  ASSERT_EQ(tables.size(), 3U);
  const std::string why = "contradicts the header or itself";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto at = [&](std::size_t field) { return tables[i] + field; };
    refuse_differences<std::uint64_t>(at(offsetof(TableHead, commit)), {-1, 1}, why);
    refuse_differences<std::uint64_t>(at(offsetof(TableHead, sections)), {-1, 1}, why);
    refuse_differences<std::uint64_t>(at(offsetof(TableHead, begin)), {-64, 1}, why);
    for (std::size_t r = 0; r < 2; ++r)
      refuse<std::uint64_t>(at(offsetof(TableHead, reserved)) + 8 * r, 1, why);
    refuse_differences<std::uint64_t>(at(offsetof(TableHead, previous_bytes)), {-64, 64}, "");
  }
  refuse<std::uint64_t>(tables[0] + offsetof(TableHead, previous_bytes), 64, why);
  refuse<std::uint64_t>(tables[0] + offsetof(TableHead, previous_checksum), 1, why);
  refuse<std::uint64_t>(tables[0] + offsetof(TableHead, previous_offset), 128, why);
  refuse<std::uint64_t>(tables[2] + offsetof(TableHead, previous_offset), 0, why);
  refuse<std::uint64_t>(tables[2] + offsetof(TableHead, previous_offset), tables[2], why);
  // A previous table of no length, where its commit begins.
  const auto begin = number<std::uint64_t>(tables[2] + offsetof(TableHead, begin));
  refuse(tables[2] + offsetof(TableHead, previous_offset),
         std::array<std::uint64_t, 3>{begin, 0, hash64(&begin, 0)}, "the table of commit 2 " + why);
}

TEST_F(ForgedSections, OfEntriesAreRejected) {
  const std::size_t entry = tables[0] + sizeof(TableHead);  // `bytes`, of 7 elements
  const auto next = entry + sizeof(TableEntry);             // `words`, of 3 elements
  const std::string name = "a section without a valid name";
  for (const char c : {'A', '`', '{', '/', ':', ' ', '-', '\x7F'}) refuse(entry + 2, c, name);
  refuse<char>(entry, '\0', name);
  refuse<char>(entry + 7, 'x', name);
  refuse<char>(entry + 31, 'x', name);
  const std::string place = "lies outside its commit or does not have a whole number";
  const auto type = [&](std::uint32_t of, std::uint32_t bytes) {
    return std::uint64_t{bytes} << 32U | of;
  };
  for (const std::uint64_t bad : {type(3, 8), type(0, 0), type(0, 3), type(0, 16), type(1, 5),
                                  type(2, 2), type(2, 1), type(2, 16)})
    refuse(next + offsetof(TableEntry, type), bad, place);
  refuse_differences<std::uint64_t>(next + offsetof(TableEntry, offset), {-64, 64, 1}, place);
  refuse_differences<std::uint64_t>(next + offsetof(TableEntry, bytes), {-1, 1}, place);
  refuse<std::uint64_t>(next + offsetof(TableEntry, bytes), 1U << 20U, place);
  const std::size_t last = tables[2] + sizeof(TableHead) + sizeof(TableEntry);
  refuse<std::uint64_t>(last + offsetof(TableEntry, bytes), 0, "do not end where");
  std::array<char, 32> twice{};
  std::copy_n("bytes", 5, twice.begin());
  std::array<std::uint64_t, 4> as_numbers{};
  std::memcpy(as_numbers.data(), twice.data(), sizeof(twice));
  for (const std::size_t other : {next, next + sizeof(TableEntry)})
    refuse(other, as_numbers[0], "section 'bytes' occurs twice");
}

TEST(SectionFile, NamesMayContainEveryAllowedCharacter) {
  const TempFolder folder;
  {
    SectionWriter writer(folder / "a", kind);
    for (const char* name : {"az", "09", "z.9_a", "_", "."})
      writer.write<std::uint8_t>(name, bytes);
    writer.write<std::uint8_t>(std::string(32, 'n'), bytes);
    writer.commit();
  }
  EXPECT_EQ(SectionFile(folder / "a", kind, 1).sections(0).size(), 6U);
}

TEST(SectionFile, ElementsMayHaveEveryTypeAndSize) {
  const TempFolder folder;
  SectionWriter writer(folder / "a", kind);
  writer.write<std::uint8_t>("u1", std::vector<std::uint8_t>{1});
  writer.write<std::uint16_t>("u2", std::vector<std::uint16_t>{1});
  writer.write<std::uint32_t>("u4", std::vector<std::uint32_t>{1});
  writer.write<std::uint64_t>("u8", std::vector<std::uint64_t>{1});
  writer.write<std::int8_t>("i1", std::vector<std::int8_t>{1});
  writer.write<std::int16_t>("i2", std::vector<std::int16_t>{1});
  writer.write<std::int32_t>("i4", std::vector<std::int32_t>{1});
  writer.write<std::int64_t>("i8", std::vector<std::int64_t>{1});
  writer.write<float>("r4", std::vector<float>{1});
  writer.write<double>("r8", std::vector<double>{1});
  writer.commit();
  const SectionFile file(folder / "a", kind, 1);
  EXPECT_THAT(file.section<std::int16_t>(0, "i2"), ElementsAre(1));
  EXPECT_THAT(file.section<float>(0, "r4"), ElementsAre(1));
  EXPECT_EQ(file.sections(0).size(), 10U);
}

/// Every 8 bytes of the header and of the tables are set to hostile values, with matching
/// checksums.
TEST(SectionFile, AForgedFileIsRejectedOrReadWithinItsBounds) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  const std::string whole = read_all(folder / "a");
  const Testing::MemoryFile memory;
  int refused = 0;
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    std::uint64_t old = 0;
    std::memcpy(&old, whole.data() + at, std::min<std::size_t>(8, whole.size() - at));
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, old + 1, old - 1, old + 64,
          old - 64, old + 128, revision.bytes, revision.bytes + 64, ~std::uint64_t{0},
          ~std::uint64_t{63}, std::uint64_t{1} << 63U, std::uint64_t{1} << 40U}) {
      std::string forged = whole;
      std::memcpy(forged.data() + at, &value, std::min<std::size_t>(8, whole.size() - at));
      Testing::reseal(forged);
      memory.set(forged);
      try {
        const SectionFile file(memory.path(), kind, 1);
        std::uint64_t sum = 0;
        for (std::size_t commit = 0; commit < file.commits(); ++commit) {
          for (const auto& section : file.sections(commit)) {
            if (section.type != ElementType::unsigned_integer || section.element_bytes != 1)
              continue;
            for (const auto byte : file.section<std::uint8_t>(commit, section.name)) sum += byte;
          }
        }
        EXPECT_LE(sum, 255 * whole.size());
      } catch (const CorruptFile&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

/// Damage of a table or of the header that no checksum detects reaches the checks that follow.
TEST(SectionFile, RandomDamageWithMatchingChecksumsIsRejectedOrReadWithinItsBounds) {
  const TempFolder folder;
  write_small(folder / "a");
  const std::string whole = read_all(folder / "a");
  const Testing::MemoryFile memory;
  auto generator = Testing::generator("SectionFile.RandomDamage");
  constexpr int files = 3000;
  int read = 0;
  int rejected_after_checksums = 0;
  for (int i = 0; i < files; ++i) {
    std::string forged = whole;
    for (int change = 0; change < 3; ++change)
      forged[generator() % forged.size()] =
          static_cast<char>(generator() % 4 == 0 ? 0 : generator());
    Testing::reseal(forged);
    memory.set(forged);
    try {
      const SectionFile file(memory.path(), kind, 1);
      for (std::size_t commit = 0; commit < file.commits(); ++commit) {
        for (const auto& section : file.sections(commit)) {
          EXPECT_LE(section.offset, whole.size());
          EXPECT_LE(section.bytes, whole.size() - section.offset);
        }
      }
      ++read;
    } catch (const CorruptFile& error) {
      const std::string_view why = error.what();
      if (why.find("checksum does not match") == why.npos &&
          why.find("does not begin with") == why.npos)
        ++rejected_after_checksums;
    }
  }
  // In the others the tables could not be found, so their checksums do not match.
  EXPECT_GT(read, files / 10);
  EXPECT_GT(rejected_after_checksums, files / 2);
}

TEST(SectionWriter, RejectsNamesThatDoNotFit) {
  const TempFolder folder;
  EXPECT_THROW(SectionWriter(folder / "a", std::string(17, 'k')), InvalidArgument);
  EXPECT_THROW(SectionWriter(folder / "a", ""), InvalidArgument);
  SectionWriter writer(folder / "a", kind);
  EXPECT_THROW(writer.begin<int>(std::string(33, 'n')), InvalidArgument);
}

}  // namespace SectionFileTest
