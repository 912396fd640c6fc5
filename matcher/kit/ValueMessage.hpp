// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_VALUE_MESSAGE_HPP
#define KINDRED_MATCHER_KIT_VALUE_MESSAGE_HPP

#include <cstddef>
#include <string>

namespace Kindred::Impl {

/// "\p name is \p value", the beginning of a message.
inline std::string value_message(const char* name, std::size_t value) {
  std::string said(name);
  said += " is ";
  said += std::to_string(value);
  return said;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_VALUE_MESSAGE_HPP
