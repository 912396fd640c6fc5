// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_OPERATION_INFO_HPP
#define KINDRED_MATCHER_SEQUENCE_OPERATION_INFO_HPP

#include <kindred/backends/Operation.hpp>

namespace Kindred::Operations {

/// LCS of every pattern with every query. Prior: the router of KA Lattice, 1,000 elements, here
/// patterns of KATO's 100 symbols.
inline constexpr OperationInfo lcs{"lcs", "symbols × query words", {1e9, 5e-6, 1000.0 * 100}};

/// \brief Similarity as Python's difflib defines it. Its work counts scans for the bound of every
/// pattern, as a call with a threshold makes. Prior: 2,500 patterns of KATO's 100 symbols.
inline constexpr OperationInfo difflib{
    "difflib", "symbols × query words", {5e9, 1e-5, 2500.0 * 200}};

/// Levenshtein and OSA distances. Prior: as for \ref lcs.
inline constexpr OperationInfo edit_distance{
    "edit-distance", "symbols × query words", {5e8, 5e-6, 1000.0 * 100}};

/// Common prefixes and postfixes, most of which are short. Prior: few symbols per pattern.
inline constexpr OperationInfo common_ends{
    "common-ends", "patterns × queries", {1e8, 5e-6, 100000.0}};

/// Jaro-Winkler similarities, which take two passes over a pattern. Prior: as for \ref lcs.
inline constexpr OperationInfo jaro_winkler{
    "jaro-winkler", "symbols × query words", {2e8, 5e-6, 1000.0 * 100}};

/// Similarities of sets of words, which take two passes over a pattern. Prior: as for \ref lcs.
inline constexpr OperationInfo token_set{
    "token-set", "symbols × query words", {2e8, 5e-6, 1000.0 * 100}};

/// Comparing single patterns with a query, by any measure; always on the host. Prior: a pair at a
/// time takes about ten times as long as in a scan.
inline constexpr OperationInfo pattern_candidates{
    "pattern-candidates", "symbols × query words", {1e8, 5e-6, OperationPrior::device_never}};

}  // namespace Kindred::Operations

#endif  // KINDRED_MATCHER_SEQUENCE_OPERATION_INFO_HPP
