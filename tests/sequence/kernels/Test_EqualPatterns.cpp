// SPDX-License-Identifier: Apache-2.0
#include "Properties.hpp"
#include "SequenceSupport.hpp"
#include "sequence/HostPatterns.hpp"

namespace EqualPatternsTest {

using namespace Kindred;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Sequence = Testing::Symbols;

std::vector<std::uint32_t> found(const std::vector<Sequence>& patterns) {
  return Impl::HostPatterns(Testing::context(), Testing::ragged(patterns)).first_equal();
}

/// By definition.
std::vector<std::uint32_t> expected(const std::vector<Sequence>& patterns) {
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < patterns.size(); ++i) {
    const auto equal = std::find(patterns.begin(), patterns.begin() + i, patterns[i]);
    first.push_back(patterns[i].empty() ? i : static_cast<std::uint32_t>(equal - patterns.begin()));
  }
  return first;
}

TEST(EqualPatterns, ByHand) {
  EXPECT_THAT(found({}), IsEmpty());
  EXPECT_THAT(found({{}, {}}), ElementsAre(0, 1)) << "empty patterns have no results";
  EXPECT_THAT(found({{1, 2}, {2, 1}, {1, 2}, {1}, {1, 2, 2}, {2, 1}, {1}}),
              ElementsAre(0, 1, 0, 3, 4, 1, 3));
}

TEST(EqualPatterns, MatchTheDefinition) {
  Testing::expect_property("first_equal is the first equal pattern", [] {
    const auto vocabulary = *rc::gen::element<Symbol>(2, 300, 70000);
    // Several tiles with patterns of few lengths, so that equal ones lie in different tiles.
    auto patterns = *rc::gen::container<std::vector<Sequence>>(
        *rc::gen::inRange<std::size_t>(0, 200),
        rc::gen::resize(4, rc::gen::container<Sequence>(rc::gen::inRange<Symbol>(0, 2))));
    Sequence all(vocabulary);
    for (Symbol symbol = 0; symbol < vocabulary; ++symbol) all[symbol] = symbol;
    patterns.insert(patterns.begin() + *rc::gen::inRange<std::size_t>(0, patterns.size() + 1), all);
    patterns.push_back(all);
    RC_ASSERT(found(patterns) == expected(patterns));
  });
}

}  // namespace EqualPatternsTest
