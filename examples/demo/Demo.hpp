// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_DEMO_HPP
#define KINDRED_EXAMPLES_DEMO_DEMO_HPP

#include "program/GlobalOptions.hpp"

#include <cstddef>
#include <string>

namespace Kindred::Tools {

/// The folder of the report and the trace is `out` unless `report` and `trace` name files.
struct DemoOptions : GlobalOptions {
  std::string wordnet = "/usr/share/wordnet";  ///< folder with the four data files
  std::string query = "large feline of forests";
  std::string out = "kindred-demo";  ///< folder of the report and the trace; created if missing
  std::size_t limit = 0;             ///< number of synsets read from each file; 0: all
  std::size_t top = 10;              ///< number of hits printed
  std::size_t proof = 2000;          ///< number of glosses that difflib scores too
  bool sweep = true;
  bool calibrate = true;  ///< calibrate and save the profile if this machine has none
};

/// \brief Runs the demo on WordNet: prints the answer to stdout and a log with times to stderr, and
/// writes the report and the trace to `out`.
///
/// \return the exit status: 0 only if the answers agree with difflib
/// \throws CorruptFile, NotFound, InvalidArgument, SpaceUnavailable, OutOfMemory
int run_demo(const DemoOptions& options);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_DEMO_HPP
