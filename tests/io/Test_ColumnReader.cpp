// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/ColumnReader.hpp"

namespace ColumnReaderTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

/// The fields of the column `b`, and messages of bad records without the path.
std::vector<std::string> fields_of(const std::string& text, char separator = ',',
                                   const std::string& column = "b") {
  const TempFolder folder;
  const auto path = folder.write("t", text);
  ColumnReader reader(path, {column, separator});
  std::vector<std::string> out;
  while (true) {
    try {
      const auto field = reader.next();
      if (!field) return out;
      out.emplace_back(*field);
    } catch (const BadLine& bad) {
      out.push_back(std::to_string(bad.line()) + ": " + bad.why());
    }
  }
}

TEST(ColumnReader, ReadsAColumnByItsName) {
  EXPECT_THAT(fields_of("a,b,c\n1,x,2\n3,,4\n5, y ,6"), ElementsAre("x", "", " y "));
  EXPECT_THAT(fields_of("b\nx\n\"\"\ny\n"), ElementsAre("x", "", "y"));
  EXPECT_THAT(fields_of("\xEF\xBB\xBF"
                        "b,a\r\nx,1\r\ny,2\r\n"),
              ElementsAre("x", "y"));
  EXPECT_THAT(fields_of("a\tb\n1,5\tx,y\n", '\t'), ElementsAre("x,y"));
  EXPECT_THAT(fields_of("a,b\n"), IsEmpty());
}

TEST(ColumnReader, TakesTheNumberOfAColumnThatHasNoSuchName) {
  const std::string table = "a,2,x,x\n1,2,3,4\n";
  EXPECT_THAT(fields_of(table, ',', "1"), ElementsAre("1"));
  EXPECT_THAT(fields_of(table, ',', "2"), ElementsAre("2"));
  EXPECT_THAT(fields_of("2,b\nx,y\n", ',', "2"), ElementsAre("x")) << "a name comes first";
  EXPECT_THAT(fields_of(table, ',', "4"), ElementsAre("4"));
  for (const char* number : {"0", "5", "-1", "1.0", "18446744073709551617"}) {
    EXPECT_THAT(message_of<InputError>([&] { fields_of(table, ',', number); }),
                HasSubstr("there is no column '" + std::string(number) + "'"));
  }
}

TEST(ColumnReader, SkipsEmptyLines) {
  EXPECT_THAT(fields_of("a,b\n1,x\n\n\n2,y\n\n"), ElementsAre("x", "y"));
  EXPECT_THAT(fields_of("\n\r\na,b\r\n\r\n1,x\r\n\r\n"), ElementsAre("x"));
  EXPECT_THAT(fields_of("b\nx\n\ny\n\n"), ElementsAre("x", "y"));
  EXPECT_THAT(fields_of("a,b\n1,\"\n\n\"\n"), ElementsAre("\n\n")) << "not within a field";
  EXPECT_THAT(fields_of("a,b\n\n1,x\n\n2\n"), ElementsAre("x", "5: 1 fields; the header has 2"));
  EXPECT_THAT(fields_of("a,b\n1,x\n ,\n \n"), ElementsAre("x", "", HasSubstr("4: 1 fields")));
}

TEST(ColumnReader, ReadsFieldsInQuotes) {
  EXPECT_THAT(fields_of("\"a\",\"b\"\n\"1\",\"x, \"\"y\"\"\"\n2,\"\"\n"),
              ElementsAre("x, \"y\"", ""));
  EXPECT_THAT(fields_of("b,a\n\"x\ny\",1\n\"z\r\n\r\n\",2\r\n"), ElementsAre("x\ny", "z\r\n\r\n"));
  EXPECT_THAT(fields_of("a,\"b\"\n\"\n\",x"), ElementsAre("x"));
  EXPECT_THAT(fields_of("\xEF\xBB\xBF\"b\",\"a\n\"\"1\"\"\"\r\n\"\r\",\"\"\r\n"),
              ElementsAre("\r"));
  EXPECT_THAT(fields_of("a,b\n1,\"\"\"\"\n2,\"\"\"x\"\"\"\n3,\"a\"\"b\"\n"),
              ElementsAre("\"", "\"x\"", "a\"b"));
}

