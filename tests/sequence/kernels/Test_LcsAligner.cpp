// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/LcsAligner.hpp>

#include "SequenceSupport.hpp"

namespace LcsAlignerTest {

using namespace Kindred;
using Testing::random_sequence;
using Sequence = Testing::Symbols;

/// Requires that \p blocks are maximal runs of equal symbols, that each begins after the one before
/// it in both sequences, and that they match \p matched symbols.
void expect_alignment(const Sequence& pattern, const Sequence& query,
                      const std::vector<Block>& blocks, std::uint32_t matched) {
  std::uint64_t length = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    length += block.length;
    ASSERT_GT(block.length, 0U);
    ASSERT_LE(std::size_t{block.pattern_begin} + block.length, pattern.size());
    ASSERT_LE(std::size_t{block.query_begin} + block.length, query.size());
    for (std::uint32_t i = 0; i < block.length; ++i) {
      ASSERT_EQ(pattern[block.pattern_begin + i], query[block.query_begin + i]);
      ASSERT_NE(pattern[block.pattern_begin + i], unknown_symbol);
    }
    if (b == 0) continue;
    const Block& before = blocks[b - 1];
    ASSERT_GE(block.pattern_begin, before.pattern_begin + before.length);
    ASSERT_GE(block.query_begin, before.query_begin + before.length);
    ASSERT_TRUE(block.pattern_begin > before.pattern_begin + before.length ||
                block.query_begin > before.query_begin + before.length)
        << "a run is not maximal";
  }
  ASSERT_EQ(length, matched);
}

void expect_reference(const Sequence& pattern, const Sequence& query) {
  const std::vector<Block> expected = Reference::lcs_blocks(pattern, query);
  expect_alignment(pattern, query, expected, Reference::lcs(pattern, query));
  ASSERT_EQ(lcs_blocks(pattern, query), expected);
  // Few rows per level: one, two and more levels.
  for (const std::size_t words : {0, 3, 16, 100, 1000}) {
    const LcsAligner aligner(query, words);
    ASSERT_EQ(aligner.blocks(query), Reference::lcs_blocks(query, query)) << words;
    ASSERT_EQ(aligner.blocks(pattern), expected) << words << ", after another pattern";
  }
}

TEST(LcsAligner, MatchesReferenceAroundWords) {
  auto generator = Testing::generator("aligner");
  for (const std::size_t m : {0, 1, 2, 3, 63, 64, 65, 127, 129, 300}) {
    for (const std::size_t n : {0, 1, 2, 3, 63, 64, 65, 127, 129, 300}) {
      for (const Symbol alphabet : {1U, 2U, 4U, 30U, 1000U}) {
        Sequence pattern = random_sequence(generator, m, alphabet);
        Sequence query = random_sequence(generator, n, alphabet);
        for (std::size_t i = 0; i < std::min(m, n); ++i)
          if (generator() % 3 != 0) pattern[i] = query[i];
        for (Sequence* sequence : {&pattern, &query})
          if (!sequence->empty() && alphabet % 4 != 1)
            (*sequence)[generator() % sequence->size()] = generator() % 3 ? unknown_symbol : 70000;
        expect_reference(pattern, query);
        if (HasFatalFailure()) FAIL() << m << " symbols against " << n << " of " << alphabet;
      }
    }
  }
}

TEST(LcsAligner, AlignsLongSequencesInBoundedMemory) {
  // Their rows are 350 MB; the default limit stores 8 MiB per level.
  auto generator = Testing::generator("long alignment");
  Sequence query = random_sequence(generator, 53000, 200);
  Sequence pattern;
  for (const Symbol symbol : query)
    if (generator() % 10 != 0) pattern.push_back(generator() % 10 == 0 ? 300 : symbol);
  query[0] = 500;
  query.back() = 501;
  const LcsAligner aligner(query);
  const std::vector<Block> blocks = aligner.blocks(pattern);
  std::uint32_t matched = 0;
  for (const Block& block : blocks) matched += block.length;
  expect_alignment(pattern, query, blocks, matched);
  EXPECT_GT(matched, 40000U);
  EXPECT_EQ(LcsAligner(query, std::size_t{1} << 17U).blocks(pattern), blocks);
}

}  // namespace LcsAlignerTest
