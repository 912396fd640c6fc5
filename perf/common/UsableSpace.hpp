// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_USABLE_SPACE_HPP
#define KINDRED_PERF_COMMON_USABLE_SPACE_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Error.hpp>

#include <optional>
#include <string>

namespace Kindred::Perf {

/// The space that \p option names. \throws InvalidArgument if there is none of that name
/// \throws SpaceUnavailable if \p context cannot use it
inline Space usable_space(const Context& context, const std::string& option,
                          const std::string& name) {
  const std::optional<Space> space = from_string<Space>(name);
  KINDRED_THROW_IF(!space, option + " " + name + ": it must be serial, openmp or cuda");
  if (!context.is_usable(*space))
    throw SpaceUnavailable(option + " " + name + ": " + context.info(*space).why_not);
  return *space;
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_USABLE_SPACE_HPP
