// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <gtest/gtest.h>

#include <set>

namespace SpecialFormsTest {

using namespace Kindred;
using Special::Form;

constexpr auto is_special = [](auto chosen) { return decltype(chosen)::value; };

/// A form that every host with specialised forms has.
constexpr Form of_hosts = Form::run_levels;

TEST(Special, FormsAreUsedUnlessSwitchedOff) {
  if (Special::is_switched_off(of_hosts)) GTEST_SKIP() << "KINDRED_WITHOUT names it";
  constexpr bool is_compiled = KINDRED_ENABLE_SPECIALIZED != 0;
  EXPECT_EQ((Special::is_compiled<of_hosts, HostSpace>), is_compiled);
  EXPECT_EQ(Special::is_available(of_hosts), is_compiled);
  EXPECT_EQ((Special::is_used<of_hosts, HostSpace>()), is_compiled);
  EXPECT_EQ((Special::choose<of_hosts, HostSpace>(is_special)), is_compiled);
  {
    const Special::Without without(of_hosts);
    EXPECT_FALSE((Special::is_used<of_hosts, HostSpace>()));
    EXPECT_FALSE((Special::choose<of_hosts, HostSpace>(is_special)));
    EXPECT_EQ(Special::is_available(of_hosts), is_compiled);
  }
  EXPECT_EQ((Special::is_used<of_hosts, HostSpace>()), is_compiled);
}

TEST(Special, FormsOfOneSpaceAreNotUsedOnAnother) {
  EXPECT_FALSE((Special::is_compiled<of_hosts, DeviceSpace>));
  EXPECT_FALSE((Special::is_used<Form::small_frontier, HostSpace>()));
  EXPECT_FALSE((Special::is_compiled<Form::warp_pack, HostSpace>));
  EXPECT_TRUE((Special::is_compiled<Form::warp_pack, DeviceSpace>));
}

TEST(Special, FormsForExtensionsAreUsedWhereTheProcessorHasThem) {
  EXPECT_EQ(
      (Special::is_used<Form::edit_columns, HostSpace>()),
      Arch::has_extension<Arch::ByteLookups>() && !Special::is_switched_off(Form::edit_columns));
  EXPECT_EQ(
      (Special::is_used<Form::byte_products, HostSpace>()),
      Arch::has_extension<Arch::ByteProducts>() && !Special::is_switched_off(Form::byte_products));
}

TEST(Special, NamesAreDistinct) {
  std::set<std::string> names;
  for (const Special::Record& record : Special::records)
    EXPECT_TRUE(names.insert(record.name).second) << record.name;
}

TEST(Special, WithoutNamesFormsThatCanBeLeftOut) {
  using Special::problem_of_without;
  EXPECT_EQ(problem_of_without(nullptr), "");
  EXPECT_EQ(problem_of_without(""), "");
  EXPECT_EQ(problem_of_without("RunLevels"), "");
  EXPECT_EQ(problem_of_without("all"), "");
  EXPECT_EQ(problem_of_without("RunLevels,EditColumns,"), "");
  const std::string unknown = problem_of_without("RunLevels,Columns");
  EXPECT_EQ(unknown.find("KINDRED_WITHOUT names 'Columns', which is not a special form"), 0U)
      << unknown;
  EXPECT_NE(unknown.find(", EditColumns"), std::string::npos) << unknown;
  EXPECT_EQ(unknown.find("WarpPack"), std::string::npos) << unknown;
  EXPECT_EQ(problem_of_without("WarpPack").find("KINDRED_WITHOUT names 'WarpPack', beside which"),
            0U);
}

// --- extensions of the processor

TEST(HostExtensions, AreThoseOfTheProcessorUnlessLimited) {
  const Arch::HostAdditions has = Arch::processor_level().additions;
  const bool limited = Arch::max_level_text() != nullptr;
  EXPECT_EQ(Arch::usable_additions.byte_lookups, has.byte_lookups && !limited);
  EXPECT_EQ(Arch::usable_additions.byte_products, has.byte_products && !limited);
  EXPECT_EQ(Arch::usable_additions.bfloat16, has.bfloat16 && !limited);
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

}  // namespace SpecialFormsTest
