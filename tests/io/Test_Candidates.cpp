// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "MessageOf.hpp"
#include "TempFolder.hpp"
#include "io/Candidates.hpp"
#include "program/Errors.hpp"

namespace CandidatesTest {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::TempFolder;

std::string refusal(const TempFolder& folder, const std::string& line) {
  const auto path = folder.write("c", "{\"ids\": [1]}\n" + line + "\n");
  const auto message = Testing::message_of<InputError>([&] { read_candidates(path, 5); });
  EXPECT_THAT(message, ::testing::StartsWith(path + ":2: "));
  return message;
}

TEST(Candidates, AreReadInOrder) {
  const TempFolder folder;
  const auto read =
      read_candidates(folder.write("c", "{\"name\": \"q\", \"ids\": [4, 0, 4]}\n{\"ids\": []}"), 5);
  EXPECT_THAT(read.ids[0], ElementsAre(4U, 0U, 4U));
  EXPECT_THAT(read.ids[1], IsEmpty());
  EXPECT_EQ(read.names[0], "q");
  EXPECT_EQ(read.names[1], std::nullopt);
}

TEST(Candidates, RefuseAnIdThatIsNoRow) {
  const TempFolder folder;
  EXPECT_THAT(refusal(folder, R"({"ids": [5]})"), HasSubstr("has 5; an id must be in [0, 5)"));
  EXPECT_THAT(refusal(folder, R"({"ids": [-1]})"), HasSubstr("has -1; an id"));
  EXPECT_THAT(refusal(folder, R"({"ids": [18446744073709551615]})"),
              HasSubstr("has 18446744073709551615; an id"));
  EXPECT_THAT(refusal(folder, R"({"ids": [18446744073709551616]})"),
              HasSubstr("has 18446744073709551616, which is not a whole number"));
  EXPECT_THAT(refusal(folder, R"({"ids": [1.0]})"), HasSubstr("has 1.0, which"));
  EXPECT_THAT(refusal(folder, R"({"ids": ["1"]})"), HasSubstr("has '1', which"));
  EXPECT_THAT(refusal(folder, R"({"ids": 1})"), HasSubstr("must be an array, but is 1"));
  EXPECT_THAT(refusal(folder, R"({"ids": [[1]]})"), HasSubstr("has an array in it"));
  EXPECT_THAT(refusal(folder, R"({"ids": [], "ids": []})"), HasSubstr("is given twice"));
  EXPECT_THAT(refusal(folder, R"({"name": "q"})"), HasSubstr("\"ids\" is missing"));
}

}  // namespace CandidatesTest
