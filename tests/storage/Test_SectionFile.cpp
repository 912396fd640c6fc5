// SPDX-License-Identifier: Apache-2.0
#include "DamagedFiles.hpp"
#include "MutatedBytes.hpp"
#include "RefusedCalls.hpp"
#include "TempFolder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <numeric>

namespace SectionFileTest {

using namespace Kindred;
using namespace Kindred::Impl;
using namespace Testing;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

/// Opens the file at \p path, or the file of \p bytes in memory.
std::function<void()> opening(const std::string& path, const char* of_kind = kind) {
  return [=] { SectionFile(path, of_kind, 1); };
}
std::function<void()> opening_bytes(const std::string& content) {
  return [=] {
    const MemoryFile file;
    file.set(content);
    SectionFile(file.path(), kind, 1);
  };
}
/// A folder with the file of `write_small`.
struct SmallFile {
  TempFolder folder;
  std::string path = folder / "a";
  FileRevision revision = write_small(path);

  std::string bytes() const { return read_all(path); }
};
std::string small_file() { return SmallFile().bytes(); }

TEST(SectionFile, RestoresWhatWasWritten) {
  const SmallFile small;
  const SectionFile file(small.path, kind, 2);
  EXPECT_EQ(file.revision(), small.revision);
  EXPECT_EQ(file.revision().bytes + sizeof(SectionHeader), small.bytes().size())
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
  for (std::size_t commit = 0; commit < 3; ++commit)
    for (const auto& section : file.sections(commit)) EXPECT_EQ(section.offset % 64, 0U);
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

TEST(SectionFile, HasTheSameBytesInEveryRun) { EXPECT_EQ(small_file(), small_file()); }

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
    EXPECT_THROW(SectionFile(folder.write("b", flipped), kind, 2), CorruptFile) << at;
  }
}

TEST(SectionFile, ChangedColumnsDoNotModifyTheFile) {
  const SmallFile small;
  const std::string before = small.bytes();
  const SectionFile file(small.path, kind, 1);
  file.section<std::uint64_t>(0, "words")[1] = 99;
  EXPECT_EQ(file.section<std::uint64_t>(0, "words")[1], 99U);
  EXPECT_EQ(small.bytes(), before);
}

TEST(SectionFile, StaysReadableWhileItIsAppendedToAndReplaced) {
  const SmallFile small;
  const SectionFile file(small.path, kind, 1);
  SectionWriter(small.path, kind, small.revision).commit();
  EXPECT_EQ(SectionFile(small.path, kind, 1).commits(), 4U);
  SectionWriter(small.path, kind).commit();
  EXPECT_EQ(SectionFile(small.path, kind, 1).commits(), 1U);
  EXPECT_THAT(file.section<std::uint64_t>(0, "words"), ElementsAreArray(words));
}

TEST(SectionFile, AWriterThatDoesNotCommitChangesNothing) {
  const SmallFile small;
  const std::string before = small.bytes();
  {
    SectionWriter over(small.path, kind);
    over.write<std::uint64_t>("words", words);
  }
  EXPECT_EQ(small.bytes(), before);
  {
    SectionWriter behind(small.path, kind, small.revision);
    behind.write<std::uint64_t>("words", words);
    behind.write<std::uint8_t>("bytes", bytes);
  }
  EXPECT_EQ(small.bytes().substr(0, small.revision.bytes), before.substr(0, small.revision.bytes));
  EXPECT_THAT(small.folder.names(), ElementsAre("a"));
  const SectionFile file(small.path, kind, 1);
  EXPECT_EQ(file.commits(), 3U);
  EXPECT_EQ(file.uncommitted_bytes(), 64U) << "the first section was written";
  SectionWriter(small.path, kind, small.revision).commit();
  EXPECT_EQ(SectionFile(small.path, kind, 1).uncommitted_bytes(), 0U);
}

TEST(SectionFile, ExcludesASecondWriter) {
  const SmallFile small;
  {
    const SectionWriter first(small.path, kind, small.revision);
    EXPECT_THROW(SectionWriter(small.path, kind, small.revision), Busy);
    EXPECT_THROW(SectionWriter(small.path, kind), Busy);
  }
  SectionWriter(small.path, kind, small.revision).commit();
  EXPECT_THAT(message_of<InvalidArgument>([&] { SectionWriter(small.path, kind, small.revision); }),
              HasSubstr("has changed since"));
}

