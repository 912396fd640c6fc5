// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a vector file of the family that KINDRED_FUZZ selects (npy, vecs, bin):
// rejected, or read within their bounds.
#include "StoredTarget.hpp"
#include "VectorFileBytes.hpp"

#include <kindred/matcher/VectorFile.hpp>

#include <array>
#include <cstdlib>

namespace Kindred::Testing {

/// The valid files of the family, with their formats.
const std::vector<std::pair<VectorFormat, std::string>>& family() {
  static const auto chosen = [] {
    const char* const variable = std::getenv("KINDRED_FUZZ");
    const std::string name = variable == nullptr ? "npy" : variable;
    std::vector<std::pair<VectorFormat, std::string>> out;
    for (const auto& [end, bytes] : good_vector_files())
      if (end.ends_with(name)) out.emplace_back(from_string<VectorFormat>(end).value(), bytes);
    if (name != "npy") return out;
    for (const auto& bytes : {npy(npy_dictionary("'<f2'", "False", "(3,)"), "abcdef", 2),
                              npy(npy_dictionary("'<i8'", "False", "(1, 1)"), "abcdefgh", 3)})
      out.emplace_back(VectorFormat::npy, bytes);
    return out;
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
  std::vector<std::string> files;
  for (const auto& [format, bytes] : family()) {
    file.set(files.emplace_back(bytes));
    if (VectorFile(file.path(), {.format = format, .one_row = true}).rows() == 0) __builtin_trap();
  }
  return files;
}

void use(const std::string& path) {
  for (const auto& [format, bytes] : family()) {
    try {
      read_all(path, format);
    } catch (const CorruptFile&) {
    } catch (const InvalidArgument&) {
    }
  }
}

}  // namespace Kindred::Testing
