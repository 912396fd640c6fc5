// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/NpyHeader.hpp"

#include <kindred/core/common/Error.hpp>

namespace NpyHeaderTest {

using namespace Kindred;
using ::testing::ElementsAre;

TEST(NpyHeader, AcceptsAnyOrderOfKeysAndEitherQuote) {
  const Impl::NpyHeader header =
      Impl::parse_npy_header("{\"shape\":(4,5),'fortran_order':True,\"descr\":'>f8'}");
  EXPECT_EQ(header.descr, ">f8");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_THAT(header.shape, ElementsAre(4U, 5U));
  EXPECT_EQ(header.shown_shape(), "(4, 5)");
}

TEST(NpyHeader, RejectsInvalidHeaders) {
  for (const char* text :
       {"", "{", "{}", "[]", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'other': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 99999999999999999999)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", "{'descr' '<f4'}",
        "{descr: 1}"})
    EXPECT_THROW(Impl::parse_npy_header(text), InvalidArgument) << text;
}

}  // namespace NpyHeaderTest
