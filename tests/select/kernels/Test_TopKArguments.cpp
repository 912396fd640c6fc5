// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/select/TopK.hpp>

#include "CheckedCalls.hpp"

namespace TopKArgumentsTest {

using namespace Kindred;
using Testing::Arguments;
using Testing::CheckedCall;

const TopKShape shape{2, 5, 3};

const std::vector<CheckedCall> calls{
    {"top_k",
     [](const HostSpace& on, Arguments& a) {
       TopKShape own = shape;
       own.longest = a.number<std::size_t>("shape.longest", 5, std::size_t{1} << 32U);
       top_k<HostSpace, Rank>(on, a.array<Rank>("keys", 10, rank_none), own,
                              a.array<Rank>("out", 6),
                              a.array<Rank>("workspace", top_k_workspace<HostSpace, Rank>(shape)));
     }},
    {"top_k",
     [](const HostSpace& on, Arguments& a) {
       top_k<HostSpace, WideRank>(
           on, a.sizing<WideRank>("keys", 10), a.array<std::uint64_t>("offsets", 3), shape,
           a.array<WideRank>("out", 6),
           a.array<WideRank>("workspace", top_k_workspace<HostSpace, WideRank>(shape)));
     }},
    {"merge_top_k",
     [](const HostSpace& on, Arguments& a) {
       merge_top_k<HostSpace, Rank>(on, a.array<Rank>("a", 6, rank_none),
                                    a.array<Rank>("b", 6, rank_none),
                                    a.number<std::size_t>("k", 3, 0), a.sizing<Rank>("out", 6));
     }},
};

TEST(TopKArguments, AreCheckedBeforeALaunch) {
  for (const CheckedCall& call : calls) Testing::expect_checked(call);
}

TEST(TopKArguments, ThatExceed64BitsTogetherAreRefused) {
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  const TopKShape huge{std::size_t{1} << 40U, 1, std::size_t{1} << 30U};
  Arguments a;
  const auto keys = a.plain<Rank>(8);
  const std::string message = Testing::message_of<InvalidArgument>(
      [&] { top_k<HostSpace, Rank>(exec_space, keys, huge, keys, keys); });
  EXPECT_THAT(message, ::testing::HasSubstr("out needs more elements than 64 bits can count"));
}

}  // namespace TopKArgumentsTest
