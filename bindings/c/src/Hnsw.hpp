// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_HNSW_HPP
#define KINDRED_C_HNSW_HPP

#include <kindred/matcher/HnswIndex.hpp>

#include "Handle.hpp"

namespace Kindred::C {

KINDRED_C_HANDLE(hnsw, WithContext<HnswIndex>);

inline HnswIndex& hnsw_of(const kindred_hnsw* hnsw) { return object_of(hnsw, "hnsw").engine; }

}  // namespace Kindred::C

#endif  // KINDRED_C_HNSW_HPP
