// SPDX-License-Identifier: Apache-2.0
#include "MemoryFile.hpp"
#include "RefusedCalls.hpp"
#include "ShapedArray.hpp"
#include "TempFolder.hpp"
#include "VectorFileBytes.hpp"
#include "storage/NpyFile.hpp"

#include <kindred/matcher/VectorFile.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace VectorFileTest {

using namespace Kindred;
using namespace Testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<float> six{1, 2, 3, 4, 5, 6};
const std::string two_by_three = npy_dictionary("'<f4'", "False", "(2, 3)");

/// A .npy file of \p data.
std::string npy_of(const std::string& descr, const std::string& shape, const std::string& data,
                   const std::string& fortran = "False") {
  return npy(npy_dictionary(descr, fortran, shape), data);
}

std::vector<float> floats(const VectorFile& file, std::uint64_t first, std::uint64_t count) {
  std::vector<float> out(count * file.dimension());
  file.read(first, count, std::span<float>(out));
  return out;
}
std::vector<float> floats(const VectorFile& file) { return floats(file, 0, file.rows()); }

std::vector<std::int64_t> integers(const VectorFile& file) {
  std::vector<std::int64_t> out(file.rows() * file.dimension());
  file.read(0, file.rows(), std::span<std::int64_t>(out));
  return out;
}

TEST(VectorFile, ReadsEveryLayoutByItsExtension) {
  const TempFolder folder;
  for (const auto& [end, bytes] : good_vector_files()) {
    const VectorFile file(folder.write("x." + end, bytes));
    EXPECT_EQ(to_string(file.format()), end);
    EXPECT_EQ(file.rows(), 2U);
    EXPECT_EQ(file.dimension(), 3U);
    EXPECT_EQ(file.row_bytes(), 3 * size_of(file.type()));
    EXPECT_EQ(floats(file), six) << end;
    EXPECT_THAT(floats(file, 1, 1), ElementsAre(4, 5, 6));
    EXPECT_TRUE(floats(file, 2, 0).empty());
    std::vector<std::uint8_t> last(2 * file.row_bytes());
    file.read(0, 2, shaped(last, {2, 3}, file.type()));
    EXPECT_EQ(last.back(), static_cast<std::uint8_t>(bytes.back()));
    std::vector<double> doubles(6);
    std::vector<float> wide(12);
    const Array gaps = shaped(wide, {6}, DataType::float32, {2});
    expect_refused({
        {[&] { file.read(0, 2, doubles); }, ""},
        {[&] { file.read(0, 2, gaps); }, ""},
        {[&] { file.read(0, 2, std::span(wide).first(5)); }, ""},
        {[&] { floats(file, 1, 2); }, ""},
        {[&] { floats(file, 3, 0); }, ""},
        {[&] { floats(file, ~std::uint64_t{0}, 1); }, ""},
    });
  }
}

TEST(VectorFile, ReadsALayoutThatIsNamedOrGiven) {
  const TempFolder folder;
  const auto unnamed = folder.write("x", bin<std::int8_t>(1, 2, {-128, 127}));
  expect_refused({{[&] { VectorFile file(unnamed); }, "the name must end with .npy, .fvecs"}});
  EXPECT_THAT(floats(VectorFile(unnamed, {.format = VectorFormat::i8bin})), ElementsAre(-128, 127));
  EXPECT_EQ(VectorFile(folder.write("y", npy(two_by_three, raw(six)))).format(), VectorFormat::npy);
  EXPECT_EQ(from_string<VectorFormat>("u8bin"), VectorFormat::u8bin);
  EXPECT_FALSE(from_string<VectorFormat>("parquet"));
}

