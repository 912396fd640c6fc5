// SPDX-License-Identifier: Apache-2.0
#include <kindred/Version.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <iostream>
#include <vector>

#if defined(KOKKOS_VERSION)
#error "a program that links Kindred's engines must not see Kokkos"
#endif
static_assert(KINDRED_VERSION >= 100);

int main() {
  Kindred::Context context;
  const std::vector<float> rows{1, 0, 0, 1, 1, 1};
  const Kindred::VectorIndex index(context, rows, 2);
  Kindred::SearchOptions options;
  options.top = 2;
  const std::vector<float> query{1, 0.5F};
  const auto answer = index.search(query, options);
  std::cout << answer.ids[0] << ' ' << answer.ids[1] << '\n';
  return answer.ids == std::vector<std::int64_t>{2, 0} ? 0 : 1;
}
