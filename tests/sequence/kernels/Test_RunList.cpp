// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/impl/RunList.hpp>

#include "SequenceSupport.hpp"

namespace RunListTest {

using namespace Kindred;

/// The positions in the query of every pattern symbol.
template <unsigned Words>
struct Rows {
  const std::vector<Symbol>& pattern;
  const std::vector<Symbol>& query;

  void operator()(std::uint32_t i, std::uint64_t* words) const {
    for (unsigned w = 0; w < Words; ++w) words[w] = 0;
    for (std::size_t j = 0; j < query.size(); ++j)
      if (query[j] == pattern[i]) words[j / 64] |= std::uint64_t{1} << (j % 64);
  }
};

template <unsigned Words>
std::uint32_t by_list(const std::vector<Symbol>& pattern, const std::vector<Symbol>& query) {
  std::vector<std::uint32_t> entries(Impl::run_list_size);
  const auto list = [&](std::uint32_t k) -> std::uint32_t& { return entries.at(k); };
  return Impl::matched_by_list<Words>(Rows<Words>{pattern, query},
                                      static_cast<std::uint32_t>(pattern.size()),
                                      static_cast<std::uint32_t>(query.size()), list);
}

TEST(RunList, MatchesTheBlocksOrReportsThatItIsTooShort) {
  auto generator = Testing::generator("run list");
  constexpr std::size_t pairs = 6000;
  std::size_t listed = 0;
  for (std::size_t repeat = 0; repeat < pairs; ++repeat) {
    const std::size_t words = 1 + repeat % 2;
    const Symbol vocabulary = 1 + generator() % (repeat % 3 == 0 ? 6 : 60);
    const auto query =
        Testing::random_sequence(generator, generator() % (64 * words + 1), vocabulary);
    std::vector<Symbol> pattern(generator() % 130);
    const bool copy = repeat % 5 < 2 && !query.empty();
    const std::size_t shift = generator() % 9;
    for (std::size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = copy && generator() % 4 > 0 ? query[(i + shift) % query.size()]
                                               : static_cast<Symbol>(generator() % vocabulary);
    const std::uint32_t expected = Reference::difflib(pattern, query);
    const std::uint32_t found =
        words == 1 ? by_list<1>(pattern, query) : by_list<2>(pattern, query);
    if (found == Impl::run_list_overflow) continue;
    ++listed;
    ASSERT_EQ(found, expected) << "pattern of " << pattern.size() << ", query of " << query.size()
                               << ", " << vocabulary << " symbols";
  }
  EXPECT_GT(listed, pairs / 2);
}

TEST(RunList, OverflowsWhereEverythingIsARun) {
  const std::vector<Symbol> pattern(100, 1);
  const std::vector<Symbol> query(80, 1);
  EXPECT_EQ(by_list<2>(pattern, query), Impl::run_list_overflow);
}

TEST(RunList, AcceptsTheLongestLengths) {
  std::vector<Symbol> pattern(Impl::listed_length_max);
  std::vector<Symbol> query(128);
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<Symbol>(i + 500);
  for (std::size_t j = 0; j < query.size(); ++j) query[j] = static_cast<Symbol>(j);
  std::copy(query.begin(), query.end(), pattern.end() - 128);
  EXPECT_EQ(by_list<2>(pattern, query), 128U);
  std::rotate(pattern.begin(), pattern.end() - 128, pattern.end());
  EXPECT_EQ(by_list<2>(pattern, query), 128U);
}

}  // namespace RunListTest
