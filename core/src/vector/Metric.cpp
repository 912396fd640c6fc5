// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/vector/Metric.hpp>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(Metric metric) noexcept {
  switch (metric) {
    case Metric::cosine:
      return "cosine";
    case Metric::ip:
      return "ip";
    case Metric::l2:
      break;
  }
  return "l2";
}

}  // namespace Kindred
