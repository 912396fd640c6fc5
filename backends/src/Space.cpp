// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Space.hpp>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(Space space) noexcept {
  constexpr std::array<std::string_view, space_count> names{"serial", "openmp", "cuda"};
  return space_index(space) < space_count ? names[space_index(space)] : "unknown";
}

std::optional<Space> space_from_string(std::string_view name) noexcept {
  for (const Space space : all_spaces) {
    if (to_string(space) == name) return space;
  }
  return {};
}

}  // namespace Kindred
