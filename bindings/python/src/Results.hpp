// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_RESULTS_HPP
#define KINDRED_PYTHON_RESULTS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <nanobind/nanobind.h>

namespace Kindred::Python {

/// `(lims, ids, scores)`: int64, int64 and float32.
nanobind::object ragged_of(const Ragged<ScoredId>& results);

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_RESULTS_HPP