TEST(SectionFile, ReportsAFileThatCannotBeRead) {
  const std::string good = small_file();
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused<NotFound>({
      {opening(folder / "missing"), ""},
      {opening(folder / "missing/a"), ""},
      {[&] { SectionWriter(folder / "missing", kind, FileRevision{}); }, ""},
  });
  expect_refused({
      {opening(folder / "."), ""},
      {opening("/dev/null"), ""},
      {opening(folder / "pipe"), ""},
      {[&] { SectionWriter(folder / "none/a", kind); }, ""},
      {[&] { SectionWriter(folder / "a", std::string(17, 'k')); }, ""},
      {[&] { SectionWriter(folder / "a", ""); }, ""},
      {[&] { SectionWriter(folder / "a", kind).begin<int>(std::string(33, 'n')); }, ""},
  });
  std::string newer = good;
  const std::uint32_t version[2] = {section_format_version + 1, 20304};
  std::memcpy(newer.data() + 8, version, sizeof(version));
  reseal(newer);
  expect_refused<CorruptFile>({
      {opening_bytes(""), ""},
      {opening_bytes(std::string(500, 'x')), "is not a file of Kindred"},
      {opening(folder.write("other", good), "vectors"), "holds 'numbers', not 'vectors'"},
      {opening_bytes(newer), "use Kindred 2.3.4 or newer"},
  });
  // The first page of a process is never mapped.
  expect_refused<Error>({{opening("/proc/self/mem"),
                          "/proc/self/mem: reading failed at byte 0: Input/output error"}});
  ::chmod((folder / "other").c_str(), 0);
  if (::geteuid() != 0)  // who may read everything
    expect_refused({{opening(folder / "other"), "Permission denied"}});
}

TEST(SectionFile, WaitsForAWriterBeforeItReportsADamagedHeader) {
  std::string damaged = small_file();
  for (const std::size_t slot : {sizeof(SectionHeader), damaged.size()}) damaged[slot - 1] ^= 1;
  const MemoryFile file;
  file.set(damaged);
  for (int i = 0; i < 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    expect_refused<CorruptFile>({{opening(file.path()), "the header is damaged"}});
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::microseconds(600));
  }
}

TEST(SectionFile, CountsBytesBehindTheLastCommitThatAreNotTheSecondSlot) {
  const SmallFile small;
  std::string all = small.bytes();
  const std::size_t committed = small.revision.bytes;
  const auto uncommitted = [&](std::size_t size) {
    const auto begin = std::as_bytes(std::span(all)).first(size);
    return SectionFile(FileSource(begin), kind, 1).uncommitted_bytes();
  };
  EXPECT_EQ(uncommitted(all.size()), 0U);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, sizeof(SectionHeader) - 1})
    EXPECT_EQ(uncommitted(committed + bytes), bytes) << "the rest of the slot is not in the buffer";
  all.back() ^= 1;
  EXPECT_EQ(uncommitted(all.size()), sizeof(SectionHeader));
}

TEST(SectionFile, ReportsAFileThatCannotBeMapped) {
  std::string all = small_file();
  SectionHeader header{};
  std::memcpy(&header, all.data(), sizeof(header));
  header.bytes = std::uint64_t{1} << 60U;  // more than the address space
  header.table_offset = header.bytes - header.table_bytes;
  header.checksum = checksum_of(header);
  std::memcpy(all.data(), &header, sizeof(header));
  const MemoryFile file;
  file.set(all);
  if (::truncate(file.path().c_str(), static_cast<off_t>(header.bytes)) != 0)
    GTEST_SKIP() << "files in memory cannot be this large here";
  expect_refused<OutOfMemory>({{opening(file.path()), "mapping " + file.path()}});
}

TEST(SectionFile, AMissingSectionOrAnotherTypeIsCorrupt) {
  const SmallFile small;
  const SectionFile file(small.path, kind, 1);
  expect_refused<CorruptFile>({
      {[&] { file.section<std::uint8_t>(2, "bytes"); }, "commit 2 has no section 'bytes'"},
      {[&] { file.section<std::uint16_t>(0, "bytes"); }, ""},
      {[&] { file.section<std::int8_t>(0, "bytes"); }, ""},
      {[&] { file.section<float>(2, "reals"); }, ""},
      {[&] { file.section<std::uint64_t>(2, "reals"); }, ""},
  });
}

TEST(SectionFile, DetectsEveryChangedByte) {
  const TempFolder folder;
  const FileRevision revision = write_small(folder / "a");
  SectionWriter(folder / "saved", kind).commit();  // has one header
  const MemoryFile file;
  for (const char* name : {"a", "saved"}) {
    const std::string whole = read_all(folder / name);
    ASSERT_LT(whole.size(), 2000U) << "the sweep is meant for a small file";
    const std::size_t tried =
        for_each_changed_byte(whole, [&](const std::string& changed, std::size_t at, int value) {
          SCOPED_TRACE("byte " + std::to_string(at) + " is " + std::to_string(value));
          file.set(changed);
          // One of two slots of the header may be damaged.
          if (*name == 'a' && (at < sizeof(SectionHeader) || at >= revision.bytes)) {
            EXPECT_EQ(SectionFile(file.path(), kind, 1).revision(), revision);
            const auto in_memory = std::as_bytes(std::span(changed));
            EXPECT_EQ(SectionFile(in_memory, kind, 1).revision(), revision);
          } else {
            EXPECT_THROW(SectionFile(file.path(), kind, 1), CorruptFile);
          }
        });
    EXPECT_GT(tried, 3 * whole.size());
  }
}

