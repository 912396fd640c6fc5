// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TempFolder.hpp"
#include "io/InputError.hpp"
#include "io/Npy.hpp"

namespace {

using namespace Kindred;
using namespace Kindred::Tools;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Testing::TempFolder;

/// A .npy file as NumPy writes it.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  out.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return out + header + data;
}

std::string dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape +
         ", }          \n";
}

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
}

const std::string two_by_three = dictionary("'<f4'", "False", "(2, 3)");

TEST(Npy, ReadsEveryVersion) {
  const TempFolder folder;
  for (const int version : {1, 2, 3}) {
    const auto matrix = read_npy_matrix(
        folder.write("x.npy", npy(two_by_three, floats({1, 2, 3, 4, 5, 6}), version)));
    EXPECT_EQ(matrix.rows, 2U);
    EXPECT_EQ(matrix.columns, 3U);
    EXPECT_THAT(matrix.span(), ElementsAre(1, 2, 3, 4, 5, 6));
  }
}

TEST(Npy, ReadsWhatItWrites) {
  const TempFolder folder;
  EXPECT_EQ(npy_header("<i8", 123456789, 1000).size() % 64, 0U);
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}}) {
    const std::string header = npy_header("<f4", rows, 2);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    const auto matrix =
        read_npy_matrix(folder.write("x.npy", header + (rows == 1 ? floats({7, 8}) : "")));
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.columns, 2U);
  }
}

TEST(Npy, TakesOneDimensionAsOneRowWhereThatIsMeant) {
  const TempFolder folder;
  const auto path =
      folder.write("x.npy", npy(dictionary("'<f4'", "False", "(3,)"), floats({1, 2, 3})));
  EXPECT_EQ(read_npy_matrix(path, true).rows, 1U);
  EXPECT_THAT(Testing::message_of<InputError>([&] { read_npy_matrix(path); }),
              HasSubstr("shape (3,) has 1 dimensions; 2 are wanted"));
}

TEST(Npy, TakesAnyOrderOfKeysAndEitherQuote) {
  const NpyHeader header =
      parse_npy_header("{\"shape\":(4,5),'fortran_order':True,\"descr\":'>f8'}", 99);
  EXPECT_EQ(header.descr, ">f8");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_THAT(header.shape, ElementsAre(4U, 5U));
  EXPECT_EQ(header.offset, 99U);
}

TEST(Npy, RefusesAHeaderThatIsNone) {
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
    EXPECT_THROW(parse_npy_header(text, 0), RecordError) << text;
}

std::string refusal(const TempFolder& folder, const std::string& bytes) {
  const auto path = folder.write("x.npy", bytes);
  const auto message = Testing::message_of<InputError>([&] { read_npy_matrix(path); });
  EXPECT_THAT(message, ::testing::StartsWith(path + ": at byte "));
  return message.substr(std::min(message.size(), path.size() + 10));
}

TEST(Npy, TellsOffsetAndValueOfABadFile) {
  const TempFolder folder;
  const std::string good = npy(two_by_three, floats({1, 2, 3, 4, 5, 6}));
  const auto of = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return npy(dictionary(descr, order, shape), "abcd");
  };
  EXPECT_THAT(refusal(folder, ""), HasSubstr("0: the file has 0 bytes"));
  EXPECT_THAT(refusal(folder, good.substr(0, 9)), HasSubstr("9: the file has 9 bytes"));
  EXPECT_THAT(refusal(folder, "PK" + good), HasSubstr("0: no .npy file"));
  EXPECT_THAT(refusal(folder, npy(two_by_three, "", 4)), HasSubstr("6: format version 4.0"));
  EXPECT_THAT(refusal(folder, npy(two_by_three, "", 2).substr(0, 11)),
              HasSubstr("11: the file ends in the header"));
  EXPECT_THAT(refusal(folder, good.substr(0, 40)), HasSubstr("8: the header says it has"));
  EXPECT_THAT(refusal(folder, npy(std::string(20000, ' '), "")),
              HasSubstr("at most 10000 are read"));
  EXPECT_THAT(refusal(folder, npy("{'descr': 3}", "")),
              HasSubstr("10: the header is no .npy header"));
  EXPECT_THAT(refusal(folder, good.substr(0, good.size() - 1)),
              AllOf(HasSubstr("23 bytes of data"), HasSubstr("needs 24: the file is cut")));
  EXPECT_THAT(refusal(folder, good + "x"), HasSubstr("needs 24: the file is too long"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "False", "(4294967296, 4294967296)")),
              HasSubstr("more bytes than a file can"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "False", "(4611686018427387904, 1)")),
              HasSubstr("more bytes than a file can"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "False", "(1000000000000, 3)")),
              HasSubstr("4 bytes of data follow"));
  EXPECT_THAT(refusal(folder, of("'<f8'", "False", "(2, 3)")),
              HasSubstr("dtype '<f8'; '<f4' is wanted"));
  EXPECT_THAT(refusal(folder, of("'>f4'", "False", "(2, 3)")), HasSubstr("dtype '>f4'"));
  EXPECT_THAT(refusal(folder, of("'|O'", "False", "(2,)")), HasSubstr("rows of different lengths"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "True", "(2, 3)")), HasSubstr("Fortran order"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "False", "()")), HasSubstr("0 dimensions"));
  EXPECT_THAT(refusal(folder, of("'<f4'", "False", "(1, 2, 3)")),
              HasSubstr("(1, 2, 3) has 3 dimensions"));
  EXPECT_THAT(refusal(folder, npy(dictionary("'<f4'", "False", "(3, 0)"), "")),
              HasSubstr("rows of length 0"));
}

TEST(Npy, SurvivesEveryCutAndEveryByteChanged) {
  const TempFolder folder;
  const std::string good = npy(two_by_three, floats({1, 2, 3, 4, 5, 6}));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(read_npy_matrix(folder.write("x.npy", good.substr(0, length))), InputError);
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned char value : {0x00, 0x20, 0x39, 0x7F, 0xFF}) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      try {
        EXPECT_EQ(read_npy_matrix(folder.write("x.npy", bad)).span().size(), 6U);
      } catch (const InputError&) {
        continue;
      }
    }
  }
}

TEST(Npy, RefusesWhatIsNoRegularFile) {
  const TempFolder folder;
  EXPECT_THAT(Testing::message_of<InputError>([&] { read_npy_matrix(folder / "none.npy"); }),
              HasSubstr("No such file"));
  EXPECT_THAT(Testing::message_of<InputError>([&] { read_npy_matrix(folder / "."); }),
              HasSubstr("must be a regular file"));
}

TEST(Npy, ReadsMasks) {
  const TempFolder folder;
  const std::string three("\1\0\1", 3);
  for (const char* descr : {"'|b1'", "'|u1'"}) {
    const auto path = folder.write("m.npy", npy(dictionary(descr, "False", "(3,)"), three));
    EXPECT_THAT(read_npy_mask(path), ElementsAre(1, 0, 1));
  }
  const auto refuse = [&](const std::string& descr, const std::string& shape,
                          const std::string& data) {
    const auto path = folder.write("m.npy", npy(dictionary(descr, "False", shape), data));
    return Testing::message_of<InputError>([&] { read_npy_mask(path); });
  };
  EXPECT_THAT(refuse("'<i8'", "(3,)", ""), HasSubstr("bool or uint8 is wanted"));
  EXPECT_THAT(refuse("'|b1'", "(3, 1)", "abc"), HasSubstr("has 2 dimensions; 1 is wanted"));
  EXPECT_THAT(refuse("'|b1'", "(3,)", "ab"), HasSubstr("the file is cut"));
}

}  // namespace