TEST(VectorFile, ReadsEveryNpyVersionAndType) {
  const TempFolder folder;
  for (const int version : {1, 2, 3})
    EXPECT_EQ(floats(VectorFile(folder.write("x.npy", npy(two_by_three, raw(six), version)))), six);
  const auto of = [&](const std::string& descr, const std::string& data) {
    return VectorFile(folder.write(descr + ".npy", npy_of("'" + descr + "'", "(1, 3)", data)));
  };
  EXPECT_THAT(floats(of("|i1", raw<std::int8_t>({-128, 0, 127}))), ElementsAre(-128, 0, 127));
  EXPECT_THAT(floats(of("|u1", raw<std::uint8_t>({0, 128, 255}))), ElementsAre(0, 128, 255));
  EXPECT_THAT(floats(of("<i4", raw<std::int32_t>({-16777216, 16777216, 16777218}))),
              ElementsAre(-16777216, 16777216, 16777218));
  EXPECT_THAT(floats(of("<i8", raw<std::int64_t>({-1, 1LL << 40, 7}))),
              ElementsAre(-1, 1099511627776.0F, 7));
  EXPECT_THAT(integers(of("<i8", raw<std::int64_t>({-1, 1LL << 62, 7}))),
              ElementsAre(-1, 1LL << 62, 7));
  EXPECT_THAT(integers(of("|u1", raw<std::uint8_t>({0, 128, 255}))), ElementsAre(0, 128, 255));
  EXPECT_THAT(floats(of("<f2", raw<std::uint16_t>({0x3C00, 0xC000, 0x0001}))),
              ElementsAre(1, -2, std::ldexp(1.0F, -24)));
}

TEST(VectorFile, WidensEveryHalf) {
  const TempFolder folder;
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const VectorFile file(folder.write("x.npy", npy_of("'<f2'", "(256, 256)", raw(all))));
  const std::vector<float> found = floats(file);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>(i >> 10U & 31U);
    const auto fraction = static_cast<float>(i & 1023U);
    const float magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VALF : NAN)
                            : exponent == 0 ? std::ldexp(fraction, -24)
                                            : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(std::signbit(found[i]), i >= 32768) << i;
    if (std::isnan(magnitude)) {
      ASSERT_TRUE(std::isnan(found[i])) << i;
    } else {
      ASSERT_EQ(std::fabs(found[i]), magnitude) << i;
    }
  }
}

TEST(VectorFile, PreservesNonFiniteValues) {
  const TempFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto found =
      floats(VectorFile(folder.write("x.fvecs", vecs<float>({{nan, -HUGE_VALF, -0.0F}}))));
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], -HUGE_VALF);
  EXPECT_TRUE(std::signbit(found[2]));
}

TEST(VectorFile, RejectsAnIntegerThatFloatCannotRepresent) {
  const TempFolder folder;
  const VectorFile file(folder.write("x.ivecs", vecs<std::int32_t>({{1, 2}, {3, 16777217}})));
  EXPECT_THAT(floats(file, 0, 1), ElementsAre(1, 2));
  expect_refused(
      {{[&] { floats(file); }, "x.ivecs: byte 20: 16777217 cannot be represented as float32"}});
  for (const std::int32_t number : {std::numeric_limits<std::int32_t>::max(), -16777217}) {
    const VectorFile wide(folder.write("y.ivecs", vecs<std::int32_t>({{number}})));
    EXPECT_THROW(floats(wide), InvalidArgument);
  }
  for (const std::int64_t number :
       {std::numeric_limits<std::int64_t>::max(), (std::int64_t{1} << 53) + 1}) {
    const VectorFile wide(
        folder.write("x.npy", npy_of("'<i8'", "(1, 1)", raw<std::int64_t>({number}))));
    EXPECT_THROW(floats(wide), InvalidArgument);
    EXPECT_THAT(integers(wide), ElementsAre(number));
  }
  EXPECT_THROW(integers(VectorFile(folder.write("y.fvecs", vecs<float>({{1}})))), InvalidArgument);
}

TEST(VectorFile, ReadsOneDimensionAsOneRowIfRequested) {
  const TempFolder folder;
  const auto path = folder.write("x.npy", npy_of("'<f4'", "(3,)", raw<float>({1, 2, 3})));
  EXPECT_EQ(VectorFile(path, {.one_row = true}).rows(), 1U);
  expect_refused({{[&] { VectorFile file(path); }, "shape (3,) has 1 dimensions; 2 are required"}});
}

/// The message for the \p bytes of a file, without its path, which must be refused with this type.
template <class Type>
auto refusal_of(const TempFolder& folder, const std::string& name) {
  return [&folder, name](const std::string& bytes) {
    const auto path = folder.write(name, bytes);
    const auto message = message_of<Type>([&] { floats(VectorFile(path)); });
    EXPECT_THAT(message, ::testing::StartsWith(path + ":"));
    return message.substr(std::min(message.size(), path.size() + 1));
  };
}

