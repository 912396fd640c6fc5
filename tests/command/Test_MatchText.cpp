// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TempFolder.hpp"
#include "program/Program.hpp"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace MatchTextTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Testing::TempFolder;

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

Outcome match(std::vector<std::string> arguments) {
  ::setenv("KINDRED_PROFILE", "/nonexistent/profile.json", 1);
  arguments.insert(arguments.begin(), {"kindred", "match"});
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = run(static_cast<int>(pointers.size()), pointers.data());
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

struct Texts : TempFolder {
  std::string lines = write("p.txt", "First Glonn\nSecond\n");
  std::string line_queries = write("q.txt", "Fist Glno\nzzz\n");
  std::string table = write("p.csv", "id,company\n1,\"Glonn, \"\"Inc\"\"\"\n2,Acme\n");
  std::string query_table = write("q.csv", "firm\nglonn\n");
};

TEST(MatchText, PrintsTheTextsOfLines) {
  const Texts files;
  EXPECT_EQ(
      match({"--lines", files.lines, "--queries", files.line_queries, "-k", "1", "--matched-only"})
          .out,
      "{\"query\": \"Fist Glno\", \"results\": [{\"name\": \"First Glonn\", \"index\": 0, "
      "\"similarity\": 0.8, \"matched\": 8}]}\n");
}

TEST(MatchText, PrintsRows) {
  const Texts files;
  const auto rows = [&](const char* format) {
    return match({"--lines", files.lines, "--queries", files.line_queries, "--threshold", "0.5",
                  "--blocks", "--format", format})
        .out;
  };
  EXPECT_EQ(rows("csv"),
            "query,name,index,similarity,matched,blocks\n"
            "Fist Glno,First Glonn,0,0.8,8,\"[[0, 0, 2], [3, 2, 5], [9, 7, 1]]\"\n"
            "zzz,,,,,\n");
  EXPECT_EQ(rows("table"),
            "query      name         index  similarity  matched  blocks\n"
            "Fist Glno  First Glonn      0      0.8000        8  [[0, 0, 2], [3, 2, 5], [9, 7, "
            "1]]\n"
            "zzz\n");
}

TEST(MatchText, ComparesAColumn) {
  const Texts files;
  const Outcome outcome =
      match({"--patterns", files.table, "--queries", files.query_table, "--column", "company",
             "--query-column", "firm", "--ignore-case", "--top", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "{\"query\": \"glonn\", \"results\": [{\"name\": \"Glonn, \\\"Inc\\\"\", \"index\": 0, "
            "\"similarity\": 0.5882352941176471, \"matched\": 5}]}\n");
}

TEST(MatchText, ComparesCharactersOfSingleStrings) {
  const TempFolder folder;
  const auto patterns =
      folder.write("p.jsonl", "{\"name\": \"n\", \"tokens\": [\"First Glonn\"]}\n");
  const auto queries = folder.write("q.jsonl", "{\"tokens\": [\"Fist Glno\"]}\n{\"tokens\": []}\n");
  const Outcome chosen = match({"--patterns", patterns, "--queries", queries});
  EXPECT_THAT(chosen.out, HasSubstr("\"similarity\": 0.8, \"matched\": 8"));
  EXPECT_THAT(chosen.err, HasSubstr("characters are compared"));
  const Outcome given =
      match({"--patterns", patterns, "--queries", queries, "--level", "character"});
  EXPECT_EQ(given.out, chosen.out);
  EXPECT_THAT(given.err, Not(HasSubstr("characters are compared")));
  const Outcome tokens = match({"--patterns", patterns, "--queries", queries, "--level", "token"});
  EXPECT_EQ(tokens.out, "{\"query\": 0, \"results\": []}\n{\"query\": 1, \"results\": []}\n");
  EXPECT_THAT(tokens.err, HasSubstr("none of the 2 queries has a result"));
  const auto longer = folder.write("r.jsonl", "{\"tokens\": [\"First Glonn\", \"x\"]}\n");
  const Outcome mixed = match({"--patterns", patterns, "--queries", longer});
  EXPECT_THAT(mixed.out, HasSubstr("\"similarity\": 0.6666666666666666, \"matched\": 1"));
  EXPECT_THAT(mixed.err, Not(HasSubstr("characters are compared")));
}

TEST(MatchText, RefusesFlagsThatDoNotGoTogether) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--column", "a", "--store", "none"}, "--column is for the files"},
      {{"--query-column", "a", "--patterns", "none"}, "--query-column goes with --column"},
      {{"--column", "a", "--level", "token", "--patterns", "none"}, "does not go with --column"},
      {{"--column", "a", "--predict", "--patterns", "none"}, "--column does not provide"},
      {{"--ignore-case", "--patterns", "none"}, "--ignore-case is for characters"},
      {{"--normalize", "nfc", "--patterns", "none"}, "--normalize is for characters"},
      {{"--normalize", "nfd", "--lines", "none"}, "'nfd' is not one of nfc, nfkc"},
      {{"--ignore-case", "--store", "none"}, "--ignore-case does not go with --store"},
      {{"--format", "xml", "--lines", "none"}, "'xml' is not one of json, csv"},
      {{"--format", "csv", "--json", "--lines", "none"}, "exclude each other"},
      {{"--format", "csv", "--predict", "--patterns", "none"}, "only --format json has"},
      {{"--follow", "--patterns", "none"}, "--follow goes with"},
      {{"--follow", "--store", "none"}, "--follow goes with"},
      {{"-k", "0", "--lines", "none"}, "'0' is not a whole number"},
  };
  for (auto [arguments, message] : wrong) {
    arguments.insert(arguments.end(), {"--queries", "none"});
    const Outcome outcome = match(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  EXPECT_EQ(match({"--lines", "none", "--self", "--threshold", "1", "--skip-bad"}).status, 2);
}

TEST(MatchText, Warns) {
  const Texts files;
  const auto empty = files.write("empty.jsonl", "");
  const auto records = files.write("r.jsonl", "{\"tokens\": [\"a\", \"b\"]}\n");
  EXPECT_THAT(match({"--patterns", empty, "--queries", records}).err,
              HasSubstr("empty.jsonl: there are no patterns"));
  EXPECT_THAT(match({"--lines", records, "--queries", files.line_queries}).err,
              HasSubstr("r.jsonl: --lines compares whole lines as text"));
  EXPECT_THAT(match({"--lines", files.table, "--queries", files.line_queries}).err,
              HasSubstr("p.csv: --lines compares whole lines; --column NAME"));
  EXPECT_THAT(match({"--lines", files.lines, "--queries", files.line_queries}).err,
              Not(HasSubstr("warning")));
  EXPECT_THAT(
      match({"--lines", files.lines, "--queries", files.line_queries, "--threshold", "1"}).err,
      HasSubstr("none of the 2 queries has a result: no similarity reaches the threshold "
                "1\n"));
}

TEST(MatchText, SkipsBadQueries) {
  const TempFolder folder;
  const auto patterns = folder.write("p.jsonl", "{\"tokens\": [\"a\", \"b\"]}\n");
  const auto queries =
      folder.write("q.jsonl", "{\"tokens\": [\"a\"]}\nnonsense\n{\"tokens\": [\"b\"]}\n");
  const Outcome json = match({"--patterns", patterns, "--queries", queries, "--skip-bad"});
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, HasSubstr("}]}\n{\"error\": \"not JSON: column 2"));
  EXPECT_THAT(json.out, HasSubstr("\", \"line\": 2}\n{\"query\": 2, "));
  EXPECT_THAT(json.err, HasSubstr("1 of 3 queries are skipped"));
  const Outcome csv =
      match({"--patterns", patterns, "--queries", queries, "--skip-bad", "--format", "csv"});
  EXPECT_THAT(csv.err, HasSubstr("line 2 of the queries is skipped: not JSON"));
  EXPECT_THAT(csv.out, Not(HasSubstr("error")));
}

}  // namespace MatchTextTest
