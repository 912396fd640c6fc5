// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_STRINGS_HPP
#define KINDRED_C_STRINGS_HPP

#include "Handle.hpp"

#include <string>

namespace Kindred::C {

KINDRED_C_HANDLE(string, std::string);

}  // namespace Kindred::C

#endif  // KINDRED_C_STRINGS_HPP