TEST(VectorFile, ReportsOffsetAndValueOfABadNpyFile) {
  const TempFolder folder;
  const std::string good = npy(two_by_three, raw(six));
  const auto cut = [&](std::size_t length) {
    return "8: the header should have " + std::to_string(two_by_three.size()) +
           " bytes, but the file has only " + std::to_string(length - 10) + " more";
  };
  const std::size_t last = 10 + two_by_three.size() - 1;
  expect_refused(
      {
          {"", "0: the file has 0 bytes"},
          {good.substr(0, 9), "9: the file has 9 bytes"},
          {"PK" + good, "0: not a .npy file"},
          {npy(two_by_three, "", 2).substr(0, 11), "11: the file ends in the header"},
          {good.substr(0, 40), cut(40)},
          {good.substr(0, last), cut(last)},
          {npy(std::string(20000, ' '), ""), "the limit is 10000 bytes"},
          {npy("{'descr': 3}", ""), "10: the header is not a .npy header"},
          {good.substr(0, good.size() - 1), "23 bytes of data"},
          {good.substr(0, good.size() - 1), "needs 24: the file is cut"},
          {good + "x", std::to_string(good.size()) + ": 25 bytes of data"},
          {good + "x", "needs 24: the file is too long"},
          {npy_of("'<f4'", "(4294967296, 4294967296)", "abcd"), "more bytes than a file can"},
          {npy_of("'<f4'", "(4611686018427387904, 1)", "abcd"), "more bytes than a file can"},
          {npy_of("'<f4'", "(1000000000000, 3)", "abcd"), "4 bytes of data follow"},
          {npy_of("'<f4'", "(3, 0)", ""), "rows of length 0"},
      },
      refusal_of<CorruptFile>(folder, "x.npy"));
  expect_refused(
      {
          {npy(two_by_three, "", 4), "6: format version 4.0"},
          {npy_of("'<f8'", "(2, 3)", "abcd"), "10: dtype '<f8'"},
          {npy_of("'<f8'", "(2, 3)", "abcd"), "it must be '<f4'"},
          {npy_of("'>f4'", "(2, 3)", "abcd"), "dtype '>f4'"},
          {npy_of("'|O'", "(2,)", "abcd"), "rows of different lengths"},
          {npy_of("'<f4'", "(2, 3)", "abcd", "True"), "Fortran order"},
          {npy_of("'<f4'", "()", "abcd"), "0 dimensions"},
          {npy_of("'<f4'", "(1, 2, 3)", "abcd"), "(1, 2, 3) has 3 dimensions"},
          {npy_of("'<f4'", "(0, 9999999999)", ""), "rows of dimension 9999999999"},
      },
      refusal_of<InvalidArgument>(folder, "x.npy"));
}

TEST(VectorFile, ReadsNpyHeadersOfAnyLengthUpToTheLimit) {
  const TempFolder folder;
  const auto corrupt = refusal_of<CorruptFile>(folder, "y.npy");
  for (const int version : {1, 2}) {
    std::string header = two_by_three;
    header.insert(header.size() - 1, std::string(10000 - header.size(), ' '));
    EXPECT_EQ(floats(VectorFile(folder.write("x.npy", npy(header, raw(six), version)))), six);
    const std::string begin = npy("", "", version);  // all of a file whose header is of no length
    expect_refused({{npy(header + " ", raw(six), version), "8: a header of 10001 bytes"},
                    {begin, std::to_string(begin.size()) + ": the header is no"}},
                   corrupt);
  }
  const std::string good = npy(two_by_three, raw(six), 2);
  const std::string rest = " bytes, but the file has only " + std::to_string(good.size() - 12);
  for (const auto& [at, length] : {std::pair(9, 256U), {10, 65536U}, {11, 16777216U}}) {
    std::string bytes = good;
    for (int i = 8; i < 12; ++i) bytes[i] = static_cast<char>(i == at);
    EXPECT_THAT(corrupt(bytes), HasSubstr("should have " + std::to_string(length) + rest));
  }
}

