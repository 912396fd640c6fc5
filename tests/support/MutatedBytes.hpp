// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_MUTATED_BYTES_HPP
#define KINDRED_TESTS_SUPPORT_MUTATED_BYTES_HPP

#include "Allocations.hpp"
#include "Generator.hpp"
#include "MemoryFile.hpp"
#include "SectionBytes.hpp"

#include <gtest/gtest.h>

#include <iterator>

namespace Kindred::Testing {

/// Changes a file at random: a bit, a byte, a number, a range, or its length.
inline void mutate(std::string& bytes, std::mt19937_64& generator) {
  const std::size_t at = generator() % bytes.size();
  const std::size_t length = std::min<std::size_t>(1 + generator() % 64, bytes.size() - at);
  const std::size_t other = generator() % (bytes.size() - length + 1);
  switch (generator() % 8) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << generator() % 8));
      return;
    case 1:
      bytes[at] = static_cast<char>(generator());
      return;
    case 2: {
      const std::uint64_t numbers[] = {0,
                                       1,
                                       generator() % 16,
                                       bytes.size(),
                                       generator(),
                                       ~std::uint64_t{0},
                                       std::uint64_t{1} << generator() % 64,
                                       0x7FC000007F800000U};
      const std::uint64_t number = numbers[generator() % std::size(numbers)];
      const std::size_t place = at / 4 * 4;
      const std::size_t size = generator() % 2 == 0 ? 4 : 8;
      std::memcpy(bytes.data() + place, &number, std::min(size, bytes.size() - place));
      return;
    }
    case 3:
      std::fill_n(bytes.data() + at, length, '\0');
      return;
    case 4:
      bytes.replace(at, length, std::string(bytes, other, length));
      return;
    case 5:
      std::swap_ranges(bytes.data() + at, bytes.data() + at + length / 2,
                       bytes.data() + at + length / 2);
      return;
    case 6:
      bytes.insert(at, std::string(bytes, other, length));
      return;
    default:
      bytes.erase(at, length);
      if (bytes.empty()) bytes.push_back('\0');
  }
}

/// What became of mutated files.
struct MutatedFiles {
  int used = 0;
  int refused = 0;
};

/// \brief Calls `use(path)` for \p count files that differ from \p good, of which every other one
/// has checksums that match its bytes again. It must succeed, or throw an Error that says why: \p
/// use loads the file and checks the object as far as it can be checked. A call may neither take
/// long nor allocate far more than the file has.
template <class Use>
MutatedFiles use_mutated(const std::string& name, const std::string& good, const Use& use,
                         int count = 2000) {
  auto generator = Testing::generator(name);
  const MemoryFile file;
  MutatedFiles out;
  for (int i = 0; i < count; ++i) {
    std::string bytes = good;
    for (std::uint64_t changes = 1 + generator() % 3; changes > 0; --changes)
      mutate(bytes, generator);
    if (i % 2 == 0) reseal(bytes);
    file.set(bytes);
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = allocated_bytes();
    try {
      use(file.path());
      ++out.used;
    } catch (const CorruptFile& error) {
      EXPECT_NE(std::string(error.what()).find(file.path()), std::string::npos) << error.what();
      ++out.refused;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(file.path()), std::string::npos) << error.what();
      ++out.refused;
    }
    EXPECT_LT(allocated_bytes() - before, std::size_t{8} << 20U) << "mutation " << i;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << i;
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "mutation " << i << " of " << name;
      break;
    }
  }
  return out;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_MUTATED_BYTES_HPP
