// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a store of vectors: rejected, or read within their bounds.
#include "StoredTarget.hpp"

#include <kindred/matcher/StoredVectors.hpp>

namespace Kindred::Testing {

std::vector<std::string> good_files() { return stored_files({"vectors.knd", "vectors-int8.knd"}); }

void use(const std::string& path) {
  const StoredVectors stored = StoredVectors::load(path, 1);
  const auto& quantized = stored.quantized;
  read_numbers(stored.rows.values, stored.rows.scales, stored.norms, stored.ids, stored.live);
  read_numbers(quantized.values, quantized.scales, quantized.errors, quantized.norms);
}

}  // namespace Kindred::Testing
