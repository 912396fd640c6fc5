// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <gtest/gtest.h>

namespace HostExtensionsTest {

using namespace Kindred;

TEST(HostExtensions, AreThoseOfTheProcessorUnlessLimited) {
  const Arch::HostAdditions has = Arch::processor_level().additions;
  const bool limited = Arch::max_level_text() != nullptr;
  EXPECT_EQ(Arch::usable_additions.byte_lookups, has.byte_lookups && !limited);
  EXPECT_EQ(Arch::usable_additions.byte_products, has.byte_products && !limited);
  EXPECT_EQ(Arch::usable_additions.bfloat16, has.bfloat16 && !limited);
}

TEST(HostExtensions, RunOnThisProcessor) {
  EXPECT_GE(Arch::processor_level().level, Arch::compiled_level);
}

TEST(HostLevel, NamesEveryLevel) {
  for (int level = 1; level <= 4; ++level)
    EXPECT_EQ(Arch::level_of_name(Arch::level_name(level)), level);
  EXPECT_EQ(Arch::level_of_name("x86-64-v5"), 0);
  EXPECT_EQ(Arch::level_of_name("native"), 0);
}

TEST(HostLevel, NamesWhatAProcessorLacks) {
  const Arch::HostLevel haswell{3, {false, false, false}};
  const Arch::HostLevel cascade_lake{4, {false, true, false}};
  EXPECT_EQ(Arch::why_cannot_run(3, false, false, false, haswell), nullptr);
  EXPECT_EQ(Arch::why_cannot_run(4, false, true, false, cascade_lake), nullptr);
  EXPECT_STREQ(Arch::why_cannot_run(4, false, false, false, haswell),
               "this build of Kindred is compiled for x86-64-v4, and this processor has only "
               "x86-64-v3; compile it with -DKINDRED_ARCH=x86-64-v3");
  EXPECT_STREQ(Arch::why_cannot_run(4, true, true, true, cascade_lake),
               "this build of Kindred is compiled for x86-64-v4 with VBMI, VNNI, BF16, and this "
               "processor has only x86-64-v4 with VNNI; compile it with "
               "-DKINDRED_ARCH=x86-64-v4");
}

}  // namespace HostExtensionsTest
