// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Support.hpp"
#include "TempFolder.hpp"
#include "io/WriteNpyHeader.hpp"
#include "program/Errors.hpp"
#include "program/Program.hpp"

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
using Testing::TempFolder;

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

Ran kindred(std::vector<std::string> arguments, const LoadedLibrary& library = {}) {
  ::setenv("KINDRED_PROFILE", "/nonexistent/profile.json", 1);
  arguments.insert(arguments.begin(), "kindred");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ran ran;
  ran.status = run(static_cast<int>(pointers.size()), pointers.data(), library);
  ran.out = ::testing::internal::GetCapturedStdout();
  ran.err = ::testing::internal::GetCapturedStderr();
  return ran;
}

std::string matrix(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
  return npy_header("<f4", rows, columns) +
         std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

/// Small valid files of every kind.
struct Files : TempFolder {
  std::string patterns = write("p.jsonl",
                               "{\"name\": \"x\", \"events\": [[\"a\", \"b\"], [\"c\"]]}\n"
                               "{\"tokens\": [\"a\", \"c\"]}\n{\"name\": \"e\", \"tokens\": []}\n");
  std::string queries = write("q.jsonl",
                              "{\"name\": \"q\", \"tokens\": [\"a\", \"b\", \"new\"]}\n"
                              "{\"tokens\": []}\n{\"tokens\": [\"c\"]}\n");
  std::string lines = write("l.txt", "kitten\nsitting\n\n");
  std::string line_queries = write("lq.txt", "mitten\n");
  std::string vectors =
      write("x.npy", matrix(4, 2, {1, 0, 0, 1, std::numeric_limits<float>::quiet_NaN(), 0, 3, 4}));
  std::string vector_queries = write("y.npy", matrix(2, 2, {1, 0, 3, 4}));
  std::string candidates =
      write("c.jsonl", "{\"name\": \"k\", \"ids\": [3, 0, 3]}\n{\"ids\": []}\n");
  std::string graph = write("g.tsv", "a b 0.5\nb c 1\n");
  std::string sources = write("s.jsonl", "{\"name\": \"s\", \"sources\": [[\"a\", 1]]}\n");
};

TEST(Command, OfAPackageReportsTheChoiceOfItsLibrary) {
  if (Testing::context().info(Space::cuda).compiled) GTEST_SKIP() << "this is no host build";
  const LoadedLibrary host{"host", "there is no driver here"};
  const std::string info = kindred({"info"}, host).out;
  EXPECT_THAT(info, HasSubstr("  cuda    not usable: there is no driver here"));
  EXPECT_THAT(info, HasSubstr("  host: there is no driver here\n"));
  EXPECT_THAT(kindred({"info", "--json"}, host).out, HasSubstr("\"name\": \"host\""));
  EXPECT_THAT(kindred({"--version"}, host).out, HasSubstr("library   host\n"));
  for (const std::vector<std::string>& requested :
       {std::vector<std::string>{"--space", "cuda"}, {"--device", "0"}}) {
    const Ran ran = kindred({"info", requested[0], requested[1]}, host);
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

TEST(Command, ReportsItsVersionAndHelp) {
  EXPECT_THAT(kindred({"--version"}).out, ::testing::StartsWith("kindred 0."));
  for (const char* command : {"info", "calibrate", "match", "search", "score", "spread"}) {
    const Ran help = kindred({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: kindred " + std::string(command)));
  }
}

TEST(Command, RefusesWrongUseBeforeItReadsAnything) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "a command is required: info, calibrate"},
      {{"fly"}, "there is no command 'fly'"},
      {{"demo"}, "did you mean kindred-demo?"},
      {{"match", "--queries", "none"}, "exactly one of --patterns, --lines"},
      {{"match", "--patterns", "none"}, "--queries is required"},
      {{"match", "--patterns", "none", "--lines", "none", "--queries", "none"}, "exactly one of"},
      {{"match", "--patterns", "-", "--queries", "-"}, "only --queries can be -"},
      {{"match", "--patterns", "none", "--queries", "none", "--top", "0"},
       "'0' is not a whole number"},
      {{"match", "--patterns", "none", "--queries", "none", "--threshold", "nan"}, "'nan' is no"},
      {{"match", "--patterns", "none", "--queries", "none", "--threshold", "-1"}, "'-1' is no"},
      {{"match", "--patterns", "none", "--queries", "none", "--threshold", "1.1"}, "'1.1' is no"},
      {{"match", "--patterns", "none", "--queries", "none", "--measure", "x"}, "'x' is not one of"},
      {{"match", "--patterns", "none", "--queries", "none", "--level", "x"}, "'x' is not one of"},
      {{"match", "--lines", "none", "--queries", "none", "--level", "token"}, "does not go with"},
      {{"match", "--patterns", "none", "--queries", "none", "--space", "tpu"},
       "'tpu' is not one of"},
      {{"match", "--patterns", "none", "--queries", "none", "--threads", "0"}, "[1, 512]"},
      {{"match", "--patterns", "none", "--queries", "none", "--trace", "/none/t"}, "--trace"},
      {{"match", "--patterns", "none", "--queries", "none", "--fly"},
       "match: there is no flag '--fly'"},
      {{"search", "--vectors", "none", "--queries", "none", "--metric", "x"}, "'x' is not one of"},
      {{"search", "--vectors", "none", "--queries", "none", "--out-ids", "i", "--out-scores", "i"},
       "two outputs are i"},
      {{"search", "--vectors", "none", "--queries", "none", "--out-ids", "/none/i", "--out-scores",
        "/none/s"},
       "cannot be written"},
      {{"spread", "--graph", "none", "--sources", "none", "--decay", "x:1"}, "'x:1' is not one of"},
      {{"spread", "--graph", "none", "--sources", "none", "--decay", "power"},
       "'power' is not one of"},
      {{"spread", "--graph", "none", "--sources", "none", "--decay", "power:-1"}, "no finite"},
      {{"spread", "--graph", "none", "--sources", "none", "--mode", "x"}, "'x' is not one of"},
      {{"spread", "--graph", "none", "--sources", "none", "--threshold", "nan"}, "'nan' is no"},
      {{"spread", "--graph", "none", "--sources", "none", "--hops", "1.5"}, "'1.5' is no"},
      {{"calibrate", "--seconds", "0"}, "'0' is not a number"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Ran ran = kindred(arguments);
    EXPECT_EQ(ran.status, 2) << ran.err;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

TEST(Command, RefusesBadFilesWithoutOutput) {
  const Files files;
  const auto bad_queries = files.write("bad.jsonl", "{\"tokens\": [\"a\"]}\n{\"tokens\": [1]}\n");
  const auto narrow = files.write("narrow.npy", matrix(1, 1, {1}));
  const auto mask = files.write("mask.npy", npy_header("<f4", 1, 1) + "abcd");
  const auto outside = files.write("out.jsonl", "{\"ids\": [4]}\n{\"ids\": []}\n");
  const auto short_list = files.write("short.jsonl", "{\"ids\": []}\n");
  const auto stranger = files.write("stranger.jsonl", "{\"sources\": [[\"z\", 1]]}\n");
  const auto heavy = files.write("heavy.tsv", "a b 2\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"match", "--patterns", files / "none", "--queries", files.queries}, "No such file"},
      {{"match", "--patterns", files.patterns, "--queries", bad_queries}, "bad.jsonl:2: "},
      {{"search", "--vectors", files.vectors, "--queries", narrow}, "dimension 1"},
      {{"search", "--vectors", files.vectors, "--queries", files.vector_queries, "--filter", mask},
       "bool or uint8"},
      {{"score", "--vectors", files.vectors, "--queries", files.vector_queries, "--candidates",
        outside},
       "out.jsonl:1: \"ids\" has 4"},
      {{"score", "--vectors", files.vectors, "--queries", files.vector_queries, "--candidates",
        short_list},
       "1 lines"},
      {{"spread", "--graph", files.graph, "--sources", stranger}, "'z' is not in the graph"},
      {{"spread", "--graph", heavy, "--sources", files.sources}, "heavy.tsv:1: the weight 2"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Ran ran = kindred(arguments);
    EXPECT_EQ(ran.status, 3) << ran.err;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

TEST(Command, SaysWhyASpaceCannotBeUsed) {
  if (Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "this machine has one";
  const Ran ran = kindred({"info", "--space", "cuda"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("space cuda cannot be used"));
}

TEST(Command, PrintsTheSameBytesForEverySpaceAndThreadCount) {
  const Files files;
  const std::vector<std::pair<std::vector<std::string>, std::string>> expected{
      {{"match", "--patterns", files.patterns, "--queries", files.queries, "--blocks"},
       "{\"query\": \"q\", \"results\": [{\"name\": \"x\", \"index\": 0, \"similarity\": "
       "0.6666666666666666, \"matched\": 2, \"blocks\": [[0, 0, 2]]}, {\"name\": null, \"index\": "
       "1, "
       "\"similarity\": 0.4, \"matched\": 1, \"blocks\": [[0, 0, 1]]}]}\n"
       "{\"query\": 1, \"results\": []}\n"
       "{\"query\": 2, \"results\": [{\"name\": null, \"index\": 1, \"similarity\": "
       "0.6666666666666666, \"matched\": 1, \"blocks\": [[1, 0, 1]]}, {\"name\": \"x\", \"index\": "
       "0, "
       "\"similarity\": 0.5, \"matched\": 1, \"blocks\": [[2, 0, 1]]}]}\n"},
      {{"match", "--lines", files.lines, "--queries", files.line_queries, "--measure", "difflib",
        "--threshold", "0", "--top", "2"},
       "{\"query\": \"mitten\", \"results\": [{\"name\": \"kitten\", \"index\": 0, "
       "\"similarity\": 0.8333333333333334, \"matched\": 5}, {\"name\": \"sitting\", \"index\": 1, "
       "\"similarity\": "
       "0.6153846153846154, \"matched\": 4}]}\n"},
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

TEST(Command, ReportsTimesSpacesAndDispatchesOnStderr) {
  const Files files;
  const Ran ran = kindred({"match", "--patterns", files.patterns, "--queries", files.queries,
                           "--explain", "--space", "serial"});
  EXPECT_THAT(ran.err, HasSubstr("\"chosen\":\"serial\""));
  EXPECT_THAT(ran.err, HasSubstr("match: read "));
  EXPECT_THAT(ran.err, HasSubstr("on 1 CPU thread (as requested)"));
}

TEST(Command, WritesTheTraceAndTheReport) {
  const Files files;
  const Ran ran = kindred({"spread", "--graph", files.graph, "--sources", files.sources, "--trace",
                           files / "t.json", "--report", files / "r.html", "--quiet"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(Testing::read_all(files / "t.json"), HasSubstr("\"traceEvents\""));
  EXPECT_THAT(Testing::read_all(files / "r.html"), HasSubstr("kindred spread"));
}

TEST(Command, WritesBothArraysOrNeither) {
  const Files files;
  const auto mask = files.write("mask.npy", [] {
    std::string header = npy_header("|b1", 4, 1);
    header.replace(header.find("(4, 1)"), 6, "(4,)  ");
    return header + std::string("\0\1\1\0", 4);
  }());
  const auto ids = files / "i.npy";
  const auto scores = files / "s.npy";
  const auto before = files.names();
  EXPECT_EQ(kindred({"search", "--vectors", files.vectors, "--queries", files / "none", "--out-ids",
                     ids, "--out-scores", scores})
                .status,
            3);
  EXPECT_THAT(files.names(), ::testing::UnorderedElementsAreArray(before));
  const Ran ran =
      kindred({"search", "--vectors", files.vectors, "--queries", files.vector_queries, "--out-ids",
               ids, "--out-scores", scores, "--filter", mask, "--top", "3"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, IsEmpty());
  const std::vector<std::int64_t> expected{1, 2, -1, 1, 2, -1};
  EXPECT_EQ(Testing::read_all(ids),
            npy_header("<i8", 2, 3) + std::string(reinterpret_cast<const char*>(expected.data()),
                                                  expected.size() * sizeof(std::int64_t)));
  EXPECT_EQ(Testing::read_all(scores).size(), npy_header("<f4", 2, 3).size() + 6 * sizeof(float));
}

TEST(Command, SearchingForMoreRowsThanThereAreFindsAll) {
  const Files files;
  const auto search = [&](const char* top) {
    return kindred(
        {"search", "--vectors", files.vectors, "--queries", files.vector_queries, "--top", top});
  };
  const Ran ran = search("5");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, search("4").out);
}

TEST(Command, AnswersFromNothing) {
  const Files files;
  const auto empty = files.write("empty.jsonl", "");
  const auto no_rows = files.write("none.npy", matrix(0, 2, {}));
  EXPECT_EQ(kindred({"match", "--patterns", empty, "--queries", files.queries}).out,
            "{\"query\": \"q\", \"results\": []}\n{\"query\": 1, \"results\": []}\n"
            "{\"query\": 2, \"results\": []}\n");
  EXPECT_EQ(kindred({"match", "--patterns", files.patterns, "--queries", empty}).out, "");
  EXPECT_EQ(kindred({"search", "--vectors", no_rows, "--queries", files.vector_queries}).status, 3);
  EXPECT_EQ(kindred({"spread", "--graph", empty, "--sources",
                     files.write("s0.jsonl", "{\"sources\": []}\n")})
                .out,
            "{\"query\": 0, \"activations\": []}\n");
}

}  // namespace CommandTest
