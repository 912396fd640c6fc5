// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a store of vectors: rejected, or read within their bounds.
#include "StoredTarget.hpp"
#include "StoredVectorsSupport.hpp"
#include "vector/VectorSections.hpp"

namespace Kindred::Testing {

/// A valid store of two parts.
const std::vector<std::string>& good_files() {
  static const std::vector<std::string> files{file_of([](const std::string& path) {
    const StoredPart a(0, 5, 3);
    const StoredPart b(20, 2, 3);
    const std::vector<StoredVectors> parts{a.part, b.part};
    Impl::save_vectors(path, parts, 30);
  })};
  return files;
}

bool is_good(const std::string& path, std::size_t) {
  return StoredVectors::load(path, 1).rows.count() == 7;
}

void use(const std::string& path) {
  const volatile double sum = use(StoredVectors::load(path, 1));
  static_cast<void>(sum);
}

}  // namespace Kindred::Testing
