// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Progress.hpp"
#include "program/Color.hpp"
#include "program/UsageMessage.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace UsageTest {

using namespace Kindred;
using namespace Kindred::Tools;

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
