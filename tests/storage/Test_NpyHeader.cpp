// SPDX-License-Identifier: Apache-2.0
#include "RefusedCalls.hpp"
#include "storage/NpyFile.hpp"

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

TEST(NpyHeader, RejectsInvalidHeadersAndSaysWhy) {
  const std::string start = "{'descr': '<f4', 'fortran_order': False, ";
  Testing::expect_refused(
      {{"", "{ is missing"},
       {"{", "a string is missing"},
       {"{}", "the keys descr"},
       {"[]", "{ is missing"},
       {"{'descr': '<f4', 'fortran_order': False}", "the keys descr"},
       {"{'descr': '<f4', 'shape': (2, 3)}", "the keys descr"},
       {"{'fortran_order': False, 'shape': (2, 3)}", "the keys descr"},
       {start + "'shape': (2, 3)", "a comma or } is missing"},
       {start + "'shape': (2, 3)} x", "text follows"},
       {start + "'shape': (2, 3), 'shape': (2, 3)}", "the key 'shape' occurs twice"},
       {"{'descr': '<f4', 'descr': '<f4'}", "the key 'descr' occurs twice"},
       {"{'fortran_order': True, 'fortran_order': True}", "the key 'fortran_order' occurs twice"},
       {start + "'other': (2, 3)}", "the key 'other' occurs twice"},
       {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}", "True or False is missing"},
       {start + "'shape': (2, -3)}", "a length is missing"},
       {start + "'shape': (2 3)}", "a comma or ) is missing"},
       {start + "'shape': (2, 99999999999999999999)}", "a length is missing or too large"},
       {"{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}", "a comma or } is missing"},
       {"{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}", "a comma or } is missing"},
       {"{'descr': '<f4", "a string is not terminated"},
       {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}",
        "the dtype has fields"},
       {"{'descr' '<f4'}", ": is missing"},
       {"{descr: 1}", "a string is missing"}},
      [](const std::string& text) {
        return Testing::message_of<InvalidArgument>([&] { Impl::parse_npy_header(text); });
      });
}

}  // namespace NpyHeaderTest
