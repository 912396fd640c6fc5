// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_AFFINITIES_HPP
#define KINDRED_TOOLS_IO_AFFINITIES_HPP

#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \brief The weight of every symbol of \p vocabulary, from lines {"symbol": "…", "affinity": 0.5}.
///
/// Affinities of a repeated symbol are added; symbols that no pattern has are ignored.
/// \param occurrences per symbol, as `PatternEvents::occurrences`
/// \throws InputError with file, line, value and limit
std::vector<double> read_affinity_weights(const std::string& path, const Vocabulary& vocabulary,
                                          std::span<const std::uint64_t> occurrences);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_AFFINITIES_HPP
