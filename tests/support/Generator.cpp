// SPDX-License-Identifier: Apache-2.0
#include "Generator.hpp"

#include <cstdlib>

namespace Kindred::Testing {

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
