// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_VECTOR_METRIC_HPP
#define KINDRED_CORE_VECTOR_METRIC_HPP

#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief The similarity or distance of two vectors q and x. `l2` is the Euclidean distance, not
/// its square as in FAISS and hnswlib.
enum class Metric : std::uint8_t {
  cosine,  ///< clamp(q·x / (√q·q · √x·x), −1, 1), 0 if either norm is 0; larger is better
  ip,      ///< q·x; larger is better
  l2       ///< √Σ(q − x)², never expanded; smaller is better
};
template <>
inline constexpr auto enum_names<Metric> = std::to_array<std::string_view>({"cosine", "ip", "l2"});

/// The score at a position without a result: worse than any real score.
constexpr float padding_score(Metric metric) noexcept {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return metric == Metric::l2 ? infinity : -infinity;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_VECTOR_METRIC_HPP
