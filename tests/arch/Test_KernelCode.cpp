// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/launch/KernelCode.hpp>

#include <gtest/gtest.h>

namespace Kindred {
namespace KernelCodeTest {

using Arch::KernelCode;

/// Without specialised forms, none is used on any device.
constexpr bool is_specialized = KINDRED_ENABLE_SPECIALIZED != 0;

TEST(KernelCode, UsesNoImplementationNewerThanItsCode) {
  for (const int compiled_for : {75, 80, 86, 89}) {
    for (const int device : {compiled_for, 90, 100, 120}) {
      const KernelCode code{compiled_for, device, device};
      EXPECT_FALSE(code.has_clusters());
      EXPECT_FALSE(code.waits_for_previous_launch());
      EXPECT_FALSE(code.has_warpgroup_products());
    }
  }
  for (const int device : {90, 100, 120}) {
    const KernelCode code{90, device, device};
    EXPECT_EQ(code.has_clusters(), is_specialized);
    EXPECT_EQ(code.waits_for_previous_launch(), is_specialized);
    EXPECT_FALSE(code.has_warpgroup_products());
  }
  EXPECT_FALSE(KernelCode{}.has_clusters());
}

TEST(KernelCode, UsesWarpgroupProductsOnlyOnHopper) {
  EXPECT_EQ((KernelCode{90, 90, 90, true}.has_warpgroup_products()), is_specialized);
  EXPECT_FALSE((KernelCode{90, 100, 100, true}.has_warpgroup_products()));
  EXPECT_FALSE((KernelCode{80, 90, 90, true}.has_warpgroup_products()));
  EXPECT_FALSE((KernelCode{0, 120, 0, true}.has_warpgroup_products()));
}

TEST(KernelCode, DistinguishesCodeCompiledByTheDriver) {
  EXPECT_TRUE((KernelCode{80, 90, 90}.is_from_ptx()));
  EXPECT_FALSE((KernelCode{90, 90, 90}.is_from_ptx()));
  EXPECT_FALSE((KernelCode{80, 86, 80}.is_from_ptx())) << "machine code of the same generation";
  EXPECT_FALSE((KernelCode{0, 90, 0}.is_from_ptx()));
}

}  // namespace KernelCodeTest
}  // namespace Kindred
