// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LATTICE_SUMMARY_HPP
#define KINDRED_TOOLS_LATTICE_SUMMARY_HPP

#include <kindred/matcher/Lattice.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Tools {

/// What is told of the structure of a lattice, by closed forms or as it was measured.
struct LatticeSummary {
  std::uint64_t vertices = 0;
  WideCount edges = 0;
  bool connected = true;
  std::uint64_t diameter = 0;
  double average_degree = 0;
  double clustering = 0;
  double density = 0;
};

LatticeSummary summary_of(const LatticeMetrics& metrics);
LatticeSummary summary_of(const GraphStructure& found);

/// Appends the fields of a JSON object, without its braces.
void append_json(std::string& out, const LatticeSummary& summary);
/// Appends a line a field, for people.
void append_text(std::string& out, const LatticeSummary& summary);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LATTICE_SUMMARY_HPP
