// SPDX-License-Identifier: Apache-2.0
#include "compare/RowComparison.hpp"

namespace Kindred::Perf {

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::unclear:
      return "unclear";
  }
  return "";
}

Verdict verdict_of(const MedianInterval& ratio, const Precision& precision, bool is_certain) {
  if (!is_certain) return Verdict::unclear;
  const double unchanged = precision.unchanged();
  if (ratio.low > unchanged) return Verdict::slower;
  if (ratio.high < 1 / unchanged) return Verdict::faster;
  // The same interval around a change that must be found would have to lie beyond `unchanged`.
  const double farthest = (1 + precision.change) / unchanged;
  const bool is_narrow =
      ratio.median / ratio.low < farthest && ratio.high / ratio.median < farthest;
  return is_narrow ? Verdict::same : Verdict::unclear;
}

}  // namespace Kindred::Perf
