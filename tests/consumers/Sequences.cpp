// SPDX-License-Identifier: Apache-2.0
// A program that uses one engine and links only the libraries that this engine needs.
#include <kindred/matcher/SequenceMatcher.hpp>

#include <iostream>

int main() {
  const Kindred::Ragged<Kindred::Symbol> patterns{{0, 2, 5}, {1, 2, 3, 4, 5}};
  const Kindred::Ragged<Kindred::Symbol> queries{{0, 3}, {4, 5, 6}};
  Kindred::Context context;
  const Kindred::SequenceMatcher matcher(context, patterns);
  const auto answer = matcher.match(queries);
  try {
    matcher.match(queries, {.threshold = 2});
    return 2;
  } catch (const Kindred::InvalidArgument& refused) {
    std::cout << refused.what() << '\n';
  }
  std::cout << answer.matches.values[0].index << '\n';
  return answer.matches.values[0].index == 1 ? 0 : 1;
}
