// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_FUZZ_STORED_TARGET_HPP
#define KINDRED_TESTS_FUZZ_STORED_TARGET_HPP

#include "MemoryFile.hpp"
#include "SectionBytes.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace Kindred::Testing {

/// What a fuzz target of stored files defines: valid files, ...
std::vector<std::string> good_files();
/// ... and what reads a file and uses it in every way, unless it throws CorruptFile.
void use(const std::string& path);

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
/// Files of tests/storage/stored, which have everything that a file of their kind can contain.
inline std::vector<std::string> stored_files(std::initializer_list<const char*> names) {
  std::vector<std::string> files;
  for (const char* name : names)
    files.push_back(bytes_of(KINDRED_TEST_STORED "/v1/" + std::string(name)));
  return files;
}
inline const std::vector<std::string>& kept_good_files() {
  static const std::vector<std::string> files = good_files();
  return files;
}

/// Reads all numbers of \p lists, which no optimization removes.
template <class... Lists>
void read_numbers(const Lists&... lists) {
  volatile double sum = 0;
  const auto read = [&](const auto& list) {
    for (const auto number : list) sum = sum + static_cast<double>(number);
  };
  (read(lists), ...);
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
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(good.data());
  const std::size_t least =
      is_section_file(bytes, good.size()) ? sizeof(Impl::SectionHeader) : sizeof(std::uint64_t);
  if ((size < least || generator() % 64 == 0) && size_max >= good.size()) {
    std::copy(good.begin(), good.end(), data);
    size = good.size();
    if (generator() % 2 == 0) return size;
  }
  if (size >= least && generator() % 2 == 0) {
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

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The valid files must be accepted, or nothing behind the first check would be tested.
  const Kindred::Testing::MemoryFile memory;
  for (const std::string& file : Kindred::Testing::kept_good_files()) {
    memory.set(file);
    Kindred::Testing::use(memory.path());
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Kindred::Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  try {
    Kindred::Testing::use(memory.path());
  } catch (const Kindred::CorruptFile&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  const std::vector<std::string>& files = Kindred::Testing::kept_good_files();
  return Kindred::Testing::mutate_sealed(data, size, size_max, seed,
                                         files[std::minstd_rand(seed)() % files.size()]);
}

#endif  // KINDRED_TESTS_FUZZ_STORED_TARGET_HPP
