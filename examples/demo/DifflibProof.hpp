// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_DIFFLIB_PROOF_HPP
#define KINDRED_EXAMPLES_DEMO_DIFFLIB_PROOF_HPP

#include <kindred/backends/Context.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace Kindred::Tools {

/// \brief Result of the comparison with Python's difflib.
struct DifflibProof {
  bool run = false;
  std::string why_not;          ///< reason if it did not run
  std::size_t pairs = 0;        ///< texts × queries compared
  std::size_t differences = 0;  ///< pairs whose matched count, ratio (all bits) or blocks differ
  double python_seconds = 0;    ///< time of the scoring, without starting Python
  double kindred_seconds = 0;   ///< time of the same work
};

/// \brief Scores every text against every query with Kindred and with Python's
/// `difflib.SequenceMatcher`, by characters, and compares.
/// \param context runs Kindred's part
/// \param texts ASCII
/// \param queries ASCII, not empty
DifflibProof prove_with_difflib(Context& context, const std::vector<std::string>& texts,
                                const std::vector<std::string>& queries);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_DIFFLIB_PROOF_HPP
