// SPDX-License-Identifier: Apache-2.0
// A program that initializes Kokkos itself also finalizes it.
#include <kindred/backends/Context.hpp>

#include <Kokkos_Core.hpp>

#include "Check.hpp"

int main() {
  using namespace Kindred;
  const ContextOptions options{.load_profile = false};
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(1));
  {
    const Context context(options);
    check(context.threads() == Kokkos::DefaultHostExecutionSpace().concurrency(),
          "a context takes the threads the program gave Kokkos");
  }
  check(Kokkos::is_initialized() && !Kokkos::is_finalized(), "Kokkos outlives the last context");
  { const Context second(options); }
  Kokkos::finalize();
  check_throws("a context after Kokkos was finalised is refused",
               [&] { const Context late(options); });
  return 0;
}
