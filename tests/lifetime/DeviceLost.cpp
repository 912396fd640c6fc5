// SPDX-License-Identifier: Apache-2.0
// A kernel that breaks the CUDA context of the process takes no answer with it: later calls run on
// the host, and the program ends normally. Status 77: there is no device.
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include "Check.hpp"

#include <vector>

namespace {

using namespace Kindred;

void break_device([[maybe_unused]] const Context& context) {
#if KINDRED_HAS_DEVICE
  int* const nowhere = reinterpret_cast<int*>(std::uintptr_t{8});
  Kokkos::parallel_for(
      "Kindred::Testing::break_device",
      Kokkos::RangePolicy<DeviceSpace>(Impl::device_instance(context), 0, 32),
      KOKKOS_LAMBDA(int i) { nowhere[i] = i; });
#endif
}

}  // namespace

int main() {
  ContextOptions options;
  options.load_profile = false;
  options.dispatcher.device_items_from = 1;
  Context context(options);
  if (!context.is_usable(Space::cuda)) return 77;
  constexpr std::size_t dimension = 16;
  constexpr std::size_t rows = 5000;
  std::vector<float> values(rows * dimension);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761U % 1000) / 500.0F - 1.0F;
  const std::vector<float> query(values.begin() + 32, values.begin() + 32 + dimension);
  const VectorIndex index(context, values, dimension);
  const auto before = index.search(query);
  check(before.record.chosen == Space::cuda, "the first answer is the device's");
  break_device(context);
  const auto after = index.search(query);
  check(Arch::device_is_lost(), "the broken context is noticed");
  check(after.record.chosen != Space::cuda, "the second answer is the host's");
  check(before.ids == after.ids && before.scores == after.scores, "both answers are the same");
  return 0;
}
