// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_VECTOR_HPP
#define KINDRED_VECTOR_HPP

// All public headers of Kindred::vector.
#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/matcher/SearchReport.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorOperationInfo.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#endif  // KINDRED_VECTOR_HPP
