// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/special/LaneValues.hpp>

namespace Kindred::Impl {

template decltype(scan_lanes<ShortRecurrence::osa>) scan_lanes<ShortRecurrence::osa>;
template decltype(scan_lanes<ShortRecurrence::levenshtein>)
    scan_lanes<ShortRecurrence::levenshtein>;

}  // namespace Kindred::Impl
