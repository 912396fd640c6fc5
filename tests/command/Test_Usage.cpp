// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Commands.hpp"
#include "Completion.hpp"
#include "Progress.hpp"
#include "program/Color.hpp"
#include "program/ManPage.hpp"
#include "program/Suggestion.hpp"
#include "program/UsageMessage.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace UsageTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Some commands of the program.
struct Program {
  Program() {
    add_global_options(app, global, "For every command");
    add_search_command(app, global);
    add_graph_command(app, global);
    add_index_command(app, global);
    app.require_subcommand(1);
    for (CLI::App* command : app.get_subcommands({})) {
      command->fallthrough();
      for (CLI::App* nested : command->get_subcommands({})) nested->fallthrough();
    }
  }
  /// The message for arguments that the parser refuses.
  std::string message(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());
    try {
      app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
      return usage_message(app, error);
    }
    return {};
  }

  CLI::App app{"A program\nof this test", "kindred"};
  GlobalOptions global;
};

TEST(Suggestion, IsTheOnlyContinuationOrTheMostSimilar) {
  const std::vector<std::string> known{"--vectors", "--queries", "--metric", "--out-ids",
                                       "--out-scores"};
  EXPECT_EQ(suggestion("--vec", known), "--vectors");
  EXPECT_EQ(suggestion("--vectros", known), "--vectors");
  EXPECT_EQ(suggestion("--vector", known), "--vectors");
  EXPECT_EQ(suggestion("--metrci", known), "--metric");
  EXPECT_EQ(suggestion("--out-id", known), "--out-ids");
  EXPECT_EQ(suggestion("--out", known), "");  // two begin with it
  EXPECT_EQ(suggestion("--weather", known), "");
  EXPECT_EQ(suggestion("-q", known), "");
  EXPECT_EQ(suggestion("--\xFF\xFE", known), "");
  EXPECT_EQ(did_you_mean("serch", {"search", "score"}), "; did you mean search?");
  EXPECT_EQ(did_you_mean("fly", {"search", "score"}), "");
}

TEST(UsageMessage, NamesTheFix) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "a command is required: search, graph, index (see kindred --help)"},
      {{"graph", "bild"}, "graph: there is no command 'bild'; did you mean build?"},
      {{"search", "--limit=3"}, "search: there is no flag '--limit'; did you mean --top?"},
      {{"search", "x", "y"},
       "search: there are no arguments 'x', 'y'; files are given by flags: --vectors FILE, --store "
       "FILE, --queries FILE"},
      {{"index", "search"}, "index search: --index FILE, --queries FILE are required"},
      {{"search", "--queries", "a", "--vectors", "b", "--store", "c"},
       "search: --vectors excludes --store; omit one of them (see kindred search --help)"},
      {{"search", "--queries", "a", "-k", "0"}, "search: --top: '0' is not a whole number"}};
  for (const auto& [arguments, message] : wrong)
    EXPECT_THAT(Program().message(arguments), StartsWith(message));
}

TEST(Completion, NamesEveryCommandAndFlag) {
  const Program program;
  for (const std::string& script :
       {bash_completion(program.app), zsh_completion(program.app), fish_completion(program.app)}) {
    for (const char* word : {"search", "graph", "build", "verify", "queries", "top", "space"})
      EXPECT_THAT(script, HasSubstr(word));
  }
  EXPECT_THAT(bash_completion(program.app), HasSubstr("\"graph build\") words=\""));
  EXPECT_THAT(fish_completion(program.app),
              HasSubstr("-n '__fish_seen_subcommand_from graph; and __fish_seen_subcommand_from "
                        "build' -l edges -r"));
}

TEST(ManPage, DescribesACommandAndItsFlags) {
  const Program program;
  EXPECT_EQ(man_page_name(program.app), "kindred");
  EXPECT_THAT(man_page(program.app), AllOf(StartsWith(".TH KINDRED 1"), HasSubstr(".SH COMMANDS"),
                                           HasSubstr(".SH EXIT STATUS")));
  const CLI::App& search = find_command(program.app, "man", {"search"});
  EXPECT_THAT(man_page(search),
              AllOf(HasSubstr("\\fB\\-k\\fR, \\fB\\-\\-top\\fR \\fIN\\fR"),
                    HasSubstr(".SH SYNOPSIS\n\\fBkindred search \\-\\-queries FILE [FLAGS]")));
  EXPECT_EQ(man_page_name(find_command(program.app, "man", {"index", "build"})),
            "kindred-index-build");
}

TEST(DurationText, IsShortAndReadable) {
  EXPECT_EQ(duration_text(0.000113), "113 µs");
  EXPECT_EQ(duration_text(0.0631), "63 ms");
  EXPECT_EQ(duration_text(0.9996), "1.0 s");
  EXPECT_EQ(duration_text(2.14), "2.1 s");
  EXPECT_EQ(duration_text(192), "3 min 12 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
  EXPECT_EQ(rate_text(1.25e9, "B"), "1.2 GB/s");
  EXPECT_EQ(rate_text(3.4e6, "rows"), "3.4 M rows/s");
  EXPECT_EQ(rate_text(70, "queries"), "70 queries/s");
}

TEST(Progress, SaysThePartTheRateAndTheTimeLeft) {
  EXPECT_EQ(progress_text("reading x", 250, 1000, 5, "rows"),
            "reading x [######                  ]  25 %, 50 rows/s, 15.0 s left");
  EXPECT_EQ(progress_text("reading x", 1000, 1000, 5, "rows"),
            "reading x [########################] 100 %, 200 rows/s");
  EXPECT_EQ(progress_text("reading -", 3000, 0, 1, "B"), "reading - 3000, 3.0 kB/s");
  EXPECT_EQ(progress_text("reading x", 0, 1000, 0, "B"),
            "reading x [                        ]   0 %");
}

TEST(Color, IsUsedIfItIsAskedForOrTheTerminalHasIt) {
  choose_color(ColorChoice::always);
  EXPECT_EQ(heading("Spaces", 1), "\x1b[1mSpaces\x1b[0m");
  choose_color(ColorChoice::never);
  EXPECT_EQ(heading("Spaces", 1), "Spaces");
  const char* const arguments[] = {"kindred", "--color", "never", "--color=always"};
  choose_color_from(4, arguments);
  EXPECT_TRUE(is_colored(2));
  choose_color_from(1, arguments);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(is_colored(2));
  ::unsetenv("NO_COLOR");
}

}  // namespace UsageTest
