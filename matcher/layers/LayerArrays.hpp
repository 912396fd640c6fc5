// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LAYERS_LAYER_ARRAYS_HPP
#define KINDRED_MATCHER_LAYERS_LAYER_ARRAYS_HPP

#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/matcher/LayerGradients.hpp>

namespace Kindred::Impl {

// Layers with the arrays that `arrays.take` returns for those of \p layer.

template <class Arrays>
NormLayer with_arrays(Arrays& arrays, const NormLayer& layer) {
  NormLayer taken = layer;
  taken.x = arrays.take(layer.x);
  taken.y = arrays.take(layer.y);
  taken.gamma = arrays.take(layer.gamma);
  taken.beta = arrays.take(layer.beta);
  taken.mean = arrays.take(layer.mean);
  taken.variance = arrays.take(layer.variance);
  return taken;
}
template <class Arrays>
LinearLayer with_arrays(Arrays& arrays, const LinearLayer& layer) {
  LinearLayer taken = layer;
  taken.x = arrays.take(layer.x);
  taken.w = arrays.take(layer.w);
  taken.bias = arrays.take(layer.bias);
  taken.y = arrays.take(layer.y);
  return taken;
}
template <class Arrays>
NormGradient with_arrays(Arrays& arrays, const NormGradient& layer) {
  NormGradient taken = layer;
  taken.x = arrays.take(layer.x);
  taken.gradient = arrays.take(layer.gradient);
  taken.dx = arrays.take(layer.dx);
  taken.gamma = arrays.take(layer.gamma);
  taken.beta = arrays.take(layer.beta);
  taken.dgamma = arrays.take(layer.dgamma);
  taken.dbeta = arrays.take(layer.dbeta);
  return taken;
}
template <class Arrays>
LinearGradient with_arrays(Arrays& arrays, const LinearGradient& layer) {
  LinearGradient taken = layer;
  taken.x = arrays.take(layer.x);
  taken.w = arrays.take(layer.w);
  taken.bias = arrays.take(layer.bias);
  taken.gradient = arrays.take(layer.gradient);
  if (!layer.dx.values.empty()) taken.dx = arrays.take(layer.dx);
  if (!layer.dw.values.empty()) taken.dw = arrays.take(layer.dw);
  taken.dbias = arrays.take(layer.dbias);
  return taken;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_LAYERS_LAYER_ARRAYS_HPP
