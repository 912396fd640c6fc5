// SPDX-License-Identifier: Apache-2.0
#include "Support.hpp"
#include "ThreadSanitizer.hpp"

#include <cstdlib>

namespace Kindred::Testing {

Context& context() {
  static Context shared([] {
    ContextOptions options;
    options.load_profile = false;
    if (thread_sanitizer) options.threads = 1;
    return options;
  }());
  return shared;
}

std::vector<Space> spaces() {
  std::vector<Space> usable;
  for (const Space space : all_spaces) {
    if (context().is_usable(space)) usable.push_back(space);
  }
  return usable;
}

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("KINDRED_TEST_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 20261121ULL;
  }();
  return value;
}

std::mt19937_64 generator(const std::string& name) {
  std::uint64_t hash = seed();
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return std::mt19937_64(hash);
}

}  // namespace Kindred::Testing
