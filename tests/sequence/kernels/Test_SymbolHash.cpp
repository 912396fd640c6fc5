// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/SymbolHash.hpp>

#include <gtest/gtest.h>

#include "Support.hpp"

#include <set>

namespace SymbolHashTest {

using namespace Kindred;

TEST(SymbolHash, FindsEverySymbolAndNoOther) {
  auto generator = Testing::generator("symbol hash");
  std::vector<std::uint32_t> entries(17, 5);  // existing entries are kept
  for (const std::size_t count : {0, 1, 2, 3, 63, 64, 65, 128, 200, 254, 255}) {
    for (const std::uint64_t range :
         {std::uint64_t{300}, std::uint64_t{1} << 16U, std::uint64_t{1} << 32U}) {
      for (const std::uint32_t step : {1U, 256U, 1U << 20U}) {
        std::set<Symbol> chosen;
        for (int tries = 0; chosen.size() < count && tries < 100000; ++tries)
          chosen.insert(static_cast<Symbol>(generator() % range * step));
        const std::vector<Symbol> symbols(chosen.begin(), chosen.end());
        const std::size_t begin = entries.size();
        SymbolHash hash = SymbolHash::build(symbols, entries);
        hash.entries = entries.data() + begin;
        ASSERT_EQ(entries.size() - begin, std::size_t{1} << hash.bits);
        const auto none = static_cast<std::uint32_t>(symbols.size());
        for (std::uint32_t code = 0; code < none; ++code)
          ASSERT_EQ(hash.code(symbols[code], none), code);
        for (int other = 0; other < 5000; ++other) {
          const auto symbol = static_cast<Symbol>(generator() % range * step);
          if (chosen.count(symbol) != 0) continue;
          ASSERT_EQ(hash.code(symbol, none), none) << symbol;
          ASSERT_EQ(hash.code(symbol, 255), 255U) << symbol;
        }
      }
    }
  }
  EXPECT_EQ(entries[16], 5U);
}

}  // namespace SymbolHashTest
