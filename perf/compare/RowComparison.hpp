// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMPARE_ROW_COMPARISON_HPP
#define KINDRED_PERF_COMPARE_ROW_COMPARISON_HPP

#include "common/MedianInterval.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Perf {

/// How sure a comparison must be.
struct Precision {
  /// Probability that any row of two equal programs is reported, over all rows together.
  double error = 0.05;
  /// The least change that must be found, as a share of the time; two fifths of it are no change.
  double change = 0.05;

  double unchanged() const noexcept { return 1 + 0.4 * change; }
};

enum class Verdict : std::uint8_t {
  same,    ///< a change as small as `Precision::change` would have been found
  slower,  ///< the interval lies above what counts as unchanged
  faster,  ///< likewise below
  unclear  ///< the times vary too much, or are too few
};
std::string_view to_string(Verdict verdict) noexcept;

/// \brief What \p ratio, of the time after to the time before, shows. \param is_certain false if
/// there were too few times for the probability that was asked for
Verdict verdict_of(const MedianInterval& ratio, const Precision& precision, bool is_certain);

/// One time of one row, before and after.
struct RowComparison {
  std::string row;
  std::string time;                 ///< `call`, `kernels` or `queued`
  std::vector<double> before = {};  ///< seconds; of builds, of the fastest call of each start
  std::vector<double> after = {};
  std::vector<double> ratios = {};  ///< of builds: after / before, of each start
  MedianInterval ratio = {};        ///< after / before
  Verdict verdict = Verdict::unclear;
  std::string remark = {};
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMPARE_ROW_COMPARISON_HPP
