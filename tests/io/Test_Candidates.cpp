// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/Candidates.hpp"

namespace CandidatesTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

TEST(Candidates, AreReadInOrder) {
  const auto read = read_text("{\"name\": \"q\", \"ids\": [4, 0, 4]}\n{\"ids\": []}",
                              [](const std::string& path) { return read_candidates(path, 5); });
  EXPECT_THAT(read.ids[0], ElementsAre(4U, 0U, 4U));
  EXPECT_THAT(read.ids[1], IsEmpty());
  EXPECT_EQ(read.names[0], "q");
  EXPECT_EQ(read.names[1], std::nullopt);
}

TEST(Candidates, RefuseAnIdThatIsNoRow) {
  expect_refused_input(
      [](const std::string& path) { read_candidates(path, 5); },
      {
          {R"({"ids": [5]})", "2: \"ids\" has 5; an id must be in [0, 5)"},
          {R"({"ids": [-1]})", "has -1; an id"},
          {R"({"ids": [18446744073709551615]})", "has 18446744073709551615; an id"},
          {R"({"ids": [18446744073709551616]})",
           "has 18446744073709551616, which is not a whole number"},
          {R"({"ids": [1.0]})", "has 1.0, which"},
          {R"({"ids": ["1"]})", "has '1', which"},
          {R"({"ids": 1})", "must be an array, but is 1"},
          {R"({"ids": [[1]]})", "has an array in it"},
          {R"({"ids": [], "ids": []})", "is given twice"},
          {R"({"name": "q"})", "2: \"ids\" is missing"},
      },
      "{\"ids\": [1]}\n");
}

}  // namespace CandidatesTest
