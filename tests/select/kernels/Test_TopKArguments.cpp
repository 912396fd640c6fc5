// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/select/TopK.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

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
    {"place_partial",
     [](const HostSpace& on, Arguments& a) {
       const auto size = a.number<std::size_t>("the size of top", 6, 5);
       place_partial<HostSpace, Rank>(on, a.sizing<Rank>("top", size), 3, 1,
                                      a.number<std::size_t>("lists", 2, 1),
                                      a.array<Rank>("partial", 12));
     }},
    {"merge_top_k",
     [](const HostSpace& on, Arguments& a) {
       TopKShape own{2, a.number<std::size_t>("shape.longest", 6, 7), 3};
       const TopKShape usual{2, 6, 3};
       merge_top_k<HostSpace, Rank>(
           on, a.array<Rank>("partial", 12, rank_none), a.number<std::size_t>("lists", 2, 0), own,
           a.array<Rank>("out", 6),
           a.array<Rank>("workspace", merge_top_k_workspace<HostSpace, Rank>(usual, 2)));
     }},
};

TEST(TopKArguments, AreCheckedBeforeALaunch) {
  for (const CheckedCall& call : calls) Testing::expect_checked(call);
}

TEST(TopKArguments, ThatExceed64BitsTogetherAreRefused) {
  const HostSpace& exec_space = Impl::host_instance(Testing::context(), Space::serial);
  const TopKShape huge{std::size_t{1} << 40U, std::size_t{1} << 30U, 1};
  Arguments a;
  const auto keys = a.plain<Rank>(8);
  const std::string message = Testing::message_of<InvalidArgument>([&] {
    place_partial<HostSpace, Rank>(exec_space, ArrayView<const Rank, HostSpace>(keys.data(), 8), 1,
                                   0, std::size_t{1} << 62U, keys);
  });
  EXPECT_THAT(message, ::testing::HasSubstr("partial needs more elements than 64 bits can count"));
  EXPECT_THROW((top_k<HostSpace, Rank>(exec_space, keys, huge, keys, keys)), InvalidArgument);
}

}  // namespace TopKArgumentsTest
