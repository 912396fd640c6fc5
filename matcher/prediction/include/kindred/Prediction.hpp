// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PREDICTION_HPP
#define KINDRED_PREDICTION_HPP

// All public headers of Kindred::prediction.
#include <kindred/matcher/Prediction.hpp>

#endif  // KINDRED_PREDICTION_HPP
