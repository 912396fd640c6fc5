// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_LAYERS_HPP
#define KINDRED_LAYERS_HPP

// Everything of Kindred::layers.
#include <kindred/matcher/FusedLayers.hpp>

#endif  // KINDRED_LAYERS_HPP
