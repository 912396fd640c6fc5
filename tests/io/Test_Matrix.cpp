// SPDX-License-Identifier: Apache-2.0
#include "ReaderSupport.hpp"
#include "io/Matrix.hpp"

namespace MatrixTest {

using namespace Kindred;
using namespace Testing::ReaderSupport;

std::string floats(std::initializer_list<float> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(float)};
}

TEST(Npy, ReadsWhatItWrites) {
  const TempFolder folder;
  EXPECT_EQ(npy_header("<i8", 123456789, 1000).size() % 64, 0U);
  for (const std::size_t rows : {std::size_t{0}, std::size_t{1}}) {
    const std::string header = npy_header("<f4", rows, 2);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    const auto matrix =
        read_matrix(folder.write("x.npy", header + (rows == 1 ? floats({7, 8}) : "")), {});
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.columns, 2U);
  }
}

TEST(Matrix, ReportsItsProgressInBytes) {
  const TempFolder folder;
  const auto path = folder.write("x.npy", npy_header("<f4", 3, 2) + floats({1, 2, 3, 4, 5, 6}));
  std::uint64_t reported = 0;
  const auto matrix = read_matrix(path, {}, [&](std::uint64_t done, std::uint64_t all) {
    reported = done;
    EXPECT_EQ(all, 24U);
  });
  EXPECT_EQ(reported, 24U);
  EXPECT_THAT(matrix.span(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Matrix, TakesAWrongFileForBadInput) {
  const TempFolder folder;
  const auto path = folder.write("x.npy", npy_header("<f8", 1, 1) + floats({1, 2}));
  EXPECT_THAT(message_of<InputError>([&] { read_matrix(path, {}); }), HasSubstr("<f8"));
  EXPECT_THAT(message_of<InputError>([&] { read_matrix(folder / ".", {}); }),
              HasSubstr("not a regular file"));
}

}  // namespace MatrixTest
