// SPDX-License-Identifier: Apache-2.0
#include "QueryColumnsSupport.hpp"

namespace QueryColumnsTest {

using namespace Kindred;
using Testing::columns_of;
using Testing::random_codes;

TEST(QueryColumns, ContainEverySymbolOnce) {
  auto generator = Testing::generator("query columns");
  for (int repeat = 0; repeat < 500; ++repeat) {
    const auto codes = random_codes(generator, 1 + generator() % 256,
                                    1U + static_cast<unsigned>(generator() % 255));
    const auto columns = columns_of(codes);
    ASSERT_LE(columns.size(), segment_columns);
    std::size_t at = 0;
    for (const QueryColumns& run : columns) {
      ASSERT_LE(run.plane_count(), column_planes);
      if (&run != &columns.back()) {
        ASSERT_EQ(run.symbols % plane_symbols, 0U);
      }
      for (std::size_t j = 0; j < run.symbols; ++j, ++at) {
        for (unsigned code = 0; code < 255; ++code) {
          const std::uint8_t place = run.place[code];
          if (place == no_code) continue;
          ASSERT_LT(place, 64);
          ASSERT_TRUE(!run.codes_are_places || place == code);
          ASSERT_EQ(run.planes[j / 8][place] >> (j % 8) & 1, codes[at] == code ? 1 : 0);
          ASSERT_EQ(run.masks[j / 64][place] >> (j % 64) & 1, codes[at] == code ? 1U : 0U);
        }
        ASSERT_TRUE(codes[at] == no_code || run.place[codes[at]] != no_code);
      }
      for (unsigned b = 0; b < run.plane_count(); ++b) {
        const bool last = b + 1 == run.plane_count();
        ASSERT_TRUE(run.planes[b][63] == 0 || (run.full && last))
            << "no_code maps to this position";
      }
    }
    ASSERT_EQ(at, codes.size());
  }
}

}  // namespace QueryColumnsTest
