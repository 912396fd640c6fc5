// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a store of vectors: rejected, or read within their bounds.
#include "MemoryFile.hpp"
#include "SealedMutator.hpp"
#include "StoredVectorsSupport.hpp"
#include "vector/VectorSections.hpp"

#include <kindred/core/common/Error.hpp>

#include <unistd.h>

using namespace Kindred;

namespace {

/// A valid store of two parts.
std::string good_file() {
  const std::string path = "/tmp/kindred-fuzz-vectors-" + std::to_string(::getpid());
  const Testing::StoredPart a(0, 5, 3);
  const Testing::StoredPart b(20, 2, 3);
  const std::vector<StoredVectors> parts{a.part, b.part};
  Impl::save_vectors(path, parts, 30);
  return Testing::take_file(path);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The valid file must be accepted, or nothing behind the first check would be tested.
  const Testing::MemoryFile memory;
  memory.set(good_file());
  if (StoredVectors::load(memory.path(), 1).rows.count() != 7) __builtin_trap();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Testing::MemoryFile memory;
  memory.set({reinterpret_cast<const char*>(data), size});
  try {
    const StoredVectors stored = StoredVectors::load(memory.path(), 1);
    const volatile double sum = Testing::use(stored);
    static_cast<void>(sum);
  } catch (const CorruptFile&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  static const std::string good = good_file();
  return Testing::mutate_sealed(data, size, size_max, seed, good);
}
