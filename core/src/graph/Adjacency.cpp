// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/graph/Adjacency.hpp>

#include <kindred/core/arch/RoundElement.hpp>

namespace Kindred {

std::uint16_t short_weight(float weight) noexcept {
  return Arch::round_to<Arch::BFloat16>(weight).bits;
}
float widen_weight(std::uint16_t weight) noexcept { return Arch::to_float(Arch::BFloat16{weight}); }

}  // namespace Kindred
