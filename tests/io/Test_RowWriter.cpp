// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/RowWriter.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace RowWriterTest {

using namespace Kindred::Tools;

std::string written(OutputFormat format) {
  std::string out;
  RowWriter rows(format, {"text", "count", "score"}, out);
  rows.text("plain");
  rows.number(std::uint64_t{7});
  rows.number(1.0 / 3);
  rows.end_row();
  rows.text("a,b\t\"c\"\nd");
  rows.empty();
  rows.number(0.1F);
  rows.end_row();
  rows.text("一é");
  rows.number(std::uint64_t{1234567});
  rows.end_row();
  rows.finish();
  return out;
}

TEST(RowWriter, WritesRowsInEveryFormat) {
  EXPECT_EQ(written(OutputFormat::csv),
            "text,count,score\n"
            "plain,7,0.3333333333333333\n"
            "\"a,b\t\"\"c\"\"\nd\",,0.1\n"
            "一é,1234567,\n");
  EXPECT_EQ(written(OutputFormat::tsv),
            "text\tcount\tscore\n"
            "plain\t7\t0.3333333333333333\n"
            "\"a,b\t\"\"c\"\"\nd\"\t\t0.1\n"
            "一é\t1234567\t\n");
  EXPECT_EQ(written(OutputFormat::table),
            "text           count   score\n"
            "plain              7  0.3333\n"
            "a,b\\t\"c\"\\nd           0.1000\n"
            "一é          1234567\n");
}

TEST(RowWriter, WritesTheHeaderOfNoRows) {
  for (const OutputFormat format : {OutputFormat::csv, OutputFormat::table}) {
    std::string out;
    RowWriter rows(format, {"a"}, out);
    EXPECT_EQ(out, "");
    rows.finish();
    EXPECT_EQ(out, "a\n");
  }
}

TEST(RowWriter, WritesRowsOfCsvAsTheyEnd) {
  std::string out;
  RowWriter rows(OutputFormat::csv, {"a"}, out);
  rows.text("x");
  EXPECT_EQ(out, "");
  rows.end_row();
  EXPECT_EQ(out, "a\nx\n");
  rows.number(std::numeric_limits<double>::quiet_NaN());
  rows.end_row();
  rows.finish();
  EXPECT_EQ(out, "a\nx\nnull\n");
}

}  // namespace RowWriterTest
