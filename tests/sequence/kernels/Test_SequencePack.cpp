// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/SequencePack.hpp>

#include "QueryColumnsSupport.hpp"

namespace SequencePackTest {

using namespace Kindred;
using Testing::columns_of;
using Testing::random_codes;
using Testing::symbols_of;

struct WorkItem {
  const std::uint8_t* symbols[2];
  std::uint32_t tile_rows[2];
  std::uint32_t rows;
  std::uint32_t slots;
  std::uint64_t* plane;
  std::uint32_t* matched;
  bool chained_in;
  bool chained_out;
};

/// Receives the counts.
struct Sink {
  void leave(const WorkItem& work_item) const {
    std::fill_n(work_item.matched, work_item.slots, 0);
  }
  template <class Count>
  void finish(const WorkItem& work_item, unsigned first, const Count* found, unsigned slots) const {
    for (unsigned l = 0; l < slots; ++l) finish(work_item, first + l, found[l]);
  }
  void finish(const WorkItem& work_item, unsigned lane, std::uint32_t count) const {
    work_item.matched[lane] = count;
  }
};

TEST(SequencePack, CountsExactlyWhatReachesTheRequiredCount) {
  // Patterns that share a varying part of the query, in one or two tiles; counts below `need` may
  // be too small, but never too large.
  auto generator = Testing::generator("need");
  std::uint8_t table[256];
  for (unsigned s = 0; s < 256; ++s) table[s] = static_cast<std::uint8_t>(s);
  unsigned reaching = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t length = 1 + generator() % 256;
    const auto query = random_codes(generator, length, 1U + generator() % (repeat % 2 ? 20 : 255));
    const auto columns = columns_of(query);
    const std::uint32_t slots = repeat % 5 == 0 ? 32 : 64;
    std::vector<std::vector<std::uint8_t>> patterns(slots);
    const std::size_t base = 1 + generator() % 300;
    for (auto& pattern : patterns) {
      // A section of the query, with symbols inserted and removed.
      std::size_t at = generator() % length;
      const auto noise = 1 + generator() % 60;
      const std::size_t expected = base + generator() % 4;
      while (pattern.size() < expected) {
        if (generator() % 64 < noise) {
          pattern.push_back(query[generator() % length]);
        } else {
          pattern.push_back(query[at++ % length]);
        }
        if (generator() % 64 < noise / 2) ++at;
      }
    }
    std::sort(patterns.begin(), patterns.end(),
              [](const auto& a, const auto& b) { return a.size() < b.size(); });
    WorkItem work_item{};
    std::vector<std::uint8_t> tiles[2];
    for (unsigned t = 0; t < slots / 32; ++t) {
      work_item.tile_rows[t] = static_cast<std::uint32_t>(patterns[32 * t + 31].size());
      tiles[t].assign(32 * std::size_t{work_item.tile_rows[t]}, no_code);
      for (unsigned l = 0; l < 32; ++l) {
        const auto& pattern = patterns[32 * t + l];
        for (std::size_t i = 0; i < pattern.size(); ++i) tiles[t][32 * i + l] = pattern[i];
      }
    }
    work_item.symbols[0] = tiles[0].data();
    work_item.symbols[1] = slots == 64 ? tiles[1].data() : tiles[0].data();
    work_item.rows = std::max(work_item.tile_rows[0], work_item.tile_rows[1]);
    work_item.slots = slots;
    std::vector<std::uint32_t> matched(slots);
    work_item.matched = matched.data();
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(work_item.rows, length));
    for (const std::uint32_t need : {0U, most / 3, most / 2, most * 3 / 4, most}) {
      Impl::SequencePack<HostSpace>::scan(
          {columns.data(), static_cast<unsigned>(columns.size()), table}, work_item,
          static_cast<std::uint32_t>(length), need, Sink{});
      for (unsigned l = 0; l < slots; ++l) {
        const std::uint32_t expected =
            Reference::lcs(symbols_of(patterns[l], patterns[l].size()), symbols_of(query, length));
        ASSERT_LE(matched[l], expected) << length << " symbols, need " << need;
        if (expected >= need) {
          ASSERT_EQ(matched[l], expected) << length << " symbols, need " << need;
          reaching += need > 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(reaching, 5000U);
}

}  // namespace SequencePackTest
