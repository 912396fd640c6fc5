// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_REPORT_PAGE_HPP
#define KINDRED_PERF_REPORT_PAGE_HPP

#include "common/JsonOutput.hpp"

#include <string>
#include <vector>

namespace Kindred::Perf {

/// A record that was read, or that is about to be written.
struct NamedRecord {
  std::string name;  ///< such as its file, which tells records of equal machines apart
  Json record;
};

/// \brief Writes a page for people: from which size each space pays, how far each operation is from
/// the limits of the machine, and what more threads or a GPU bring; then plots and tables. Records
/// of several machines are shown side by side.
/// \param records at least one, with rows of `sweep` or `rows`
/// \throws as `Tools::write_report`
void write_page(const std::string& path, const std::vector<NamedRecord>& records);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_REPORT_PAGE_HPP
