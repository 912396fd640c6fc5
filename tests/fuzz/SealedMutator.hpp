// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_FUZZ_SEALED_MUTATOR_HPP
#define KINDRED_TESTS_FUZZ_SEALED_MUTATOR_HPP

#include "SectionBytes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace Kindred::Testing {

/// Returns the content of a file and removes it.
inline std::string take_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::remove(path.c_str());
  return bytes;
}

inline bool is_section_file(const std::uint8_t* data, std::size_t size) {
  return size >= Impl::section_magic.size() &&
         std::equal(Impl::section_magic.begin(), Impl::section_magic.end(),
                    reinterpret_cast<const char*>(data));
}

/// \brief Mutates a file as libFuzzer does, now and then restarting from \p good, and recomputes
/// the checksums of most section files. \returns the new size
inline std::size_t mutate_sealed(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                 unsigned seed, const std::string& good) {
  std::minstd_rand generator(seed);
  if ((size < sizeof(Impl::SectionHeader) || generator() % 64 == 0) && size_max >= good.size()) {
    std::copy(good.begin(), good.end(), data);
    size = good.size();
    if (generator() % 2 == 0) return size;
  }
  if (size >= sizeof(Impl::SectionHeader) && generator() % 2 == 0) {
    // Replaces a number in place, which libFuzzer seldom does.
    const std::uint64_t values[] = {0,
                                    1,
                                    generator() % 16,
                                    generator(),
                                    ~std::uint64_t{0},
                                    std::uint64_t{1} << generator() % 64};
    const std::uint64_t value = values[generator() % std::size(values)];
    const std::size_t at = generator() % (size / 4) * 4;
    std::memcpy(data + at, &value, std::min<std::size_t>(generator() % 2 == 0 ? 4 : 8, size - at));
  } else {
    size = LLVMFuzzerMutate(data, size, size_max);
  }
  if (is_section_file(data, size) && generator() % 16 != 0)
    reseal({reinterpret_cast<char*>(data), size});
  return size;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_FUZZ_SEALED_MUTATOR_HPP