TEST(VectorFile, ReportsOffsetAndValueOfABadFileOfTheOtherFamilies) {
  const TempFolder folder;
  const std::string good = vecs<float>({{1, 2, 3}, {4, 5, 6}});
  expect_refused(
      {
          {"", "0: the file has 0 bytes"},
          {good.substr(0, 3), "3: the file has 3 bytes"},
          {vecs<float>({{}, {}}), "0: rows of dimension 0"},
          {raw<std::int32_t>({-5, 1}), "0: rows of dimension -5"},
          {raw<std::int32_t>({0x7FFFFFFF, 1}), "the file is cut"},
          {good.substr(0, 31), "16: the last row of dimension 3 needs 16 bytes, but 15 are left"},
          {good + "x", "32: the last row of dimension 3"},
          {vecs<float>({{1, 2, 3}, {4, 5}, {6, 7, 8}}),
           "16: a row of dimension 2; the first row has dimension 3"},
          // Detected only by reading: the size is that of two rows of three numbers.
          {vecs<float>({{1, 2, 3}, {4}, {5}}), "16: a row of dimension 1"},
      },
      refusal_of<CorruptFile>(folder, "x.fvecs"));
  expect_refused({{"1234567", "7: the file has 7 bytes"},
                  {bin<float>(2, 0, {}), "4: rows of dimension 0"},
                  {bin<float>(2, 3, {1, 2, 3, 4, 5}),
                   "0: the header specifies 2 rows of dimension 3, 4 bytes per number; 20 bytes"},
                  {bin<float>(2, 3, six) + "x", "25 bytes of data follow"},
                  {bin<float>(0xFFFFFFFF, 0xFFFFFFFF, six), "4294967295 rows"}},
                 refusal_of<CorruptFile>(folder, "x.fbin"));
  EXPECT_EQ(VectorFile(folder.write("none.fbin", bin<float>(0, 3, {}))).rows(), 0U);
}

TEST(VectorFile, RejectsInvalidHdf5) {
  const TempFolder folder;
  try {
    VectorFile file(folder.write("x.hdf5", "\x89HDF\r\n\x1a\n and nothing of it"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CorruptFile& error) {
    EXPECT_TRUE(KINDRED_ENABLE_HDF5);
    EXPECT_THAT(error.what(), HasSubstr("libhdf5 cannot open it"));
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(KINDRED_ENABLE_HDF5 ? "not installed" : "Kindred_ENABLE_HDF5=OFF"));
  }
}

TEST(VectorFile, RejectsPathsThatAreNotRegularFiles) {
  const TempFolder folder;
  expect_refused<NotFound>({{[&] { VectorFile file(folder / "none.npy"); }, "No such file"}});
  expect_refused({{[&] { VectorFile file(folder / "."); }, "is not a regular file"}});
}

TEST(VectorFile, SurvivesEveryTruncationAndChangedByte) {
  const MemoryFile memory;
  for (const auto& [end, good] : good_vector_files()) {
    const VectorFileOptions options{.format = from_string<VectorFormat>(end)};
    const auto read = [&](const std::string& bytes) {
      memory.set(bytes);
      return floats(VectorFile(memory.path(), options)).size();
    };
    for (std::size_t length = 0; length < good.size(); ++length) {
      try {
        // A file of the vecs family may be truncated after a row.
        EXPECT_EQ(read(good.substr(0, length)), 3U) << end << " cut to " << length;
      } catch (const CorruptFile&) {
      }
    }
    std::size_t refused = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (unsigned value = 0; value < 256; ++value) {
        std::string bad = good;
        bad[i] = static_cast<char>(value);
        try {
          EXPECT_LE(read(bad), 10U);  // a file of the vecs family may turn into one long row
        } catch (const CorruptFile&) {
          ++refused;
        } catch (const InvalidArgument&) {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, 4 * 255U) << end;
  }
}

TEST(ReadMask, ReadsBoolAndUint8) {
  const TempFolder folder;
  const std::string three("\1\0\1", 3);
  for (const char* descr : {"'|b1'", "'|u1'"})
    EXPECT_THAT(read_mask(folder.write("m.npy", npy_of(descr, "(3,)", three))),
                ElementsAre(1, 0, 1));
  const auto reading = [&](const std::string& descr, const std::string& shape,
                           const std::string& data) {
    return [=, &folder] { read_mask(folder.write("m.npy", npy_of(descr, shape, data))); };
  };
  expect_refused({{reading("'<i8'", "(3,)", ""), "it must be bool or uint8"},
                  {reading("'|b1'", "(3, 1)", "abc"), "has 2 dimensions; 1 is required"}});
  expect_refused<CorruptFile>({{reading("'|b1'", "(3,)", "ab"), "the file is cut"}});
}

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
  expect_refused(
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
        return message_of<InvalidArgument>([&] { Impl::parse_npy_header(text); });
      });
}

}  // namespace VectorFileTest
