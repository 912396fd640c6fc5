// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_HNSW_HPP
#define KINDRED_C_HNSW_HPP

#include <kindred/matcher/HnswIndex.hpp>

#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_ENGINE(hnsw, HnswIndex)

}  // namespace Kindred::C

#endif  // KINDRED_C_HNSW_HPP
