// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LAYERS_HPP
#define KINDRED_LAYERS_HPP

// All public headers of Kindred::layers.
#include <kindred/matcher/FusedLayers.hpp>

#endif  // KINDRED_LAYERS_HPP
