// SPDX-License-Identifier: Apache-2.0
// Exact outputs of the command, computed by hand; tests/tools runs it as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "RunProgram.hpp"
#include "Support.hpp"
#include "TempFolder.hpp"
#include "io/Matrix.hpp"
#include "program/Errors.hpp"

#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace CommandTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Testing::Ran;

Ran kindred(std::vector<std::string> arguments, const LoadedLibrary& library = {}) {
  ::setenv("KINDRED_PROFILE", "/nonexistent/profile.json", 1);
  arguments.insert(arguments.begin(), "kindred");
  return Testing::run_program(arguments, library);
}

std::string matrix(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
  return npy_header("<f4", rows, columns) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

/// Small valid files of every kind.
struct Files : Testing::TempFolder {
  std::string patterns = write("p.jsonl",
                               "{\"name\": \"x\", \"events\": [[\"a\", \"b\"], [\"c\"]]}\n"
                               "{\"tokens\": [\"a\", \"c\"]}\n{\"name\": \"e\", \"tokens\": []}\n");
  std::string queries = write("q.jsonl",
                              "{\"name\": \"q\", \"tokens\": [\"a\", \"b\", \"new\"]}\n"
                              "{\"tokens\": []}\n{\"tokens\": [\"c\"]}\n");
  std::string lines = write("l.txt", "kitten\nsitting\n\n");
  std::string line_queries = write("lq.txt", "mitten\nzzz\n");
  std::string table = write("p.csv", "id,company\n1,\"Glonn, \"\"Inc\"\"\"\n2,Acme\n");
  std::string vectors =
      write("x.npy", matrix(4, 2, {1, 0, 0, 1, std::numeric_limits<float>::quiet_NaN(), 0, 3, 4}));
  std::string vector_queries = write("y.npy", matrix(2, 2, {1, 0, 3, 4}));
  std::string candidates =
      write("c.jsonl", "{\"name\": \"k\", \"ids\": [3, 0, 3]}\n{\"ids\": []}\n");
  std::string graph = write("g.tsv", "a b 0.5\nb c 1\n");
  std::string sources = write("s.jsonl", "{\"name\": \"s\", \"sources\": [[\"a\", 1]]}\n");
  std::string no_sources = write("s0.jsonl", "{\"sources\": []}\n");
  std::string empty = write("empty.jsonl", "");
};

TEST(Command, OfAPackageReportsTheChoiceOfItsLibrary) {
  if (Testing::context().info(Space::cuda).compiled) GTEST_SKIP() << "this is no host build";
  const LoadedLibrary host{"host", "there is no driver here"};
  const std::string info = kindred({"info"}, host).out;
  EXPECT_THAT(info, HasSubstr("  cuda    not usable: there is no driver here"));
  EXPECT_THAT(info, HasSubstr("  host: there is no driver here\n"));
  EXPECT_THAT(kindred({"info", "--json"}, host).out, HasSubstr("\"name\": \"host\""));
  EXPECT_THAT(kindred({"--version"}, host).out, HasSubstr("library   host\n"));
  for (const auto& [flag, value] : {std::pair("--space", "cuda"), {"--device", "0"}}) {
    const Ran ran = kindred({"info", flag, value}, host);
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("no GPU can be used: there is no driver here"));
  }
  EXPECT_THAT(kindred({"info"}).out, Not(HasSubstr("host:")));
}

TEST(Command, GivesEachErrorItsStatus) {
  EXPECT_EQ(exit_status(Error("")), ExitStatus::runtime);
  EXPECT_EQ(exit_status(SpaceUnavailable("")), ExitStatus::runtime);
  EXPECT_EQ(exit_status(DeviceLost("")), ExitStatus::runtime);
  EXPECT_EQ(exit_status(std::runtime_error("")), ExitStatus::runtime);
  EXPECT_EQ(exit_status(UsageError("")), ExitStatus::usage);
  EXPECT_EQ(exit_status(InvalidArgument("")), ExitStatus::usage);
  EXPECT_EQ(exit_status(InputError("")), ExitStatus::input);
  EXPECT_EQ(exit_status(CorruptFile("", 0, "")), ExitStatus::input);
  EXPECT_EQ(exit_status(NotFound("")), ExitStatus::input);
  EXPECT_EQ(exit_status(OutOfMemory("host", 1, "", "")), ExitStatus::out_of_memory);
  EXPECT_EQ(exit_status(std::bad_alloc()), ExitStatus::out_of_memory);
}

