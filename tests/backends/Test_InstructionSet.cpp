// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/InstructionSet.hpp>

#include <gmock/gmock.h>

#include <kindred/backends/Context.hpp>

#include "EnvironmentVariable.hpp"

namespace InstructionSetTest {

using namespace Kindred;
using ::testing::HasSubstr;

TEST(InstructionSet, IsAvailableOnThisProcessor) {
  EXPECT_EQ(why_processor_is_unusable(), nullptr);
  EXPECT_FALSE(instruction_set().level.empty());
}

TEST(InstructionSet, IsLimitedByTheVariableOnlyAtRunTime) {
  const InstructionSet v4{"x86-64-v4", {}, {"VBMI"}};
  const InstructionSet native{"x86-64-v4", {"VBMI", "VNNI"}, {}};
  EXPECT_EQ(Impl::problem_of_max_level(nullptr, native), "");
  EXPECT_EQ(Impl::problem_of_max_level("x86-64-v4", v4), "");
  EXPECT_EQ(Impl::problem_of_max_level("x86-64-v4", {"x86-64-v2", {}, {}}), "");
  EXPECT_THAT(Impl::problem_of_max_level("x86-64-v3", v4),
              HasSubstr("KINDRED_MAX_LEVEL is 'x86-64-v3', and this build of Kindred is compiled "
                        "for x86-64-v4: "));
  EXPECT_THAT(Impl::problem_of_max_level("x86-64-v4", native),
              HasSubstr("compiled for x86-64-v4 with VBMI, VNNI: "));
  EXPECT_THAT(Impl::problem_of_max_level("v4", v4), HasSubstr("must be x86-64, x86-64-v2, "));
}

TEST(InstructionSet, AContextRejectsAVariableThatItCannotFollow) {
  {
    const Testing::EnvironmentVariable level("KINDRED_MAX_LEVEL", "avx2");
    EXPECT_THROW(Context(), InvalidArgument);
  }
  EXPECT_NO_THROW(Context());
}

}  // namespace InstructionSetTest
