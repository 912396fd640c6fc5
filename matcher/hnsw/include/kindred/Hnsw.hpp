// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_HNSW_HPP
#define KINDRED_HNSW_HPP

// All public headers of Kindred::hnsw.
#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Recall.hpp>

#endif  // KINDRED_HNSW_HPP
