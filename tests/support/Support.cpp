// SPDX-License-Identifier: Apache-2.0
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace Kindred::Testing {

Context& context() {
  static Context shared({.threads = thread_sanitizer ? 1 : 0, .load_profile = false});
  return shared;
}

std::vector<Space> spaces() {
  std::vector<Space> usable;
  for (const Space space : all_spaces) {
    if (context().is_usable(space)) usable.push_back(space);
  }
  return usable;
}

}  // namespace Kindred::Testing