TEST(SectionFile, DetectsEveryTruncation) {
  const SmallFile small;
  const std::string whole = small.bytes();
  const MemoryFile file;
  for (std::size_t length = 0; length < small.revision.bytes; ++length) {
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
  void refuse(std::size_t at, T value, const std::string& why) const {
    std::string bad = m_good;
    std::memcpy(bad.data() + at, &value, sizeof(T));
    reseal(bad);
    SCOPED_TRACE("byte " + std::to_string(at) + " is " + ::testing::PrintToString(value));
    expect_refused<CorruptFile>({{opening_bytes(bad), why}});
  }
  template <class T>
  void refuse_differences(std::size_t at, std::initializer_list<int> differences,
                          const std::string& why) const {
    for (const int difference : differences)
      refuse<T>(at, static_cast<T>(number<T>(at) + static_cast<T>(difference)), why);
  }

  std::vector<std::uint64_t> tables;  ///< where they begin

 private:
  std::string m_good = small_file();
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
  const std::array<char, 8> twice{'b', 'y', 't', 'e', 's'};
  for (const std::size_t other : {next, next + sizeof(TableEntry)})
    refuse(other, twice, "section 'bytes' occurs twice");
}

TEST(SectionFile, NamesAndElementsMayBeOfEveryKind) {
  const TempFolder folder;
  SectionWriter writer(folder / "a", kind);
  for (const char* name : {"az", "09", "z.9_a", "_", "."}) writer.write<std::uint8_t>(name, bytes);
  writer.write<std::uint8_t>(std::string(32, 'n'), bytes);
  auto write_each = [&, number = 0]<class... T>(T... ones) mutable {
    (writer.write<T>("n" + std::to_string(number++), std::array{ones}), ...);
  };
  write_each(std::uint8_t{1}, std::uint16_t{1}, std::uint32_t{1}, std::uint64_t{1}, std::int8_t{1},
             std::int16_t{1}, std::int32_t{1}, std::int64_t{1}, 1.0F, 1.0);
  writer.commit();
  const SectionFile file(folder / "a", kind, 1);
  EXPECT_THAT(file.section<std::int16_t>(0, "n5"), ElementsAre(1));
  EXPECT_THAT(file.section<float>(0, "n8"), ElementsAre(1));
  EXPECT_EQ(file.sections(0).size(), 16U);
}

/// Opens a forged file, and reads it within its bounds, unless it is rejected.
void read_within_bounds(const std::string& path) {
  const SectionFile file(path, kind, 1);
  const std::size_t size = read_all(path).size();
  std::uint64_t sum = 0;
  for (std::size_t commit = 0; commit < file.commits(); ++commit) {
    for (const auto& section : file.sections(commit)) {
      EXPECT_LE(section.offset, size);
      EXPECT_LE(section.bytes, size - section.offset);
      if (section.type != ElementType::unsigned_integer || section.element_bytes != 1) continue;
      for (const auto byte : file.section<std::uint8_t>(commit, section.name)) sum += byte;
    }
  }
  EXPECT_LE(sum, 255 * size);
}

/// Every 8 bytes of the header and of the tables are set to hostile values, with matching
/// checksums.
TEST(SectionFile, AForgedFileIsRejectedOrReadWithinItsBounds) {
  const std::string whole = small_file();
  const std::uint64_t end = whole.size() - sizeof(SectionHeader);
  const MemoryFile memory;
  int refused = 0;
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    const std::size_t size = std::min<std::size_t>(8, whole.size() - at);
    std::uint64_t old = 0;
    std::memcpy(&old, whole.data() + at, size);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, old + 1, old - 1, old + 64,
          old - 64, old + 128, end, end + 64, ~std::uint64_t{0}, ~std::uint64_t{63},
          std::uint64_t{1} << 63U, std::uint64_t{1} << 40U}) {
      std::string forged = whole;
      std::memcpy(forged.data() + at, &value, size);
      reseal(forged);
      memory.set(forged);
      try {
        read_within_bounds(memory.path());
      } catch (const CorruptFile&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(SectionFile, RandomDamageIsRejectedOrReadWithinItsBounds) {
  const auto files = use_mutated("SectionFile", small_file(), read_within_bounds);
  EXPECT_GT(files.used, 50);
  EXPECT_GT(files.refused, 1000);
}

}  // namespace SectionFileTest
