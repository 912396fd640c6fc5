// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "TextRows.hpp"
#include "storage/SectionChecks.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>

#include <optional>

namespace SectionChecksTest {

using namespace Kindred;
using ::testing::HasSubstr;

/// Writes a file with the section `numbers` behind another one. Returns its path.
std::string written(const std::string& path) {
  Impl::SectionWriter writer(path, "numbers");
  writer.write<std::uint8_t>("other", std::vector<std::uint8_t>{1, 2, 3});
  writer.write<std::uint64_t>("numbers", std::vector<std::uint64_t>{2, 5, 5, 9});
  writer.commit();
  return path;
}

class SectionChecks : public ::testing::Test {
 protected:
  /// Expects that \p check fails at \p element of the section.
  template <class Check>
  void refuse(std::uint64_t element, const char* why, const Check& check) {
    const std::uint64_t offset = file.offset(0, "numbers") + 8 * element;
    EXPECT_THAT(
        Testing::message_of<CorruptFile>(check),
        ::testing::AllOf(
            ::testing::StartsWith(std::string(file.path()) + ":" + std::to_string(offset) + ": "),
            HasSubstr("'numbers', element " + std::to_string(element) + ": " + why)));
  }

  const Testing::TempFolder folder;
  const Impl::SectionFile file{written(folder / "a"), "numbers", 1};
  const Impl::SectionChecks checks{file, 0, 2};
  const std::span<const std::uint64_t> numbers = checks.section<std::uint64_t>("numbers");
};

TEST_F(SectionChecks, ReportTheFirstNumberThatIsTooLarge) {
  EXPECT_NO_THROW(checks.below<std::uint64_t>("numbers", numbers, 10));
  EXPECT_NO_THROW(checks.below<std::uint64_t>("numbers", {}, 0));
  refuse(3, "9 is not below 9", [&] { checks.below<std::uint64_t>("numbers", numbers, 9); });
  refuse(1, "5 is not below 5", [&] { checks.below<std::uint64_t>("numbers", numbers, 5); });
  refuse(0, "2 is not below 0", [&] { checks.below<std::uint64_t>("numbers", numbers, 0); });
}

TEST_F(SectionChecks, ReportTheFirstRowThatIsTooLong) {
  EXPECT_NO_THROW(checks.ends("numbers", numbers, 9));
  EXPECT_NO_THROW(checks.ends("numbers", numbers, 9, 5));
  refuse(3, "ends decrease, or a row is too long", [&] { checks.ends("numbers", numbers, 9, 4); });
  refuse(1, "ends decrease, or a row is too long", [&] { checks.ends("numbers", numbers, 9, 3); });
  refuse(3, "ends at 9 of 8", [&] { checks.ends("numbers", numbers, 8); });
}

TEST_F(SectionChecks, ReportAnotherNumberOfElements) {
  EXPECT_NO_THROW(checks.count("numbers", numbers, 4));
  refuse(0, "4 elements; 5 are expected", [&] { checks.count("numbers", numbers, 5); });
}

TEST_F(SectionChecks, ReportTheFirstElementThatIsNotGood) {
  const auto is_small = [](std::uint64_t number) { return number < 9; };
  EXPECT_EQ(checks.section<std::uint64_t>("numbers", 4, "small", [](auto) { return true; }).size(),
            4U);
  refuse(3, "large", [&] { checks.section<std::uint64_t>("numbers", 4, "large", is_small); });
  refuse(0, "4 elements; 3 are expected",
         [&] { checks.section<std::uint64_t>("numbers", 3, "large", is_small); });
}

TEST_F(SectionChecks, ReadRowsOfText) {
  const Ragged<char> rows = Testing::text_rows({"ab", "", "\xffz"});
  const std::string path = folder / "rows";
  {
    Impl::SectionWriter writer(path, "numbers");
    writer.write_rows<char>("text", "numbers", rows);
    writer.commit();
  }
  const Impl::SectionFile stored(path, "numbers", 1);
  EXPECT_EQ(stored.section<std::uint8_t>(0, "text").size(), 4U);
  const Impl::SectionChecks of_rows(stored, 1);
  for (const auto& count : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(3)}) {
    const Ragged<char> read = of_rows.rows<char>("text", "numbers", count);
    EXPECT_EQ(read.offsets, rows.offsets);
    EXPECT_EQ(read.values, rows.values);
  }
  EXPECT_THROW(of_rows.rows<char>("text", "numbers", 2), CorruptFile);
  EXPECT_THROW(checks.rows<std::uint8_t>("other", "numbers"), CorruptFile);  // they end at 9 of 3
}

TEST_F(SectionChecks, OfAFileWithOneCommitRefuseMore) {
  EXPECT_NO_THROW(Impl::SectionChecks(file, 1));
  const std::string path = folder / "b";
  Impl::SectionWriter(path, "numbers", Impl::SectionFile(written(path), "numbers", 1).revision())
      .commit();
  const Impl::SectionFile longer(path, "numbers", 1);
  EXPECT_THAT(Testing::message_of<CorruptFile>([&] { Impl::SectionChecks(longer, 1); }),
              HasSubstr(path + ":40: there are 2 commits"));
}

TEST_F(SectionChecks, OfNumbersReportTheNumber) {
  const Impl::SectionNumbers head(checks, "numbers", 4);
  EXPECT_EQ(head[3], 9U);
  EXPECT_EQ(head.in(1, 5, 5), 5U);
  refuse(1, "5 is not in [6, 7]", [&] { head.in(1, 6, 7); });
  refuse(1, "5 is not in [3, 4]", [&] { head.in(1, 3, 4); });
  EXPECT_NO_THROW(head.require(true, 0, "is bad"));
  refuse(2, "5 is bad", [&] { head.require(false, 2, "is bad"); });
  refuse(0, "4 elements; 5 are expected", [&] { Impl::SectionNumbers(checks, "numbers", 5); });
}

}  // namespace SectionChecksTest
