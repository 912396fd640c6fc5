// SPDX-License-Identifier: Apache-2.0
// The first context initializes Kokkos for all later ones too; Kokkos is finalized at exit, after
// the contexts.
#include <kindred/backends/Context.hpp>

#include <Kokkos_Core.hpp>

#include "Check.hpp"

#include <memory>
#include <thread>

int main() {
  using namespace Kindred;
  std::atexit([] { check(Kokkos::is_finalized(), "Kokkos is finalised at exit"); });
  ContextOptions options{.threads = 1, .load_profile = false};
  auto first = std::make_unique<Context>(options);
  check(first->threads() == 1, "a context has the threads it asks for");
  options.threads = 0;
  static const Context all(options);
  check(
      all.threads() >= 1 && all.threads() <= static_cast<int>(std::thread::hardware_concurrency()),
      "no more threads than the machine has");
  options.threads = 64;
  const Context many(options);
  check(many.threads() == 64, "more threads than the first context had");
  first.reset();
  check(!Kokkos::is_finalized(), "the first context does not take Kokkos with it");
  return 0;
}
