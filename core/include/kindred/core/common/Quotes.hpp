// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_QUOTES_HPP
#define KINDRED_CORE_COMMON_QUOTES_HPP

#include <kindred/core/common/Public.hpp>

#include <string>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \p text as messages show it: quoted, control bytes as hexadecimal escapes, truncated after about
/// 60 bytes.
std::string in_quotes(std::string_view text);

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_QUOTES_HPP
