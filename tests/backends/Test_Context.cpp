// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "Support.hpp"

namespace {

using namespace Kindred;

TEST(Context, TwoContextsLiveSideBySide) {
  ContextOptions options;
  options.threads = 3;
  options.load_profile = false;
  const Context other(options);
  EXPECT_EQ(other.threads(), 3);
  EXPECT_TRUE(Testing::context().is_usable(Space::serial));
}

TEST(Context, SaysWhyASpaceCannotBeUsed) {
  for (const SpaceInfo& info : Testing::context().spaces())
    EXPECT_EQ(info.usable, info.why_not.empty());
}

TEST(Context, RefusesAForcedSpaceThatIsNotThere) {
  if (Testing::context().is_usable(Space::cuda)) GTEST_SKIP() << "this machine has one";
  ContextOptions options;
  options.space = Space::cuda;
  EXPECT_THROW(Context{options}, SpaceUnavailable);
}

}  // namespace
