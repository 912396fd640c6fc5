// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_LATTICE_SUMMARY_HPP
#define KINDRED_TOOLS_LATTICE_SUMMARY_HPP

#include "report/Table.hpp"

#include <kindred/matcher/Lattice.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Tools {

/// Structural properties of a lattice, from closed forms or measured.
struct LatticeSummary {
  std::uint64_t vertices = 0;
  WideCount edges = 0;
  bool connected = true;
  std::uint64_t diameter = 0;
  double average_degree = 0;
  double clustering = 0;
  double density = 0;
};

LatticeSummary summary_of(const LatticeStatistics& statistics);
LatticeSummary summary_of(const GraphStructure& found);

/// Appends the fields of a JSON object without the braces.
void append_json(std::string& out, const LatticeSummary& summary);
/// Appends one human-readable line per field.
void append_text(std::string& out, const LatticeSummary& summary);
/// One row per field.
ReportTable report_of(const LatticeSummary& summary);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_LATTICE_SUMMARY_HPP