TEST(Command, PrintsTheSameBytesForEverySpaceAndThreadCount) {
  const Files files;
  const std::vector<std::pair<std::vector<std::string>, std::string>> expected{
      {{"match", "--patterns", files.patterns, "--queries", files.queries, "--blocks"},
       R"({"query": "q", "results": [{"name": "x", "index": 0, "similarity": 0.6666666666666666, )"
       R"("matched": 2, "blocks": [[0, 0, 2]]}, {"name": null, "index": 1, "similarity": 0.4, )"
       R"("matched": 1, "blocks": [[0, 0, 1]]}]})"
       "\n{\"query\": 1, \"results\": []}\n"
       R"({"query": 2, "results": [{"name": null, "index": 1, "similarity": 0.6666666666666666, )"
       R"("matched": 1, "blocks": [[1, 0, 1]]}, {"name": "x", "index": 0, "similarity": 0.5, )"
       R"("matched": 1, "blocks": [[2, 0, 1]]}]})"
       "\n"},
      {{"match", "--lines", files.lines, "--queries", files.line_queries, "--measure", "difflib",
        "--threshold", "0.1", "--top", "2", "--matched-only"},
       R"({"query": "mitten", "results": [{"name": "kitten", "index": 0, "similarity": )"
       R"(0.8333333333333334, "matched": 5}, {"name": "sitting", "index": 1, "similarity": )"
       R"(0.6153846153846154, "matched": 4}]})"
       "\n"},
      {{"match", "--lines", files.lines, "--queries", files.line_queries, "--threshold", "0.7",
        "--blocks", "--format", "csv"},
       "query,name,index,similarity,matched,blocks\n"
       "mitten,kitten,0,0.8333333333333334,5,\"[[1, 1, 5]]\"\nzzz,,,,,\n"},
      {{"match", "--lines", files.lines, "--queries", files.line_queries, "--threshold", "0.7",
        "--blocks", "--format", "table"},
       "query   name    index  similarity  matched  blocks\n"
       "mitten  kitten      0      0.8333        5  [[1, 1, 5]]\nzzz\n"},
      {{"match", "--patterns", files.table, "--queries", files.write("q.csv", "firm\nglonn\n"),
        "--column", "company", "--query-column", "firm", "--ignore-case", "--top", "1"},
       R"({"query": "glonn", "results": [{"name": "Glonn, \"Inc\"", "index": 0, "similarity": )"
       R"(0.5882352941176471, "matched": 5}]})"
       "\n"},
      {{"search", "--vectors", files.vectors, "--queries", files.vector_queries},
       "{\"query\": 0, \"results\": [[0, 1.0], [3, 0.6], [1, 0.0], [2, null]]}\n"
       "{\"query\": 1, \"results\": [[3, 1.0], [1, 0.8], [0, 0.6], [2, null]]}\n"},
      {{"score", "--vectors", files.vectors, "--queries", files.vector_queries, "--candidates",
        files.candidates, "--metric", "l2"},
       "{\"query\": \"k\", \"results\": [[0, 0.0], [3, 4.472136]]}\n"
       "{\"query\": 1, \"results\": []}\n"},
      {{"spread", "--graph", files.graph, "--sources", files.sources, "--mode", "linear", "--decay",
        "constant:1"},
       "{\"query\": \"s\", \"activations\": [[\"a\", 1.0], [\"b\", 0.5], [\"c\", 0.5]]}\n"},
      {{"match", "--patterns", files.empty, "--queries", files.queries},
       "{\"query\": \"q\", \"results\": []}\n{\"query\": 1, \"results\": []}\n"
       "{\"query\": 2, \"results\": []}\n"},
      {{"match", "--patterns", files.patterns, "--queries", files.empty}, ""},
      {{"spread", "--graph", files.empty, "--sources", files.no_sources},
       "{\"query\": 0, \"activations\": []}\n"},
      {{"spread", "--graph", files.empty, "--sources", files.empty}, ""},
  };
  for (const auto& [arguments, text] : expected) {
    for (const Space space : Testing::spaces()) {
      for (const char* threads : {"1", "3"}) {
        std::vector<std::string> all{"--threads", threads};
        all.insert(all.end(), arguments.begin(), arguments.end());
        all.insert(all.end(), {"--quiet", "--space", std::string(to_string(space))});
        const Ran ran = kindred(all);
        EXPECT_EQ(ran.status, 0);
        EXPECT_EQ(ran.out, text);
        EXPECT_THAT(ran.err, IsEmpty());
      }
    }
  }
}

TEST(Command, WritesTheArraysOfASearch) {
  const Files files;
  std::string mask = npy_header("|b1", 4, 1);
  mask.replace(mask.find("(4, 1)"), 6, "(4,)  ");
  const auto allowed = files.write("mask.npy", mask + std::string("\0\1\1\0", 4));
  const auto ids = files / "i.npy";
  const auto scores = files / "s.npy";
  const Ran ran =
      kindred({"search", "--vectors", files.vectors, "--queries", files.vector_queries, "--out-ids",
               ids, "--out-scores", scores, "--filter", allowed, "--top", "3"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, IsEmpty());
  const std::vector<std::int64_t> expected{1, 2, -1, 1, 2, -1};
  EXPECT_EQ(Testing::read_all(ids),
            npy_header("<i8", 2, 3) + std::string(reinterpret_cast<const char*>(expected.data()),
                                                  expected.size() * sizeof(std::int64_t)));
  EXPECT_EQ(Testing::read_all(scores).size(), npy_header("<f4", 2, 3).size() + 6 * sizeof(float));
}

TEST(Command, SkipsBadQueries) {
  const Files files;
  const auto queries =
      files.write("bad.jsonl", "{\"tokens\": [\"a\"]}\nnonsense\n{\"tokens\": [\"b\"]}\n");
  std::vector<std::string> match{"match",     "--patterns", files.patterns,
                                 "--queries", queries,      "--skip-bad"};
  const Ran json = kindred(match);
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, HasSubstr("}]}\n{\"error\": \"not JSON: column 2"));
  EXPECT_THAT(json.out, HasSubstr("\", \"line\": 2}\n{\"query\": 2, "));
  EXPECT_THAT(json.err, HasSubstr("1 of 3 queries are skipped"));
  match.insert(match.end(), {"--format", "csv"});
  const Ran csv = kindred(match);
  EXPECT_THAT(csv.err, HasSubstr("line 2 of the queries is skipped: not JSON"));
  EXPECT_THAT(csv.out, Not(HasSubstr("error")));
}

}  // namespace CommandTest
