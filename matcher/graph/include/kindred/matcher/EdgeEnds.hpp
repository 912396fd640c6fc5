// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_EDGE_ENDS_HPP
#define KINDRED_MATCHER_EDGE_ENDS_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <optional>

namespace KINDRED_PUBLIC Kindred {

/// \brief Selects all edges from one node to another, or those of one kind.
struct EdgeEnds {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::optional<std::uint8_t> kind = {};
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_EDGE_ENDS_HPP