TEST(ColumnReader, ContinuesAfterABadRecord) {
  EXPECT_THAT(
      fields_of("a,b\n1,x\n2\n3,y,4\n5,z\n"),
      ElementsAre("x", "3: 1 fields; the header has 2",
                  "4: 3 fields; the header has 2; write a field that contains a comma in quotes",
                  "z"));
  EXPECT_THAT(
      fields_of("a\tb\n1\tx\ty\n", '\t'),
      ElementsAre(HasSubstr("2: 3 fields; the header has 2; write a field that contains a tab")));
  EXPECT_THAT(fields_of("a,b\n1,x\ry\n2,z\r"),
              ElementsAre(HasSubstr("2: field 2 contains a carriage return: lines end with \\n"),
                          HasSubstr("3: field 2 contains a carriage return")));
  EXPECT_THAT(fields_of("a,b\n1,5\" pipe\n2,\"x\"y\n3,z\n"),
              ElementsAre(HasSubstr("2: field 2 contains a quote"),
                          HasSubstr("3: field 2 continues after its closing quote"), "z"));
  EXPECT_THAT(fields_of("b\n\"x\ny\"z\nw\n"), ElementsAre(HasSubstr("2: field 1 continues"), "w"));
  EXPECT_THAT(message_of<InputError>([] { fields_of("b\nw\n\"x\ny\n"); }),
              HasSubstr("t:3: the file ends within a field in quotes that begins here"))
      << "not skipped: it would take all lines after it along";
}

TEST(ColumnReader, RefusesAFileWithoutTheColumn) {
  Testing::expect_refused(
      {
          {"a,c\n1,2\n", "t:1: there is no column 'b'; the columns are 'a', 'c'"},
          {"a;b\n1;2\n", "the columns are 'a;b' (commas separate columns, in a *.tsv file tabs)"},
          {"b,a,b\n1,2,3\n", "2 columns are called 'b'; give the number of one, 1 or 3"},
          {"a,b\r1,x\r", "t:1: field 2 contains a carriage return"},
          {"", "the file is empty"},
          {"\n\n", "the file is empty"},
          {"\"b\n", "within a field in quotes"},
          {"\"b\"x\n", "t:1: field 1 continues"},
      },
      [](const std::string& text) { return message_of<InputError>([&] { fields_of(text); }); });
}

TEST(ColumnReader, LooksAheadOnlyInWhatIsBuffered) {
  const TempFolder folder;
  ColumnReader reader(folder.write("t", "a,b\n1,x\n2,\"y\nz\"\n3,w"), {"b", ','});
  EXPECT_FALSE(reader.buffered());  // nothing was read yet
  EXPECT_EQ(reader.next(), "x");
  EXPECT_TRUE(reader.buffered());
  EXPECT_EQ(reader.next(), "y\nz");
  EXPECT_EQ(message_of<BadLine>([&] { reader.fail("why"); }), folder / "t" + ":3: why");
  EXPECT_EQ(reader.next(), "w");
  EXPECT_FALSE(reader.buffered());
  EXPECT_FALSE(reader.next());
}

TEST(ColumnReader, ChoosesTheSeparatorByTheName) {
  for (const char* name : {"x.tsv", "x.tab", "x.csv.tsv", "x.tsv.gz", "x.tsv.zst"})
    EXPECT_EQ(separator_of(name), '\t') << name;
  for (const char* name : {"x.csv", "x", "-", "tsv", "x.tsv.bak", "x.csv.gz"})
    EXPECT_EQ(separator_of(name), ',') << name;
}

}  // namespace ColumnReaderTest
