// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a vector file of the family that KINDRED_FUZZ selects (npy, vecs, bin):
// rejected, or read within their bounds.
#include "MemoryFile.hpp"
#include "VectorFileBytes.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/VectorFile.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

using namespace Kindred;
using Testing::bin;
using Testing::npy;
using Testing::npy_dictionary;
using Testing::raw;
using Testing::vecs;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

const std::vector<float> six{1, 2, 3, 4, 5, 6};

struct Family {
  std::vector<VectorFormat> formats;
  std::vector<std::string> good;  ///< one valid file per format
};

const Family& family() {
  static const Family chosen = [] {
    const char* const variable = std::getenv("KINDRED_FUZZ");
    const std::string name = variable == nullptr ? "npy" : variable;
    if (name == "vecs") {
      return Family{{VectorFormat::fvecs, VectorFormat::bvecs, VectorFormat::ivecs},
                    {vecs<float>({{1, 2, 3}, {4, 5, 6}}), vecs<std::uint8_t>({{1, 2}, {4, 5}}),
                     vecs<std::int32_t>({{1, 2}, {4, -5}})}};
    }
    if (name == "bin") {
      return Family{{VectorFormat::fbin, VectorFormat::u8bin, VectorFormat::i8bin},
                    {bin<float>(2, 3, six), bin<std::uint8_t>(2, 2, {1, 2, 3, 4}),
                     bin<std::int8_t>(1, 3, {1, 2, 3})}};
    }
    return Family{{VectorFormat::npy, VectorFormat::npy, VectorFormat::npy},
                  {npy(npy_dictionary("'<f4'", "False", "(2, 3)"), raw(six)),
                   npy(npy_dictionary("'<f2'", "False", "(3,)"), "abcdef", 2),
                   npy(npy_dictionary("'<i8'", "False", "(1, 1)"), "abcdefgh", 3)}};
  }();
  return chosen;
}

/// Reads everything, in every way. Returns the number of rows.
std::uint64_t use(const std::string& path, VectorFormat format) {
  const VectorFile file(path, {.format = format, .one_row = true});
  const std::uint64_t rows = file.rows();
  const std::uint64_t size = rows * file.dimension();
  std::vector<std::byte> bytes(rows * file.row_bytes());
  const std::array shape{static_cast<std::int64_t>(rows),
                         static_cast<std::int64_t>(file.dimension())};
  file.read(0, rows, Array(bytes.data(), file.type(), shape));
  std::vector<float> floats(size);
  file.read(0, rows, std::span<float>(floats));
  if (rows > 1) file.read(rows / 2, 1, std::span<float>(floats).first(file.dimension()));
  std::vector<std::int64_t> integers(size);
  file.read(0, rows, std::span<std::int64_t>(integers));
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The valid files must be accepted, or nothing behind the first check would be tested.
  const Testing::MemoryFile memory;
  for (std::size_t i = 0; i < family().formats.size(); ++i) {
    memory.set(family().good[i]);
    if (VectorFile(memory.path(), {.format = family().formats[i], .one_row = true}).rows() == 0)
      __builtin_trap();
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  for (const VectorFormat format : family().formats) {
    try {
      use(memory.path(), format);
    } catch (const CorruptFile&) {
    } catch (const InvalidArgument&) {
    }
  }
  return 0;
}

/// Mutates as libFuzzer does, starting from valid files, and often changes a number of the header.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  std::minstd_rand generator(seed);
  if (size < 8 || generator() % 32 == 0) {
    const std::string& good = family().good[generator() % family().good.size()];
    if (good.size() <= size_max) {
      std::copy(good.begin(), good.end(), data);
      size = good.size();
    }
  }
  if (size >= 8 && generator() % 4 == 0) {
    const std::array<std::uint64_t, 5> values{0, 1, generator() % 64, generator(), 0xFFFFFFFFU};
    const auto value = static_cast<std::uint32_t>(values[generator() % values.size()]);
    const std::size_t at = generator() % (size / 4) * 4;
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&value), 4, data + at);
    return size;
  }
  return LLVMFuzzerMutate(data, size, size_max);
}
