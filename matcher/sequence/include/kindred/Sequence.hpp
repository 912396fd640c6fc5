// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_SEQUENCE_HPP
#define KINDRED_SEQUENCE_HPP

// All public headers of Kindred::sequence.
#include <kindred/matcher/Clusters.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/SequenceOperationInfo.hpp>
#include <kindred/matcher/Sequences.hpp>
#include <kindred/matcher/Similarity.hpp>

#endif  // KINDRED_SEQUENCE_HPP
