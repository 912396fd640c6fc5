// SPDX-License-Identifier: Apache-2.0
// A program that finalises Kokkos while it has a context gets errors, and no crash.
#include <kindred/Vector.hpp>
#include <kindred/backends/Context.hpp>

#include <Kokkos_Core.hpp>

#include "Check.hpp"

#include <vector>

int main() {
  using namespace Kindred;
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(2));
  const ContextOptions options{.load_profile = false};
  Context context(options);
  VectorIndex index(context, std::vector<float>(400, 1), 4);
  const std::vector<float> query(4, 1);
  check(!index.search(query).ids.empty(), "a search finds rows");
  Kokkos::finalize();
  check_throws("a search after Kokkos was finalised throws", [&] { index.search(query); });
  return 0;
}
