// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_MATCH_ARGUMENTS_HPP
#define KINDRED_PYTHON_MATCH_ARGUMENTS_HPP

#include <kindred/matcher/SequenceMatcher.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Measures.hpp"
#include "Options.hpp"

#include <array>
#include <limits>
#include <vector>

// Arguments that searches in sequences share.
namespace Kindred::Python {

inline constexpr std::array<Choice<PostingsUse>, 3> postings_uses{
    {{"automatic", PostingsUse::automatic},
     {"never", PostingsUse::never},
     {"always", PostingsUse::always}}};

/// \param top None: all
inline MatchOptions match_options(nanobind::handle measure, nanobind::handle threshold,
                                  nanobind::handle top, nanobind::handle autojunk,
                                  nanobind::handle space) {
  MatchOptions options;
  options.measure = measure_of(measure);
  options.threshold = number_of(threshold, "threshold");
  options.top = top.is_none() ? std::numeric_limits<std::size_t>::max()
                              : static_cast<std::size_t>(integer_of(top, "top", 1));
  options.autojunk = flag_of(autojunk, "autojunk");
  options.space = space_of(space);
  return options;
}

/// The argument `only`, which must live until the call ends.
class AllowedPatterns {
 public:
  AllowedPatterns(nanobind::handle filter, MatchOptions& options) {
    if (filter.is_none()) return;
    m_indices = ids_of(filter, "filter");
    options.filter = m_indices;
  }
  AllowedPatterns(const AllowedPatterns&) = delete;
  AllowedPatterns& operator=(const AllowedPatterns&) = delete;

 private:
  std::vector<std::uint64_t> m_indices;
};

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_MATCH_ARGUMENTS_HPP
