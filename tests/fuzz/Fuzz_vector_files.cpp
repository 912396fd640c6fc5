// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a vector file of the family that KINDRED_FUZZ selects (npy, vecs, bin):
// rejected, or read within their bounds.
#include "StoredTarget.hpp"
#include "VectorFileBytes.hpp"

#include <kindred/matcher/VectorFile.hpp>

#include <array>
#include <cstdlib>

namespace Kindred::Testing {

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

/// Reads everything, in every way.
void read_all(const std::string& path, VectorFormat format) {
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
}

std::vector<std::string> good_files() {
  const MemoryFile file;
  for (std::size_t which = 0; which < family().good.size(); ++which) {
    file.set(family().good[which]);
    if (VectorFile(file.path(), {.format = family().formats[which], .one_row = true}).rows() == 0)
      __builtin_trap();
  }
  return family().good;
}

void use(const std::string& path) {
  for (const VectorFormat format : family().formats) {
    try {
      read_all(path, format);
    } catch (const CorruptFile&) {
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace Kindred::Testing
